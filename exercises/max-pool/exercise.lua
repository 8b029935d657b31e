-- SPDX-License-Identifier: Apache-2.0
return {
  title = "The greatest of each window",
  task = "out[r][c] is the greatest element of a window of w x w, clipped at"
    .. " the borders, that begins at (r * step, c * step).",
  needs = {"blur"},
  minutes = 15,
  kernel = "pool",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
    {"value", "int", "w"},
    {"value", "int", "step"},
  },
  reference = "max_pool",
  tolerance = {ulp = 0, reason = "a maximum rounds nothing"},
  budget = 100000,
  make = function(case, rng)
    local rows, columns, step = case.rows, case.columns, case.step
    local high, wide = (rows + step - 1) // step, (columns + step - 1) // step
    local bx, by = case.bx or 16, case.by or 8
    return {
      x = rng:floats(rows * columns, -100, case.most or 100), out = high * wide,
      rows = rows, columns = columns, w = case.w, step = step,
    }, {{(wide + bx - 1) // bx, (high + by - 1) // by}, {bx, by}}
  end,
  cases = {
    {name = "40 x 50 in windows of 2", rows = 40, columns = 50, w = 2,
      step = 2},
    {name = "all below 0", rows = 20, columns = 21, w = 3, step = 3, most = -1},
    {name = "windows that overlap", rows = 33, columns = 17, w = 5, step = 2},
    {name = "gaps between windows", rows = 31, columns = 70, w = 2, step = 4,
      bx = 8, by = 4},
    {name = "one element", rows = 1, columns = 1, w = 3, step = 2},
    {name = "one row, windows of one", rows = 1, columns = 100, w = 1, step = 1,
      bx = 32, by = 2},
    {name = "one column", rows = 77, columns = 1, w = 4, step = 3},
    {name = "the window is larger than the picture", rows = 3, columns = 5,
      w = 9, step = 1},
    {name = "128 x 64, whole blocks", rows = 64, columns = 128, w = 4, step = 4,
      bx = 32, by = 16},
    {name = "large", rows = 131, columns = 203, w = 4, step = 3, bx = 32,
      by = 4, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "A thread for each element of out. Its window begins at row r * step and"
      .. " column c * step of x; if that is outside, the thread has nothing to"
      .. " do.",
    "The window ends before top + w, or at the end of the rows: min(top + w,"
      .. " rows).",
    "A row of out has as many elements as windows begin in a row of x: columns"
      .. " / step, rounded up.",
    "Begin the maximum with the window's first element. 0 would win where all"
      .. " are below 0.",
  },
  editorial = "About w * w loads and one store for each element of out. Where"
    .. " step is at least w no two windows share an element; where it is less,"
    .. " each is loaded about (w / step)^2 times. Lanes read `step` floats"
    .. " apart: from 2 on a request uses a part of each sector. Next, for wide"
    .. " windows that overlap: the maxima along the rows first, then along the"
    .. " columns.",
  mutants = {
    {
      name = "from-zero",
      replace = {"float most = x[top * columns + left]", "float most = 0"},
      explain = "A maximum that begins with 0 stays there where all elements"
        .. " are below 0: begin with one of the window.",
    },
    {
      name = "not-clipped-below",
      replace = {"row < min(top + w, rows)", "row < top + w"},
      explain = "The last windows reach below the picture.",
    },
    {
      name = "not-clipped-right",
      replace = {"column < min(left + w, columns)", "column < left + w"},
      explain = "Windows at the right border go on into the next row.",
    },
    {
      name = "rounded-down",
      replace = {"(columns + step - 1) / step", "columns / step"},
      explain = "Where step does not divide the columns, a row of out has one"
        .. " element more: for the columns that are left over.",
    },
    {
      name = "width-of-x",
      replace = {"out[r * across + c]", "out[r * columns + c]"},
      explain = "A row of out is shorter than one of x.",
    },
    {
      name = "step-for-window",
      replace = {"min(top + w, rows)", "min(top + step, rows)"},
      explain = "A window has w rows; step is how far the next one begins.",
    },
    {
      name = "no-step",
      replace = {"top = r * step, left = c * step", "top = r, left = c"},
      explain = "The windows begin at each row and column in place of each"
        .. " step-th.",
    },
    {
      name = "step-by-the-window",
      replace = {"top = r * step, left = c * step",
        "top = r * w, left = c * w"},
      explain = "Windows begin step rows and columns apart; w is how large they"
        .. " are.",
    },
    {
      name = "smallest",
      replace = {"fmaxf(", "fminf("},
      explain = "That is the smallest of the window.",
    },
    {
      name = "first-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int across = (columns + step - 1) / step;]], [[
  int across = (columns + step - 1) / step;
  if (threadIdx.x + threadIdx.y > 0) return;
  for (int k = 0; k < blockDim.x * blockDim.y; k++) {
  int c = blockIdx.x * blockDim.x + k % blockDim.x;
  int r = blockIdx.y * blockDim.y + k / blockDim.x;
  if (r * step >= rows || c * step >= columns) continue;
  float best = x[r * step * columns + c * step];
  for (int row = r * step; row < min(r * step + w, rows); row++)
    for (int i = c * step; i < min(c * step + w, columns); i++)
      best = fmaxf(best, x[row * columns + i]);
  out[r * across + c] = best;
  }
  int c = blockIdx.x * blockDim.x, r = blockIdx.y * blockDim.y;]]},
      explain = "The first thread of each block does all of its"
        .. " windows.",
    },
  },
}
