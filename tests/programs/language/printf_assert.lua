-- SPDX-License-Identifier: Apache-2.0
-- A kernel that says something and asserts what holds.
local t = ...
local m = t:module[==[
#include <cassert>
#include <cstdio>
__global__ void gcd(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  assert(x > 0 && y > 0);
  while (y) {
    unsigned r = x % y;
    x = y;
    y = r;
  }
  if (threadIdx.x == 0) printf("# gcd(%u, %u) = %u\n", a[0], b[0], x);
  out[threadIdx.x] = x;
}]==]
local a, b, out = t:ints(64, 1, 500, "u32"), t:ints(64, 1, 500, "u32"), np.zeros(64, "u32")
m.gcd[{1, 64}](a, b, out)
local u, v = t.values(a), t.values(b)
t:same("gcd", out, t.fill(64, function(i)
  local x, y = u[i], v[i]
  while y > 0 do x, y = y, x % y end
  return x
end))
