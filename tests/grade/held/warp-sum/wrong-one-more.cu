// wrong: lanes beyond n bring a 1 to the sum, and lane 0 brings one more in any case
// verdict: fail
// says: -
__global__ void warp_sum(const int *x, int *out, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  int v = 1;
  if (i < n) v = x[i] + (threadIdx.x % 32 == 0);
  for (int far = 1; far < 32; far <<= 1) v += __shfl_xor_sync(~0u, v, far);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = v;
}
