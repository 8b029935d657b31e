-- SPDX-License-Identifier: Apache-2.0
-- A lock that every thread takes, lanes of one warp included.
local t = ...
local m = t:module[==[
struct Lock {
  int *mutex;
  __device__ bool try_lock() {
    if (atomicCAS(mutex, 0, 1) != 0) return false;
    __threadfence();
    return true;
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(mutex, 0);
  }
};
__global__ void add(int *mutex, volatile int *sum, const int *x) {
  Lock lock{mutex};
  bool done = false;
  while (!done)
    if (lock.try_lock()) {
      *sum = *sum + x[blockIdx.x * blockDim.x + threadIdx.x];
      lock.unlock();
      done = true;
    }
}]==]
local x, mutex, sum = t:ints(128, -9, 99), np.zeros(1, "i32"), np.zeros(1, "i32")
m.add[{2, 64}](mutex, sum, x)
local want = 0
for _, v in ipairs(x:tolist()) do want = want + v end
t:same("sum", sum, want)
t:same("lock", mutex, 0)
