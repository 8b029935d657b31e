-- SPDX-License-Identifier: Apache-2.0
-- Two streams work on halves of an array; the third launch waits for both.
local t = ...
local m = t:module[==[
__global__ void scale(float *x, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= s;
}
__global__ void join(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] - b[i];
}]==]
local n = 500
local a, b = t:ints(n, 0, 99, "f32"), t:ints(n, 0, 99, "f32")
local da, db, out = cuda.to_device(a), cuda.to_device(b), cuda.device_array(n, "f32")
local s1, s2, e = cuda.stream(), cuda.stream(), cuda.event()
m.scale{grid = 4, block = 128, stream = s1}(da, 2, n)
m.scale{grid = 4, block = 128, stream = s2}(db, 3, n)
e:record(s2)
s1:wait(e)
m.join{grid = 4, block = 128, stream = s1}(da, db, out, n)
s1:synchronize()
local x, y = t.values(a), t.values(b)
t:same("out", out, t.fill(n, function(i) return 2 * x[i] - 3 * y[i] end))
