-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Up, down, up",
  task = "Sort each block's piece of x upwards, in place, by a network in"
    .. " shared memory.",
  needs = {"block-sum"},
  minutes = 25,
  kernel = "bitonic",
  signature = {
    {"inout", "int *", "x"},
    {"value", "int", "n"},
  },
  reference = "bitonic",
  tolerance = {ulp = 0, reason = "values are compared and moved, not computed"},
  budget = 100000,
  make = function(case, rng)
    local n, block = case.n, case.block or 64
    local x = rng:ints(n, case.low or -1000, case.high or 1000)
    for i = 0, n - 1 do
      if case.order then x[i] = case.order * i end
    end
    if case.ends then x[n - 1], x[n // 3] = 2147483647, -2147483648 end
    return {x = x, n = n}, {blocks_for(n, block), block}
  end,
  cases = {
    {name = "one block of 64", n = 64},
    {name = "3 blocks of 256", n = 768, block = 256},
    {name = "one element", n = 1},
    {name = "two elements", n = 2},
    {name = "65 elements", n = 65},
    {name = "sorted", n = 128, block = 128, order = 1},
    {name = "sorted downwards", n = 128, block = 128, order = -1},
    {name = "zeros and ones", n = 300, block = 128, low = 0, high = 1},
    {name = "the ends of the range", n = 100, ends = true},
    {name = "1009 elements, blocks of 512", n = 1009, block = 512},
    {name = "large", n = 5003, block = 256, hidden = true},
  },
  requires = {"shared", "barrier", "min_threads = 64"},
  hints = {
    "Threads without an element put something in their cell that belongs at the"
      .. " end: the largest int, 0x7fffffff.",
    "Two loops: size = 2, 4, up to blockDim.x, and within it far = size / 2"
      .. " down to 1, halved each time. A barrier ends each round.",
    "In a round place t meets place t ^ far. The lower of the two threads"
      .. " exchanges their cells, if they are in the wrong order.",
    "Upwards where (t & size) == 0, downwards elsewhere: exchange if"
      .. " (desk[t] > desk[other]) == up.",
  },
  editorial = "k (k + 1) / 2 rounds for 2^k elements, each with a barrier: 36"
    .. " for a block of 256; one load and one store an element, 2 KiB of"
    .. " shared memory. In each round half the threads idle: with a pair for"
    .. " each thread a block sorts twice as many. 30 of those 36 rounds stay"
    .. " within a warp: shuffles can do them without a barrier. For more than"
    .. " a block, merge.",
  mutants = {
    {
      name = "no-barrier",
      replace = {"      }\n      __syncthreads();\n    }", "      }\n    }"},
      explain = "There is no barrier between the rounds: some threads compare"
        .. " cells which others have not exchanged yet.",
    },
    {
      name = "no-first-barrier",
      replace = {"0x7fffffff;\n  __syncthreads();", "0x7fffffff;"},
      explain = "The first round begins before all cells have been filled.",
    },
    {
      name = "always-up",
      replace = {"bool up = (t & size) == 0;", "bool up = true;"},
      explain = "This is what you get when every piece is made to go upwards:"
        .. " two upward runs, one behind the other, are not bitonic.",
    },
    {
      name = "direction-by-far",
      replace = {"(t & size) == 0", "(t & far) == 0"},
      explain = "This is what you get when the bit of far decides the"
        .. " direction: it is 0 for the lower one of each pair. The bit of"
        .. " size decides.",
    },
    {
      name = "downwards",
      replace = {"(t & size) == 0", "(t & size) != 0"},
      explain = "This is what you get when up and down are exchanged: each"
        .. " piece comes out from the largest to the smallest.",
    },
    {
      name = "last-size-left-out",
      replace = {"size <= blockDim.x", "size < blockDim.x"},
      explain = "This is what you get when the last size is left out: one half"
        .. " of the block goes up and the other down.",
    },
    {
      name = "last-round-left-out",
      replace = {"far > 0", "far > 1"},
      explain = "This is what you get when the rounds end before far = 1:"
        .. " neighbours are never compared.",
    },
    {
      name = "filled-with-zeros",
      replace = {": 0x7fffffff", ": 0"},
      explain = "This is what you get when the empty cells hold 0: they are"
        .. " sorted in between, and elements above 0 fall off the end.",
    },
    {
      name = "both-exchange",
      replace = {"t < other && ", ""},
      explain = "Both threads of a pair exchange, at the same time: one of the"
        .. " two has to leave it to the other.",
    },
    {
      name = "no-guard",
      replace = {"if (i < n) x[i]", "x[i]"},
      explain = "Threads without an element write past the end of x.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {[[
  desk[t] = i < n ? x[i] : 0x7fffffff;
  __syncthreads();]], [[
  for (int k = 0; t == 0 && k < blockDim.x; k++)
    desk[k] = i + k < n ? x[i + k] : 0x7fffffff;
  __syncthreads();]]},
      explain = "Thread 0 fetches the whole piece by itself.",
    },
    {
      name = "past-the-desk",
      breaks = "shared",
      replace = {[[
  desk[t] = i < n ? x[i] : 0x7fffffff;
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      int other = t ^ far;
      bool up = (t & size) == 0;
      if (t < other && (desk[t] > desk[other]) == up) {
        int keep = desk[t];
        desk[t] = desk[other];
        desk[other] = keep;
      }
      __syncthreads();
    }
  if (i < n) x[i] = desk[t];]], [[
  int first = i - t, last = min(first + (int)blockDim.x, n);
  int mine = i < n ? x[i] : 0, place = first;
  for (int k = first; k < last; k++)
    if (x[k] < mine || (x[k] == mine && k < i)) place++;
  desk[t] = mine;
  __syncthreads();
  if (i < n) x[place] = mine;]]},
      explain = "Each thread counts in global memory how many are smaller; what"
        .. " is on the desk is not used.",
    },
    {
      name = "behind-no-barrier",
      breaks = "barrier",
      replace = {[[
  desk[t] = i < n ? x[i] : 0x7fffffff;
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int far = size / 2; far > 0; far /= 2) {
      int other = t ^ far;
      bool up = (t & size) == 0;
      if (t < other && (desk[t] > desk[other]) == up) {
        int keep = desk[t];
        desk[t] = desk[other];
        desk[other] = keep;
      }
      __syncthreads();
    }
  if (i < n) x[i] = desk[t];]], [[
  int first = i - t, last = min(first + (int)blockDim.x, n);
  int mine = i < n ? x[i] : 0, place = first;
  for (int k = first; k < last; k++)
    if (x[k] < mine || (x[k] == mine && k < i)) place++;
  desk[t] = mine;
  __syncwarp();
  int near = desk[t ^ 1];
  __syncwarp();
  desk[t] = __shfl_xor_sync(0xffffffff, near, 1);
  __syncthreads();
  if (i < n) x[place] = mine + (desk[t] - mine);]]},
      explain = "Each thread finds its place alone, and takes the detour by the"
        .. " desk within its warp: the result has passed no barrier.",
    },
  },
}
