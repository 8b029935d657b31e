-- SPDX-License-Identifier: Apache-2.0
return {
  title = "To the nearest centre",
  task = "label[i] is the number of the centre nearest to point i, with the"
    .. " centres in shared memory.",
  needs = {"block-sum", "by-columns"},
  minutes = 20,
  kernel = "assign",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "centres"},
    {"out", "int *", "label"},
    {"value", "int", "n"},
    {"value", "int", "d"},
    {"value", "int", "k"},
  },
  reference = "assign",
  tolerance = {
    ulp = 0,
    reason = "coordinates are multiples of 1/16 within 8, centres far away"
      .. " within 72: a square has 8 bits behind its point and 13 before it at"
      .. " most, and the sums fit into 24, so that nothing is rounded",
  },
  budget = 400000,
  make = function(case, rng)
    local n, d, k = case.n, case.d, case.k
    local x, centres = rng:steps(n * d, -8, 8, 1 / 16),
      rng:steps(k * d, -8, 8, 1 / 16)
    if case.twins then -- each centre is there twice
      for c = 0, k * d // 2 - 1 do centres[k * d // 2 + c] = centres[c] end
    end
    if case.far then
      for c = 0, k * d - 1 do centres[c] = centres[c] - 64 end
    end
    return {x = x, centres = centres, label = n, n = n, d = d, k = k},
      {case.grid or blocks_for(n, case.block or 128), case.block or 128}
  end,
  cases = {
    {name = "1000 points in a plane, 5 centres", n = 1000, d = 2, k = 5},
    {name = "12 coordinates", n = 500, d = 12, k = 8},
    {name = "one point", n = 1, d = 3, k = 4},
    {name = "one centre", n = 200, d = 2, k = 1},
    {name = "two centres at the same place", n = 300, d = 2, k = 6,
      twins = true},
    {name = "far from all centres", n = 300, d = 2, k = 3, far = true},
    {name = "more centres than threads", n = 150, d = 2, k = 100, block = 32},
    {name = "fewer threads than points", n = 700, d = 3, k = 4, grid = 2},
    {name = "large", n = 1001, d = 4, k = 16, grid = 5, block = 96,
      hidden = true},
  },
  requires = {"shared", "min_threads = 32"},
  hints = {
    "A thread keeps two numbers, the least distance so far and whose it is.",
    "Squares of distances are in the same order as distances: leave the root"
      .. " out.",
    "Before anything else, all threads of the block bring the k * d numbers of"
      .. " the centres to the desk, blockDim.x apart, and meet.",
    "Of equals the lowest wins: replace the best only where the new distance is"
      .. " less, and not where it is the same.",
  },
  editorial = "k * d loads and one store a point, and k * d loads a block for"
    .. " the centres, which lie at the desk, 4096 bytes of it. The lanes of a"
    .. " warp read the same cell there, so no bank conflict arises. 1000"
    .. " points of a plane with 5 centres take 328 load requests; with the"
    .. " point in registers 72. centres moves the centres then.",
  mutants = {
    {
      name = "last-of-equals",
      replace = {"distance < best", "distance <= best"},
      explain = "Of two centres at the same distance the last one wins here; it"
        .. " is to be the one with the lowest number.",
    },
    {
      name = "first-coordinate",
      replace = {"int c = 0; c < d; c++", "int c = 0; c < 1; c++"},
      explain = "Only the first coordinate is compared.",
    },
    {
      name = "best-from-a-thousand",
      replace = {"best = 3e38f", "best = 1000"},
      explain = "The least distance has to begin with something that every"
        .. " distance is below: points farther away than the first number get"
        .. " label 0.",
    },
    {
      name = "without-first",
      replace = {"int j = 0; j < k", "int j = 1; j < k"},
      explain = "Centre 0 is never looked at.",
    },
    {
      name = "no-barrier",
      replace = {"  __syncthreads();\n", ""},
      explain = "Threads read centres that others have not brought yet.",
    },
    {
      name = "one-round",
      replace = {"for (int c = threadIdx.x; c < k * d; c += blockDim.x) desk",
        "int c = threadIdx.x;\n  if (c < k * d) desk"},
      explain = "Each thread brings one number, and the centres may have more"
        .. " numbers than the block has threads.",
    },
    {
      name = "not-squared",
      replace = {"apart * apart", "apart"},
      explain = "Differences that are not squared cancel each other.",
    },
    {
      name = "row-by-row",
      replace = {"x[c * n + i]", "x[i * d + c]"},
      explain = "x lies column by column: coordinate c of point i is at c * n +"
        .. " i.",
    },
    {
      name = "from-memory",
      breaks = "shared",
      replace = {"- desk[j * d + c]", "- centres[j * d + c]"},
      explain = "The centres are read from global memory; what is on the desk"
        .. " is not used.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {]],
        [[
  if (threadIdx.x > 0) return;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {]]},
      explain = "One thread of each block does all of its points.",
    },
  },
}
