-- SPDX-License-Identifier: Apache-2.0
-- Functions that call themselves: Ackermann and the moves of Hanoi's tower.
local t = ...
local m = t:module[==[
__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ int hanoi(int n, int from, int to) {
  if (n == 0) return 0;
  int spare = 6 - from - to;
  return hanoi(n - 1, from, spare) + from * to + hanoi(n - 1, spare, to);
}
__global__ void run(int *a, int *h) {
  int i = threadIdx.x;
  a[i] = ackermann(i / 4, i % 4);
  h[i] = hanoi(i / 2, 1, 2 + i % 2);
}]==]
local a, h = np.zeros(12, "i32"), np.zeros(12, "i32")
m.run[{1, 12}](a, h)
local function ackermann(p, q)
  if p == 0 then return q + 1 end
  return ackermann(p - 1, q == 0 and 1 or ackermann(p, q - 1))
end
local function hanoi(n, from, to)
  if n == 0 then return 0 end
  local spare = 6 - from - to
  return hanoi(n - 1, from, spare) + from * to + hanoi(n - 1, spare, to)
end
t:same("ackermann", a, t.fill(12, function(i) return ackermann(i // 4, i % 4) end))
t:same("hanoi", h, t.fill(12, function(i) return hanoi(i // 2, 1, 2 + i % 2) end))
