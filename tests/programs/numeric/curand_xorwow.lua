-- SPDX-License-Identifier: Apache-2.0
-- curand's XORWOW: Marsaglia's generator (xorshift and a Weyl sequence of step
-- 362437), whose state the reference reads after curand_init.
local t = ...
local m = t:module[==[
#include <curand_kernel.h>
__global__ void setup(curandState *state, unsigned long long seed) {
  curand_init(seed, threadIdx.x, 0, &state[threadIdx.x]);
}
__global__ void words(curandState *state, unsigned *seeds, unsigned *out, int each) {
  curandState s = state[threadIdx.x];
  seeds[6 * threadIdx.x + 5] = s.d;
  for (int i = 0; i < 5; i++) seeds[6 * threadIdx.x + i] = s.v[i];
  for (int i = 0; i < each; i++) out[threadIdx.x * each + i] = curand(&s);
  state[threadIdx.x] = s;
}
__global__ void size(int *out) { *out = sizeof(curandState); }]==]
local bytes = np.zeros(1, "i32")
m.size[{1, 1}](bytes)
local threads, each = 8, 6
local state = cuda.device_array(threads * bytes[0], "u8")
local seeds, out = np.zeros(6 * threads, "u32"), np.zeros(threads * each, "u32")
m.setup[{1, threads}](state, 1234)
m.words[{1, threads}](state, seeds, out, each)
local s, want = t.values(seeds), {}
for k = 0, threads - 1 do
  local v, d = table.move(s, 6 * k, 6 * k + 4, 1, {}), s[6 * k + 5]
  for i = 0, each - 1 do
    local u = v[1] ~ v[1] >> 2
    local last = v[5]
    v = {v[2], v[3], v[4], v[5], t.u32(last ~ last << 4 ~ (u ~ u << 1))}
    d = t.u32(d + 362437)
    want[k * each + i] = t.u32(v[5] + d)
  end
end
t:same("seeds", seeds, seeds)
t:same("words", out, want)
