-- SPDX-License-Identifier: Apache-2.0
-- Jacobi smoothing in one cooperative launch, the whole grid meeting each round.
local t = ...
local m = t:module[==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void smooth(int *a, int *b, int n, int rounds) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < rounds; r++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = a[(i + n - 1) % n] + a[(i + 1) % n] - a[i];
    grid.sync();
    int *c = a;
    a = b;
    b = c;
  }
}]==]
local n = 300
local x = t:ints(n, -9, 9)
local v, b = t.values(x), np.zeros(n, "i32")
m.smooth{grid = 4, block = 64, cooperative = true}(x, b, n, 4)
for _ = 1, 4 do
  local w = {}
  for i = 0, n - 1 do w[i] = v[(i - 1) % n] + v[(i + 1) % n] - v[i] end
  v = w
end
t:same("values", x, v)
