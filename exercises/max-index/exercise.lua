-- SPDX-License-Identifier: Apache-2.0
return {
  title = "The largest, and where",
  task = "best[0] = the largest element of x times 2^32, plus 2^32 - 1 minus"
    .. " the first index where it is.",
  needs = {"lost-updates"},
  minutes = 15,
  kernel = "max_index",
  signature = {
    {"in", "const int *", "x"},
    {"inout", "unsigned long long *", "best"},
    {"value", "int", "n"},
  },
  reference = "max_index",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 2000000,
  make = function(case, rng)
    local block = case.block or 128
    return {
      x = rng:ints(case.n, 0, case.top or 1000000), best = rng:full(1, 0),
      n = case.n,
    }, {(case.n + block - 1) // block, block}
  end,
  cases = {
    {name = "500 numbers", n = 500},
    {name = "one number", n = 1},
    {name = "the largest occurs often", n = 700, top = 3},
    {name = "all zeros", n = 300, top = 0},
    {name = "1009 numbers, blocks of 64", n = 1009, block = 64},
    {name = "2^20 is near", n = 257, top = 1048575},
    {name = "large", n = 30011, top = 5000, hidden = true},
  },
  requires = {"atomics"},
  goal = {{"active_lanes >= 8", cases = {"500 numbers"}}},
  hints = {
    "Two atomics, one for the number and one for the index, are two steps:"
      .. " another thread comes between. Both have to be in one number.",
    "Of two packed numbers the larger one has the larger upper half. Only when"
      .. " these are equal do the lower halves decide.",
    "An int shifted by 32 is gone: make it an unsigned long long first.",
    "atomicMax(&best[0], value << 32 | place), where place is 0xffffffff - i: a"
      .. " smaller index is a larger place.",
  },
  editorial = "One load and one atomicMax for each element, and all of them at"
    .. " one cell. The winner's place costs nothing, as both halves change in"
    .. " one step. Next: find the largest of a warp or a block first, and go"
    .. " to best once for each block, as the exercise sum does. Numbers below"
    .. " 0 would need another packing, since the upper half is compared"
    .. " without a sign.",
  mutants = {
    {
      name = "check-then-write",
      replace = {"atomicMax(&best[0], value << 32 | place)",
        "if ((value << 32 | place) > best[0]) best[0] = value << 32 | place"},
      explain = "Between the comparison and the write another thread may have"
        .. " written something larger: atomicMax is one step.",
    },
    {
      name = "last-index",
      replace = {"0xffffffffu - i", "i"},
      explain = "With i itself in the lower half the largest index wins, and it"
        .. " is not subtracted from 0xffffffff.",
    },
    {
      name = "value-alone",
      replace = {"value << 32 | place", "value"},
      explain = "Only the number is kept; where it is has to be in the lower"
        .. " half.",
    },
    {
      name = "halves-exchanged",
      replace = {"value << 32 | place",
        "(unsigned long long)place << 32 | value"},
      explain = "With the place in the upper half the first element wins,"
        .. " whatever its number: the upper half decides.",
    },
    {
      name = "narrow-shift",
      replace = {"unsigned long long value = x[i]", "unsigned value = x[i]"},
      explain = "The upper half is 0. The number goes there as an unsigned long"
        .. " long: one of 32 bits, shifted by 32, is gone.",
    },
    {
      name = "sign-of-the-place",
      replace = {"value << 32 | place)", "value << 32 | ~i)"},
      explain = "~i is an int below 0. Made 64 bits wide, its upper half is all"
        .. " ones, whatever the number was: the place has to be unsigned.",
    },
    {
      name = "no-guard",
      replace = {"if (i >= n) return;", ""},
      explain = "Threads without an element read past the end of x.",
    },
    {
      name = "first-element-out",
      replace = {"if (i >= n) return;", "if (i >= n || i == 0) return;"},
      explain = "The first element is left out; it may be the largest.",
    },
    {
      name = "smallest",
      replace = {"atomicMax", "atomicMin"},
      explain = "best[0] keeps the 0 that it begins with: whatever is larger"
        .. " has to take its place, by atomicMax.",
    },
    {
      name = "one-thread",
      breaks = "atomics",
      replace = {"  if (i >= n) return;\n  unsigned long long value = x[i];\n"
        .. "  unsigned place = 0xffffffffu - i;\n"
        .. "  atomicMax(&best[0], value << 32 | place);",
        "  if (i > 0) return;\n  int at = 0;\n"
        .. "  for (int k = 1; k < n; k++)\n    if (x[k] > x[at]) at = k;\n"
        .. "  best[0] = (unsigned long long)x[at] << 32 | (0xffffffffu - at);"},
      explain = "One thread looks at all the numbers while the others have"
        .. " nothing to do.",
    },
    {
      name = "one-thread",
      breaks = "active_lanes >= 8",
      replace = {[[
  if (i >= n) return;
  unsigned long long value = x[i];
  unsigned place = 0xffffffffu - i;
  atomicMax(&best[0], value << 32 | place);]], [[
  if (threadIdx.x > 0) return;
  unsigned long long most = 0;
  for (int end = min(i + blockDim.x, n); i < end; i++) {
    unsigned long long value = x[i];
    unsigned place = 0xffffffffu - i;
    most = max(most, value << 32 | place);
  }
  atomicMax(&best[0], most);]]},
      explain = "The first thread of each block looks at all of its numbers,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
