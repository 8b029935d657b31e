-- SPDX-License-Identifier: Apache-2.0
-- Odd-even transposition sort of short rows, one block a row.
local t = ...
local m = t:module[==[
__device__ inline void order(short &a, short &b) {
  if (b < a) { short c = a; a = b; b = c; }
}
__global__ void sort_rows(short *x, int width) {
  extern __shared__ short row[];
  int i = threadIdx.x;
  x += blockIdx.x * width;
  if (i < width) row[i] = x[i];
  __syncthreads();
  for (int phase = 0; phase < width; phase++) {
    int a = 2 * i + (phase & 1);
    if (a + 1 < width) order(row[a], row[a + 1]);
    __syncthreads();
  }
  if (i < width) x[i] = row[i];
}]==]
local width, rows = 37, 5
local x = t:ints(width * rows, -300, 300, "i16")
local v, want = t.values(x), {}
for r = 0, rows - 1 do
  local row = table.move(v, r * width, r * width + width - 1, 1, {})
  table.sort(row)
  table.move(row, 1, width, r * width, want)
end
m.sort_rows{grid = rows, block = 64, shared = 2 * width}(x, width)
t:same("rows", x, want)
