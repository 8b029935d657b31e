// right: each warp adds by butterfly shuffles, the first warp adds the warps' sums
__device__ float warp_total(float v) {
#pragma unroll
  for (int mask = 1; mask < 32; mask <<= 1) v += __shfl_xor_sync(0xffffffffu, v, mask);
  return v;
}

__global__ void dot(const float *x, const float *y, float *out, int columns) {
  __shared__ float warps[32];
  const size_t begin = (size_t)blockIdx.x * columns;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, count = blockDim.x >> 5;
  float even = 0, odd = 0;
  int c = threadIdx.x;
  for (; c + (int)blockDim.x < columns; c += 2 * blockDim.x) {
    even = fmaf(x[begin + c], y[begin + c], even);
    odd = fmaf(x[begin + c + blockDim.x], y[begin + c + blockDim.x], odd);
  }
  if (c < columns) even = fmaf(x[begin + c], y[begin + c], even);
  float sum = warp_total(even + odd);
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_total(lane < count ? warps[lane] : 0.0f);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}
