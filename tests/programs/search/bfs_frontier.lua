-- SPDX-License-Identifier: Apache-2.0
-- Breadth-first search by levels: a queue that atomics fill, for the next level.
local t = ...
local m = t:module[==[
__global__ void level(const int *start, const int *edges, int *depth, const int *from, int count,
                      int *to, int *to_count, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int v = from[i];
  for (int e = start[v]; e < start[v + 1]; e++)
    if (atomicCAS(&depth[edges[e]], -1, d) == -1) to[atomicAdd(to_count, 1)] = edges[e];
}]==]
local n, start, edges = 150, {0}, {}
for v = 1, n do
  for _ = 1, t:next(5) do edges[#edges + 1] = t:next(n) end
  start[v + 1] = #edges
end
local ds, de = cuda.to_device(np.array(start, "i32")), cuda.to_device(np.array(edges, "i32"))
local depth = np.full(n, -1, "i32")
depth[0] = 0
local dd = cuda.to_device(depth)
local from, to = cuda.to_device(np.zeros(n, "i32")), cuda.device_array(n, "i32")
local count, d = 1, 0
while count > 0 do
  local next_count = np.zeros(1, "i32")
  d = d + 1
  m.level[{(count + 63) // 64, 64}](ds, de, dd, from, count, to, next_count, d)
  from, to, count = to, from, next_count[0]
end
local want, queue = t.fill(n, -1), {0}
want[0] = 0
for v in (function()
  local at = 0
  return function() at = at + 1 return queue[at] end
end)() do
  for e = start[v + 1] + 1, start[v + 2] do
    local u = edges[e]
    if want[u] < 0 then want[u], queue[#queue + 1] = want[v] + 1, u end
  end
end
t:same("depths", dd, want)
