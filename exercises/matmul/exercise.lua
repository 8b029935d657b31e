-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Rows times columns",
  task = "The matrix product c = a b, for any number of rows and columns.",
  needs = {"transpose-naive"},
  minutes = 20,
  kernel = "matmul",
  signature = {
    {"in", "const float *", "a"},
    {"in", "const float *", "b"},
    {"out", "float *", "c"},
    {"value", "int", "m"},
    {"value", "int", "k"},
    {"value", "int", "n"},
  },
  reference = "matmul",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/2 within 16: sums of fewer than"
      .. " 2^13 products are multiples of 1/4 below 2^21, and exact in any"
      .. " order",
  },
  budget = 60000,
  make = function(case, rng)
    local m, k, n = case.m, case.k, case.n
    local step = case.step or 1
    local x, y = case.x or 16, case.y or 8
    return {
      a = rng:steps(m * k, -16, 16, step),
      b = rng:steps(k * n, -16, 16, step),
      c = m * n, m = m, k = k, n = n,
    }, {{blocks_for(n, x), blocks_for(m, y)}, {x, y}}
  end,
  cases = {
    {name = "2 x 3 times 3 x 4", m = 2, k = 3, n = 4},
    {name = "32 x 32 times 32 x 32", m = 32, k = 32, n = 32},
    {name = "17 x 5 times 5 x 29", m = 17, k = 5, n = 29},
    {name = "numbers: 1 x 1 times 1 x 1", m = 1, k = 1, n = 1},
    {name = "a row times a column", m = 1, k = 101, n = 1},
    {name = "a column times a row", m = 40, k = 1, n = 50},
    {name = "blocks of 32 x 4", m = 13, k = 20, n = 70, x = 32, y = 4},
    {name = "halves", m = 9, k = 20, n = 18, step = 1 / 2},
    {name = "large", m = 67, k = 61, n = 71, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "One thread makes one element of c: row from y, column from x, and the two"
      .. " guards.",
    "A row of a has k floats: a[row * k + i]. A row of b has n:"
      .. " b[i * n + column].",
    "float sum = 0; for (int i = 0; i < k; i++) sum += ...; and one store"
      .. " behind the loop.",
  },
  editorial = "Each result costs 2 k loads, k products and k additions, and"
    .. " one store. A row of a is fetched anew for each of the n columns, a"
    .. " column of b for each of the m rows; only lanes side by side share"
    .. " what a request brings. Next: matmul-tiled lets a block fetch for all"
    .. " its threads, min-plus makes four results a thread.",
  mutants = {
    {
      name = "b-transposed",
      replace = {"b[i * n + column]", "b[column * k + i]"},
      explain = "This reads b along its rows: the product wants b's columns,"
        .. " so i counts the rows of b.",
    },
    {
      name = "row-length-of-a",
      replace = {"a[row * k + i]", "a[row * n + i]"},
      explain = "A row of a has k floats, not n: that shows as soon as the"
        .. " matrices are not square.",
    },
    {
      name = "element-by-element",
      replace = {"sum += a[row * k + i] * b[i * n + column]",
        "sum = a[row * k + i] * b[i * n + column]"},
      explain = "Only the last product is left: the products are to be added"
        .. " up.",
    },
    {
      name = "loop-over-n",
      replace = {"i < k", "i < n"},
      explain = "The sum runs over the length that a's rows and b's columns"
        .. " have in common, k.",
    },
    {
      name = "whole-sum",
      replace = {"float sum = 0", "int sum = 0"},
      explain = "The sum is an int, so what stands behind the point is cut off"
        .. " with every product.",
    },
    {
      name = "off-by-one",
      replace = {"int i = 0; i < k", "int i = 1; i < k"},
      explain = "The first product is left out: counting begins with 0.",
    },
    {
      name = "c-by-k",
      replace = {"c[row * n + column]", "c[row * k + column]"},
      explain = "A row of c is as long as one of b, n floats.",
    },
    {
      name = "row-guard-only",
      replace = {"row >= m || column >= n", "row >= m"},
      explain = "A thread right of the last column has no element: its store"
        .. " lands in the next row.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;]], [[
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
  for (int y = row; y < row + blockDim.y && y < m; y++)
    for (int x = column; x < column + blockDim.x && x < n; x++) {
      float sum = 0;
      for (int i = 0; i < k; i++) sum += a[y * k + i] * b[i * n + x];
      c[y * n + x] = sum;
    }]]},
      explain = "One thread of each block does all of its elements; let each"
        .. " thread do its own.",
    },
  },
}
