// wrong: the distances grow, and begin with 2
// verdict: fail
// says: The elements with odd numbers are missing
__global__ void warp_sum(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? x[i] : 0;
  for (int far = 2; far < 32; far *= 2) sum += __shfl_down_sync(0xffffffffu, sum, far);
  if (i % 32 == 0 && i < n) out[i / 32] = sum;
}
