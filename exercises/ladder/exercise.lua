-- SPDX-License-Identifier: Apache-2.0
-- Times are multiples of 1/64 below 16 and frequencies multiples of 1/64 below
-- 8: an angle has 19 binary digits at most, so that it is exact in float.
-- Instructions of a warp for one sample and 32 frequencies: 100 in doubles, 60
-- or more in floats with careful sines, 12 with quick ones, 8 where each sample
-- is fetched for four frequencies: 1024 such for 64 samples, 512 frequencies.
-- In the end each frequency takes a hundred more.
local LADDER = {"64 samples, 512 frequencies"}

return {
  title = "Up the ladder",
  task = "Make the periodogram of lombscargle fast: no doubles, quick sines,"
    .. " and each sample fetched for four frequencies.",
  needs = {"lombscargle", "block-sum"},
  minutes = 30,
  kernel = "ladder",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "y"},
    {"in", "const float *", "freqs"},
    {"out", "float *", "power"},
    {"value", "int", "n"},
    {"value", "int", "m"},
    {"value", "float", "yy"},
  },
  reference = "lombscargle",
  tolerance = {
    abs = 1 / 2 ^ 10,
    reason = "angles are exact; a sine is off by 2^-17 at most, where it is a"
      .. " quick one of 128 radians, and a sum of 257 floats by 2^-16 of what"
      .. " is summed; the quotients, whose divisors are a fifteenth of n or"
      .. " more, make 30 times that of it in a power of at most 1",
  },
  budget = 4000000,
  make = function(case, rng)
    local n, m = case.n, case.m
    local apart = 1024 // n -- in steps of 1/64: times below 16, in their order
    local x = rng:steps(n, 0, (apart - 1) / 64, 1 / 64)
    local y = rng:steps(n, -1, 1, 1 / 64)
    local yy = 0
    for j = 0, n - 1 do
      x[j] = x[j] + j * apart / 64
      if case.wave then y[j] = math.floor(64 * math.sin(3 * x[j])) / 64 end
      if case.ones then y[j] = 1 end
      yy = yy + y[j] * y[j]
    end
    return {
      x = x, y = y, freqs = rng:steps(m, 1, 8, 1 / 64), power = m,
      n = n, m = m, yy = yy,
    }, {case.grid or blocks_for(m, 512), case.block or 128}
  end,
  cases = {
    {name = "64 samples, 512 frequencies", n = 64, m = 512},
    {name = "a wave of frequency 3", n = 100, m = 130, wave = true},
    {name = "one frequency", n = 33, m = 1},
    {name = "more samples than threads", n = 65, m = 270, grid = 1, block = 32},
    {name = "one block of one warp", n = 32, m = 100, grid = 1, block = 32},
    {name = "blocks of 256", n = 260, m = 300, grid = 1, block = 256},
    {name = "large", n = 130, m = 800, grid = 2, block = 96, hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {
    "fp64 <= 0",
    "fp64_conversions <= 0",
    {"inst_executed <= 12000", cases = LADDER},
    {"global_load_requests <= 600", cases = LADDER},
  },
  hints = {
    "First rung: every double becomes a float, and a number like 2.0 becomes"
      .. " 2.0f. Count again before you go on.",
    "Second rung: __sincosf(angle, &s, &c) gives both, quickly. It makes a"
      .. " fifth of the instructions.",
    "Third rung: a thread keeps four frequencies, and four of each sum, in"
      .. " small arrays whose index the compiler knows. A sample is fetched"
      .. " once for all four. Let them be blockDim.x apart, so that"
      .. " neighbours stay neighbours.",
    "All threads of a block want the same samples: bring blockDim.x of them to"
      .. " the desk at a time, with a barrier before and one behind.",
    "c * c + s * s is 1, so the sum of s * s is n less that of c * c.",
  },
  editorial = "20 load requests and below 11000 instructions of warps for 64"
    .. " samples and 512 frequencies; 2048 bytes of shared memory, 40"
    .. " registers, two barriers a desk, no bank conflict. A sample at the"
    .. " desk is read once for four frequencies. Eight would halve these reads"
    .. " for more registers. Lesson 44-top-of-the-ladder has the rung after"
    .. " that.",
  mutants = {
    {
      name = "a-double-left",
      breaks = "fp64_conversions <= 0",
      replace = {"yc[k] += at.y * c;", "yc[k] += (double)at.y * c;"},
      explain = "One sum is computed in double still: its numbers are made"
        .. " doubles and the result a float again.",
    },
    {
      name = "sums-in-doubles",
      breaks = "fp64 <= 0",
      replace = {"float freq[4], yc[4] = {}", "float freq[4];\n"
        .. "    double yc[4] = {}"},
      explain = "The sums are doubles, and what is added to them becomes one"
        .. " first.",
    },
    {
      name = "careful",
      breaks = "inst_executed <= 12000",
      replace = {"__sincosf(", "sincosf("},
      explain = "The careful sine takes some fifty instructions, where the"
        .. " quick one takes three.",
    },
    {
      name = "fetched-for-each",
      breaks = "global_load_requests <= 600",
      replace = {[[
        float2 at = sample[j];
        for (int k = 0; k < 4; k++) {]], [[
        for (int k = 0; k < 4; k++) {
          float2 at = {__ldcv(&x[from + j]), __ldcv(&y[from + j])};]]},
      explain = "The sample is fetched from global memory for each frequency"
        .. " again.",
    },
    {
      name = "no-barrier-behind",
      replace = {"y[from + t]);\n      __syncthreads();", "y[from + t]);"},
      explain = "Samples are read before the other threads have brought them:"
        .. " all have to meet in between.",
    },
    {
      name = "no-barrier-before",
      replace = {"      __syncthreads();\n      if (from", "      if (from"},
      explain = "A fast thread brings the next samples while a slow one still"
        .. " reads the old ones.",
    },
    {
      name = "always-a-full-desk",
      replace = {"j < count;", "j < width;"},
      explain = "The last samples do not fill the desk: what lies behind them"
        .. " is old, or nothing.",
    },
    {
      name = "no-sines",
      replace = {"n - cc[k], cs[k]", "cc[k], cs[k]"},
      explain = "The sum of the squared sines is n less that of the squared"
        .. " cosines, not the same.",
    },
    {
      name = "one-tile",
      replace = {"first < m;", "first == blockIdx.x * 4 * width;"},
      explain = "Each block does the first 4 * blockDim.x frequencies that are"
        .. " its own; those beyond the whole grid's are never written.",
    },
    {
      name = "no-guard",
      replace = {"      if (i < m)\n        power[i]", "      power[i]"},
      explain = "The last four frequencies of a thread may lie behind the end:"
        .. " the store needs a guard.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"int t = threadIdx.x, width = blockDim.x;",
        "int t = 0, width = 1;\n  if (threadIdx.x > 0) return;"},
      explain = "One thread of each block does everything, four frequencies at"
        .. " a time.",
    },
  },
}
