-- SPDX-License-Identifier: Apache-2.0
-- Points in a quarter circle by a hash of its own in each thread, counted in
-- 64 bits.
local t = ...
local m = t:module[==[
__device__ unsigned next(unsigned &s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
__global__ void count(unsigned long long *hits, int each) {
  unsigned s = 2463534242u + 1000003u * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long long mine = 0;
  for (int i = 0; i < each; i++) {
    unsigned long long x = next(s) >> 8, y = next(s) >> 8;
    mine += x * x + y * y < 1ull << 48;
  }
  for (int d = 16; d; d >>= 1) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, mine);
}]==]
local hits, want = np.zeros(1, "u64"), 0
m.count[{2, 64}](hits, 40)
for k = 0, 127 do
  local s = t.u32(2463534242 + 1000003 * k)
  local function step()
    s = t.u32(s ~ s << 13)
    s = s ~ s >> 17
    s = t.u32(s ~ s << 5)
    return s >> 8
  end
  for _ = 1, 40 do
    local x, y = step(), step()
    if x * x + y * y < 1 << 48 then want = want + 1 end
  end
end
t:same("hits", hits, want)
