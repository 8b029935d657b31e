-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Overtaken",
  task = "Mend the kernel: the tiled product of two square matrices, without a"
    .. " race.",
  needs = {"no-barrier"},
  minutes = 10,
  kernel = "product",
  signature = {
    {"in", "const float *", "a"},
    {"in", "const float *", "b"},
    {"out", "float *", "c"},
    {"value", "int", "n"},
  },
  reference = "tile_race",
  tolerance = {
    ulp = 0,
    reason = "the inputs are whole numbers within 16: sums of fewer than 2^15"
      .. " products stay below 2^23 and are exact in any order",
  },
  budget = 60000,
  make = function(case, rng)
    local n = case.n
    return {
      a = rng:steps(n * n, -16, 16, 1), b = rng:steps(n * n, -16, 16, 1),
      c = n * n, n = n,
    }, {{n // 16, n // 16}, {16, 16}}
  end,
  cases = {
    {name = "n=32", n = 32},
    {name = "n=16: one tile", n = 16},
    {name = "n=48", n = 48},
    {name = "large", n = 80, hidden = true},
  },
  requires = {"shared", "barrier"},
  hints = {
    "With n = 16 the loop has one round. What does a thread do at the beginning"
      .. " of the second round, while its neighbour may still be in the first?",
    "It overwrites its cell of the tile. Nobody may do that before all have"
      .. " read what they need.",
    "A second __syncthreads() at the end of each round, inside the loop.",
  },
  editorial = "n / 16 rounds of two loads, 32 reads from shared memory and two"
    .. " barriers for each thread, and 2 KiB of shared memory. Next: with two"
    .. " desks for each matrix, 4 KiB, the next tiles go onto the others, and"
    .. " one barrier a round is enough; lesson 29-fetch-while-you-work has"
    .. " such desks. matmul-tiled takes matrices of any size.",
  mutants = {
    {
      name = "moved",
      replace = {[[    __syncthreads();
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
    __syncthreads();]], [[
    for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
    __syncthreads();]]},
      explain = "The barrier was moved behind the products: it is needed there,"
        .. " and in front of them, too.",
    },
    {
      name = "behind-the-loop",
      replace = {"tb[i][x];\n    __syncthreads();\n  }",
        "tb[i][x];\n  }\n  __syncthreads();"},
      explain = "Behind the loop it is too late: the tiles are overwritten in"
        .. " every round.",
    },
    {
      name = "not-in-the-first",
      replace = {"tb[i][x];\n    __syncthreads();",
        "tb[i][x];\n    if (first > 0) __syncthreads();"},
      explain = "The first round needs its barrier as every other one.",
    },
    {
      name = "warp-only",
      replace = {"tb[i][x];\n    __syncthreads();",
        "tb[i][x];\n    __syncwarp();"},
      explain = "__syncwarp() waits for 32 threads, two rows of the block; all"
        .. " 256 read the tile of b.",
    },
    {
      name = "barrier-per-product",
      replace = {
        "for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];\n"
        .. "    __syncthreads();",
        "for (int i = 0; i < 16; i++) {\n      __syncthreads();\n"
        .. "      sum += ta[y][i] * tb[i][x];\n    }"},
      explain = "There is a barrier before each product, and still none behind"
        .. " the last one.",
    },
    {
      name = "far",
      breaks = "shared",
      replace = {"sum += ta[y][i] * tb[i][x]",
        "sum += a[row * n + first + i] * b[(first + i) * n + column]"},
      explain = "The race is gone with the tiles: all comes from global"
        .. " memory.",
    },
    {
      name = "own-cells",
      breaks = "barrier",
      replace = {"sum += ta[y][i] * tb[i][x]",
        "sum += (i == x ? ta[y][x] : a[row * n + first + i])\n"
        .. "             * b[(first + i) * n + column]"},
      explain = "Only the thread's own cell comes from a tile.",
    },
  },
}
