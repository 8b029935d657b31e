-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Room for more",
  task = "Make room: each thread finds the number that it sees most often, and"
    .. " at least 90 % of a multiprocessor's warps fit.",
  needs = {"too-many-locals"},
  minutes = 15,
  kernel = "most_often",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"value", "int", "each"},
  },
  reference = "room_for_more",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 100000,
  make = function(case, rng)
    local all = 256 * case.blocks
    local x = rng:ints(all * case.each, 0, case.most or 31)
    if case.equal then x = rng:full(all * case.each, case.equal) end
    for k = 0, case.turns and #x - 1 or -1 do
      x[k] = (k // all * 7 + k) % (case.turns + 1)
    end
    return {x = x, out = all, each = case.each}, {case.blocks, 256}
  end,
  cases = {
    {name = "2 blocks, 40 numbers each", blocks = 2, each = 40},
    {name = "one number each", blocks = 1, each = 1},
    {name = "all 31, 255 times", blocks = 1, each = 255, equal = 31},
    {name = "few kinds", blocks = 1, each = 50, most = 2},
    {name = "each of 32 as often", blocks = 1, each = 64, turns = 31},
    {name = "nearly all alike", blocks = 1, each = 200, most = 1},
    {name = "large", blocks = 5, each = 99, most = 17, hidden = true},
  },
  goal = {"occupancy >= 90", "spill_bytes <= 0"},
  hints = {
    "How many bytes of desk has a block, and for how many blocks is there room?"
      .. " The counter limit_shared says it.",
    "An int holds more than two thousand million. How large can a count become"
      .. " here?",
    "An array of the thread's own would be no desk at all, but its index is"
      .. " computed: it would lie in local memory.",
    "unsigned char holds 0 to 255, and is a quarter of an int.",
  },
  editorial = "The desk has 8192 bytes a block, not 32768, and occupancy goes"
    .. " from 50 to 100 on the virtual GPU. It has a price: four threads share"
    .. " a word now, and a bank, so that there are conflicts (5216 in the"
    .. " first case), where the starter has none. Which weighs more, only a"
    .. " clock can say. Counts above 255 would need a short, and twice the"
    .. " desk.",
  mutants = {
    {
      name = "with-a-sign",
      replace = {"__shared__ unsigned char seen",
        "__shared__ signed char seen"},
      explain = "A signed char holds -128 to 127: from 128 on the count is"
        .. " below 0.",
    },
    {
      name = "in-local-memory",
      breaks = "spill_bytes <= 0",
      replace = {[=[
  __shared__ unsigned char seen[32][256];
  for (int v = 0; v < 32; v++) seen[v][t] = 0;
  for (int k = 0; k < each; k++) seen[x[k * all + first]][t]++;
  int most = 0;
  for (int v = 1; v < 32; v++)
    if (seen[v][t] > seen[most][t]) most = v;]=], [=[
  unsigned char seen[32];
  for (int v = 0; v < 32; v++) seen[v] = 0;
  for (int k = 0; k < each; k++) seen[x[k * all + first]]++;
  int most = 0;
  for (int v = 1; v < 32; v++)
    if (seen[v] > seen[most]) most = v;]=]},
      explain = "The array is the thread's own, and its index is computed: so"
        .. " it lies in local memory.",
    },
    {
      name = "floats",
      breaks = "occupancy >= 90",
      replace = {"__shared__ unsigned char seen", "__shared__ float seen"},
      explain = "A float has four bytes, as an int has.",
    },
    {
      name = "last-of-equals",
      replace = {"seen[v][t] > seen[most][t]", "seen[v][t] >= seen[most][t]"},
      explain = "Of numbers that are equally frequent the least is asked for,"
        .. " and this takes the greatest.",
    },
    {
      name = "not-cleared",
      replace = {"  for (int v = 0; v < 32; v++) seen[v][t] = 0;\n", ""},
      explain = "Nobody has written the counts before the first is added to.",
    },
    {
      name = "one-row-for-all",
      replace = {"seen[x[k * all + first]][t]++",
        "seen[x[k * all + first]][0]++"},
      explain = "All threads count in the same column, and in each other's"
        .. " way.",
    },
    {
      name = "last-kind-missing",
      replace = {"int v = 1; v < 32;", "int v = 1; v < 31;"},
      explain = "31 is never asked how often it was seen.",
    },
    {
      name = "own-piece",
      replace = {"x[k * all + first]", "x[first * each + k]"},
      explain = "Thread t's numbers are x[t], x[t + all] and so on, and not a"
        .. " piece of x of its own.",
    },
    {
      name = "least-often",
      replace = {"seen[v][t] > seen[most][t]", "seen[v][t] < seen[most][t]"},
      explain = "That is the number which was seen least often.",
    },
  },
}
