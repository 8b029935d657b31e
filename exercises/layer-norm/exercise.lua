-- SPDX-License-Identifier: Apache-2.0
return {
  title = "The same with a mean",
  task = "Mend the kernel: layer norm of each row, right for rows far from 0 as"
    .. " well; a block does a row.",
  needs = {"softmax"},
  minutes = 15,
  kernel = "layer_norm",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "gain"},
    {"in", "const float *", "bias"},
    {"out", "float *", "out"},
    {"value", "float", "small"},
    {"value", "int", "n"},
  },
  reference = "layer_norm",
  tolerance = {
    abs = 1e-3,
    reason = "rows are multiples of 1/16 below 1032, so sums of 300 are exact,"
      .. " and the mean is off by 2^-24 of itself, 6e-5; squares of distances"
      .. " below 16, 300 of them, are off by 310 * 2^-24 of their sum; a result"
      .. " is at most 17 times a gain of 2, and so off by less than 34 * (1e-5"
      .. " + 1.5e-5)",
  },
  budget = 100000,
  make = function(case, rng)
    local n = case.n * case.rows
    local x = rng:steps(n, -8, 8, 1 / 16)
    for i = 0, n - 1 do x[i] = x[i] + (case.far or 0) end
    if case.equal then x = rng:full(n, 3) end
    return {
      x = x, gain = rng:steps(case.n, 1 / 2, 2, 1 / 4),
      bias = rng:steps(case.n, -2, 2, 1 / 4), out = n,
      small = case.small or 1e-3, n = case.n,
    }, {case.rows, case.block or 64}
  end,
  cases = {
    {name = "4 rows of 100", rows = 4, n = 100},
    {name = "far from 0", rows = 3, n = 200, far = 1024},
    {name = "far below 0, blocks of 256", rows = 2, n = 300, far = -1024,
      block = 256},
    {name = "all equal", rows = 2, n = 40, equal = true},
    {name = "rows of one", rows = 3, n = 1},
    {name = "fewer than threads", rows = 5, n = 7},
    {name = "blocks of 32", rows = 2, n = 75, block = 32},
    {name = "something large below the root", rows = 2, n = 64, small = 5},
    {name = "large", rows = 6, n = 261, far = 500, block = 128, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "What is lost when two numbers near a million are subtracted, each a float"
      .. " with seven digits?",
    "Take the mean off first, then square: these squares are small, and nothing"
      .. " has to be subtracted from them.",
    "So the mean has to be known before the squares are added: a walk more.",
  },
  editorial = "Three loads of x, one of gain, one of bias, and one store for"
    .. " each element; two sums of the block, with 256 threads ten barriers"
    .. " each. Next: keep the elements in registers or shared memory and load"
    .. " them once, or find mean and squares in one walk, by correcting both"
    .. " with each element, as norm_walk of lesson 28-softmax-attention does.",
  mutants = {
    {
      name = "shortcut",
      replace = {"squares += (x[c] - mean) * (x[c] - mean);\n"
        .. "  float by = rsqrtf(all_sum(squares) / n + small)",
        "squares += x[c] * x[c];\n"
        .. "  float by = rsqrtf(all_sum(squares) / n - mean * mean + small)"},
      explain = "The squares are large and nearly the same as the square of the"
        .. " mean: the digits that matter were rounded off before the"
        .. " difference was taken.",
    },
    {
      name = "squares-of-x",
      replace = {"squares += (x[c] - mean) * (x[c] - mean)",
        "squares += x[c] * x[c]"},
      explain = "The variance is the mean square of the distances from the"
        .. " mean, not of the numbers themselves.",
    },
    {
      name = "not-below-the-root",
      replace = {"rsqrtf(all_sum(squares) / n + small)",
        "rsqrtf(all_sum(squares) / n) + small"},
      explain = "What is small stands below the root, beside the variance;"
        .. " outside, a row of equal numbers is divided by 0.",
    },
    {
      name = "nothing-small",
      replace = {" / n + small)", " / n)"},
      explain = "A row of equal numbers has a variance of 0: without something"
        .. " small below the root it is divided by 0.",
    },
    {
      name = "sum-of-squares",
      replace = {"all_sum(squares) / n + small", "all_sum(squares) + small"},
      explain = "The variance is the mean of the squares, and not their sum.",
    },
    {
      name = "one-fewer",
      replace = {"all_sum(squares) / n + small",
        "all_sum(squares) / (n - 1) + small"},
      explain = "Here the sum of the squares is divided by n, not by n - 1.",
    },
    {
      name = "mean-stays",
      replace = {"out[c] = (x[c] - mean)", "out[c] = x[c]"},
      explain = "The mean is not taken off the result.",
    },
    {
      name = "own-mean",
      replace = {"all_sum(sum) / n", "sum / n"},
      explain = "Each thread takes the sum of its own elements for the row's.",
    },
    {
      name = "bias-too",
      replace = {"* gain[c] + bias[c]", "* (gain[c] + bias[c])"},
      explain = "The bias is added at the end, and is not a factor.",
    },
    {
      name = "variance-not-root",
      replace = {"rsqrtf(all_sum(squares) / n + small)",
        "1 / (all_sum(squares) / n + small)"},
      explain = "It is divided by the root of the variance, not by the"
        .. " variance.",
    },
    {
      name = "no-bias",
      replace = {"* by * gain[c] + bias[c];", "* by * gain[c];"},
      explain = "This is what you get when bias[c] is not added.",
    },
    {
      name = "bias-taken-away",
      replace = {"* by * gain[c] + bias[c];", "* by * gain[c] - bias[c];"},
      explain = "This is what you get when bias[c] is taken away: it is to be"
        .. " added.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < n; c += blockDim.x) sum += x[c];
  float mean = all_sum(sum) / n;
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    squares += (x[c] - mean) * (x[c] - mean);
  float by = rsqrtf(all_sum(squares) / n + small);
  for (int c = threadIdx.x; c < n; c += blockDim.x)
]], [[
  if (threadIdx.x) return;
  float sum = 0, squares = 0;
  for (int c = 0; c < n; c++) sum += x[c];
  float mean = sum / n;
  for (int c = 0; c < n; c++) squares += (x[c] - mean) * (x[c] - mean);
  float by = rsqrtf(squares / n + small);
  for (int c = 0; c < n; c++)
]]},
      explain = "The first thread does the whole row, and all the others of the"
        .. " block have nothing to do.",
    },
  },
}
