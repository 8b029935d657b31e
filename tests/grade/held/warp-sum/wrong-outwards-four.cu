// wrong: the distances grow from 1, and the loop ends in front of 16
// verdict: fail
// says: The elements of lanes 16 to 31 are never added
__global__ void warp_sum(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? x[i] : 0;
  for (int far = 1; far < 16; far *= 2) sum += __shfl_down_sync(0xffffffffu, sum, far);
  if (i % 32 == 0 && i < n) out[i / 32] = sum;
}
