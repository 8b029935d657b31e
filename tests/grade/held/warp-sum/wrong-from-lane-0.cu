// wrong: each round takes the value of lane 0
// verdict: fail
// says: lane 0 adds its own value once more
__global__ void warp_sum(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? x[i] : 0;
  for (int round = 0; round < 5; round++) sum += __shfl_sync(0xffffffffu, sum, 0);
  if (i % 32 == 0 && i < n) out[i / 32] = sum;
}
