-- SPDX-License-Identifier: Apache-2.0
-- Bitonic sort of one block in shared memory, keys as floats.
local t = ...
local m = t:module[==[
__global__ void bitonic(float *x) {
  extern __shared__ float s[];
  unsigned i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  for (unsigned k = 2; k <= blockDim.x; k <<= 1)
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      unsigned other = i ^ j;
      if (other > i) {
        bool up = (i & k) == 0;
        if ((s[i] > s[other]) == up) {
          float swap = s[i];
          s[i] = s[other];
          s[other] = swap;
        }
      }
      __syncthreads();
    }
  x[i] = s[i];
}]==]
local x = t:floats(256, -8, 8)
local want = x:tolist()
table.sort(want)
m.bitonic{grid = 1, block = 256, shared = 1024}(x)
t:same("sorted", x, np.array(want, "f32"))
