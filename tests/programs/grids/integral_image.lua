-- SPDX-License-Identifier: Apache-2.0
-- A summed-area table: a scan of each row, then of each column, in place.
local t = ...
local m = t:module[==[
__global__ void sum_rows(const unsigned *in, unsigned long long *out, int w) {
  unsigned long long sum = 0;
  in += blockIdx.x * w;
  out += blockIdx.x * w;
  for (int base = 0; base < w; base += 32) {
    int i = base + threadIdx.x;
    unsigned long long v = i < w ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
      unsigned long long u = __shfl_up_sync(~0u, v, d);
      if (threadIdx.x >= d) v += u;
    }
    if (i < w) out[i] = sum + v;
    sum += __shfl_sync(~0u, v, 31);
  }
}
__global__ void sum_columns(unsigned long long *a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = 1; x < w && y < h; y++) a[y * w + x] += a[(y - 1) * w + x];
}]==]
local w, h = 50, 11
local x, out = t:ints(w * h, 0, 2 ^ 31 - 1, "u32"), cuda.device_array(w * h, "u64")
m.sum_rows[{h, 32}](x, out, w)
m.sum_columns[{2, 32}](out, w, h)
local v, want = t.values(x), {}
for i = 0, w * h - 1 do
  local left, up = i % w > 0, i >= w
  want[i] = v[i] + (left and want[i - 1] or 0) + (up and want[i - w] or 0)
    - (left and up and want[i - w - 1] or 0)
end
t:same("table", out, want)
