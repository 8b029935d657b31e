-- SPDX-License-Identifier: Apache-2.0
-- Two halves of a block share a double buffer through named barriers.
local t = ...
local m = t:module[==[
#define BAR(op, id) asm volatile("bar." op " %0, 128;" ::"r"(id) : "memory")
__global__ void pipe(const int *in, int *out, int rounds) {
  __shared__ int buffer[2][64];
  int lane = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; r++) {
      if (r >= 2) BAR("sync", 3 + r % 2);
      buffer[r % 2][lane] = in[64 * r + lane] * 3;
      BAR("arrive", 1 + r % 2);
    }
  } else {
    for (int r = 0; r < rounds; r++) {
      BAR("sync", 1 + r % 2);
      out[64 * r + lane] = buffer[r % 2][63 - lane];
      if (r + 2 < rounds) BAR("arrive", 3 + r % 2);
    }
  }
}]==]
local x, out = t:ints(320, -50, 50), np.zeros(320, "i32")
m.pipe[{1, 128}](x, out, 5)
local v = t.values(x)
t:same("out", out, t.fill(320, function(i) return 3 * v[i - i % 64 + 63 - i % 64] end))
