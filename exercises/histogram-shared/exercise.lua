-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A tally for each block",
  task = "Make the histogram fast: each block counts in shared memory, and goes"
    .. " to global memory once for each bin.",
  needs = {"histogram"},
  minutes = 15,
  kernel = "histogram",
  signature = {
    {"in", "const unsigned char *", "x"},
    {"inout", "int *", "bins"},
    {"value", "int", "n"},
  },
  reference = "histogram",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 100000,
  make = function(case, rng)
    return {
      x = rng:ints(case.n, 0, case.top or 255), bins = rng:ints(256, 0, 9),
      n = case.n,
    }, {case.grid, case.block or 256}
  end,
  cases = {
    {name = "20000 bytes, 4 blocks", n = 20000, grid = 4},
    {name = "1009 bytes, a prime", n = 1009, grid = 2},
    {name = "one byte", n = 1, grid = 1},
    {name = "only 0 to 3", n = 3000, grid = 3, top = 3},
    {name = "blocks of 64", n = 2000, grid = 2, block = 64},
    {name = "more blocks than threads in one", n = 7000, grid = 100,
      block = 64},
    {name = "large", n = 60013, grid = 6, block = 192, hidden = true},
  },
  rank = {
    case = "20000 bytes, 4 blocks",
    n = 1 << 24, grid = 1056, bytes = 1 << 24,
  },
  requires = {"shared"},
  -- A warp adds 32 bins at a time: 8 requests for each block's 256.
  goal = {
    {"active_lanes >= 8", cases = {"20000 bytes, 4 blocks"}},
    {"global_reductions <= 32", cases = {"20000 bytes, 4 blocks"}},
    {"global_reductions <= 48", cases = {"large"}},
  },
  hints = {
    "__shared__ int own[256]; is the block's tally. What has to be in it before"
      .. " anybody counts?",
    "Three steps with a barrier between them: zeros into own, count into own,"
      .. " add own to bins.",
    "A block may have fewer than 256 threads: go through the 256 cells in a"
      .. " loop with the step blockDim.x.",
    "Both countings need atomicAdd: threads of the block meet in own, blocks"
      .. " meet in bins.",
  },
  editorial = "One atomic in shared memory a byte, and in global memory 8"
    .. " requests a block of 256 threads: 32 in the first case, where the"
    .. " starter has 625. It takes two barriers and 1024 bytes. Where most"
    .. " bytes are equal, a block's threads still queue at one cell of the"
    .. " tally. A tally for each warp would make the queue shorter, and take"
    .. " its share of shared memory.",
  mutants = {
    {
      name = "no-zeros",
      replace = {"  for (int v = threadIdx.x; v < 256; v += blockDim.x)"
        .. " own[v] = 0;\n", ""},
      explain = "Shared memory is not empty at the start: write zeros first.",
    },
    {
      name = "one-zero-a-thread",
      replace = {
        "for (int v = threadIdx.x; v < 256; v += blockDim.x) own[v] = 0;",
        "own[threadIdx.x] = 0;"},
      explain = "One cell for each thread leaves some cells unwritten where a"
        .. " block has fewer than 256 threads.",
    },
    {
      name = "no-first-barrier",
      replace = {"own[v] = 0;\n  __syncthreads();", "own[v] = 0;"},
      explain = "Some threads count while others still write zeros: a barrier"
        .. " belongs between.",
    },
    {
      name = "no-second-barrier",
      replace = {"1);\n  __syncthreads();", "1);"},
      explain = "The tally is handed in before all threads of the block have"
        .. " counted: a barrier belongs between.",
    },
    {
      name = "plain-in-shared",
      replace = {"atomicAdd(&own[x[i]], 1)", "own[x[i]]++"},
      explain = "Threads of a block meet in own as they did in bins: it takes"
        .. " atomicAdd in shared memory, too.",
    },
    {
      name = "plain-in-global",
      replace = {"atomicAdd(&bins[v], own[v])", "bins[v] += own[v]"},
      explain = "All blocks add to the same bins, perhaps at the same moment:"
        .. " that takes atomicAdd, too.",
    },
    {
      name = "first-bins-only",
      replace = {"for (int v = threadIdx.x; v < 256; v += blockDim.x)\n"
        .. "    atomicAdd(&bins[v], own[v]);",
        "int v = threadIdx.x;\n  atomicAdd(&bins[v], own[v]);"},
      explain = "One bin for each thread hands in too few where a block has"
        .. " fewer than 256 threads.",
    },
    {
      name = "block-stride",
      replace = {"i < n; i += stride", "i < n; i += blockDim.x"},
      explain = "With the stride of one block, the blocks count the same bytes"
        .. " again.",
    },
    {
      name = "a-visit-a-byte",
      breaks = "global_reductions <= 32",
      replace = {"    atomicAdd(&own[x[i]], 1);\n  __syncthreads();",
        "    atomicAdd(&own[x[i]], 1), atomicAdd(&bins[x[i]], 1),\n"
        .. "    atomicAdd(&own[x[i]], -1);\n  __syncthreads();"},
      explain = "The tally is kept, and each byte goes to global memory all the"
        .. " same.",
    },
    {
      name = "every-thread-hands-in",
      breaks = "global_reductions <= 48",
      replace = {"for (int v = threadIdx.x; v < 256; v += blockDim.x)\n"
        .. "    atomicAdd(&bins[v], own[v]);",
        "if (threadIdx.x == 0)\n"
        .. "    for (int v = 0; v < 256; v++) atomicAdd(&bins[v], own[v]);"},
      explain = "One thread hands in all 256 bins, in 256 requests. 256 threads"
        .. " do it in 8, one for each warp.",
    },
    {
      name = "past-the-tally",
      breaks = "shared",
      replace = {"    atomicAdd(&own[x[i]], 1);\n  __syncthreads();\n"
        .. "  for (int v = threadIdx.x; v < 256; v += blockDim.x)\n"
        .. "    atomicAdd(&bins[v], own[v]);",
        "    atomicAdd(&bins[x[i]], 1);"},
      explain = "There is a tally, and nobody counts in it: each byte goes to"
        .. " global memory.",
    },
    {
      name = "four-threads",
      breaks = "active_lanes >= 8",
      replace = {[==[
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&own[x[i]], 1);]==], [==[
  if (threadIdx.x < 4)
    for (int i = blockIdx.x * 4 + threadIdx.x; i < n; i += gridDim.x * 4)
      atomicAdd(&own[x[i]], 1);]==]},
      explain = "Four threads of each block count all of its bytes, and the"
        .. " others have nothing to do.",
    },
  },
}
