-- SPDX-License-Identifier: Apache-2.0
-- Barriers that also count, and, or: __syncthreads_count and its kin.
local t = ...
local m = t:module[==[
__global__ void vote(const int *x, int *out, int limit) {
  int above = x[blockIdx.x * blockDim.x + threadIdx.x] > limit;
  int count = __syncthreads_count(above);
  int all = __syncthreads_and(above), any = __syncthreads_or(above);
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = count;
    out[3 * blockIdx.x + 1] = all != 0;
    out[3 * blockIdx.x + 2] = any != 0;
  }
}]==]
local x = t:ints(5 * 96, 0, 100)
local v = t.values(x)
for _, limit in ipairs{-1, 50, 100} do
  local out = np.zeros(15, "i32")
  m.vote[{5, 96}](x, out, limit)
  local want = {}
  for b = 0, 4 do
    local c = 0
    for i = 0, 95 do c = c + (v[96 * b + i] > limit and 1 or 0) end
    want[3 * b], want[3 * b + 1], want[3 * b + 2] = c, c == 96 and 1 or 0, c > 0 and 1 or 0
  end
  t:same("above " .. limit, out, want)
end
