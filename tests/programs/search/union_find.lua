-- SPDX-License-Identifier: Apache-2.0
-- Connected components: roots are hooked to smaller ones by atomicCAS.
local t = ...
local m = t:module[==[
__device__ int find(int *parent, int v) {
  int p;
  while ((p = atomicAdd(&parent[v], 0)) != v) v = p;
  return v;
}
__global__ void hook(int *parent, const int2 *edges, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = edges[i].x, b = edges[i].y;
  for (;;) {
    a = find(parent, a);
    b = find(parent, b);
    if (a == b) return;
    int high = max(a, b), low = min(a, b);
    if (atomicCAS(&parent[high], high, low) == high) return;
  }
}
__global__ void flatten(int *parent, int *label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int root = v;
  while (parent[root] != root) root = parent[root];
  label[v] = root;
}]==]
local n, e = 120, 80
local edges, label = t:ints(2 * e, 0, n - 1), np.zeros(n, "i32")
local parent = cuda.to_device(np.arange(n, "i32"))
m.hook[{3, 32}](parent, edges, e)
m.flatten[{4, 32}](parent, label, n)
local v, want = t.values(edges), t.fill(n, function(i) return i end)
for _ = 1, n do
  for i = 0, e - 1 do
    local a, b = v[2 * i], v[2 * i + 1]
    local low = math.min(want[a], want[b])
    want[a], want[b] = low, low
  end
end
t:same("labels", label, want)
