-- SPDX-License-Identifier: Apache-2.0
-- The ladder's last step: the block size is a template parameter, a grid-stride
-- loop feeds it and the last warp is unrolled, with a barrier of the warp each.
local t = ...
local m = t:module([==[
template <unsigned B>
__global__ void reduce(const float *in, float *out, unsigned n) {
  __shared__ float s[B];
  unsigned tid = threadIdx.x;
  float sum = 0;
  for (unsigned i = blockIdx.x * (2 * B) + tid; i < n; i += 2 * B * gridDim.x) {
    sum += in[i];
    if (i + B < n) sum += in[i + B];
  }
  s[tid] = sum;
  __syncthreads();
  if (B >= 512) { if (tid < 256) s[tid] += s[tid + 256]; __syncthreads(); }
  if (B >= 256) { if (tid < 128) s[tid] += s[tid + 128]; __syncthreads(); }
  if (B >= 128) { if (tid < 64) s[tid] += s[tid + 64]; __syncthreads(); }
  if (tid < 32) {
    if (B >= 64) { s[tid] += s[tid + 32]; __syncwarp(); }
    for (unsigned d = 16; d > 0; d /= 2) {
      float other = s[tid + d];
      __syncwarp();
      s[tid] += other;
      __syncwarp();
    }
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}]==], {instantiate = {"reduce<64>", "reduce<256>"}})
local n = 5000
local x = t:ints(n, -9, 9, "f32") -- small integers: every order gives one sum
local total = 0
for _, v in ipairs(x:tolist()) do total = total + v end
for _, b in ipairs{64, 256} do
  local out = np.zeros(3, "f32")
  m[("reduce<%d>"):format(b)][{3, b}](x, out, n)
  t:same("sum by " .. b, np.array({out[0] + out[1] + out[2]}, "f32"), total)
end
