-- SPDX-License-Identifier: Apache-2.0
-- The ladder's second step: consecutive threads, strided addresses (bank
-- conflicts, but no idle half warps).
local t = ...
local m = t:module[==[
__global__ void reduce(const int *in, int *out) {
  __shared__ int s[256];
  int tid = threadIdx.x;
  s[tid] = in[blockIdx.x * 256 + tid];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int at = 2 * d * tid;
    if (at < 256) s[at] = max(s[at], s[at + d]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}]==]
local x = t:ints(1024, -100000, 100000)
local out = np.zeros(4, "i32")
m.reduce[{4, 256}](x, out)
local v, want = t.values(x), t.fill(4, math.mininteger)
for i = 0, 1023 do want[i // 256] = math.max(want[i // 256], v[i]) end
t:same("maxima", out, want)
