-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A plate cools",
  task = "One step of time: out = in + (mean of the four neighbours - in) / 4;"
    .. " the plate's edge stays as it is.",
  needs = {"transpose-naive"},
  minutes = 20,
  kernel = "heat",
  signature = {
    {"in", "const float *", "in"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "heat",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/64 within 128: all sums are"
      .. " multiples of 1/1024 below 2^10, which a float holds in any order",
  },
  budget = 20000,
  make = function(case, rng)
    local n = case.rows * case.columns
    local x, y = case.x or 16, case.y or 8
    return {
      ["in"] = rng:steps(n, -128, 128, 1 / 64), out = n,
      rows = case.rows, columns = case.columns,
    }, {{blocks_for(case.columns, x), blocks_for(case.rows, y)}, {x, y}}
  end,
  cases = {
    {name = "8 rows of 10", rows = 8, columns = 10},
    {name = "64 rows of 64", rows = 64, columns = 64},
    {name = "37 rows of 19", rows = 37, columns = 19},
    {name = "one cell", rows = 1, columns = 1},
    {name = "one row", rows = 1, columns = 50},
    {name = "two columns: all edge", rows = 30, columns = 2},
    {name = "blocks of 32 x 4", rows = 50, columns = 70, x = 32, y = 4},
    {name = "large", rows = 190, columns = 211, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "Begin with the guard and i = r * columns + c. Left and right are i - 1 and"
      .. " i + 1; where are the cells above and below?",
    "The cell above is a whole row earlier: in[i - columns].",
    "Which cells have no four neighbours? Those of the first and the last row,"
      .. " the first and the last column: out[i] = in[i] there.",
  },
  editorial = "An inner cell costs five loads and one store, an edge cell one"
    .. " of each. Each inner cell is loaded by up to five threads; here the"
    .. " cache has to serve them. Next: a tile with its halo in shared memory"
    .. " fetches it once for a block, as in halo and blur-separable. For a"
    .. " plate that cools through many steps, several steps a launch save more"
    .. " than that.",
  mutants = {
    {
      name = "row-height",
      replace = {"in[i - columns] + in[i + columns]",
        "in[i - rows] + in[i + rows]"},
      explain = "A row is `columns` cells long, so the neighbours above and"
        .. " below are that far away, not `rows`.",
    },
    {
      name = "sum-not-mean",
      replace = {"in[i + columns]) / 4", "in[i + columns])"},
      explain = "This takes the sum of the four neighbours for their mean.",
    },
    {
      name = "mean-alone",
      replace = {"here + (mean - here) / 4", "mean"},
      explain = "The cell becomes the mean at once: it is to go only a quarter"
        .. " of the way there.",
    },
    {
      name = "away",
      replace = {"(mean - here)", "(here - mean)"},
      explain = "The cell goes away from its neighbours' mean: the difference"
        .. " is taken the wrong way round.",
    },
    {
      name = "edge-unwritten",
      replace = {"out[i] = here;\n    return;", "return;"},
      explain = "Cells at the edge are never written: they keep their"
        .. " temperature in out only if somebody puts it there.",
    },
    {
      name = "top-edge-cools",
      replace = {"r == 0 || r == rows - 1", "r == rows - 1"},
      explain = "The first row has no row above it: its cells are held, too.",
    },
    {
      name = "rows-for-columns",
      replace = {[[
  int i = r * columns + c;
  float here = in[i];
  if (r == 0 || r == rows - 1 || c == 0 || c == columns - 1) {
    out[i] = here;
    return;
  }
  float mean = (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns]) / 4;
]], [[
  int i = r * rows + c;
  float here = in[i];
  if (r == 0 || r == rows - 1 || c == 0 || c == columns - 1) {
    out[i] = here;
    return;
  }
  float mean = (in[i - 1] + in[i + 1] + in[i - rows] + in[i + rows]) / 4;
]]},
      explain = "A row is `columns` cells long, and here it is taken to have"
        .. " `rows`: cell c of row r is r * columns + c.",
    },
    {
      name = "sides-cool",
      replace = {" || c == 0 || c == columns - 1", ""},
      explain = "The first and the last column are edges, too. Here the cell"
        .. " beside them is one of the row above or below.",
    },
    {
      name = "top-and-bottom-cool",
      replace = {"r == 0 || r == rows - 1 || c", "c"},
      explain = "The first and the last row are edges, too.",
    },
    {
      name = "cold-edge",
      replace = {"out[i] = here;\n", "out[i] = 0;\n"},
      explain = "The edge becomes 0 here: it is to keep its temperature.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[  int i = r * columns + c;
  float here = in[i];
  if (r == 0 || r == rows - 1 || c == 0 || c == columns - 1) {
    out[i] = here;
    return;
  }
  float mean = (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns]) / 4;
  out[i] = here + (mean - here) / 4;]], [[
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
  for (int y = r; y < r + blockDim.y && y < rows; y++)
    for (int x = c; x < c + blockDim.x && x < columns; x++) {
      int i = y * columns + x;
      float here = in[i], mean = here;
      if (y > 0 && y < rows - 1 && x > 0 && x < columns - 1)
        mean = (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns]) / 4;
      out[i] = here + (mean - here) / 4;
    }]]},
      explain = "One thread of each block does all of its cells; let each"
        .. " thread do its own.",
    },
  },
}
