-- SPDX-License-Identifier: Apache-2.0
-- The same bits as float, integer, bytes and bit fields.
local t = ...
local m = t:module[==[
union Word {
  float f;
  unsigned u;
  unsigned char b[4];
  struct { unsigned fraction : 23, exponent : 8, sign : 1; } part;
};
__global__ void take_apart(const float *x, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Word w;
  w.f = x[i];
  out[4 * i] = w.u;
  out[4 * i + 1] = w.b[0] ^ w.b[3];
  out[4 * i + 2] = w.part.exponent;
  out[4 * i + 3] = w.part.fraction | (unsigned)w.part.sign << 31;
}]==]
local n = 70
local x, out = t:floats(n, -1000, 1000), np.zeros(4 * n, "u32")
m.take_apart[{2, 64}](x, out, n)
local v, want = t.values(x), {}
for i = 0, n - 1 do
  local u = string.unpack("<I4", string.pack("<f", v[i]))
  want[4 * i], want[4 * i + 1] = u, (u ~ u >> 24) & 255
  want[4 * i + 2], want[4 * i + 3] = u >> 23 & 255, u & 0x807fffff
end
t:same("parts", out, want)
