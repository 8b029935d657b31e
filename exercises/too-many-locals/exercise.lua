-- SPDX-License-Identifier: Apache-2.0
-- With x in quarters within 1, t[k] is a multiple of 2^-(k + 1) within 1; with
-- x in halves, of 1/2. Coefficients in halves within 4 keep all sums within 23
-- bits, those of Clenshaw's way from the other end, too.
return {
  title = "Too many locals",
  task = "Make the kernel do without local memory: a series of Chebyshev"
    .. " polynomials at n places.",
  needs = {"saxpy"},
  minutes = 15,
  kernel = "series",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "c"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
    {"value", "int", "degree"},
  },
  reference = "too_many_locals",
  tolerance = {
    ulp = 0,
    reason = "x is in quarters and the degree at most 12, or x is in halves: no"
      .. " product and no sum needs more than 23 binary digits",
  },
  budget = 200000,
  make = function(case, rng)
    return {
      x = rng:steps(case.n, -1, 1, case.step or 1 / 4),
      c = rng:steps(case.degree + 1, -4, 4, 1 / 2),
      out = case.n, n = case.n, degree = case.degree,
    }, {blocks_for(case.n, case.block or 256), case.block or 256}
  end,
  cases = {
    {name = "1000 places, degree 12", n = 1000, degree = 12},
    {name = "degree 0", n = 40, degree = 0},
    {name = "degree 1", n = 40, degree = 1},
    {name = "one place, degree 7", n = 1, degree = 7},
    {name = "degree 31, x in halves", n = 257, degree = 31, step = 1 / 2},
    {name = "1009 places, blocks of 96", n = 1009, degree = 10, block = 96},
    {name = "large", n = 20011, degree = 11, hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {"spill_bytes <= 0"},
  hints = {
    "t[k] has an index that is known only at run time, so the array cannot lie"
      .. " in registers. Which of its elements does a round need?",
    "The two loops can be one: t[k] goes into the sum as soon as it is known.",
    "Then a round needs t[k - 1] and t[k - 2] alone: two variables, which move"
      .. " up by one at the end of each round.",
    "float before = x[i], now = 1; in each round: sum, next = 2 * x[i] * now -"
      .. " before, before = now, now = next. (t[-1] would be x[i]: then t[1]"
      .. " comes out right.)",
  },
  editorial = "degree + 1 loads of c and one of x for each place, and no local"
    .. " memory, where the starter has an array of 128 bytes a thread. Of t"
    .. " only two elements are alive at a time. All lanes want the same c[k],"
    .. " and constant memory, as in filter-constant, would spare global memory"
    .. " those loads. Clenshaw's way, from the last term to the first, does"
    .. " with two variables as well.",
  mutants = {
    {
      name = "array-again",
      breaks = "spill_bytes <= 0",
      replace = {[[
  float v = x[i], before = v, now = 1, sum = 0;
  for (int k = 0; k <= degree; k++) {
    sum += c[k] * now;
    float next = 2 * v * now - before;
    before = now;
    now = next;
  }]], [[
  float v = x[i], t[32], sum = 0;
  t[0] = 1;
  t[1] = v;
  for (int k = 0; k <= degree; k++) {
    if (k > 1) t[k] = 2 * v * t[k - 1] - t[k - 2];
    sum += c[k] * t[k];
  }]]},
      explain = "The loops are one, and every t[k] is kept all the same, in an"
        .. " array with a computed index.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  float v = x[i], before = v, now = 1, sum = 0;
  for (int k = 0; k <= degree; k++) {
    sum += c[k] * now;
    float next = 2 * v * now - before;
    before = now;
    now = next;
  }
  out[i] = sum;]], [[
  if (threadIdx.x > 0) return;
  for (int j = i; j < i + blockDim.x && j < n; j++) {
    float v = x[j], before = v, now = 1, sum = 0;
    for (int k = 0; k <= degree; k++) {
      sum += c[k] * now;
      float next = 2 * v * now - before;
      before = now;
      now = next;
    }
    out[j] = sum;
  }]]},
      explain = "The first thread of each block does the block's places one"
        .. " after the other.",
    },
    {
      name = "starts-at-zero",
      replace = {"before = v, now = 1", "before = 0, now = 1"},
      explain = "This is what you get when the element before t[0] is 0: then"
        .. " t[1] is 2 * x instead of x.",
    },
    {
      name = "last-left-out",
      replace = {"k <= degree", "k < degree"},
      explain = "This is what you get when the loop ends before k = degree: the"
        .. " last term is missing.",
    },
    {
      name = "moved-in-the-wrong-order",
      replace = {"    before = now;\n    now = next;",
        "    now = next;\n    before = now;"},
      explain = "This is what you get when now is overwritten before it has"
        .. " been kept in before: both are the new element then.",
    },
    {
      name = "not-doubled",
      replace = {"2 * v * now - before", "v * now - before"},
      explain = "This is what you get when t[k] is x * t[k - 1] - t[k - 2]: the"
        .. " factor 2 is missing.",
    },
    {
      name = "added",
      replace = {"2 * v * now - before", "2 * v * now + before"},
      explain = "This is what you get when t[k - 2] is added; it is taken"
        .. " away.",
    },
    {
      name = "sum-too-late",
      replace = {[[
    sum += c[k] * now;
    float next = 2 * v * now - before;
    before = now;
    now = next;]], [[
    float next = 2 * v * now - before;
    before = now;
    now = next;
    sum += c[k] * now;]]},
      explain = "This is what you get when now moves on before it is added:"
        .. " c[k] meets t[k + 1].",
    },
    {
      name = "powers",
      replace = {"float next = 2 * v * now - before", "float next = v * now"},
      explain = "This is what you get from the powers of x in place of the"
        .. " polynomials.",
    },
  },
}
