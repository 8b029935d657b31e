-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Right on most days",
  task = "Mend the kernel: out[i] is the mean of x[i] and its neighbours within"
    .. " the block, read from shared memory.",
  needs = {"vector-add"},
  minutes = 10,
  kernel = "smooth",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
  },
  reference = "no_barrier",
  tolerance = {
    ulp = 1,
    reason = "the sums of the inputs, multiples of 1/64 below 2^8, are exact in"
      .. " any order; a division by 2 is too, and one by 3 rounds once, or"
      .. " twice for whoever multiplies by 1/3",
  },
  budget = 20000,
  make = function(case, rng)
    local n = case.grid * case.block
    return {x = rng:steps(n, -128, 128, 1 / 64), out = n},
      {case.grid, case.block}
  end,
  cases = {
    {name = "one block of 64", grid = 1, block = 64},
    {name = "4 blocks of 256", grid = 4, block = 256},
    {name = "2 blocks of 100", grid = 2, block = 100},
    {name = "blocks of one", grid = 3, block = 1},
    {name = "large", grid = 90, block = 256, hidden = true},
  },
  requires = {"shared", "barrier"},
  goal = {{"active_lanes >= 8", cases = {"4 blocks of 256"}}},
  hints = {
    "Which thread writes desk[t - 1], and when? Nobody knows whether it has by"
      .. " the time this one reads it.",
    "Between writing the desk and reading what others wrote, all threads of the"
      .. " block have to meet.",
    "__syncthreads(); behind desk[t] = x[i];",
  },
  editorial = "One load from global memory an element in place of three, one"
    .. " store to the desk, and three loads from it (fewer at the block's"
    .. " ends). It takes one barrier. The desk has 256 cells, 1024 bytes,"
    .. " whatever the block's size is. What lies beyond the block's ends is"
    .. " left out here; halo fetches that, too.",
  mutants = {
    {
      name = "barrier-first",
      replace = {"desk[t] = x[i];\n  __syncthreads();",
        "__syncthreads();\n  desk[t] = x[i];"},
      explain = "The barrier stands before the writes: it has to stand between"
        .. " the writes and the reads of others.",
    },
    {
      name = "warp-only",
      replace = {"__syncthreads()", "__syncwarp()"},
      explain = "__syncwarp() waits for 32 threads. The neighbours of thread 31"
        .. " and 32 are in different warps.",
    },
    {
      name = "barrier-late",
      replace = {[[__syncthreads();
  float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += desk[t - 1]; count++; }
  if (t < last) { sum += desk[t + 1]; count++; }
]], [[float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += desk[t - 1]; count++; }
  if (t < last) { sum += desk[t + 1]; count++; }
  __syncthreads();
]]},
      explain = "The barrier stands behind the reads: by then it is too late.",
    },
    {
      name = "always-three",
      replace = {"sum / count", "sum / 3"},
      explain = "This is what you get when every sum is divided by 3: at the"
        .. " block's ends there are two elements.",
    },
    {
      name = "past-the-end",
      replace = {"if (t < last)", "if (t <= last)"},
      explain = "The last thread has no right neighbour in the block: it takes"
        .. " a cell that nobody has written.",
    },
    {
      name = "without-the-desk",
      breaks = "shared",
      replace = {[[  desk[t] = x[i];
  __syncthreads();
  float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += desk[t - 1]; count++; }
  if (t < last) { sum += desk[t + 1]; count++; }]], [[  desk[t] = x[i];
  __syncthreads();
  float sum = x[i];
  int count = 1;
  if (t > 0) { sum += x[i - 1]; count++; }
  if (t < last) { sum += x[i + 1]; count++; }]]},
      explain = "The neighbours are read from x, three times as many loads; the"
        .. " desk is filled and not used.",
    },
    {
      name = "without-a-meeting",
      breaks = "barrier",
      replace = {[[  desk[t] = x[i];
  __syncthreads();
  float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += desk[t - 1]; count++; }
  if (t < last) { sum += desk[t + 1]; count++; }]], [[  desk[t] = x[i];
  float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += x[i - 1]; count++; }
  if (t < last) { sum += x[i + 1]; count++; }]]},
      explain = "Only the thread's own element comes from the desk, and no"
        .. " value of another thread is read there.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[[
  float sum = desk[t];
  int count = 1;
  if (t > 0) { sum += desk[t - 1]; count++; }
  if (t < last) { sum += desk[t + 1]; count++; }
  out[i] = sum / count;]], [[
  if (t > 0) return;
  for (; t <= last; t++) {
    float sum = desk[t];
    int count = 1;
    if (t > 0) { sum += desk[t - 1]; count++; }
    if (t < last) { sum += desk[t + 1]; count++; }
    out[i + t] = sum / count;
  }]]},
      explain = "All threads bring their elements, and then the first one"
        .. " averages for all of them while they have nothing to do.",
    },
  },
}
