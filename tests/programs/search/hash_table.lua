-- SPDX-License-Identifier: Apache-2.0
-- A hash table with open addressing: atomicCAS claims a slot, values add up.
local t = ...
local m = t:module[==[
#define EMPTY 0xffffffffu
struct Slot { unsigned key, value; };
__device__ unsigned hash(unsigned k) {
  k ^= k >> 16;
  k *= 0x85ebca6bu;
  k ^= k >> 13;
  k *= 0xc2b2ae35u;
  return k ^ k >> 16;
}
__global__ void clear(Slot *table, unsigned capacity) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < capacity) table[i] = Slot{EMPTY, 0};
}
__global__ void insert(Slot *table, unsigned capacity, const unsigned *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned s = hash(keys[i]) & (capacity - 1);; s = (s + 1) & (capacity - 1)) {
    unsigned old = atomicCAS(&table[s].key, EMPTY, keys[i]);
    if (old == EMPTY || old == keys[i]) {
      atomicAdd(&table[s].value, 1u);
      return;
    }
  }
}
__global__ void lookup(const Slot *table, unsigned capacity, unsigned *out, int n) {
  int key = blockIdx.x * blockDim.x + threadIdx.x;
  if (key >= n) return;
  unsigned s = hash(key) & (capacity - 1);
  while (table[s].key != key && table[s].key != EMPTY) s = (s + 1) & (capacity - 1);
  out[key] = table[s].key == key ? table[s].value : 0;
}]==]
local n, capacity, range = 400, 256, 200
local keys, out = t:ints(n, 0, range - 1, "u32"), np.zeros(range, "u32")
local slots = cuda.device_array(2 * capacity, "u32")
m.clear[{2, 128}](slots, capacity)
m.insert[{4, 100}](slots, capacity, keys, n)
m.lookup[{4, 64}](slots, capacity, out, range)
local want = t.fill(range, 0)
for _, k in ipairs(keys:tolist()) do want[k] = want[k] + 1 end
t:same("counts", out, want)
