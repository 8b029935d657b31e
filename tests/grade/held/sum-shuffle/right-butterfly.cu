// right: butterflies, and every warp adds the warps' sums for itself; the last thread writes
template <unsigned WIDTH>
__device__ __forceinline__ float add_lanes(float v) {
#pragma unroll
  for (unsigned m = WIDTH / 2; m; m >>= 1) v += __shfl_xor_sync(~0u, v, m);
  return v;
}

__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float sums[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % warpSize, warps = blockDim.x / warpSize;
  const float mine = add_lanes<32>(i < n ? x[i] : 0.0f);
  if (lane == 31) sums[threadIdx.x / warpSize] = mine;
  __syncthreads();
  const float all = add_lanes<32>(lane < warps ? sums[lane] : 0.0f);
  if (threadIdx.x == blockDim.x - 1) out[blockIdx.x] = all;
}
