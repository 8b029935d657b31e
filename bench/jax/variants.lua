-- SPDX-License-Identifier: Apache-2.0
-- Which shape of an elementwise kernel moves memory fastest: GB/s of SELU on
-- 64M floats, by threads of a block and 16-byte words of a thread, beside a
-- copy. lua/jax/plan.lua's BLOCK and words follow from it.
local COUNT = 1 << 26
local SOURCE = [==[
struct alignas(16) Word { float v[4]; };
extern "C" __global__ void __launch_bounds__(BLOCK)
selu(const float *__restrict__ p, float *__restrict__ q) {
#pragma unroll
  for (int u = 0; u < TIMES; u++) {
    const int i = (blockIdx.x * (BLOCK * TIMES) + u * BLOCK + threadIdx.x) * 4;
    Word w = LOAD;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const float x = w.v[k];
      w.v[k] = 1.05f * (x > 0.0f ? x : 1.67f * expf(x) - 1.67f);
    }
    STORE;
  }
}
]==]
local plain = {"*(const Word *)(p + i)", "*(Word *)(q + i) = w"}
local streamed = {
  "*(Word *)&(const float4 &)__ldcs((const float4 *)(p + i))",
  "__stcs((float4 *)(q + i), *(float4 *)&w)"}

cuda.set_guarded(false)
local x, y = cuda.device_array(COUNT, "f32"), cuda.device_array(COUNT, "f32")
x:fill(0.5)

local function rate(f)
  for _ = 1, 5 do f() end
  cuda.synchronize()
  local best = math.huge
  for _ = 1, 5 do
    local from = cuda.clock()
    for _ = 1, 20 do f() end
    cuda.synchronize()
    best = math.min(best, (cuda.clock() - from) / 20)
  end
  return 2 * 4 * COUNT / best / 1e9
end

print(("copy %.0f GB/s"):format(rate(function() y:copy_from(x) end)))
for _, how in ipairs{{"plain", plain}, {"streamed", streamed}} do
  for _, block in ipairs{128, 256, 512, 1024} do
    for _, times in ipairs{1, 2, 4} do
      local source = SOURCE:gsub("BLOCK", block):gsub("TIMES", times)
        :gsub("LOAD", (how[2][1]:gsub("%%", "%%%%")))
        :gsub("STORE", (how[2][2]:gsub("%%", "%%%%")))
      local k = cuda.kernel(source)[{COUNT // (4 * block * times), block}]
      print(("%-8s block %4d, words %d: %.0f GB/s"):format(how[1], block, times,
        rate(function() k(x, y) end)))
    end
  end
end
