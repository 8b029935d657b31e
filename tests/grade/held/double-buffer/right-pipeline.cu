// right: cuda::pipeline of a thread, memcpy_async of four bytes
#include <cuda/pipeline>
__global__ void distances(const int *x, int *out, int n) {
  __shared__ int desk[2][256];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int mine = i < n ? x[i] : 0, sum = 0;
  pipe.producer_acquire();
  if (t < n) cuda::memcpy_async(&desk[0][t], &x[t], sizeof(int), pipe);
  pipe.producer_commit();
  for (int first = 0, now = 0; first < n; first += size, now = !now) {
    int next = first + size + t;
    pipe.producer_acquire();
    if (next < n) cuda::memcpy_async(&desk[!now][t], &x[next], sizeof(int), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    int length = min(size, n - first);
    for (int k = 0; k < length; k++) sum += abs(mine - desk[now][k]);
    pipe.consumer_release();
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
