-- SPDX-License-Identifier: Apache-2.0
-- Radix sort, four bits a pass: count by block, scan the counts, scatter in
-- order. Keys with values; the sort is stable.
local t = ...
local m = t:module[==[
__global__ void count(const unsigned *keys, unsigned *counts, int shift, int n) {
  __shared__ unsigned c[16];
  if (threadIdx.x < 16) c[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&c[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}
__global__ void scan(unsigned *counts, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) {
    unsigned c = counts[i];
    counts[i] = sum;
    sum += c;
  }
}
__global__ void scatter(const unsigned *keys, const int *values, unsigned *keys_out,
                        int *values_out, const unsigned *counts, int shift, int n) {
  __shared__ unsigned char digit[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  digit[threadIdx.x] = i < n ? keys[i] >> shift & 15 : 255;
  __syncthreads();
  if (i >= n) return;
  unsigned d = digit[threadIdx.x], rank = 0;
  for (int k = 0; k < threadIdx.x; k++) rank += digit[k] == d;
  unsigned at = counts[d * gridDim.x + blockIdx.x] + rank;
  keys_out[at] = keys[i];
  values_out[at] = values[i];
}]==]
local n, blocks = 350, 3
local keys = t:ints(n, 0, 65535, "u32")
local a, av = cuda.to_device(keys), cuda.to_device(np.arange(n, "i32"))
local b, bv = cuda.device_array_like(a), cuda.device_array_like(av)
local counts = cuda.device_array(16 * blocks, "u32")
for shift = 0, 12, 4 do
  m.count[{blocks, 128}](a, counts, shift, n)
  m.scan[{1, 1}](counts, 16 * blocks)
  m.scatter[{blocks, 128}](a, av, b, bv, counts, shift, n)
  a, b, av, bv = b, a, bv, av
end
local v, order = t.values(keys), {}
for i = 1, n do order[i] = i - 1 end
table.sort(order, function(p, q) return v[p] < v[q] or v[p] == v[q] and p < q end)
t:same("values", av, np.array(order, "i32"))
t:same("keys", a, t.fill(n, function(i) return v[order[i + 1]] end))
