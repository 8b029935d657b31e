-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A poster",
  task = "Make the kernel fast: a picture in 8 tones, turned on its side, and"
    .. " how many pixels have each tone.",
  needs = {"transpose-tiled", "histogram-shared", "filter-constant"},
  minutes = 30,
  kernel = "poster",
  signature = {
    {"constant", "float[7]", "limits"},
    {"in", "const float *", "in"},
    {"out", "int *", "tones"},
    {"inout", "int *", "tally"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "poster",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 20000,
  make = function(case, rng)
    local limits = rng:full(7, 0)
    for j = 0, 6 do limits[j] = case.first + case.step * j * (j + 1) end
    local n = case.rows * case.columns
    return {
      limits = limits, ["in"] = rng:steps(n, 0, 64, 1 / 2), tones = n,
      tally = rng:ints(8, 0, 9), rows = case.rows, columns = case.columns,
    }, {{blocks_for(case.columns, 32), blocks_for(case.rows, 32)}, {32, 8}}
  end,
  cases = {
    {name = "64 rows of 64", rows = 64, columns = 64, first = 4, step = 1},
    {name = "64 rows of 96", rows = 64, columns = 96, first = 1, step = 1 / 4},
    {name = "one pixel", rows = 1, columns = 1, first = 3, step = 1},
    {name = "all in one tone", rows = 40, columns = 40, first = 65, step = 1},
    {name = "two tones", rows = 33, columns = 17, first = 32, step = 0},
    {name = "one row", rows = 1, columns = 100, first = 8, step = 1},
    {name = "large", rows = 320, columns = 192, first = 10, step = 1,
      hidden = true},
    {name = "large and ragged", rows = 211, columns = 203, first = 2, step = 1,
      hidden = true},
  },
  goal = {
    {"global_efficiency >= 90", each_line = true,
      cases = {"64 rows of 64", "64 rows of 96", "large"}},
    "shared_bank_conflicts <= 0",
    {"global_reductions <= 32", cases = {"64 rows of 64"}},
    {"global_reductions <= 480", cases = {"large"}},
  },
  hints = {
    "Two things are slow, and each has its lesson: stores far apart (16), and"
      .. " a visit to tally for each pixel (17).",
    "A tile of 32 x 33 tones lets the threads store other tones than they have"
      .. " worked out: as in transpose-tiled.",
    "__shared__ int own[8] is the block's tally: zeros, a barrier, atomicAdd"
      .. " for each pixel, a barrier, then 8 threads hand it in.",
    "Whoever has no pixel still has to come to both barriers.",
  },
  editorial = "4 bytes in and 4 out a pixel, all side by side; the limits cost"
    .. " no load from global memory, and tally sees 8 numbers a block, in one"
    .. " request. 4256 bytes of shared memory leave room for 8 blocks, which is"
    .. " all that fit with 256 threads. What is left is that a warp's 32 pixels"
    .. " queue at 8 counters: a counter for each warp, or a vote for each tone,"
    .. " makes that queue shorter.",
  mutants = {
    {
      name = "limit-above",
      replace = {"limits[j] <= x", "limits[j] < x"},
      explain = "A pixel that equals a limit has reached it: not above means"
        .. " <=.",
    },
    {
      name = "six-limits",
      replace = {"j < 7", "j < 6"},
      explain = "Tone 7 is missing: there are 7 limits, from 0 to 6, and a"
        .. " pixel may have reached all of them.",
    },
    {
      name = "no-zeros",
      replace = {
        "  if (threadIdx.y == 0 && threadIdx.x < 8) own[threadIdx.x] = 0;\n",
        ""},
      explain = "Shared memory is not empty at the start: write zeros into the"
        .. " block's tally first.",
    },
    {
      name = "no-first-barrier",
      replace = {"own[threadIdx.x] = 0;\n  __syncthreads();",
        "own[threadIdx.x] = 0;"},
      explain = "Some threads count while the zeros are still being written: a"
        .. " barrier belongs between.",
    },
    {
      name = "no-second-barrier",
      replace = {"    }\n  __syncthreads();", "    }"},
      explain = "The tile and the tally are read before all threads of the"
        .. " block have written: they have to meet in between.",
    },
    {
      name = "plain-in-shared",
      replace = {"atomicAdd(&own[tone], 1)", "own[tone]++"},
      explain = "Threads of a block meet at one counter: that takes atomicAdd"
        .. " in shared memory, too.",
    },
    {
      name = "plain-in-global",
      replace = {"atomicAdd(&tally[threadIdx.x], own[threadIdx.x])",
        "tally[threadIdx.x] += own[threadIdx.x]"},
      explain = "All blocks add to the same 8 numbers, perhaps at the same"
        .. " moment: that takes atomicAdd.",
    },
    {
      name = "every-row-hands-in",
      replace = {
        "  if (threadIdx.y == 0 && threadIdx.x < 8)\n    atomicAdd(&tally",
        "  if (threadIdx.x < 8)\n    atomicAdd(&tally"},
      explain = "The tally of each block counts 8 times: one of its 8 rows of"
        .. " threads is to hand it in.",
    },
    {
      name = "old-guard",
      replace = {"down + k < columns && across < rows",
        "down + k < rows && across < columns"},
      explain = "The guard of the stores is that of in: tones has `columns`"
        .. " rows of `rows` numbers.",
    },
    {
      name = "not-turned",
      replace = {"tile[threadIdx.x][threadIdx.y + k];",
        "tile[threadIdx.y + k][threadIdx.x];"},
      explain = "The tiles change places, but inside each nothing is turned:"
        .. " its rows become columns once, when it is filled or when it is"
        .. " read.",
    },
    {
      name = "no-padding",
      breaks = "shared_bank_conflicts <= 0",
      replace = {"tile[32][33]", "tile[32][32]"},
      explain = "The 32 elements of a column of the tile lie in one bank: each"
        .. " such load takes 32 passes. One unused column spreads them.",
    },
    {
      name = "far-stores",
      breaks = "global_efficiency >= 90",
      replace = {[[
  int across = blockIdx.y * 32 + threadIdx.x;
  int down = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (down + k < columns && across < rows)
      tones[(down + k) * rows + across] = tile[threadIdx.x][threadIdx.y + k];]],
        [[
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      tones[column * rows + row + k] = tile[threadIdx.y + k][threadIdx.x];]]},
      explain = "Each thread takes back what it has brought, and stores it far"
        .. " from its neighbours: the tile is there to exchange elements.",
    },
    {
      name = "a-visit-a-pixel",
      breaks = "global_reductions <= 32",
      replace = {"atomicAdd(&own[tone], 1);",
        "atomicAdd(&own[tone], 1), atomicAdd(&tally[tone], 1),\n"
        .. "      atomicAdd(&own[tone], -1);"},
      explain = "The block's tally is kept, and each pixel goes to global"
        .. " memory all the same.",
    },
    {
      name = "each-row-a-part",
      breaks = "global_reductions <= 480",
      replace = {[[
  if (threadIdx.y == 0 && threadIdx.x < 8)
    atomicAdd(&tally[threadIdx.x], own[threadIdx.x]);]], [[
  if (threadIdx.x == 0)
    for (int t = 0; t < 8; t++)
      atomicAdd(&tally[t], threadIdx.y == 0 ? own[t] : 0);]]},
      explain = "Each warp visits tally 8 times, and seven of eight bring a 0:"
        .. " one warp can hand in all 8 numbers with one request.",
    },
  },
}
