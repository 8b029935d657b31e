-- SPDX-License-Identifier: Apache-2.0
-- The edit distance of two words by anti-diagonals in shared memory.
local t = ...
local m = t:module[==[
__global__ void distance(const char *a, int na, const char *b, int nb, int *out) {
  __shared__ int d[3][65];
  int i = threadIdx.x;
  for (int diagonal = 0; diagonal <= na + nb; diagonal++) {
    int *now = d[diagonal % 3], *last = d[(diagonal + 2) % 3], *before = d[(diagonal + 1) % 3];
    int j = diagonal - i;
    if (i <= na && j >= 0 && j <= nb) {
      if (i == 0 || j == 0) now[i] = i + j;
      else
        now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
      if (i == na && j == nb) *out = now[i];
    }
    __syncthreads();
  }
}]==]
local a, b, out = t:ints(50, 97, 100, "i8"), t:ints(41, 97, 100, "i8"), np.zeros(1, "i32")
m.distance[{1, 64}](a, 50, b, 41, out)
local x, y, row = t.values(a), t.values(b), t.fill(42, function(j) return j end)
for i = 1, 50 do
  local diagonal = row[0]
  row[0] = i
  for j = 1, 41 do
    local cost = diagonal + (x[i - 1] == y[j - 1] and 0 or 1)
    diagonal = row[j]
    row[j] = math.min(row[j] + 1, row[j - 1] + 1, cost)
  end
end
t:same("distance", out, row[41])
