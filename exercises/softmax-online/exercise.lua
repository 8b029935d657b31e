-- SPDX-License-Identifier: Apache-2.0
-- A row of 1024 floats is 4 KiB. Three walks and the result carry 16 KiB, two
-- walks and the result 12.
return {
  title = "Maximum and sum in one walk",
  task = "Make the softmax of each row with one walk less: the sum is corrected"
    .. " whenever a greater element turns up.",
  needs = {"softmax"},
  minutes = 35,
  kernel = "softmax",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "softmax",
  tolerance = {
    rel = 1 / 2 ^ 11,
    reason = "the differences are multiples of 1/64 and exact; each of at most"
      .. " 1024 steps multiplies by an exponential that is off by 2 ulp and"
      .. " rounds a product and a sum, 6 times 2^-24 together, 1024 of which"
      .. " are 2^-11.4",
  },
  budget = 800000,
  make = function(case, rng)
    local n = case.n * case.rows
    local x = rng:steps(n, -8, 8, 1 / 64)
    for i = 0, n - 1 do x[i] = x[i] + (case.shift or 0) end
    for r = 0, case.peaks and case.rows - 1 or -1 do
      for i = 0, case.n - 1 do
        x[r * case.n + i] = r == i and 100 or -100
      end
    end
    return {x = case.equal and rng:full(n, 3) or x, out = n, n = case.n},
      {case.rows, case.block or 64}
  end,
  cases = {
    {name = "4 rows of 100", rows = 4, n = 100},
    {name = "2 rows of 1024, blocks of 256", rows = 2, n = 1024, block = 256},
    {name = "rows of 1", rows = 3, n = 1},
    {name = "fewer elements than threads", rows = 5, n = 7},
    {name = "numbers around 1000", rows = 3, n = 90, shift = 1000},
    {name = "numbers around -1000", rows = 3, n = 90, shift = -1000},
    {name = "one far above the others", rows = 100, n = 100, peaks = true},
    {name = "all equal", rows = 2, n = 64, equal = true},
    {name = "blocks of 32", rows = 3, n = 130, block = 32},
    {name = "large", rows = 3, n = 521, block = 128, hidden = true},
  },
  requires = {"min_threads = 32"},
  goal = {{"global_bytes <= 25600", cases = {"2 rows of 1024, blocks of 256"}}},
  hints = {
    "A thread keeps two numbers, most and sum, where sum is that of exp(x -"
      .. " most) over what it has seen.",
    "A new element v makes next = fmaxf(most, v). What was summed so far was"
      .. " too large by exp(next - most), so multiply it by expf(most - next).",
    "In the tree two pairs meet: the maximum of both, and both sums, each"
      .. " corrected to it. Keep the sums in a second shared array.",
    "Threads without an element hold most = -3e38f and sum = 0, which change"
      .. " nothing. An infinity would: its difference to itself is no number.",
  },
  editorial = "Two loads and one store an element, 12 bytes, for three expf in"
    .. " place of two, and one tree with two numbers a thread: 9 barriers and"
    .. " 2 KiB for 256 threads. Next: a thread with few elements can keep them"
    .. " in registers and load each once. The same correction lets a kernel"
    .. " for attention go through the keys without a list of all scores.",
  mutants = {
    {
      name = "uncorrected",
      replace = {"sum = sum * expf(most - next) + expf(v - next)",
        "sum += expf(v - next)"},
      explain = "What was summed before is not corrected when a new maximum"
        .. " turns up.",
    },
    {
      name = "wrong-way",
      replace = {"sum * expf(most - next)", "sum * expf(next - most)"},
      explain = "The correction goes the wrong way: a greater maximum makes all"
        .. " exponentials smaller.",
    },
    {
      name = "tree-uncorrected",
      replace = {"sums[t + half] * expf(part[t + half] - next)",
        "sums[t + half]"},
      explain = "In the tree, the other half's sum belongs to another maximum:"
        .. " it has to be corrected as well.",
    },
    {
      name = "from-zero",
      replace = {"float most = -3e38f, sum = 0", "float most = 0, sum = 0"},
      explain = "A maximum that begins with 0 is wrong for rows that are all"
        .. " negative.",
    },
    {
      name = "no-maximum",
      replace = {"next = fmaxf(most, v)", "next = 0"},
      explain = "No maximum is subtracted: expf is infinite above 88, and 0"
        .. " below -104.",
    },
    {
      name = "from-infinity",
      replace = {"float most = -3e38f, sum = 0",
        "float most = __int_as_float(0xff800000), sum = 0"},
      explain = "Two threads without elements meet in the tree, both with minus"
        .. " infinity: the difference of the two is no number.",
    },
    {
      name = "sums-of-different",
      replace = {[[      sums[t] = sums[t] * expf(part[t] - next) +
                sums[t + half] * expf(part[t + half] - next);]],
        "      sums[t] += sums[t + half];"},
      explain = "In the tree, sums are added that belong to different maxima:"
        .. " both have to be corrected to the greater one first.",
    },
    {
      name = "against-the-old",
      replace = {"expf(v - next)", "expf(v - most)"},
      explain = "The new element is measured against the old maximum, and not"
        .. " against the greater of both.",
    },
    {
      name = "maximum-not-counted",
      replace = {"sum = sum * expf(most - next) + expf(v - next);",
        "sum = v > most ? sum * expf(most - next) : sum + expf(v - next);"},
      explain = "An element that is a new maximum corrects the sum, but does"
        .. " not get into it: it is exp(0) there, 1.",
    },
    {
      name = "own-maximum",
      replace = {"expf(x[i] - part[0]) / sums[0]",
        "expf(x[i] - most) / sums[0]"},
      explain = "The maximum is that of this thread's own elements, and the sum"
        .. " belongs to that of the whole row.",
    },
    {
      name = "own-pair",
      replace = {"expf(x[i] - part[0]) / sums[0]", "expf(x[i] - most) / sum"},
      explain = "Maximum and sum are those of this thread's own elements, and"
        .. " not those of the whole row.",
    },
    {
      name = "no-quotient",
      replace = {"expf(x[i] - part[0]) / sums[0]", "expf(x[i] - part[0])"},
      explain = "The quotient is missing: the elements of a row have to add up"
        .. " to 1.",
    },
    {
      name = "max-first",
      replace = {[[      sums[t] = sums[t] * expf(part[t] - next) +
                sums[t + half] * expf(part[t + half] - next);
      part[t] = next;]], [[      part[t] = next;
      sums[t] = sums[t] * expf(part[t] - next) +
                sums[t + half] * expf(part[t + half] - next);]]},
      explain = "part[t] is overwritten before the sum is corrected, so that"
        .. " the correction is exp(0).",
    },
    {
      name = "no-barrier",
      replace = {"sums[t] = sum;\n  __syncthreads();", "sums[t] = sum;"},
      explain = "The tree begins before all have written their pair.",
    },
    {
      name = "three-walks",
      breaks = "global_bytes <= 25600",
      replace = {"  float most = -3e38f, sum = 0;", [[
  float most = -3e38f, sum = 0;
  for (int i = t; i < n; i += blockDim.x) most = fmaxf(most, x[i]);]]},
      explain = "The thread looks for its maximum in a walk of its own first.",
    },
    {
      name = "alone",
      breaks = "global_bytes <= 25600",
      replace = {"out[i] = expf(x[i] - part[0]) / sums[0];", [[{
    float m = x[0], s = 0;
    for (int k = 1; k < n; k++) m = fmaxf(m, x[k]);
    for (int k = 0; k < n; k++) s += expf(x[k] - m);
    out[i] = expf(x[i] - m) / s;
  }]]},
      explain = "Every thread adds up the whole row by itself, and so each"
        .. " element is fetched by all of them.",
    },
    {
      name = "two-threads",
      breaks = "min_threads = 32",
      replace = {"  part[t] = most;\n  sums[t] = sum;", [[
  most = -3e38f;
  sum = 0;
  for (int i = t; t < 2 && i < n; i += 2) {
    float v = x[i], next = fmaxf(most, v);
    sum = sum * expf(most - next) + expf(v - next);
    most = next;
  }
  part[t] = most;
  sums[t] = sum;
  __syncthreads();
  most = fmaxf(part[0], part[1]);
  sum = sums[0] * expf(part[0] - most) + sums[1] * expf(part[1] - most);
  for (int i = t; t < 2 && i < n; i += 2) out[i] = expf(x[i] - most) / sum;
  return;]]},
      explain = "Two threads do the row, and what the others compute is thrown"
        .. " away.",
    },
  },
}
