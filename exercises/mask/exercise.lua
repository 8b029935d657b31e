-- SPDX-License-Identifier: Apache-2.0
local WARP = 32
return {
  title = "A promise kept",
  task = "Mend the kernel: top[w] = the largest of warp w's elements, also"
    .. " where the warp has fewer than 32.",
  needs = {"warp-sum"},
  minutes = 10,
  kernel = "warp_top",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "top"},
    {"value", "int", "n"},
  },
  reference = "mask",
  tolerance = {ulp = 0, reason = "values are compared and moved, not computed"},
  budget = 20000,
  make = function(case, rng)
    local n, block = case.n, case.block or 128
    local x = rng:ints(n, case.low or -1000, case.high or 1000)
    if case.lowest then x[n - 1] = -2 ^ 31 // 1 end
    return {x = x, top = blocks_for(n, WARP), n = n},
      {blocks_for(n, block), block}
  end,
  cases = {
    {name = "40 elements", n = 40, block = 64},
    {name = "one full warp", n = 32, block = 32},
    {name = "all negative", n = 50, block = 64, low = -900, high = -100},
    {name = "n=1", n = 1, low = -5, high = -5},
    {name = "n=1009, a prime", n = 1009},
    {name = "blocks of 96", n = 300, block = 96},
    {name = "a warp without elements", n = 64, block = 96},
    {name = "very negative", n = 97, low = -2000000, high = -1000000,
      hidden = true},
    {name = "INT_MIN at the end", n = 65, lowest = true, hidden = true},
    {name = "large", n = 10007, block = 256, low = -9000, high = -1,
      hidden = true},
  },
  requires = {"shuffle"},
  goal = {{"active_lanes >= 8", cases = {"n=1009, a prime"}}},
  hints = {
    "In the last warp, who comes to the shuffle, and whom does the mask name?",
    "Let all threads of a warp shuffle. Only the load and the store need i <"
      .. " n.",
    "What does a thread hold up that has no element? Something that no maximum"
      .. " ever takes. 0 is larger than -5.",
    "The smallest int is -2147483647 - 1. An element that is there anyway, such"
      .. " as the last one, x[n - 1], does no harm either.",
  },
  editorial = "One load an element, five shuffles a lane, one store a warp,"
    .. " for full warps and for the last one alike: a lane without an element"
    .. " costs no more than a lane with one. For whole numbers"
    .. " __reduce_max_sync gives the largest in one instruction, from"
    .. " capability 8.0 on. no-fence goes on to the largest of all blocks.",
  mutants = {
    {
      name = "zeros",
      replace = {"-2147483647 - 1", "0"},
      explain = "Threads without an element hold up a 0, which wins against"
        .. " negative elements.",
    },
    {
      name = "minus-one",
      replace = {"-2147483647 - 1", "-1"},
      explain = "Threads without an element hold up a -1, which wins against"
        .. " smaller elements.",
    },
    {
      name = "not-low-enough",
      replace = {"-2147483647 - 1", "-1000000"},
      explain = "Minus a million is not the smallest int: elements below it"
        .. " lose.",
    },
    {
      name = "left-early",
      replace = {"int largest = i < n ? x[i] : -2147483647 - 1;",
        "if (i >= n) return;\n  int largest = x[i];"},
      explain = "The threads without an element have left, and lanes that stay"
        .. " read from them.",
    },
    {
      name = "no-guard",
      replace = {"i < n ? x[i] : -2147483647 - 1", "x[i]"},
      explain = "Now the threads without an element read past the end of x.",
    },
    {
      name = "agreed-mask",
      replace = {[[int largest = i < n ? x[i] : -2147483647 - 1;
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));]],
        [[unsigned here = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  int largest = x[i];
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(here, largest, far));]]},
      explain = "The mask is right now, but lanes still read from others that"
        .. " it does not name.",
    },
    {
      name = "empty-warps",
      replace = {"i % 32 == 0 && i < n", "i % 32 == 0"},
      explain = "The last block may have warps without any element, for which"
        .. " top has no place.",
    },
    {
      name = "alone",
      breaks = "shuffle",
      replace = {[[int largest = i < n ? x[i] : -2147483647 - 1;
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));]],
        [[int largest = i < n ? x[i] : 0;
  for (int k = i; i % 32 == 0 && k < i + 32 && k < n; k++)
    largest = max(largest, x[k]);]]},
      explain = "Lane 0 reads all elements of its warp itself, one after the"
        .. " other.",
    },
    {
      name = "one-lane-tells",
      breaks = "active_lanes >= 8",
      replace = {[[
  int largest = i < n ? x[i] : -2147483647 - 1;
  for (int far = 16; far > 0; far /= 2)
    largest = max(largest, __shfl_down_sync(0xffffffff, largest, far));]], [[
  int largest = -2147483647 - 1;
  if (i % 32 == 1)
    for (int k = i - 1; k < min(i + 31, n); k++)
      largest = max(largest, x[k]);
  largest = __shfl_sync(0xffffffff, largest, 1);]]},
      explain = "Lane 1 reads all elements of its warp and tells lane 0 the"
        .. " largest; the others have nothing to do.",
    },
  },
}
