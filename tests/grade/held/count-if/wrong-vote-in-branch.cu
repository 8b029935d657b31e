// wrong: the vote with all 32 lanes stands in a branch that only those below n take
// verdict: fail
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned mask = __ballot_sync(0xffffffff, x[i] > limit);
    if (i % 32 == 0) counts[i / 32] = __popc(mask);
  }
}
