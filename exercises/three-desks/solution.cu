#include <cuda_pipeline.h>

// nearest looks for each of `mine` how far the nearest number of x is. It sends
// for the tiles of x by asynchronous copies, two rounds ahead, and has three
// desks for them: one is worked at while two are being filled. A block has 64
// threads, and a tile as many numbers; the last tile may have fewer. Three
// mistakes are in it: two reach for what is not there yet, and one puts
// something where others still work. Mend it, with three desks and asynchronous
// copies as they are.
__global__ void nearest(const int *x, const int *mine, int *out, int n) {
  __shared__ int desk[3][64];
  int t = threadIdx.x, me = mine[blockIdx.x * 64 + t], best = 2000000000;
  int tiles = (n + 63) / 64;
  // BEGIN SOLUTION
  for (int next = 0; next < 2; next++) {
    int j = 64 * next + t;
    if (j < n) __pipeline_memcpy_async(&desk[next][t], &x[j], 4);
    __pipeline_commit();
  }
  for (int k = 0; k < tiles; k++) {
    int j = 64 * (k + 2) + t;
    if (j < n) __pipeline_memcpy_async(&desk[(k + 2) % 3][t], &x[j], 4);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    int length = min(64, n - 64 * k);
    for (int i = 0; i < length; i++)
      best = min(best, abs(desk[k % 3][i] - me));
    __syncthreads();
  }
  // END SOLUTION
  // STARTER: for (int next = 0; next < 2; next++) {
  // STARTER:   int j = 64 * next + t;
  // STARTER:   if (j < n) __pipeline_memcpy_async(&desk[next][t], &x[j], 4);
  // STARTER:   __pipeline_commit();
  // STARTER: }
  // STARTER: for (int k = 0; k < tiles; k++) {
  // STARTER:   int j = 64 * (k + 2) + t;
  // STARTER:   if (j < n) {
  // STARTER:     __pipeline_memcpy_async(&desk[(k + 2) % 3][t], &x[j], 4);
  // STARTER:     __pipeline_commit();
  // STARTER:   }
  // STARTER:   __syncthreads();
  // STARTER:   __pipeline_wait_prior(2);
  // STARTER:   int length = min(64, n - 64 * k);
  // STARTER:   for (int i = 0; i < length; i++)
  // STARTER:     best = min(best, abs(desk[k % 3][i] - me));
  // STARTER: }
  out[blockIdx.x * 64 + t] = best;
}
