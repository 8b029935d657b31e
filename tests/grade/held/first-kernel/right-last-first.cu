// right: from the last to the first, through a template
template <typename T> __device__ T sum_of(T a, T b) { return a + b; }
__global__ void shift_up(const float *__restrict__ x, float *__restrict__ out, float by) {
  unsigned i = blockDim.x - 1 - threadIdx.x;
  *(out + i) = sum_of(by, __ldg(x + i));
}
