-- SPDX-License-Identifier: Apache-2.0
-- x is a multiple of 1/64 within 8: 0.5 + 0.25 x - 0.125 x x needs at most 20
-- binary digits, also on the way, so that float and double give the same bits.
return {
  title = "The hidden double",
  task = "Mend the kernel: out[i] = 0.5 + 0.25 * x[i] - 0.125 * x[i] * x[i],"
    .. " computed in float throughout.",
  needs = {"saxpy"},
  minutes = 10,
  kernel = "parabola",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "hidden_double",
  tolerance = {
    ulp = 0,
    reason = "x is a multiple of 1/64 within 8, so that every product and sum"
      .. " has at most 20 binary digits and nothing is rounded",
  },
  budget = 20000,
  make = function(case, rng)
    local grid = (case.n + case.block - 1) // case.block
    return {
      x = rng:steps(case.n, -8, 8, 1 / 64), out = case.n, n = case.n,
    }, {grid, case.block}
  end,
  cases = {
    {name = "n=4096", n = 4096, block = 128},
    {name = "n=1", n = 1, block = 128},
    {name = "n=1009, a prime", n = 1009, block = 96},
    {name = "n=4097", n = 4097, block = 256},
    {name = "large", n = 100003, block = 256, hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {"fp64 <= 0", "fp64_conversions <= 0"},
  hints = {
    "The result is right already. :counters shows what it costs: how many"
      .. " operations are in double?",
    "A number with a point and without an f is a double, and makes a double of"
      .. " everything that it meets.",
    "0.5f + 0.25f * v - 0.125f * square, and no variable in double.",
  },
  editorial = "One load, one store and five float operations an element; the"
    .. " counters show no operation in double and no conversion. Three letters"
    .. " f are the whole repair. It stays a matter of 8 bytes moved an"
    .. " element. The same slip hides in ten-times, among eighty lines.",
  mutants = {
    {
      name = "one-left",
      breaks = "fp64 <= 0",
      replace = {"0.125f", "0.125"},
      explain = "One number is a double still, and the last product and the"
        .. " difference with it.",
    },
    {
      name = "kept-as-double",
      breaks = "fp64_conversions <= 0",
      replace = {"float v = x[i];\n", "double v = x[i];\n"},
      explain = "The numbers are floats, but v is a double, and makes doubles"
        .. " of all of them.",
    },
    {
      name = "wrong-sign",
      replace = {"line - 0.125f", "line + 0.125f"},
      explain = "This is what you get when the square is added: it is taken"
        .. " away.",
    },
    {
      name = "not-squared",
      replace = {"0.125f * square", "0.125f * v"},
      explain = "This is what you get when x is not squared in the last term.",
    },
    {
      name = "whole-number",
      replace = {"0.5f", "1 / 2"},
      explain = "This is what you get when a half is written 1 / 2: both are"
        .. " whole numbers, so the quotient is one, too, 0.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"    float v = x[i];\n"
          .. "    float square = v * v;\n"
          .. "    float line = 0.5f + 0.25f * v;\n"
          .. "    out[i] = line - 0.125f * square;", [[
    for (int k = i; threadIdx.x == 0 && k < i + blockDim.x && k < n; k++)
      out[k] = 0.5f + 0.25f * x[k] - 0.125f * x[k] * x[k];]]},
      explain = "The first thread of each block does all of its"
        .. " elements; the others have nothing to do.",
    },
    {
      name = "no-guard",
      replace = {"if (i < n) {", "{"},
      explain = "The guard is needed: the last block has more threads than"
        .. " there are elements left.",
    },
  },
}
