-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Four cells of halo",
  task = "Mend the kernel: out[i] = the sum of x[i - 4] to x[i + 4], read from"
    .. " shared memory; beyond the ends are zeros.",
  needs = {"no-barrier"},
  minutes = 15,
  kernel = "nine",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "halo",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/64 within 128: sums of nine are"
      .. " exact in any order",
  },
  budget = 20000,
  make = function(case, rng)
    local n, block = case.n, case.block or 64
    return {x = rng:steps(n, -128, 128, 1 / 64), out = n, n = n},
      {(n + block - 1) // block, block}
  end,
  cases = {
    {name = "two blocks of 64", n = 128},
    {name = "n=1009, a prime, blocks of 256", n = 1009, block = 256},
    {name = "n=1", n = 1},
    {name = "n=66: two in the last block", n = 66},
    {name = "blocks of 8", n = 80, block = 8},
    {name = "blocks of 100", n = 1000, block = 100},
    {name = "large", n = 30011, block = 256, hidden = true},
  },
  requires = {"shared", "barrier"},
  hints = {
    "How many cells to the left of the block does thread 0 read, and how many"
      .. " of them did somebody write?",
    "Four threads can fill both halos: thread t below RADIUS writes desk[t] and"
      .. " desk[RADIUS + blockDim.x + t].",
    "Which elements belong there? x[i - RADIUS] and x[i + blockDim.x], for t"
      .. " below RADIUS.",
    "Every cell needs something: 0 where the element would lie outside of x,"
      .. " also behind the last element in the last block.",
  },
  editorial = "One load from global memory for each thread, two more for the"
    .. " first four; one barrier, nine reads from shared memory, one store."
    .. " Without the desk there would be nine loads. A block of 64 fetches 72"
    .. " floats, one of 256 fetches 264: the halo weighs less in a large"
    .. " block. blur-separable has a halo in two directions.",
  mutants = {
    {
      name = "wrong-right",
      replace = {"right = i + blockDim.x", "right = i + RADIUS"},
      explain = "x[i + RADIUS] lies inside the block. The right halo begins"
        .. " blockDim.x behind the block's first element: x[i + blockDim.x].",
    },
    {
      name = "left-is-first",
      replace = {"desk[t] = left >= 0 ? x[left] : 0",
        "desk[t] = x[left >= 0 ? left : 0]"},
      explain = "Before the beginning the first element stands in: zeros were"
        .. " asked for.",
    },
    {
      name = "right-one-too-far",
      replace = {"right = i + blockDim.x", "right = i + blockDim.x + 1"},
      explain = "The right halo is taken from one element too far on: it begins"
        .. " with the next block's first, x[i + blockDim.x] for thread 0.",
    },
    {
      name = "left-one-too-near",
      replace = {"left = i - RADIUS", "left = i - RADIUS + 1"},
      explain = "The left halo is taken from one element too far to the right:"
        .. " desk[0] is x[i - RADIUS] for thread 0.",
    },
    {
      name = "nearest",
      replace = {[[
  desk[RADIUS + t] = i < n ? x[i] : 0;
  if (t < RADIUS) {
    int left = i - RADIUS, right = i + blockDim.x;
    desk[t] = left >= 0 ? x[left] : 0;
    desk[RADIUS + blockDim.x + t] = right < n ? x[right] : 0;]], [[
  desk[RADIUS + t] = x[min(i, n - 1)];
  if (t < RADIUS) {
    int left = i - RADIUS, right = i + blockDim.x;
    desk[t] = x[max(left, 0)];
    desk[RADIUS + blockDim.x + t] = x[min(right, n - 1)];]]},
      explain = "Beyond the ends the nearest element stands in: zeros were"
        .. " asked for.",
    },
    {
      name = "right-unguarded",
      replace = {"right < n ? x[right] : 0", "x[right]"},
      explain = "The last block's right halo lies behind the end of x.",
    },
    {
      name = "barrier-first",
      replace = {
        "    desk[RADIUS + blockDim.x + t] = right < n ? x[right] : 0;\n"
        .. "  }\n  __syncthreads();",
        "    __syncthreads();\n"
        .. "    desk[RADIUS + blockDim.x + t] = right < n ? x[right] : 0;\n"
        .. "  }"},
      explain = "The barrier stands inside the if, where only four threads come"
        .. " by, and before the last write.",
    },
    {
      name = "no-barrier",
      replace = {"  }\n  __syncthreads();", "  }"},
      explain = "Nobody waits for the halo: the barrier belongs between the"
        .. " writes and the reads of others.",
    },
    {
      name = "hole",
      replace = {"desk[RADIUS + t] = i < n ? x[i] : 0;",
        "if (i < n) desk[RADIUS + t] = x[i];"},
      explain = "In the last block, cells behind the last element are never"
        .. " written, and its neighbours read them.",
    },
    {
      name = "far",
      breaks = "shared",
      replace = {"  __syncthreads();", [[
  __syncthreads();
  if (i < n) {
    float far = 0;
    for (int k = i - RADIUS; k <= i + RADIUS; k++)
      if (k >= 0 && k < n) far += x[k];
    out[i] = far;
  }
  return;]]},
      explain = "All nine elements come from x, and the desk is filled and not"
        .. " used.",
    },
    {
      name = "own-cells",
      breaks = "barrier",
      replace = {"  __syncthreads();", [[
  if (i < n) {
    float far = desk[RADIUS + t];
    for (int k = i - RADIUS; k <= i + RADIUS; k++)
      if (k >= 0 && k < n && k != i) far += x[k];
    out[i] = far;
  }
  return;]]},
      explain = "Only the thread's own cell comes from the desk; what others"
        .. " put there is not used.",
    },
  },
}
