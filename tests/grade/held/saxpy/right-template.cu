// right: a template does the work for any type, through __restrict__ pointers and fma, from the last element down
template <typename T>
__device__ __forceinline__ void axpy_step(T a, const T *__restrict__ x, T *__restrict__ y, unsigned i) {
  const T old = y[i];
  y[i] = fma(a, x[i], old);
}

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  const int width = blockDim.x * gridDim.x;
  int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);
  while (i >= 0) {
    axpy_step<float>(a, x, y, (unsigned)i);
    i -= width;
  }
}
