-- SPDX-License-Identifier: Apache-2.0
-- A table of device functions, called through pointers that differ by lane.
local t = ...
local m = t:module[==[
typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int mod(int a, int b) { return a % b; }
__device__ Op table[4] = {add, sub, mul, mod};
__global__ void apply(const int *op, const int *a, const int *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[op[i]](a[i], b[i]);
}]==]
local n = 100
local op, a, b = t:ints(n, 0, 3), t:ints(n, 0, 99), t:ints(n, 1, 9)
local out = np.zeros(n, "i32")
m.apply[{2, 64}](op, a, b, out, n)
local o, x, y = t.values(op), t.values(a), t.values(b)
t:same("out", out, t.fill(n, function(i)
  return ({x[i] + y[i], x[i] - y[i], x[i] * y[i], x[i] % y[i]})[o[i] + 1]
end))
