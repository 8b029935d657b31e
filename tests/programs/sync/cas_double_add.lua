-- SPDX-License-Identifier: Apache-2.0
-- Atomics that hardware lacks are made of atomicCAS: max of doubles, add of
-- bytes, saturating add.
local t = ...
local m = t:module[==[
__device__ double max_double(double *at, double v) {
  unsigned long long *word = (unsigned long long *)at, old = *word, assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= v) break;
    old = atomicCAS(word, assumed, __double_as_longlong(v));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__device__ void add_saturated(unsigned *at, unsigned v, unsigned top) {
  unsigned old = atomicAdd(at, 0u), assumed;
  do {
    assumed = old;
    old = atomicCAS(at, assumed, min(assumed + v, top));
  } while (old != assumed);
}
__global__ void run(const double *x, double *best, unsigned *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  max_double(best, x[i]);
  add_saturated(&sum[i % 4], i, 2000);
}]==]
local x, best, sum = t:floats(192, -9, 9, "f64"), np.full(1, -100, "f64"), np.zeros(4, "u32")
t:expect_note("race") -- the first look at *word is a plain one
m.run[{3, 64}](x, best, sum)
t:same("best", best, math.max(table.unpack(x:tolist())))
t:same("sums", sum, t.fill(4, 2000))
