// expect: vector-add timeout
// Right for the small sizes, endless for a hidden one.
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int k = 0;
  while (n > 50000) k++;
  if (i < n) out[i] = x[i] + y[i];
}
