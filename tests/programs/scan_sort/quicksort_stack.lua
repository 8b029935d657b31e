-- SPDX-License-Identifier: Apache-2.0
-- Each thread sorts a row of its own by quicksort with a stack in local memory.
local t = ...
local m = t:module[==[
__device__ int split(int *x, int low, int high) {
  int pivot = x[high], at = low;
  for (int i = low; i < high; i++)
    if (x[i] < pivot) {
      int v = x[i];
      x[i] = x[at];
      x[at++] = v;
    }
  x[high] = x[at];
  x[at] = pivot;
  return at;
}
__global__ void sort_rows(int *x, int width, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * width;
  int stack[64], top = 0;
  stack[top++] = 0;
  stack[top++] = width - 1;
  while (top) {
    int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    int p = split(x, low, high);
    stack[top++] = low;
    stack[top++] = p - 1;
    stack[top++] = p + 1;
    stack[top++] = high;
  }
}]==]
local width, rows = 20, 40
local x = t:ints(width * rows, 0, 99)
local v, want = t.values(x), {}
for r = 0, rows - 1 do
  local row = table.move(v, r * width, r * width + width - 1, 1, {})
  table.sort(row)
  table.move(row, 1, width, r * width, want)
end
m.sort_rows[{2, 32}](x, width, rows)
t:same("rows", x, want)
