// right: the mask of those that have an element, and lanes of it alone are asked
__global__ void warp_top(const int *x, int *top, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned who = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  int largest = x[i], lane = threadIdx.x % 32, last = __popc(who) - 1;
  for (int far = 16; far > 0; far /= 2) {
    int other = __shfl_sync(who, largest, min(lane + far, last));
    largest = max(largest, other);
  }
  if (lane == 0) top[i / 32] = largest;
}
