-- SPDX-License-Identifier: Apache-2.0
-- Times are multiples of 1/64 below 16 and frequencies multiples of 1/64 below
-- 8: an angle has 19 binary digits at most, so that it is exact in float.
return {
  title = "How much of each wave",
  task = "The Lomb-Scargle periodogram: for each frequency five sums over all"
    .. " samples, in float, with a grid-stride loop.",
  needs = {"saxpy", "hidden-double"},
  minutes = 15,
  kernel = "lombscargle",
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
    }, {case.grid or blocks_for(m, case.block or 128), case.block or 128}
  end,
  cases = {
    {name = "64 samples, 200 frequencies", n = 64, m = 200},
    {name = "a wave of frequency 3", n = 100, m = 130, wave = true},
    {name = "one frequency", n = 33, m = 1},
    {name = "fewer threads than frequencies", n = 40, m = 401, grid = 1},
    {name = "one block of one warp", n = 32, m = 100, grid = 1, block = 32},
    {name = "all samples 1", n = 50, m = 130, ones = true},
    {name = "large", n = 257, m = 300, grid = 2, block = 96, hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {"fp64 <= 0"},
  hints = {
    "The outer loop goes over frequencies, a grid-stride loop up to m; the"
      .. " inner one over the n samples.",
    "Five floats begin with 0 for each frequency. cosf and sinf of freq * x[j]"
      .. " are needed more than once: keep them in c and s.",
    "Behind the inner loop: power[i] = part_of_wave(yc, ys, cc, ss, cs) / yy.",
  },
  editorial = "n * m sines and as many cosines, O(1) memory a thread, and no"
    .. " doubles. A warp makes two loads for each sample and 32 frequencies:"
    .. " 903 requests for 64 samples and 200 frequencies. Most instructions"
    .. " are those of careful sines. ladder takes quicker ones, and fetches a"
    .. " sample for four frequencies at once.",
  mutants = {
    {
      name = "not-from-zero",
      replace = {[[
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
    float freq = freqs[i], yc = 0, ys = 0, cc = 0, ss = 0, cs = 0;]], [[
  float yc = 0, ys = 0, cc = 0, ss = 0, cs = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
    float freq = freqs[i];]]},
      explain = "A thread's second frequency goes on with the sums of its"
        .. " first: they have to begin with 0 for each.",
    },
    {
      name = "one-frequency-each",
      replace = {"i += stride", "i += m"},
      explain = "Each thread does one frequency, and the grid has fewer threads"
        .. " than there are frequencies: the others are never written.",
    },
    {
      name = "last-sample",
      replace = {"j < n;", "j < n - 1;"},
      explain = "The last sample is left out: j goes up to n - 1.",
    },
    {
      name = "cosine-twice",
      replace = {"ss += s * s;", "ss += c * c;"},
      explain = "ss is the sum of the squared sines; here it has the squared"
        .. " cosines.",
    },
    {
      name = "exchanged-squares",
      replace = {"part_of_wave(yc, ys, cc, ss, cs)",
        "part_of_wave(yc, ys, ss, cc, cs)"},
      explain = "part_of_wave takes cos cos before sin sin: here they are"
        .. " exchanged.",
    },
    {
      name = "exchanged-waves",
      replace = {"part_of_wave(yc, ys, cc, ss, cs)",
        "part_of_wave(ys, yc, cc, ss, cs)"},
      explain = "part_of_wave takes y cos before y sin: here they are"
        .. " exchanged.",
    },
    {
      name = "no-yy",
      replace = {"ss, cs) / yy;", "ss, cs);"},
      explain = "The power is not divided by yy.",
    },
    {
      name = "without-y",
      replace = {"yc += y[j] * c;", "yc += c;"},
      explain = "In yc each cosine counts y[j] times; here it counts once.",
    },
    {
      name = "whole-turns",
      replace = {"cosf(freq * x[j]), s = sinf(freq * x[j])",
        "cospif(2 * freq * x[j]), s = sinpif(2 * freq * x[j])"},
      explain = "The frequencies are in radians already: this multiplies the"
        .. " angle by 2 pi once more.",
    },
    {
      name = "in-doubles",
      breaks = "fp64 <= 0",
      replace = {"float c = cosf(freq * x[j]), s = sinf(freq * x[j]);",
        "double c = cos((double)freq * x[j]), s = sin((double)freq * x[j]);"},
      explain = "The sines and cosines are computed in double, and what they"
        .. " are multiplied with is made a double, too.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {]],
        [[
  if (threadIdx.x > 0) return;
  for (int i = blockIdx.x; i < m; i += gridDim.x) {]]},
      explain = "One thread of each block does all of its frequencies.",
    },
  },
}
