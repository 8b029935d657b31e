-- SPDX-License-Identifier: Apache-2.0
-- Lower bounds of many keys in a sorted array: lanes part at each comparison.
local t = ...
local m = t:module[==[
template <typename T>
__device__ const T *lower_bound(const T *first, const T *last, T key) {
  while (first < last) {
    const T *mid = first + (last - first) / 2;
    if (*mid < key) first = mid + 1;
    else last = mid;
  }
  return first;
}
extern "C" __global__ void search(const long long *sorted, int n, const long long *keys,
                                  int *at, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) at[i] = lower_bound(sorted, sorted + n, keys[i]) - sorted;
}]==]
local n, count = 300, 130
local v = t:ints(n, -1000, 1000, "i64"):tolist()
table.sort(v)
local keys, at = t:ints(count, -1100, 1100, "i64"), np.zeros(count, "i32")
m.search[{3, 64}](np.array(v, "i64"), n, keys, at, count)
local k = t.values(keys)
t:same("places", at, t.fill(count, function(i)
  local p = 0
  while p < n and v[p + 1] < k[i] do p = p + 1 end
  return p
end))
