// wrong: the vote stands in a branch that only the lanes above the limit take, so lane 0 may miss it
// verdict: fail
// says: all of those must come to it
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  if (i < n && x[i] > limit)
    count = __popc(__ballot_sync(0xffffffff, 1));
  if (threadIdx.x % 32 == 0 && i < n) counts[i / 32] = count;
}
