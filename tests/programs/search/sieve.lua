-- SPDX-License-Identifier: Apache-2.0
-- The sieve of Eratosthenes in bits: many threads clear bits of one word.
local t = ...
local m = t:module[==[
__global__ void sieve(unsigned *bits, int n, int root) {
  for (int p = blockIdx.x + 2; p <= root; p += gridDim.x)
    for (int k = p * p + p * threadIdx.x; k < n; k += p * blockDim.x)
      atomicAnd(&bits[k / 32], ~(1u << k % 32));
}
__global__ void count(const unsigned *bits, int words, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int c = i < words ? __popc(bits[i]) : 0;
  c = __reduce_add_sync(~0u, c);
  if (threadIdx.x % 32 == 0) atomicAdd(out, c);
}]==]
local n = 2048
local bits, total = np.full(64, 0xffffffff, "u32"), np.zeros(1, "i32")
bits[0] = 0xfffffffc
m.sieve[{8, 64}](bits, n, 45)
m.count[{2, 32}](bits, 64, total)
local want, k = t.fill(64, 0), 0
for i = 2, n - 1 do
  local is_prime = true
  for d = 2, math.floor(math.sqrt(i)) do is_prime = is_prime and i % d ~= 0 end
  if is_prime then want[i // 32], k = want[i // 32] | 1 << i % 32, k + 1 end
end
t:same("bits", bits, want)
t:same("total", total, k)
