-- SPDX-License-Identifier: Apache-2.0
-- Products of 256-bit integers: 64-bit limbs, __umul64hi and carries.
local t = ...
local m = t:module[==[
typedef unsigned long long u64;
__global__ void multiply(const u64 *a, const u64 *b, u64 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 r[8] = {};
  for (int j = 0; j < 4; j++) {
    u64 carry = 0;
    for (int k = 0; k < 4; k++) {
      u64 low = a[4 * i + j] * b[4 * i + k], high = __umul64hi(a[4 * i + j], b[4 * i + k]);
      low += carry;
      high += low < carry;
      r[j + k] += low;
      carry = high + (r[j + k] < low);
    }
    r[j + 4] = carry;
  }
  for (int j = 0; j < 8; j++) c[8 * i + j] = r[j];
}]==]
local n = 30
local function words()
  local v = {}
  for i = 1, 4 * n do v[i] = t:next(1 << 31) << 33 | t:next(1 << 31) << 2 | t:next(4) end
  return v
end
local a, b, want = words(), words(), {}
local c = np.zeros(8 * n, "i64")
-- The reference works on 16-bit digits.
for i = 0, n - 1 do
  local d = t.fill(33, 0)
  for j = 0, 15 do
    for k = 0, 15 do
      local x = a[4 * i + j // 4 + 1] >> j % 4 * 16 & 0xffff
      local y = b[4 * i + k // 4 + 1] >> k % 4 * 16 & 0xffff
      d[j + k] = d[j + k] + x * y
    end
  end
  for j = 0, 31 do
    d[j + 1], d[j] = d[j + 1] + (d[j] >> 16), d[j] & 0xffff
  end
  for j = 0, 7 do
    want[8 * i + j] = d[4 * j] | d[4 * j + 1] << 16 | d[4 * j + 2] << 32 | d[4 * j + 3] << 48
  end
end
m.multiply[{1, 32}](np.array(a, "i64"), np.array(b, "i64"), c, n)
t:same("products", c, want)
