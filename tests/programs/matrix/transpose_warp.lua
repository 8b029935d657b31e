-- SPDX-License-Identifier: Apache-2.0
-- A warp transposes 32 x 32 bits in registers, by five butterfly steps.
local t = ...
local m = t:module[==[
__global__ void bits(unsigned *a) {
  unsigned lane = threadIdx.x, v = a[blockIdx.x * 32 + lane];
  unsigned mask = 0xffff;
  for (int d = 16; d; d >>= 1, mask ^= mask << d) {
    unsigned other = __shfl_xor_sync(~0u, v, d);
    v = lane & d ? (v & ~mask) | ((other >> d) & mask) : (v & mask) | ((other << d) & ~mask);
  }
  a[blockIdx.x * 32 + lane] = v;
}]==]
local x = t:ints(96, 0, 0x7fffffff, "u32")
local v, want = t.values(x), t.fill(96, 0)
for b = 0, 64, 32 do
  for i = 0, 31 do
    for j = 0, 31 do want[b + j] = want[b + j] | (v[b + i] >> j & 1) << i end
  end
end
m.bits[{3, 32}](x)
t:same("bits", x, want)
