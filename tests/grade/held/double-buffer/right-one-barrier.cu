// right: the next tile is ordered behind the barrier, so that one barrier a round is enough
#include <cuda_pipeline.h>

template <int STAGES> struct Desks {
  int cell[STAGES][256];
  __device__ int *of(int tile) { return cell[tile % STAGES]; }
};

__global__ void distances(const int *x, int *out, int n) {
  __shared__ Desks<2> desks;
  const int t = threadIdx.x, size = blockDim.x;
  const int i = blockIdx.x * size + t;
  auto order = [&](int tile) {
    int from = tile * size + t;
    if (from < n)
      __pipeline_memcpy_async(desks.of(tile) + t, x + from, sizeof(int));
    __pipeline_commit();
  };
  order(0);
  int mine = i < n ? x[i] : 0, sum = 0;
  for (int tile = 0; tile * size < n; tile++) {
    __pipeline_wait_prior(0);
    __syncthreads();
    order(tile + 1);
    const int *desk = desks.of(tile);
    for (int k = min(size, n - tile * size) - 1; k >= 0; k--)
      sum += mine > desk[k] ? mine - desk[k] : desk[k] - mine;
  }
  if (i < n) out[i] = sum;
}
