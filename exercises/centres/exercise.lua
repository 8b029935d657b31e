-- SPDX-License-Identifier: Apache-2.0
-- 8 blocks with 6 sums and 3 counts send two requests each at the end. Straight
-- to global memory each warp sends some for every 32 of the 2048 points.
local FULL = {"2048 points, 3 centres"}

return {
  title = "To the middle of its points",
  task = "For each label, the sum of its points and their number, gathered by"
    .. " each block in shared memory first.",
  needs = {"assign", "histogram-shared"},
  minutes = 20,
  kernel = "centres",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const int *", "label"},
    {"inout", "float *", "sums"},
    {"inout", "int *", "count"},
    {"value", "int", "n"},
    {"value", "int", "d"},
    {"value", "int", "k"},
  },
  reference = "centres",
  tolerance = {
    ulp = 0,
    reason = "coordinates are multiples of 1/16 within 8, so that 8192 of them"
      .. " sum exactly in any order",
  },
  budget = 200000,
  make = function(case, rng)
    local n, d, k = case.n, case.d, case.k
    return {
      x = rng:steps(n * d, -8, 8, 1 / 16),
      label = rng:ints(n, 0, (case.used or k) - 1),
      sums = rng:full(k * d, 0), count = rng:full(k, 0), n = n, d = d, k = k,
    }, {case.grid or blocks_for(n, case.block or 128), case.block or 128}
  end,
  cases = {
    {name = "2048 points, 3 centres", n = 2048, d = 2, k = 3, grid = 8},
    {name = "12 coordinates", n = 400, d = 12, k = 8},
    {name = "one point", n = 1, d = 3, k = 4},
    {name = "all of one label", n = 333, d = 2, k = 5, used = 1},
    {name = "labels that nobody has", n = 200, d = 2, k = 9, used = 4},
    {name = "more cells than threads", n = 300, d = 4, k = 50, block = 32},
    {name = "fewer threads than points", n = 700, d = 3, k = 4, grid = 1},
    {name = "1024 labels", n = 1500, d = 1, k = 1024, grid = 2},
    {name = "large", n = 3001, d = 4, k = 16, grid = 5, block = 96,
      hidden = true},
  },
  requires = {"shared", "atomics", "min_threads = 32"},
  goal = {{"global_reductions <= 32", cases = FULL},
    {"global_atomics <= 32", cases = FULL}},
  hints = {
    "It is the histogram of lesson 17 with d + 1 cells for each label: the sums"
      .. " of the coordinates, and the number.",
    "Set the block's cells to 0, meet, add every point to its label's cells,"
      .. " meet again, and add the cells to those in global memory.",
    "There may be more cells than threads: all loops over cells begin at"
      .. " threadIdx.x and go on by blockDim.x.",
  },
  editorial = "d + 1 loads and d + 1 atomics in shared memory a point, and k *"
    .. " (d + 1) atomics in global memory a block: 16 requests for 8 blocks"
    .. " with 3 centres in a plane. 8192 bytes of shared memory. The fewer the"
    .. " labels, the more lanes want one cell and wait; histogram-shared has"
    .. " the same trouble. choose-k says which k is good.",
  mutants = {
    {
      name = "stored-not-added",
      replace = {"atomicAdd(&sums[c], part[c]);", "sums[c] = part[c];"},
      explain = "Each block stores its own sums over those of the others.",
    },
    {
      name = "no-barrier-before",
      replace = {"members[j] = 0;\n  __syncthreads();", "members[j] = 0;"},
      explain = "Points are added to cells that another thread has not set to 0"
        .. " yet.",
    },
    {
      name = "no-barrier-behind",
      replace = {"  }\n  __syncthreads();", "  }"},
      explain = "The cells are sent off before all points are in them.",
    },
    {
      name = "no-atomic",
      replace = {"atomicAdd(&members[j], 1);", "members[j]++;"},
      explain = "Two threads of a block may have the same label, and add to the"
        .. " same cell at the same time.",
    },
    {
      name = "count-once-more",
      replace = {"    atomicAdd(&members[j], 1);\n",
        "    for (int c = 0; c < d; c++) atomicAdd(&members[j], 1);\n"},
      explain = "A point is counted once for each of its coordinates.",
    },
    {
      name = "wrong-row",
      replace = {"part[j * d + c], x", "part[j + c * k], x"},
      explain = "The sums lie row by row, cell j * d + c for coordinate c of"
        .. " label j.",
    },
    {
      name = "last-coordinate",
      replace = {"int c = 0; c < d; c++", "int c = 0; c < d - 1; c++"},
      explain = "The last coordinate is left out.",
    },
    {
      name = "not-zeroed",
      replace = {"for (int c = threadIdx.x; c < k * d; c += blockDim.x) part[c]"
        .. " = 0;\n", "if (threadIdx.x < k * d) part[threadIdx.x] = 0;\n"},
      explain = "Each thread sets one cell to 0, and there may be more cells"
        .. " than threads.",
    },
    {
      name = "straight-to-memory",
      breaks = "global_reductions <= 32",
      replace = {"atomicAdd(&part[j * d + c], x",
        "atomicAdd(&sums[j * d + c], x"},
      explain = "Every point goes to global memory by itself.",
    },
    {
      name = "looked-at",
      breaks = "global_atomics <= 32",
      replace = {"    atomicAdd(&members[j], 1);\n", [[
    atomicAdd(&members[j], 1);
    if (atomicAdd(&count[j], 0) < 0) return;
]]},
      explain = "Every point looks at the count in global memory, by an"
        .. " atomic.",
    },
    {
      name = "no-desk",
      breaks = "shared",
      replace = {[[
    for (int c = 0; c < d; c++) atomicAdd(&part[j * d + c], x[c * n + i]);
    atomicAdd(&members[j], 1);]], [[
    for (int c = 0; c < d; c++) atomicAdd(&sums[j * d + c], x[c * n + i]);
    atomicAdd(&count[j], 1);]]},
      explain = "The desk is not used: every point goes to global memory.",
    },
    {
      name = "one-walk-a-cell",
      breaks = "atomics",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int j = label[i];
    for (int c = 0; c < d; c++) atomicAdd(&part[j * d + c], x[c * n + i]);
    atomicAdd(&members[j], 1);
  }
  __syncthreads();]], [[
  if (blockIdx.x > 0) return;
  for (int c = threadIdx.x; c < k * d; c += blockDim.x) {
    int members = 0;
    for (int i = 0; i < n; i++)
      if (label[i] == c / d) part[c] += x[c % d * n + i], members++;
    sums[c] += part[c];
    if (c % d == 0) count[c / d] += members;
  }
  return;]]},
      explain = "One thread for each cell walks over all points, so that nobody"
        .. " has to wait: and nobody else has anything to do.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int j]], [[
  for (int i = blockIdx.x; threadIdx.x == 0 && i < n; i += gridDim.x) {
    int j]]},
      explain = "One thread of each block adds up all of its points.",
    },
  },
}
