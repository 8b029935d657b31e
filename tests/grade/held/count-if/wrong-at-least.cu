// wrong: >= also counts elements that are equal to limit
// verdict: fail
// says: Elements equal to limit are counted
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hands = __ballot_sync(0xffffffffu, i < n && x[i] >= limit);
  if ((threadIdx.x & 31) == 0 && i < n) counts[i >> 5] = __popc(hands);
}
