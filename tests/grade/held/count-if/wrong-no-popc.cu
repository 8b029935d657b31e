// wrong: the vote's mask itself is stored, its ones are not counted
// verdict: fail
// says: __popc counts the bits that are 1
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool above = i < n && x[i] > limit;
  unsigned votes = __ballot_sync(0xffffffff, above);
  if (threadIdx.x % 32 == 0 && i < n) counts[i / 32] = votes;
}
