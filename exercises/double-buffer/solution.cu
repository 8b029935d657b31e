#include <cuda_pipeline.h>

// out[i] is to be the sum of the distances |x[i] - x[j]| over all j.
// distances is right: it fetches x tile by tile, each by way of the
// threads' registers, and works while nothing is on its way. Send for
// the tiles by asynchronous copies, a round ahead, with two desks. A
// block has 64 to 256 threads, and a tile as many elements; the last
// tile may have fewer.
__global__ void distances(const int *x, int *out, int n) {
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0;
  // BEGIN SOLUTION
  // Twice the shared memory for a tile that is on its way while this
  // one is worked on. Next: let each thread keep four sums, so that a
  // tile serves four times.
  __shared__ int desk[2][256];
  if (t < n) __pipeline_memcpy_async(&desk[0][t], &x[t], 4);
  __pipeline_commit();
  for (int first = 0, now = 0; first < n; first += size, now = 1 - now) {
    int next = first + size + t;
    if (next < n) __pipeline_memcpy_async(&desk[1 - now][t], &x[next], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int length = min(size, n - first);
    for (int k = 0; k < length; k++) sum += abs(mine - desk[now][k]);
    __syncthreads();
  }
  // END SOLUTION
  // STARTER: __shared__ int desk[256];
  // STARTER: for (int first = 0; first < n; first += size) {
  // STARTER:   if (first + t < n) desk[t] = x[first + t];
  // STARTER:   __syncthreads();
  // STARTER:   int length = min(size, n - first);
  // STARTER:   for (int k = 0; k < length; k++) sum += abs(mine - desk[k]);
  // STARTER:   __syncthreads();
  // STARTER: }
  if (i < n) out[i] = sum;
}
