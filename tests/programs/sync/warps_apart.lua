-- SPDX-License-Identifier: Apache-2.0
-- Between barriers only some warps have work: the first ones, the last ones,
-- every other one, and warps of which a part is off.
local t = ...
local m = t:module[==[
__global__ void apart(const int *x, int *out, int half) {
  __shared__ int s[256];
  int i = threadIdx.x, warp = i / 32;
  s[i] = x[blockIdx.x * 256 + i];
  __syncthreads();
  if (i < half) s[i] += s[i + 128];
  __syncthreads();
  if (i >= 192) s[i] = 3 * s[i] + i;
  __syncthreads();
  if (warp % 2) s[i] -= s[i - 32];
  __syncthreads();
  if (warp == 2 || warp == 5) {
    int v = s[i] ^ blockIdx.x;
    if (i % 3 == 0) v += s[i]; else v -= 5;
    s[i] = v;
  }
  __syncthreads();
  out[blockIdx.x * 256 + i] = s[i];
}]==]

local blocks = 70
local x, out = t:ints(256 * blocks, -1000, 1000), np.zeros(256 * blocks, "i32")
local u = t.values(x)
for _, half in ipairs {128, 64, 96, 16, 33, 0} do
  m.apart[{{blocks}, {256}}](x, out, half)
  local want = {}
  for b = 0, blocks - 1 do
    local s = {}
    for i = 0, 255 do s[i] = u[b * 256 + i] end
    for i = 0, half - 1 do s[i] = s[i] + s[i + 128] end
    for i = 192, 255 do s[i] = 3 * s[i] + i end
    for i = 255, 32, -1 do
      if i // 32 % 2 == 1 then s[i] = s[i] - s[i - 32] end
    end
    for _, w in ipairs {2, 5} do
      for i = w * 32, w * 32 + 31 do
        local v = s[i] ~ b
        s[i] = i % 3 == 0 and v + s[i] or v - 5
      end
    end
    for i = 0, 255 do want[b * 256 + i] = s[i] end
  end
  t:same("first " .. half, out, want)
end
