-- SPDX-License-Identifier: Apache-2.0
return {
  title = "How often is each?",
  task = "Add to bins[v], for each value v from 0 to 255, how often it is in"
    .. " x.",
  needs = {"saxpy"},
  minutes = 10,
  kernel = "histogram",
  signature = {
    {"in", "const unsigned char *", "x"},
    {"inout", "int *", "bins"},
    {"value", "int", "n"},
  },
  reference = "histogram",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 400000,
  make = function(case, rng)
    local top = case.top or 255
    return {
      x = rng:ints(case.n, case.low or 0, top), bins = rng:ints(256, 0, 9),
      n = case.n,
    }, {case.grid, case.block or 128}
  end,
  cases = {
    {name = "1000 bytes", n = 1000, grid = 8},
    {name = "more bytes than threads", n = 5000, grid = 4},
    {name = "all the same", n = 777, grid = 7, low = 200, top = 200},
    {name = "one byte", n = 1, grid = 1},
    {name = "1009 bytes, 0 and 1 only", n = 1009, grid = 4, top = 1,
      block = 96},
    {name = "large", n = 8009, grid = 10, hidden = true},
  },
  requires = {"atomics"},
  goal = {{"active_lanes >= 8", cases = {"more bytes than threads"}}},
  hints = {
    "Two threads may meet the same value at the same moment: reading the count,"
      .. " adding and writing must be one step.",
    "atomicAdd takes the address of a cell: that of bins[x[i]] is &bins[x[i]].",
    "Let each thread go on by gridDim.x * blockDim.x, as in saxpy.",
  },
  editorial = "One load and one atomicAdd in global memory for each byte,"
    .. " whatever the grid is. Where many bytes are equal, many threads meet"
    .. " at one bin; in the case with one value all of them do."
    .. " histogram-shared lets each block count by itself first, so that each"
    .. " block goes to each bin in global memory once.",
  mutants = {
    {
      name = "plain-addition",
      replace = {"atomicAdd(&bins[x[i]], 1)", "bins[x[i]] += 1"},
      explain = "bins[x[i]] += 1 reads, adds and writes in three steps; between"
        .. " them another thread does the same to the same cell.",
    },
    {
      name = "exchange",
      replace = {"atomicAdd(&bins[x[i]], 1)", "atomicExch(&bins[x[i]], 1)"},
      explain = "This writes 1 each time: the values are seen, but not"
        .. " counted.",
    },
    {
      name = "value-added",
      replace = {"atomicAdd(&bins[x[i]], 1)", "atomicAdd(&bins[x[i]], x[i])"},
      explain = "This adds the value itself: each time that a value is met"
        .. " counts one.",
    },
    {
      name = "bin-of-place",
      replace = {"&bins[x[i]]", "&bins[i % 256]"},
      explain = "The bin is chosen by the place i and not by what lies there,"
        .. " x[i].",
    },
    {
      name = "no-stride",
      replace = {"i += stride", "i += n"},
      explain = "Each thread does one byte and ends: where there are more bytes"
        .. " than threads, the rest is not counted.",
    },
    {
      name = "block-stride",
      replace = {"gridDim.x * blockDim.x", "blockDim.x"},
      explain = "With the stride of one block, the blocks count the same bytes"
        .. " again.",
    },
    {
      name = "every-block-all",
      replace = {[[int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x;]],
        [[int stride = blockDim.x;
  for (int i = threadIdx.x;]]},
      explain = "Each block begins with byte threadIdx.x and goes through all"
        .. " of them: every byte is counted once in each block.",
    },
    {
      name = "cleared",
      replace = {"  int stride",
        [[  if (blockIdx.x * blockDim.x + threadIdx.x < 256)
    bins[blockIdx.x * blockDim.x + threadIdx.x] = 0;
  __syncthreads();
  int stride]]},
      explain = "bins may hold counts already, to which these are added: it is"
        .. " not set to 0.",
    },
    {
      name = "one-too-many",
      replace = {"i < n", "i <= n"},
      explain = "The last byte is x[n - 1]; x[n] lies past the end.",
    },
    {
      name = "a-thread-a-bin",
      breaks = "atomics",
      replace = {"  int stride = gridDim.x * blockDim.x;\n"
        .. "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
        .. " i += stride)\n    atomicAdd(&bins[x[i]], 1);",
        "  int stride = gridDim.x * blockDim.x;\n"
        .. "  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < 256;"
        .. " v += stride)\n"
        .. "    for (int i = 0; i < n; i++) bins[v] += x[i] == v;"},
      explain = "A thread for each value, and each of them reads all bytes:"
        .. " right, and 256 times the loads.",
    },
    {
      name = "a-bin-without-thread",
      replace = {[=[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[x[i]], 1);]=], [=[
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; v < 256 && i < n; i++)
    if (x[i] == v) bins[v]++;]=]},
      explain = "A thread for each value: where the grid has fewer than 256"
        .. " threads, the last values have none.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[=[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[x[i]], 1);]=], [=[
  if (blockIdx.x + threadIdx.x > 0) return;
  for (int i = 0; i < n; i++) atomicAdd(&bins[x[i]], 1);]=]},
      explain = "One thread of the whole grid does everything, one byte after"
        .. " the other, and all the others have nothing to do.",
    },
  },
}
