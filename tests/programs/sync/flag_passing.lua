-- SPDX-License-Identifier: Apache-2.0
-- Block 0 writes data and then a flag; block 1 waits for the flag.
local t = ...
local m = t:module[==[
__global__ void pass(float *data, volatile int *flag, float *out) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = 1.5f * i;
    __threadfence();
    __syncthreads();
    if (i == 0) *flag = 1;
  } else {
    if (i == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    __threadfence();
    out[i] = data[i] + 1;
  }
}]==]
local data, flag, out = np.zeros(64, "f32"), np.zeros(1, "i32"), np.zeros(64, "f32")
m.pass[{2, 64}](data, flag, out)
t:same("out", out, t.fill(64, function(i) return 1.5 * i + 1 end))
