-- SPDX-License-Identifier: Apache-2.0
-- 64 x 64 times 64 x 64: four blocks go four rounds each, and fetch 5 KiB in
-- one; with the result that is 96 KiB. Their 32 warps read, for each of the 64
-- ports, one number of b and four of a from shared memory, 10240 requests. One
-- result at a time, they would read two for each: 16384.
local WHOLE = {"64 x 64 times 64 x 64"}

return {
  title = "The shortest way in two legs",
  task = "Make the kernel fast: c[i][j] = the minimum over k of a[i][k] +"
    .. " b[k][j], from tiles in shared memory, four results a thread.",
  needs = {"matmul-tiled"},
  minutes = 40,
  kernel = "legs",
  signature = {
    {"in", "const float *", "a"},
    {"in", "const float *", "b"},
    {"out", "float *", "c"},
    {"value", "int", "m"},
    {"value", "int", "k"},
    {"value", "int", "n"},
  },
  reference = "min_plus",
  tolerance = {
    ulp = 0,
    reason = "the lengths are whole numbers up to 1000, or infinite: sums of"
      .. " two are exact, and a minimum rounds nothing",
  },
  budget = 100000,
  make = function(case, rng)
    local m, k, n = case.m, case.k, case.n
    local a, b = rng:steps(m * k, 1, 1000, 1), rng:steps(k * n, 1, 1000, 1)
    if case.gaps then
      for i = 0, m * k - 1, case.gaps do a[i] = math.huge end
      for i = 0, k * n - 1, case.gaps do b[i] = math.huge end
    end
    return {a = a, b = b, c = m * n, m = m, k = k, n = n},
      {{(n + 15) // 16, (m + 63) // 64}, {16, 16}}
  end,
  cases = {
    {name = "20 x 10 times 10 x 16", m = 20, k = 10, n = 16},
    {name = "64 x 64 times 64 x 64", m = 64, k = 64, n = 64},
    {name = "67 x 19 times 19 x 33, with gaps", m = 67, k = 19, n = 33,
      gaps = 3},
    {name = "no way at all", m = 5, k = 4, n = 6, gaps = 1},
    {name = "1 x 1 times 1 x 1", m = 1, k = 1, n = 1},
    {name = "one town", m = 1, k = 101, n = 20},
    {name = "large", m = 131, k = 37, n = 41, gaps = 2, hidden = true},
  },
  requires = {"shared", "barrier"},
  goal = {
    {"global_bytes <= 120000", cases = WHOLE},
    {"shared_load_requests <= 12000", cases = WHOLE},
  },
  hints = {
    "It is the tiled matrix product with + in the place of *, and fminf in the"
      .. " place of +. What is the 0 of a minimum, which changes nothing?",
    "The tile of a has 64 rows: 256 threads fetch it in four steps of 16 rows."
      .. " Cells outside of the matrices get INFINITY.",
    "Keep four minima, float best[4]. In the inner loop, read tb[i][x] once and"
      .. " use it for the rows y, y + 16, y + 32 and y + 48.",
  },
  editorial = "A block has 5 KiB of shared memory; for each port a thread"
    .. " reads five numbers there for four results, where one result at a time"
    .. " takes eight reads. In all 10,240 requests for 64 x 64 times 64 x 64,"
    .. " and 98,304 bytes of global memory. Next: 4 x 4 results a thread take"
    .. " eight reads for sixteen, with more registers and a larger tile.",
  mutants = {
    {
      name = "zero-outside",
      replace = {[[
      ta[r][x] = inside ? a[(top + r) * k + first + x] : INFINITY;
    }
    bool inside = first + y < k && column < n;
    tb[y][x] = inside ? b[(first + y) * n + column] : INFINITY;]], [[
      ta[r][x] = inside ? a[(top + r) * k + first + x] : 0;
    }
    bool inside = first + y < k && column < n;
    tb[y][x] = inside ? b[(first + y) * n + column] : 0;]]},
      explain = "Cells outside must change no minimum: that is INFINITY. With"
        .. " 0, a way through a port that does not exist wins.",
    },
    {
      name = "best-from-zero",
      replace = {"float best[4] = {INFINITY, INFINITY, INFINITY, INFINITY}",
        "float best[4] = {0, 0, 0, 0}"},
      explain = "A minimum that begins with 0 stays there. Sums begin with 0,"
        .. " minima with INFINITY.",
    },
    {
      name = "maximum",
      replace = {"fminf(", "fmaxf("},
      explain = "This looks for the longest way.",
    },
    {
      name = "last-not-best",
      replace = {"best[r] = fminf(best[r], ta[y + 16 * r][i] + second)",
        "best[r] = ta[y + 16 * r][i] + second"},
      explain = "The last port wins here, not the best.",
    },
    {
      name = "rows-side-by-side",
      replace = {"ta[y + 16 * r][i] + second", "ta[4 * y + r][i] + second"},
      explain = "The minima are those of rows 4 y to 4 y + 3, but they are"
        .. " stored 16 rows apart.",
    },
    {
      name = "quarter-tile",
      replace = {"for (int r = y; r < 64; r += 16) {",
        "for (int r = y; r < 16; r += 16) {"},
      explain = "Only the first 16 rows of a's tile are fetched.",
    },
    {
      name = "one-barrier",
      replace = {"    }\n    __syncthreads();\n  }", "    }\n  }"},
      explain = "A fast thread overwrites the tiles while a slow one still"
        .. " reads them.",
    },
    {
      name = "four-passes",
      breaks = "shared_load_requests <= 12000",
      replace = {[[    for (int i = 0; i < 16; i++) {
      float second = tb[i][x];
      for (int r = 0; r < 4; r++)
        best[r] = fminf(best[r], ta[y + 16 * r][i] + second);
    }
    __syncthreads();]], [[
    for (int r = 0; r < 4; r++) {
      for (int i = 0; i < 16; i++)
        best[r] = fminf(best[r], ta[y + 16 * r][i] + tb[i][x]);
      __syncthreads();
    }]]},
      explain = "Each row goes through the tile of b anew: read tb[i][x] once,"
        .. " and use it for all four rows.",
    },
    {
      name = "half-tiled",
      breaks = "global_bytes <= 120000",
      replace = {"float second = tb[i][x];",
        "bool real = first + i < k && column < n;\n"
        .. "      float second =\n"
        .. "          real ? b[(first + i) * n + column] : INFINITY;"},
      explain = "Only a comes from a tile; b is still fetched by every thread.",
    },
    {
      name = "untiled",
      breaks = "shared",
      replace = {[[      float second = tb[i][x];
      for (int r = 0; r < 4; r++)
        best[r] = fminf(best[r], ta[y + 16 * r][i] + second);]], [[
      for (int r = 0; r < 4; r++) {
        int row = top + y + 16 * r;
        if (row < m && column < n && first + i < k)
          best[r] = fminf(best[r], a[row * k + first + i] +
                                       b[(first + i) * n + column]);
      }]]},
      explain = "The tiles are filled, and nothing is read from them.",
    },
    {
      name = "own-cells",
      breaks = "barrier",
      replace = {[[      float second = tb[i][x];
      for (int r = 0; r < 4; r++)
        best[r] = fminf(best[r], ta[y + 16 * r][i] + second);]], [[
      for (int r = 0; r < 4; r++) {
        int row = top + y + 16 * r;
        if (row < m && column < n && first + i < k)
          best[r] = fminf(best[r], a[row * k + first + i] +
              (i == y ? tb[y][x] : b[(first + i) * n + column]));
      }]]},
      explain = "Only the thread's own cell of b comes from a tile.",
    },
  },
}
