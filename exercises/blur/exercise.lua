-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Out of focus",
  task = "Each cell becomes the mean of the square around it; beyond the edge"
    .. " the nearest cell of the picture stands in.",
  needs = {"heat"},
  minutes = 25,
  kernel = "blur",
  signature = {
    {"in", "const float *", "in"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
    {"value", "int", "radius"},
  },
  reference = "blur",
  tolerance = {
    ulp = 2,
    reason = "the inputs are whole numbers up to 255, so that sums of at most"
      .. " 225 are exact; the division rounds once, or twice for whoever"
      .. " multiplies by 1 / side^2, and the two can be two ulp apart",
  },
  budget = 60000,
  make = function(case, rng)
    local n = case.rows * case.columns
    local x, y = case.x or 16, case.y or 8
    return {
      ["in"] = rng:steps(n, 0, 255, 1), out = n, rows = case.rows,
      columns = case.columns, radius = case.radius or 1,
    }, {{blocks_for(case.columns, x), blocks_for(case.rows, y)}, {x, y}}
  end,
  cases = {
    {name = "8 rows of 10, radius 1", rows = 8, columns = 10},
    {name = "48 rows of 64, radius 2", rows = 48, columns = 64, radius = 2},
    {name = "31 rows of 17, radius 1", rows = 31, columns = 17},
    {name = "radius 0", rows = 12, columns = 20, radius = 0},
    {name = "one cell, radius 1", rows = 1, columns = 1},
    {name = "one row, radius 3", rows = 1, columns = 40, radius = 3},
    {name = "wider than the picture", rows = 5, columns = 4, radius = 7},
    {name = "blocks of 32 x 4", rows = 37, columns = 77, x = 32, y = 4},
    {name = "large", rows = 101, columns = 103, radius = 2, hidden = true},
  },
  requires = {"min_threads = 16"},
  hints = {
    "Two loops, dy and dx, each from -radius to radius, add up the square.",
    "A row outside is brought back to the nearest one inside:"
      .. " y = min(max(r + dy, 0), rows - 1).",
    "The square has (2 * radius + 1) * (2 * radius + 1) cells, wherever it"
      .. " lies, since each missing one has somebody to stand in for it.",
  },
  editorial = "(2 * radius + 1)^2 loads and additions for each cell: 25 for"
    .. " radius 2, and one store. Next: a square's sum is a sum of its rows'"
    .. " sums. So walk along the rows first and then along the columns: 2 * (2"
    .. " * radius + 1) additions, 10 for radius 2. blur-separable does that"
    .. " with weights, from a tile in shared memory.",
  mutants = {
    {
      name = "one-sided",
      replace = {"int dx = -radius; dx <= radius",
        "int dx = -radius; dx < radius"},
      explain = "The square lacks its last column: radius cells to the left,"
        .. " the cell itself, and radius cells to the right are 2 * radius +"
        .. " 1.",
    },
    {
      name = "radius-of-one",
      replace = {"int dy = -radius; dy <= radius", "int dy = -1; dy <= 1"},
      explain = "The square is three rows high whatever the radius is.",
    },
    {
      name = "wraps",
      replace = {"min(max(c + dx, 0), columns - 1)",
        "(c + dx + 8 * columns) % columns"},
      explain = "Beyond the right edge this goes on at the left one: the"
        .. " nearest cell was asked for.",
    },
    {
      name = "mirrors",
      replace = {"int y = min(max(r + dy, 0), rows - 1);",
        "int y = r + dy < 0 || r + dy >= rows ? r : r + dy;"},
      explain = "A missing row is replaced by the cell's own row, not by the"
        .. " nearest one, which lies at the edge.",
    },
    {
      name = "skips",
      replace = {"sum += in[y * columns + x];",
        "if (y == r + dy && x == c + dx) sum += in[y * columns + x];"},
      explain = "Cells outside count as 0 here, so that the picture has a dark"
        .. " frame.",
    },
    {
      name = "columns-for-rows",
      replace = {"rows - 1);\n    for", "columns - 1);\n    for"},
      explain = "Rows are held within `columns` here: that is right only for"
        .. " square pictures.",
    },
    {
      name = "side-not-squared",
      replace = {"sum / (side * side)", "sum / side"},
      explain = "This divides by the square's side; it has side * side cells.",
    },
    {
      name = "last-row-missing",
      replace = {"dy <= radius", "dy < radius"},
      explain = "This is what you get when the last row of the square is left"
        .. " out: dy goes up to radius, and radius belongs to it.",
    },
    {
      name = "last-column-missing",
      replace = {"dx <= radius", "dx < radius"},
      explain = "This is what you get when the last column of the square is"
        .. " left out: dx goes up to radius, and radius belongs to it.",
    },
    {
      name = "even-side",
      replace = {"int side = 2 * radius + 1;", "int side = 2 * radius;"},
      explain = "This is what you get when the sum is divided by the cells of a"
        .. " square that has no middle: each side has 2 * radius + 1 cells.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 16",
      replace = {[[  float sum = 0;
  for (int dy = -radius; dy <= radius; dy++) {
    int y = min(max(r + dy, 0), rows - 1);
    for (int dx = -radius; dx <= radius; dx++) {
      int x = min(max(c + dx, 0), columns - 1);
      sum += in[y * columns + x];
    }
  }
  int side = 2 * radius + 1;
  out[r * columns + c] = sum / (side * side);]], [[
  if (threadIdx.x > 0) return;
  int side = 2 * radius + 1;
  for (int k = c; k < c + blockDim.x && k < columns; k++) {
    float sum = 0;
    for (int dy = -radius; dy <= radius; dy++)
      for (int dx = -radius; dx <= radius; dx++)
        sum += in[min(max(r + dy, 0), rows - 1) * columns +
                  min(max(k + dx, 0), columns - 1)];
    out[r * columns + k] = sum / (side * side);
  }]]},
      explain = "One thread does a whole row of its block, and the others of"
        .. " that row nothing; let each thread do its own cell.",
    },
  },
}
