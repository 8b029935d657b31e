-- SPDX-License-Identifier: Apache-2.0
-- Of 2 stations with 8192 hours each, the starter carries 3147072 bytes and
-- takes 137194 instructions of warps. The readings alone have 65536 bytes.
local FULL = {"2 stations, 8192 hours"}

return {
  title = "Ten times",
  task = "Eighty slow lines. Bronze, to pass: a tenth of the bytes. Silver: no"
    .. " doubles. Gold: a tenth of the instructions.",
  needs = {"sum", "histogram-shared", "to-the-roof"},
  minutes = 45,
  kernel = "report",
  signature = {
    {"in", "const float *", "t"},
    {"out", "float *", "mean"},
    {"out", "float *", "variance"},
    {"out", "float *", "most"},
    {"out", "float *", "warmth"},
    {"out", "int *", "frost"},
    {"out", "int *", "bins"},
    {"value", "int", "hours"},
  },
  reference = "ten_times",
  tolerance = {
    abs = 1 / 32,
    rel = 1 / 2 ^ 16,
    reason = "readings are multiples of 1/16, so that counts, maxima and sums"
      .. " are exact in float; a sum of squares, each below 1600 and given to"
      .. " 1/256, is added up in 64 steps a thread and 13 behind them, of half"
      .. " an ulp: 77 * 2^-24 of at most 1600 is below 1/128, and the square of"
      .. " the mean is off by as little",
  },
  budget = 200000,
  make = function(case, rng)
    local n, count = case.stations, case.stations * case.hours
    local t = rng:steps(count, case.low or -40, case.high or 639 / 16, 1 / 16)
    if case.borders then
      for i = 0, count - 1 do t[i] = 5 * math.floor(t[i] / 5) end
    end
    for s = 0, case.peak and n - 1 or -1 do
      t[s * case.hours + case.peak] = 39
    end
    return {
      t = t, mean = n, variance = n, most = n, warmth = n, frost = n,
      bins = 16 * n, hours = case.hours,
    }, {n, case.block or 128}
  end,
  cases = {
    {name = "3 stations, 200 hours", stations = 3, hours = 200},
    {name = "2 stations, 8192 hours", stations = 2, hours = 8192},
    {name = "one hour", stations = 4, hours = 1},
    {name = "fewer hours than threads", stations = 2, hours = 37, block = 256},
    {name = "one warp", stations = 2, hours = 100, block = 32},
    {name = "on the borders of bins", stations = 2, hours = 300,
      borders = true},
    {name = "winter", stations = 2, hours = 150, low = -40, high = -1 / 16},
    {name = "the highest in the second warp", stations = 2, hours = 300,
      high = 0, peak = 32},
    {name = "all at 30 degrees", stations = 1, hours = 1001, low = 30,
      high = 30},
    {name = "large", stations = 5, hours = 1013, block = 64, hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {{"global_bytes <= 314000", cases = FULL}},
  efficiency = {
    {"fp64 <= 0", points = 5},
    {"inst_executed <= 13719", cases = FULL, points = 5},
  },
  hints = false,
  editorial = "65984 bytes in place of 3147072 and 12582 instructions of warps"
    .. " in place of 137194, without doubles, for 2 stations of 8192 hours;"
    .. " two barriers, one atomic in shared memory for each reading. Mean of"
    .. " squares less square of mean saves a walk, and loses digits where the"
    .. " mean is far larger than the spread; temperatures allow it.",
  mutants = {
    {
      name = "in-pieces",
      breaks = "global_bytes <= 314000",
      replace = {"for (int i = me; i < hours; i += blockDim.x) {",
        "int piece = (hours + blockDim.x - 1) / blockDim.x;\n"
        .. "  for (int i = me * piece; i < (me + 1) * piece && i < hours;"
        .. " i++) {"},
      explain = "Threads side by side read far apart: each of them has a sector"
        .. " of its own.",
    },
    {
      name = "counted-outside",
      breaks = "global_bytes <= 314000",
      replace = {"cold += v < 0;", "cold += v < 0;\n"
        .. "    for (int k = 0; k < 4; k++) warm += 0 * __ldcv(&row[i]);"},
      explain = "The readings are fetched several times; once is enough.",
    },
    {
      name = "maximum-from-zero",
      replace = {"top = -1e30f", "top = 0"},
      explain = "A maximum that begins with 0 is wrong where it never was above"
        .. " 0.",
    },
    {
      name = "one-multiply-add",
      replace = {"(int)((v + 40) * 0.2f)", "(int)fmaf(v, 0.2f, 8)"},
      explain = "0.2f is a little more than a fifth, and v may be negative:"
        .. " readings on a border between two bins fall into the lower one.",
    },
    {
      name = "no-barrier-for-bins",
      replace = {"if (me < 16) seen[me] = 0;\n  __syncthreads();",
        "if (me < 16) seen[me] = 0;"},
      explain = "A warp counts before another one has set the bins to 0.",
    },
    {
      name = "no-barrier-behind",
      replace = {"part[4][me / 32] = top;\n  __syncthreads();",
        "part[4][me / 32] = top;"},
      explain = "The sums of the warps are read before all of them are there.",
    },
    {
      name = "first-warp-only",
      replace = {"int w = 1; w < blockDim.x / 32; w++",
        "int w = 1; w < 1; w++"},
      explain = "The sums are those of the first warp alone.",
    },
    {
      name = "four-warps",
      replace = {"w < blockDim.x / 32", "w < 4"},
      explain = "Blocks have blockDim.x / 32 warps, which need not be four.",
    },
    {
      name = "mean-not-squared",
      replace = {"- m * m", "- m"},
      explain = "The variance is the mean of the squares less the square of the"
        .. " mean.",
    },
    {
      name = "frost-at-zero",
      replace = {"cold += v < 0", "cold += v <= 0"},
      explain = "Frost is below 0 degrees, and 0 itself is none.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"int i = me; i < hours; i += blockDim.x",
        "int i = me > 0 ? hours : 0; i < hours; i++"},
      explain = "One thread of each block reads all of its readings.",
    },
  },
}
