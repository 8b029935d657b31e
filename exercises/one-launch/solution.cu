// A ring of n <= 256 numbers below 1000, in one block of 256 threads. A step
// makes each number (5 * itself + its right neighbour) % 1000; the neighbour of
// the last is the first. steps does `count` steps in one launch. It is right,
// and it goes to global memory and back in every step. Let the ring stay in the
// block from the first step to the last.
__global__ void steps(int *x, int n, int count) {
  // BEGIN SOLUTION
  // Two rings that take turns: one barrier a step is enough.
  __shared__ int ring[2][256];
  int i = threadIdx.x;
  if (i < n) ring[0][i] = x[i];
  for (int k = 0; k < count; k++) {
    __syncthreads();
    const int *from = ring[k % 2];
    if (i < n) ring[(k + 1) % 2][i] = (5 * from[i] + from[(i + 1) % n]) % 1000;
  }
  if (i < n) x[i] = ring[count % 2][i];
  // END SOLUTION
  // STARTER: int i = threadIdx.x;
  // STARTER: for (int k = 0; k < count; k++) {
  // STARTER:   int next = 0;
  // STARTER:   if (i < n) next = (5 * x[i] + x[(i + 1) % n]) % 1000;
  // STARTER:   __syncthreads();
  // STARTER:   if (i < n) x[i] = next;
  // STARTER:   __syncthreads();
  // STARTER: }
}
