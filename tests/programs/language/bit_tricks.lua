-- SPDX-License-Identifier: Apache-2.0
-- clz, ffs, popc, brev, byte_perm, funnel shifts and 24-bit products.
local t = ...
local m = t:module[==[
__global__ void bits(const unsigned *x, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i], *o = out + 8 * i;
  o[0] = __clz(v);
  o[1] = __ffs(v);
  o[2] = __popc(v);
  o[3] = __brev(v);
  o[4] = __byte_perm(v, ~v, 0x5173);
  o[5] = __funnelshift_l(v, i, i % 37);
  o[6] = __umul24(v, i) + __umulhi(v, v);
  o[7] = __vadd4(v, 0x01ff7f80);
}]==]
local n = 60
local x, out = t:ints(n, 0, 2 ^ 31 - 1, "u32"), np.zeros(8 * n, "u32")
x[0] = 0
m.bits[{2, 32}](x, out, n)
local v, want = t.values(x), {}
for i = 0, n - 1 do
  local u, o = v[i], 8 * i
  local clz, ffs, popc, brev = 32, 0, 0, 0
  for k = 0, 31 do
    if u >> k & 1 == 1 then
      clz, popc, brev = 31 - k, popc + 1, brev | 1 << 31 - k
      if ffs == 0 then ffs = k + 1 end
    end
  end
  local bytes = t.u32(u) | (~u & 0xffffffff) << 32
  local perm, sum = 0, 0
  for k = 0, 3 do
    perm = perm | (bytes >> 8 * (0x5173 >> 4 * k & 7) & 255) << 8 * k
    sum = sum | ((u >> 8 * k) + (0x01ff7f80 >> 8 * k) & 255) << 8 * k
  end
  want[o], want[o + 1], want[o + 2], want[o + 3], want[o + 4] = clz, ffs, popc, brev, perm
  want[o + 5] = t.u32((i << 32 | u) << (i % 37 & 31) >> 32)
  want[o + 6], want[o + 7] = t.u32((u & 0xffffff) * i + (u * u >> 32)), sum
end
t:same("bits", out, want)
