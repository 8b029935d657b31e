-- SPDX-License-Identifier: Apache-2.0
-- Sums that start again at each flag: (flag, value) pairs under an operator.
local t = ...
local m = t:module[==[
struct Pair { int flag; float value; };
__device__ Pair operator+(const Pair &a, const Pair &b) {
  return Pair{a.flag | b.flag, b.flag ? b.value : a.value + b.value};
}
__global__ void segmented(const int *flags, const float *x, float *out) {
  __shared__ Pair s[128];
  int i = threadIdx.x;
  s[i] = Pair{flags[i], x[i]};
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    Pair left = i >= d ? s[i - d] : Pair{0, 0.0f};
    Pair mine = s[i];
    __syncthreads();
    s[i] = left + mine;
  }
  out[i] = s[i].value;
}]==]
local flags, x, out = t:ints(128, 0, 5), t:ints(128, 0, 9, "f32"), np.zeros(128, "f32")
for i = 0, 127 do flags[i] = flags[i] == 0 and 1 or 0 end
m.segmented[{1, 128}](flags, x, out)
local f, v, want = t.values(flags), t.values(x), {}
for i = 0, 127 do want[i] = v[i] + ((f[i] == 1 or i == 0) and 0 or want[i - 1]) end
t:same("sums", out, want)
