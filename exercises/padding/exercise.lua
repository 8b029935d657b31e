-- SPDX-License-Identifier: Apache-2.0
return {
  title = "One column more",
  task = "Make the kernel fast: sums[r] is the sum of row r, added from shared"
    .. " memory without a bank conflict.",
  needs = {"no-barrier"},
  minutes = 10,
  kernel = "row_sums",
  signature = {
    {"in", "const float *", "m"},
    {"out", "float *", "sums"},
    {"value", "int", "rows"},
  },
  reference = "padding",
  tolerance = {
    ulp = 0,
    reason = "sums of 32 multiples of 1/64 below 2^5 have 16 bits at most:"
      .. " exact in any order",
  },
  budget = 20000,
  make = function(case, rng)
    return {
      m = rng:steps(32 * case.rows, -32, 32, 1 / 64), sums = case.rows,
      rows = case.rows,
    }, {(case.rows + 31) // 32, 32}
  end,
  cases = {
    {name = "32 rows", rows = 32},
    {name = "128 rows", rows = 128},
    {name = "one row", rows = 1},
    {name = "33 rows", rows = 33},
    {name = "101 rows, a prime", rows = 101},
    {name = "large", rows = 3001, hidden = true},
  },
  requires = {"shared"},
  goal = {
    "shared_bank_conflicts <= 0",
    {"active_lanes >= 8", cases = {"128 rows"}},
  },
  hints = {
    "In which bank is tile[0][k], and in which is tile[1][k]? Element number"
      .. " modulo 32.",
    "They are 32 elements apart, and so in the same bank. What would they be in"
      .. " rows of 33?",
    "__shared__ float tile[32][33]; the last column is used by nobody.",
  },
  editorial = "One load from global memory an element, one store to the tile"
    .. " and one load from it, none with a bank conflict. The unused column"
    .. " takes 128 bytes, of 4224. A block of one warp leaves half of the"
    .. " warps' seats empty (occupancy 50 on the virtual GPU); larger blocks"
    .. " with more tiles would be next. transpose-tiled pads a tile in the"
    .. " same way.",
  mutants = {
    {
      name = "two-columns-more",
      breaks = "shared_bank_conflicts <= 0",
      replace = {"tile[32][33]", "tile[32][34]"},
      explain = "Rows of 34: threads 0 and 16 are 544 elements apart, a"
        .. " multiple of 32, and meet at one bank.",
    },
    {
      name = "one-row-more",
      breaks = "shared_bank_conflicts <= 0",
      replace = {"tile[32][33]", "tile[33][32]"},
      explain = "The unused column has become an unused row, and rows are 32"
        .. " elements apart as before.",
    },
    {
      name = "unused-column-added",
      replace = {"k < 32; k++", "k < 33; k++"},
      explain = "The loop adds the unused column, too, which nobody has"
        .. " written.",
    },
    {
      name = "no-barrier",
      replace = {"  __syncthreads();\n", ""},
      explain = "Threads add what others have perhaps not yet written: a"
        .. " __syncthreads() belongs between the loops.",
    },
    {
      name = "same-row",
      replace = {"sum += tile[t][k]", "sum += tile[k][t]"},
      explain = "This adds up the columns of the tile: no conflict, and not"
        .. " what is asked for.",
    },
    {
      name = "first-block-only",
      replace = {"m[(first + r) * 32 + t]", "m[r * 32 + t]"},
      explain = "Every block fetches the first 32 rows; its own begin at row"
        .. " first.",
    },
    {
      name = "local-sums",
      replace = {"sums[first + t] = sum", "sums[t] = sum"},
      explain = "Every block writes its sums to the first 32 places.",
    },
    {
      name = "no-guard",
      replace = {"  if (first + t < rows) sums", "  sums"},
      explain = "In the last block some threads have no row: only those with"
        .. " first + t < rows write a sum.",
    },
    {
      name = "without-the-tile",
      breaks = "shared",
      replace = {"sum += tile[t][k]", "sum += m[(first + t) * 32 + k]"},
      explain = "Without shared memory there are no bank conflicts, and each"
        .. " load from m touches 32 sectors instead.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[[
  float sum = 0;
  if (first + t < rows)
    for (int k = 0; k < 32; k++) sum += tile[t][k];
  if (first + t < rows) sums[first + t] = sum;]], [[
  if (t > 0) return;
  for (; t < 32 && first + t < rows; t++) {
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += tile[t][k];
    sums[first + t] = sum;
  }]]},
      explain = "One thread has no conflict with itself: it adds up all 32"
        .. " rows, one after the other, and the others have nothing to do.",
    },
  },
}
