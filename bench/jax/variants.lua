-- SPDX-License-Identifier: Apache-2.0
-- Which shape of an elementwise kernel is fastest: SELU of 1M and of 64M floats
-- by threads of a block, 16-byte words of a thread, hints to the caches, and
-- blocks that stay (a grid of what fits at once, in a loop), beside a copy.
-- BLOCK, MANY and the words of lua/jax/compile/plan.lua follow from it.
--   warpshop run --device cuda:0 bench/jax/variants.lua      under a minute
-- Times are the device's own, from one launch to the next in a queue that is
-- never empty; medians of seven.
local SOURCE = [==[
struct alignas(16) Word { float v[4]; };
__device__ Word load(const float *p) {
#if STREAMED
  const float4 w = __ldcs((const float4 *)p);
  return *(const Word *)&w;
#else
  return *(const Word *)p;
#endif
}
__device__ void store(float *q, Word w) {
#if STREAMED
  __stcs((float4 *)q, *(float4 *)&w);
#else
  *(Word *)q = w;
#endif
}
extern "C" __global__ void __launch_bounds__(BLOCK)
selu(const float *__restrict__ p, float *__restrict__ q) {
#if STAYS
  for (long long b = blockIdx.x; b < TILES; b += gridDim.x)
#else
  const long long b = blockIdx.x;
#endif
  {
    Word w[WORDS];
#pragma unroll
    for (int u = 0; u < WORDS; u++)
      w[u] = load(p + (b * (BLOCK * WORDS) + u * BLOCK + threadIdx.x) * 4);
#pragma unroll
    for (int u = 0; u < WORDS; u++)
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const float x = w[u].v[k];
        w[u].v[k] = 1.05f * (x > 0.0f ? x : 1.67f * expf(x) - 1.67f);
      }
#pragma unroll
    for (int u = 0; u < WORDS; u++)
      store(q + (b * (BLOCK * WORDS) + u * BLOCK + threadIdx.x) * 4, w[u]);
  }
}
]==]

local is_real = cuda.device().id:find("cuda", 1, true) == 1
local multiprocessors = cuda.device().attributes.multiprocessor_count
local LARGE = is_real and 1 << 26 or 1 << 16 -- the virtual GPU tries it out
local SMALL = is_real and 1 << 20 or 1 << 14
local RUNS = is_real and 7 or 1
local SMALL_PART = (":%d"):format(SMALL)

cuda.set_guarded(false)
local x, y = cuda.device_array(LARGE, "f32"), cuda.device_array(LARGE, "f32")
x:copy_from(np.sin(np.arange(LARGE, "f32") * 12.9898):astype("f32"))
local far = cuda.device_array(LARGE, "f32")

-- Microseconds from one call to the next, by events, behind copies that hold
-- the device while all is queued.
local function us_of(f, calls)
  local times = {}
  for run = 0, RUNS do
    local from, to = cuda.event(), cuda.event()
    for _ = 1, is_real and 8 or 0 do far:copy_from(x) end
    from:record()
    for _ = 1, calls do f() end
    to:record()
    to:synchronize()
    if run > 0 then times[run] = from:elapsed(to) * 1e3 / calls end
  end
  table.sort(times)
  return times[(#times + 1) // 2]
end

local want = x:copy_to_host()[SMALL_PART]
want = np.where(want:gt(0), want, np.exp(want) * 1.67 - 1.67) * 1.05

local function variants(count, calls, describe)
  local rows = {}
  for _, block in ipairs{128, 256, 512, 1024} do
    for _, words in ipairs{1, 2, 4} do
      for _, stays in ipairs{0, 1} do
        for _, streamed in ipairs{0, 1} do
          local tiles = count // (4 * block * words)
          local source = ("#define BLOCK %d\n#define WORDS %d\n" ..
            "#define STAYS %d\n#define STREAMED %d\n#define TILES %d\n")
            :format(block, words, stays, streamed, tiles) .. SOURCE
          local grid = stays == 0 and tiles or
                       math.min(tiles, multiprocessors * (2048 // block))
          local k = cuda.kernel(source)[{grid, block}]
          y:fill(0)
          k(x, y)
          local got = y:copy_to_host()[SMALL_PART]
          np.testing.assert_allclose(got, want, 1e-5, 1e-6)
          rows[#rows + 1] = {
            us = us_of(function() k(x, y) end, calls),
            is_plan = block == 256 and stays == 0 and streamed == 0 and
                      words == (count >= 1 << 22 and 2 or 1),
            text = ("block %4d, words %d%s%s"):format(block, words,
              stays == 1 and ", stays" or "       ",
              streamed == 1 and ", streamed" or "")}
        end
      end
    end
  end
  table.sort(rows, function(a, b) return a.us < b.us end)
  for place, row in ipairs(rows) do
    if place <= 8 or row.is_plan or place == #rows then
      print(("  %2d. %-34s %s%s"):format(place, row.text, describe(row.us),
        row.is_plan and "   <- plan.lua" or ""))
    end
  end
end

local copy = us_of(function() y:copy_from(x) end, is_real and 20 or 1)
local function rate(us)
  return ("%8.2f us %6.0f GB/s  %.3f of a copy"):format(us,
    8 * LARGE / us / 1e3, copy / us)
end
print(("copy of %d floats: %s"):format(LARGE, rate(copy)))
print(("SELU of %d floats:"):format(LARGE))
variants(LARGE, is_real and 20 or 1, rate)
print(("SELU of %d floats:"):format(SMALL))
variants(SMALL, is_real and 200 or 1, function(us)
  return ("%8.2f us"):format(us)
end)
