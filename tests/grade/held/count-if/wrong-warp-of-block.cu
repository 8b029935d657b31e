// wrong: threadIdx.x / 32 is the warp's number in its block, so all blocks write to the same counts
// verdict: fail
// says: There is no blockIdx.x in it
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int above = 0;
  if (i < n) above = x[i] > limit;
  int count = __popc(__ballot_sync(0xffffffff, above));
  if (threadIdx.x % 32 == 0 && i < n) counts[threadIdx.x / 32] = count;
}
