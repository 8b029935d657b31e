-- SPDX-License-Identifier: Apache-2.0
return {
  title = "One source, two types",
  task = "Write the template horner<T>, which serves float and double.",
  needs = {"mandelbrot"},
  minutes = 15,
  kernel = "polynomial",
  signature = {
    {"in", "const float *", "c"},
    {"in", "const double *", "d"},
    {"value", "int", "count"},
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"out", "double *", "fine"},
    {"value", "int", "n"},
  },
  reference = "one_source_two_types",
  tolerance = {
    ulp = 0,
    reason = "single: multiples of 1/4 below 4 and at most three of them, so"
      .. " that nothing is rounded; double: d has 29 bits below its point, x"
      .. " two, and three factors stay within 53 bits",
  },
  budget = 20000,
  make = function(case, rng)
    local grid = (case.n + 63) // 64
    return {
      c = rng:steps(case.count, -4, 4, 1 / 4),
      d = rng:steps(case.count, -4, 4, 2 ^ -29), count = case.count,
      x = rng:steps(case.n, -4, 4, 1 / 4), out = case.n, fine = case.n,
      n = case.n,
    }, {grid, 64}
  end,
  cases = {
    {name = "c[0] + c[1] x", n = 100, count = 2},
    {name = "a constant", n = 10, count = 1},
    {name = "three numbers", n = 257, count = 3},
    {name = "one element", n = 1, count = 3},
    {name = "large", n = 5000, count = 3, hidden = true},
  },
  requires = {},
  hints = {
    "Horner's rule: begin with 0; for each c[k], from the last one to c[0],"
      .. " multiply by x and add c[k].",
    "template <typename T> stands before the function, and T in the place of"
      .. " float.",
    "The compiler finds T from what horner is called with.",
  },
  editorial = "A value takes count products and count sums, of which the first"
    .. " two, in 0 * x + c, could be saved. One source, and the compiler makes"
    .. " code for each type. All threads read the same coefficient at the same"
    .. " time: constant memory is made for that, and filter-constant uses it."
    .. " hidden-double takes out doubles that nobody wanted.",
  mutants = {
    {
      name = "always-float",
      replace = {"T sum = 0;", "float sum = 0;"},
      explain = "This is what you get when the sum is a float in both: the"
        .. " double's last digits are lost. Let it be a T.",
    },
    {
      name = "forwards",
      replace = {"int k = count - 1; k >= 0; k--", "int k = 0; k < count; k++"},
      explain = "This is what you get when c is read from the front: the first"
        .. " number is then multiplied most often.",
    },
    {
      name = "without-last",
      replace = {"count - 1; k >= 0", "count - 2; k >= 0"},
      explain = "The last number is c[count - 1]; this begins one before it.",
    },
    {
      name = "without-first",
      replace = {"k >= 0", "k > 0"},
      explain = "c[0] is left out: the loop has to come to 0.",
    },
    {
      name = "added-first",
      replace = {"sum * x + c[k]", "(sum + c[k]) * x"},
      explain = "This is what you get when c[k] is added before the product:"
        .. " then c[0] is multiplied by x, too.",
    },
  },
}
