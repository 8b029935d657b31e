-- SPDX-License-Identifier: Apache-2.0
-- Merging two sorted arrays: each thread finds its diagonal by binary search and
-- merges a few elements from there.
local t = ...
local m = t:module[==[
template <typename T>
__device__ int diagonal(const T *a, int na, const T *b, int nb, int d) {
  int low = max(0, d - nb), high = min(d, na);
  while (low < high) {
    int mid = (low + high) / 2;
    if (a[mid] <= b[d - 1 - mid]) low = mid + 1;
    else high = mid;
  }
  return low;
}
extern "C" __global__ void merge(const int *a, int na, const int *b, int nb, int *out) {
  const int each = 7;
  int d = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  if (d >= na + nb) return;
  int i = diagonal(a, na, b, nb, d), j = d - i;
  for (int k = d; k < min(d + each, na + nb); k++)
    out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}]==]
local function sorted(n)
  local v = t:ints(n, 0, 400):tolist()
  table.sort(v)
  return v
end
local a, b = sorted(333), sorted(150)
local out = np.zeros(483, "i32")
m.merge[{3, 32}](np.array(a, "i32"), 333, np.array(b, "i32"), 150, out)
table.move(b, 1, 150, 334, a)
table.sort(a)
t:same("merged", out, np.array(a, "i32"))
