-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Beat the compiler",
  task = "Make extent read each element once: out[r] is the largest of row r"
    .. " less"
    .. " the smallest.",
  needs = {"sum", "axis-sum"},
  minutes = 20,
  kernel = "extent",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "beat_the_compiler",
  tolerance = {ulp = 0,
    reason = "the numbers are multiples of 1/64 within 100, so that the"
      .. " difference is exact"},
  budget = 100000,
  make = function(case, rng)
    local low, high = case.low or -100, case.high or 100
    return {
      x = rng:steps(case.rows * case.n, low, high, 1 / 64), out = case.rows,
      n = case.n,
    }, {case.rows, 128}
  end,
  cases = {
    {name = "4 rows of 1024", rows = 4, n = 1024},
    {name = "one element", rows = 1, n = 1},
    {name = "fewer elements than threads", rows = 3, n = 10},
    {name = "all below zero", rows = 2, n = 200, low = -100, high = -50},
    {name = "all above zero", rows = 2, n = 200, low = 50, high = 100},
    {name = "a prime", rows = 5, n = 1009},
    {name = "large", rows = 16, n = 4096, hidden = true},
  },
  rank = {case = "4 rows of 1024", rows = 4096, n = 4096, bytes = 1 << 26},
  goal = {
    {"global_bytes <= 17000", cases = {"4 rows of 1024"}},
    {"global_bytes <= 263000", cases = {"large"}},
  },
  hints = {
    "4 rows of 1024 floats are 16384 bytes. Whoever moves twice as many reads"
      .. " each element twice: where are the two walks?",
    "One loop: bring the element into a variable, and give it to fmaxf and to"
      .. " fminf.",
    "float v = row[i]; most = fmaxf(most, v); least = fminf(least, v); and the"
      .. " tree stays as it is.",
  },
  editorial = "Each element is loaded once: 16384 bytes of 4 rows, where two"
    .. " walks load 32768. Both trees share their barriers, 8 for each thread,"
    .. " and 1024 bytes of shared memory. Shuffles, as in sum-shuffle, would"
    .. " leave one barrier and less shared memory, and not one byte of the"
    .. " row. A few very long rows would want several blocks for each.",
  mutants = {
    {
      name = "still-two-walks",
      breaks = "global_bytes <= 17000",
      replace = {[[
    float v = row[i];
    most = fmaxf(most, v);
    least = fminf(least, v);
  }
]], [[
    most = fmaxf(most, row[i]);
  }
  for (int i = t; i < n; i += 128) least = fminf(least, row[i]);
]]},
      explain = "Two loops over the row are two walks. Do both in one loop.",
    },
    {
      name = "still-two-walks-large",
      breaks = "global_bytes <= 263000",
      replace = {[[
    least = fminf(least, v);
  }
]], [[
  }
  for (int i = t; i < n; i += 128) least = fminf(least, row[n - 1 - i]);
]]},
      explain = "The second walk goes backward, and reads everything once"
        .. " more.",
    },
    {
      name = "begins-with-zero",
      replace = {"float most = -3e38f, least = 3e38f;",
        "float most = 0, least = 0;"},
      explain = "0 counts as an element: it wins where all are on one side of"
        .. " it. Begin with -3e38f and 3e38f.",
    },
    {
      name = "one-thread-only",
      replace = {"for (int half = 64; half > 0; half /= 2) {",
        "for (int half = 64; half > 1; half /= 2) {"},
      explain = "The last round of the tree is missing: half of the threads'"
        .. " elements, those with an odd number, never reach thread 0.",
    },
    {
      name = "low-not-joined",
      replace = {"      low[t] = fminf(low[t], low[t + half]);\n", ""},
      explain = "The tree joins the largest elements only: low[0] is the"
        .. " smallest"
        .. " of thread 0's own.",
    },
    {
      name = "added",
      replace = {"high[0] - low[0]", "high[0] + low[0]"},
      explain = "The smallest is to be taken off, not added.",
    },
    {
      name = "no-barrier",
      replace = {"    __syncthreads();\n  }\n", "  }\n"},
      explain = "Between two rounds of the tree the threads have to meet.",
    },
  },
}
