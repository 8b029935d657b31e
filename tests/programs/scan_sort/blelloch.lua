-- SPDX-License-Identifier: Apache-2.0
-- The work-efficient exclusive scan, padded against bank conflicts; three
-- kernels scan an array of many blocks.
local t = ...
local m = t:module[==[
#define PAD(i) ((i) + ((i) >> 5))
__global__ void scan_blocks(int *data, int *sums, int n) {
  __shared__ int s[PAD(256) + 1];
  int a = threadIdx.x, b = threadIdx.x + 128, base = blockIdx.x * 256;
  s[PAD(a)] = base + a < n ? data[base + a] : 0;
  s[PAD(b)] = base + b < n ? data[base + b] : 0;
  int offset = 1;
  for (int d = 128; d > 0; d >>= 1, offset *= 2) {
    __syncthreads();
    if (a < d) s[PAD(offset * (2 * a + 2) - 1)] += s[PAD(offset * (2 * a + 1) - 1)];
  }
  __syncthreads();
  if (a == 0) {
    sums[blockIdx.x] = s[PAD(255)];
    s[PAD(255)] = 0;
  }
  for (int d = 1; d < 256; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (a < d) {
      int i = PAD(offset * (2 * a + 1) - 1), j = PAD(offset * (2 * a + 2) - 1);
      int v = s[i];
      s[i] = s[j];
      s[j] += v;
    }
  }
  __syncthreads();
  if (base + a < n) data[base + a] = s[PAD(a)];
  if (base + b < n) data[base + b] = s[PAD(b)];
}
__global__ void add_offsets(int *data, const int *offsets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += offsets[blockIdx.x];
}]==]
local n = 1500
local x = t:ints(n, 0, 9)
local data, sums, none = cuda.to_device(x), cuda.device_array(6, "i32"), cuda.device_array(1, "i32")
m.scan_blocks[{6, 128}](data, sums, n)
m.scan_blocks[{1, 128}](sums, none, 6)
m.add_offsets[{6, 256}](data, sums, n)
local v, want, sum = t.values(x), {}, 0
for i = 0, n - 1 do
  want[i] = sum
  sum = sum + v[i]
end
t:same("scan", data, want)
t:same("total", none, sum)
