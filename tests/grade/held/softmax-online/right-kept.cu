// right: pairs in float2, warps merge by shuffles and every thread merges the warps' pairs itself
__device__ float2 merged(float2 a, float2 b) {
  float most = fmaxf(a.x, b.x);
  return make_float2(most, a.y * expf(a.x - most) + b.y * expf(b.x - most));
}

__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float2 of_warp[8];
  const float *row = x + (size_t)blockIdx.x * n;
  float2 own = {-3e38f, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) own = merged(own, make_float2(__ldg(row + i), 1));
#pragma unroll
  for (int far = 1; far < 32; far *= 2)
    own = merged(own, make_float2(__shfl_xor_sync(~0u, own.x, far), __shfl_xor_sync(~0u, own.y, far)));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = own;
  __syncthreads();
  float2 all = of_warp[0];
  for (int w = 1; w < blockDim.x / 32; w++) all = merged(all, of_warp[w]);
  float by = 1 / all.y;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[(size_t)blockIdx.x * n + i] = expf(row[i] - all.x) * by;
}
