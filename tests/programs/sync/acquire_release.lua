-- SPDX-License-Identifier: Apache-2.0
-- A message by cuda::atomic_ref with release and acquire, without fences.
local t = ...
local m = t:module[==[
#include <cuda/atomic>
__global__ void message(int *payload, int *ready, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
  if (blockIdx.x == 1) {
    for (int i = 0; i < 8; i++) payload[i] = i * i;
    flag.store(1, cuda::std::memory_order_release);
  } else {
    while (flag.load(cuda::std::memory_order_acquire) == 0) {
    }
    for (int i = 0; i < 8; i++) out[i] = payload[i] + 5;
  }
}]==]
local payload, ready, out = np.zeros(8, "i32"), np.zeros(1, "i32"), np.zeros(8, "i32")
m.message[{2, 1}](payload, ready, out)
t:same("out", out, t.fill(8, function(i) return i * i + 5 end))
