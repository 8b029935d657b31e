// wrong: the loop over the warps before takes its own warp's total as well
// verdict: fail
// says: totals[warp] has the warp's own total in it
__global__ void scan_block(const int *x, int *out, int n) {
  __shared__ int totals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d <<= 1) {
    int w = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += w;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  for (int k = 0; k <= warp; k++) v += totals[k];
  if (i < n) out[i] = v;
}
