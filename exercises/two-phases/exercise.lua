-- SPDX-License-Identifier: Apache-2.0
return {
  title = "First the mean, then the rest",
  task = "out[i] = x[i] - the mean of x, in one cooperative launch: sum, wait"
    .. " for all blocks, subtract.",
  needs = {"sum-one-kernel", "sum"},
  minutes = 20,
  kernel = "center",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"scratch", "int *", "parts"},
    {"value", "int", "n"},
  },
  reference = "two_phases",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 100000,
  make = function(case, rng)
    local n = case.n
    local x, sum = rng:ints(n, -500, 500), 0
    for i = 0, n - 1 do sum = sum + x[i] end
    x[n // 2] = x[n // 2] - sum % n
    return {x = x, out = n, parts = case.blocks, n = n},
      {case.blocks, 128, cooperative = true}
  end,
  cases = {
    {name = "n=4096", n = 4096, blocks = 8},
    {name = "n=1", n = 1, blocks = 1},
    {name = "n=1009, a prime", n = 1009, blocks = 4},
    {name = "more blocks than needed", n = 100, blocks = 5},
    {name = "one block", n = 700, blocks = 1},
    {name = "large", n = 20011, blocks = 16, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "Three parts: each block adds up its elements and leaves the sum in parts;"
      .. " all wait; each thread subtracts.",
    "cooperative_groups::this_grid().sync() waits for all threads of all"
      .. " blocks, so no thread may return before it.",
    "Take the elements with a grid-stride loop, in both phases: from"
      .. " blockIdx.x * 128 + threadIdx.x, in steps of gridDim.x * 128.",
    "Behind the barrier each thread may add up all of parts by itself: there"
      .. " are few of them.",
  },
  editorial = "One cooperative launch: two loads and one store an element,"
    .. " seven barriers of the block, one of the grid. Each thread adds up all"
    .. " of parts, a load for each block; with few blocks nobody minds. A"
    .. " barrier of the grid allows no more blocks than the device holds at"
    .. " once, so each thread does several elements. Next: two plain launches"
    .. " do the same for a grid of any size.",
  mutants = {
    {
      name = "no-waiting",
      replace = {"  cooperative_groups::this_grid().sync();\n", ""},
      explain = "Blocks read the parts of others that are not there yet.",
    },
    {
      name = "waits-for-the-block",
      replace = {"cooperative_groups::this_grid().sync()", "__syncthreads()"},
      explain = "__syncthreads() waits for the threads of one block.",
    },
    {
      name = "own-part",
      replace = {"total += parts[b];", "total = parts[blockIdx.x];"},
      explain = "The total is that of the own block: the mean is that of all.",
    },
    {
      name = "first-elements",
      replace = {"for (int i = first; i < n; i += all) out",
        "if (int i = first; i < n) out"},
      explain = "There are more elements than threads: the second phase needs"
        .. " a loop like the first.",
    },
    {
      name = "divided-too-early",
      replace = {[[
  if (t == 0) parts[blockIdx.x] = sums[0];
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  for (int i = first; i < n; i += all) out[i] = x[i] - total / n;]], [[
  if (t == 0) parts[blockIdx.x] = sums[0] / n;
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  for (int i = first; i < n; i += all) out[i] = x[i] - total;]]},
      explain = "Each block's sum is divided by n by itself, and what that"
        .. " rounds off is lost: only the sum of all is a multiple of n.",
    },
    {
      name = "one-element-each",
      replace = {[[
  for (int i = first; i < n; i += all) sum += x[i];
  sums[t] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) parts[blockIdx.x] = sums[0];
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  for (int i = first; i < n; i += all) out[i] = x[i] - total / n;]], [[
  if (first < n) sum = x[first];
  sums[t] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) parts[blockIdx.x] = sums[0];
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  if (first < n) out[first] = x[first] - total / n;]]},
      explain = "Each thread takes one element, and there are more elements"
        .. " than threads: both phases need a loop in steps of the grid.",
    },
    {
      name = "not-divided",
      replace = {"x[i] - total / n", "x[i] - total"},
      explain = "The total is subtracted, not the mean.",
    },
    {
      name = "last-part-missing",
      replace = {"b < gridDim.x", "b + 1 < gridDim.x"},
      explain = "The last block's part is not in the total.",
    },
    {
      name = "half-a-tree",
      replace = {"int half = 64;", "int half = 32;"},
      explain = "The sums of threads 64 to 127 are never added.",
    },
    {
      name = "thread-0-alone",
      breaks = "min_threads = 32",
      replace = {[[
  for (int i = first; i < n; i += all) sum += x[i];
  sums[t] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) parts[blockIdx.x] = sums[0];
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  for (int i = first; i < n; i += all) out[i] = x[i] - total / n;]], [[
  for (int i = first; t == 0 && i < n; i += all)
    for (int k = i; k < i + 128 && k < n; k++) sum += x[k];
  if (t == 0) parts[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; b++) total += parts[b];
  for (int i = first; t == 0 && i < n; i += all)
    for (int k = i; k < i + 128 && k < n; k++) out[k] = x[k] - total / n;]]},
      explain = "One thread of each block does all of its elements; let each"
        .. " thread do its own.",
    },
  },
}
