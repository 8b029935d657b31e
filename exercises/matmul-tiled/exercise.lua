-- SPDX-License-Identifier: Apache-2.0
-- With tiles of 16 x 16 each float is fetched by every 16th thread of those
-- that need it: m n k / 2 bytes for both matrices, and 4 m n for the result.
-- The plain kernel carries eight times as much, since only the 16 threads side
-- by side share a sector.
return {
  title = "Fetched together",
  task = "Make the matrix product fetch tiles of 16 x 16 into shared memory, so"
    .. " that an eighth of the bytes is carried.",
  needs = {"matmul", "halo"},
  minutes = 35,
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
    reason = "the inputs are multiples of 1/2 within 16, and sums of fewer than"
      .. " 2^13 products multiples of 1/4 below 2^21; or multiples of 1/16"
      .. " within 256 times halves within 2, and sums of at most 2^10 products"
      .. " multiples of 1/32 within 2^19: exact in any order",
  },
  budget = 60000,
  make = function(case, rng)
    local m, k, n = case.m, case.k, case.n
    -- a of more digits than f16, bf16 or tf32 have: by them it would be faster,
    -- and another product.
    local fine = (case.fine or 0) > 0
    local step = case.step or 1
    return {
      a = fine and rng:steps(m * k, -256, 256, 1 / 16)
        or rng:steps(m * k, -16, 16, step),
      b = fine and rng:steps(k * n, -2, 2, 1 / 2)
        or rng:steps(k * n, -16, 16, step),
      c = m * n, m = m, k = k, n = n,
    }, {{(n + 15) // 16, (m + 15) // 16}, {16, 16}}
  end,
  cases = {
    {name = "32 x 32 times 32 x 32", m = 32, k = 32, n = 32},
    {name = "64 x 64 times 64 x 64", m = 64, k = 64, n = 64},
    {name = "17 x 19 times 19 x 33", m = 17, k = 19, n = 33},
    {name = "numbers: 1 x 1 times 1 x 1", m = 1, k = 1, n = 1},
    {name = "a row times a column", m = 1, k = 101, n = 1},
    {name = "k below a tile", m = 40, k = 3, n = 20},
    {name = "halves", m = 20, k = 18, n = 21, step = 1 / 2},
    {name = "sixteenths", m = 18, k = 20, n = 17, fine = 1},
    {name = "large", m = 35, k = 45, n = 51, hidden = true},
    {name = "multiples of 16", m = 32, k = 48, n = 80, hidden = true},
  },
  rank = {
    case = "32 x 32 times 32 x 32",
    m = 512, k = 512, n = 512, fine = 1, bytes = 1 << 21,
  },
  requires = {"shared", "barrier"},
  goal = {
    {"global_bytes <= 160000", cases = {"64 x 64 times 64 x 64"}},
    {"global_bytes <= 78000", cases = {"multiples of 16"}},
  },
  hints = {
    "The loop over i becomes two: one over tiles, first = 0, 16, 32 ..., and"
      .. " one inside over the 16 products of a pair of tiles.",
    "Thread (x, y) fetches one float of each tile: a[row][first + x] and"
      .. " b[first + y][column]. Outside of the matrix it puts 0.",
    "No thread may leave early: it fetches for others. The guard is around the"
      .. " store at the end.",
    "Two barriers in each round: one before the products (all have fetched),"
      .. " one behind them (all have read, so that the tiles may be"
      .. " overwritten).",
  },
  editorial = "Each float is fetched once for 16 threads: with whole tiles m n"
    .. " k / 2 bytes, an eighth of the plain kernel's, and 4 m n for the"
    .. " result; 147,456 in all for 64 x 64. What is left are two reads from"
    .. " shared memory for each product. Next: several results a thread, so"
    .. " that what was read serves more than once: min-plus. matmul-wmma takes"
    .. " the tensor cores.",
  mutants = {
    {
      name = "one-barrier",
      replace = {"sum += ta[y][i] * tb[i][x];\n    __syncthreads();",
        "sum += ta[y][i] * tb[i][x];"},
      explain = "A fast thread overwrites the tiles while a slow one still"
        .. " reads them: there must be a barrier at the round's end, too.",
    },
    {
      name = "barrier-behind-only",
      replace = {": 0;\n    __syncthreads();", ": 0;"},
      explain = "The products begin before all have fetched.",
    },
    {
      name = "early-return",
      replace = {"  float sum = 0;",
        "  if (row >= m || column >= n) return;\n  float sum = 0;"},
      explain = "Threads without an element of c leave, and what they should"
        .. " have fetched is missing.",
    },
    {
      name = "tile-transposed",
      replace = {"ta[y][i] * tb[i][x]", "ta[y][i] * tb[x][i]"},
      explain = "The tile of b is read along its rows: the product goes down a"
        .. " column, tb[i][x].",
    },
    {
      name = "whole-tiles-only",
      replace = {"first < k; first", "first + 16 <= k; first"},
      explain = "The last tile, which sticks out when k is no multiple of 16,"
        .. " is left out.",
    },
    {
      name = "k-unguarded",
      replace = {"row < m && first + x < k", "row < m"},
      explain = "The last tile of a goes on into the next row (and past the"
        .. " end): columns from k on must be 0.",
    },
    {
      name = "sum-forgotten",
      replace = {"    __syncthreads();\n    for",
        "    __syncthreads();\n    sum = 0;\n    for"},
      explain = "Only the last pair of tiles counts: one sum goes on through"
        .. " all of them.",
    },
    {
      name = "first-tile-alone",
      replace = {"first < k;", "first < k && first < 16;"},
      explain = "This is what you get when only the first tile of a and of b is"
        .. " multiplied: the tiles go on, 16 further each time, as far as k.",
    },
    {
      name = "every-second-tile",
      replace = {"first += 16", "first += 32"},
      explain = "This is what you get when every second tile is passed over:"
        .. " the next one begins 16 further.",
    },
    {
      name = "fifteen-products",
      replace = {"i < 16; i++", "i < 15; i++"},
      explain = "This is what you get when the last product of each tile is"
        .. " left out: a row of a tile has 16 cells.",
    },
    {
      name = "half-tiled",
      breaks = "global_bytes <= 160000",
      replace = {"for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];",
        "for (int i = 0; i < 16; i++)\n      if (first + i < k && column < n)\n"
        .. "        sum += ta[y][i] * b[(first + i) * n + column];"},
      explain = "Only a comes from a tile; b is still fetched by every thread.",
    },
    {
      name = "half-tiled-again",
      breaks = "global_bytes <= 78000",
      replace = {"for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];",
        "for (int i = 0; i < 16; i++)\n      if (first + i < k && row < m)\n"
        .. "        sum += a[row * k + first + i] * tb[i][x];"},
      explain = "Only b comes from a tile; a is still fetched by every thread.",
    },
    {
      name = "untiled",
      breaks = "shared",
      replace = {"for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];",
        "for (int i = first; i < first + 16 && i < k; i++)\n"
        .. "      if (row < m && column < n)\n"
        .. "        sum += a[row * k + i] * b[i * n + column];"},
      explain = "The tiles are filled, and nothing is read from them.",
    },
    {
      name = "own-row",
      breaks = "barrier",
      replace = {"for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];",
        "for (int i = first; i < first + 16 && i < k; i++)\n      if (row < m"
          .. " && column < n)\n        sum += (i == first + x ? ta[y][x] "
        .. ": a[row * k + i]) * b[i * n + column];"},
      explain = "Only the thread's own cell comes from a tile.",
    },
  },
}
