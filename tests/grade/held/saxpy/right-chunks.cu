// right: each thread has a piece of neighbouring elements, rounded up, and counts in 64 bits
__global__ void saxpy(float a, const float *x, float *y, int n) {
  long long threads = (long long)gridDim.x * blockDim.x;
  long long me = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long each = (n + threads - 1) / threads;
  long long begin = me * each;
  long long end = min(begin + each, (long long)n);
  for (long long k = begin; k < end; ++k) {
    y[k] = a * x[k] + y[k];
  }
}
