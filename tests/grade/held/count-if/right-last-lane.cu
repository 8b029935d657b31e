// right: counts those that are not above, with the mask of the lanes below n, and the last such lane writes
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  const int lane = threadIdx.x & 31;
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const int first = i - lane;
  const int here = max(0, min(32, n - first));
  const unsigned inside = here == 32 ? ~0u : (1u << here) - 1;
  bool is_low = true;
  if (i < n) is_low = !(x[i] > limit);
  const unsigned low = __ballot_sync(~0u, is_low);
  if (lane == 31 && first < n) counts[first / 32] = here - __popc(low & inside);
}
