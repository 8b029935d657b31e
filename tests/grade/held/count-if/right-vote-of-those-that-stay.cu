// right: the threads without an element have left, and a vote waits for those that have not
__global__ void count_if(const float *x, float limit, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned mask = __ballot_sync(0xffffffff, x[i] > limit);
    if (i % 32 == 0) counts[i / 32] = __popc(mask);
  }
}
