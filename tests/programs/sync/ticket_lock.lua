-- SPDX-License-Identifier: Apache-2.0
-- A ticket lock between blocks: one thread of each waits for its number.
local t = ...
local m = t:module[==[
__device__ unsigned next_ticket, now_serving;
__global__ void append(unsigned *order, volatile unsigned *length) {
  if (threadIdx.x != 0) return;
  unsigned mine = atomicAdd(&next_ticket, 1u);
  while (atomicAdd(&now_serving, 0u) != mine) __nanosleep(20);
  __threadfence();
  unsigned at = *length;
  order[at] = mine;
  *length = at + 1;
  __threadfence();
  atomicAdd(&now_serving, 1u);
}]==]
local order, length = np.full(12, 99, "u32"), np.zeros(1, "u32")
m.append[{12, 32}](order, length)
t:same("order", order, t.fill(12, function(i) return i end))
t:same("length", length, 12)
