-- SPDX-License-Identifier: Apache-2.0
-- All numbers are multiples of 1/4 with |c| <= 2, and at most 4 rounds are
-- computed with them, or the orbit is a short cycle: nothing is rounded, so
-- that a fused multiply-add changes nothing and the counts are the same
-- everywhere.
return {
  title = "The Mandelbrot set",
  task = "Write steps(cx, cy, limit): the rounds of z = z * z + c from z = 0"
    .. " until |z| > 2, or limit.",
  needs = {"outer-sum"},
  minutes = 20,
  kernel = "mandelbrot",
  signature = {
    {"out", "int *", "out"},
    {"value", "int", "width"},
    {"value", "int", "height"},
    {"value", "float", "left"},
    {"value", "float", "top"},
    {"value", "float", "size"},
    {"value", "int", "limit"},
  },
  reference = "mandelbrot",
  tolerance = {
    ulp = 0,
    reason = "the numbers are multiples of 1/4 and few rounds are computed with"
      .. " them, so that nothing is rounded",
  },
  budget = 20000,
  make = function(case)
    return {
      out = case.width * case.height, width = case.width, height = case.height,
      left = case.left, top = case.top, size = case.size, limit = case.limit,
    }, {{blocks_for(case.width, 16), blocks_for(case.height, 8)}, {16, 8}}
  end,
  cases = {
    {name = "17 x 17 pixels", width = 17, height = 17, left = -2, top = -2,
      size = 0.25, limit = 4},
    {name = "a row of real numbers", width = 9, height = 1, left = -2, top = 0,
      size = 0.5, limit = 3},
    {name = "c = 0", width = 1, height = 1, left = 0, top = 0, size = 1,
      limit = 100},
    {name = "one round", width = 20, height = 12, left = -2.5, top = -1.5,
      size = 0.25, limit = 1},
    {name = "whole numbers", width = 5, height = 5, left = -2, top = -2,
      size = 1, limit = 50, hidden = true},
  },
  requires = {},
  hints = {
    "Two floats are z, and two are c. All begin with z = 0.",
    "First ask whether |z| > 2; |z| squared is x * x + y * y, so no root is"
      .. " needed: compare with 4.",
    "The new x needs the old y, and the new y the old x: keep one of them"
      .. " aside.",
    "float next = x * x - y * y + cx; y = 2 * x * y + cy; x = next;",
  },
  editorial = "No loads and one store a pixel; the rest is up to limit rounds,"
    .. " which touch no memory. A warp goes on until its slowest pixel is"
    .. " done, and lanes that are done wait. So the cost of a picture is not"
    .. " the sum of its counts: the lesson warps-and-blocks shows why, and"
    .. " even-odd mends another case of it.",
  mutants = {
    {
      name = "x-too-soon",
      replace = {"float next = x * x - y * y + cx;\n"
        .. "    y = 2 * x * y + cy;\n    x = next;",
        "x = x * x - y * y + cx;\n    y = 2 * x * y + cy;"},
      explain = "This is what you get when y is computed from the new x: both"
        .. " need the old ones.",
    },
    {
      name = "late",
      replace = {"return k;", "return k + 1;"},
      explain = "This is what you get when the round that has not been done is"
        .. " counted, too: after 0 rounds z is 0, and 0 rounds have been done.",
    },
    {
      name = "two-for-four",
      replace = {"> 4", "> 2"},
      explain = "This is what you get when the squared size is compared with 2:"
        .. " |z| > 2 is x * x + y * y > 4.",
    },
    {
      name = "not-below",
      replace = {"> 4", ">= 4"},
      explain = "This is what you get when |z| = 2 counts as above 2.",
    },
    {
      name = "plus",
      replace = {"x * x - y * y", "x * x + y * y"},
      explain = "i times i is -1, so the square of the imaginary part is taken"
        .. " away: x * x - y * y.",
    },
    {
      name = "half-the-product",
      replace = {"2 * x * y", "x * y"},
      explain = "(x + iy) times itself has the product x * y twice.",
    },
    {
      name = "zero-inside",
      replace = {"return limit;", "return 0;"},
      explain = "This is what you get when points that stay near get 0: they"
        .. " get limit.",
    },
  },
}
