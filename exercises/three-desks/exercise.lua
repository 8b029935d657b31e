-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Three desks",
  task = "Mend the kernel: tiles are sent for two rounds ahead, onto three"
    .. " desks, and some are read too early, or written over too early.",
  needs = {"double-buffer"},
  minutes = 20,
  kernel = "nearest",
  signature = {
    {"in", "const int *", "x"},
    {"in", "const int *", "mine"},
    {"out", "int *", "out"},
    {"value", "int", "n"},
  },
  reference = "three_desks",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 100000,
  make = function(case, rng)
    local count = 64 * case.blocks
    return {
      x = rng:ints(case.n, -100000, 100000),
      mine = rng:ints(count, -100000, 100000), out = count, n = case.n,
    }, {case.blocks, 64}
  end,
  cases = {
    {name = "7 tiles", n = 448, blocks = 2},
    {name = "one tile", n = 64, blocks = 1},
    {name = "one number", n = 1, blocks = 1},
    {name = "two tiles and one number", n = 129, blocks = 1},
    {name = "three tiles", n = 192, blocks = 1},
    {name = "large", n = 1013, blocks = 3, hidden = true},
  },
  requires = {"async_copies"},
  -- Room for what stands in behind the end, two tiles' for each block.
  goal = {{"shared_store_requests <= 8", cases = {"7 tiles"}}},
  hints = {
    "Read the first finding: which line reads the desk, and what should have"
      .. " been in front of it? Mend that, and judge again.",
    "wait_prior(2) means: all bundles but the newest two. What is the newest"
      .. " bundle in a round that ordered nothing?",
    "First wait for your own copies, then meet the others: the barrier tells"
      .. " others only what was done before it.",
    "Desk (k + 3) % 3 is desk k % 3: in the next round somebody orders a tile"
      .. " for the desk at which you still work.",
  },
  editorial = "768 bytes of shared memory, two tiles on their way, two"
    .. " barriers a tile. The bundle is closed in every round, empty or not,"
    .. " so wait_prior(2) is right to the end. Next: wait and meet first, and"
    .. " then send for the next tile. The barrier shows that all are done with"
    .. " the desk of the round before, and the second barrier is not needed.",
  mutants = {
    {
      name = "commit-in-the-branch",
      replace = {[[
    if (j < n) __pipeline_memcpy_async(&desk[(k + 2) % 3][t], &x[j], 4);
    __pipeline_commit();]], [[
    if (j < n) {
      __pipeline_memcpy_async(&desk[(k + 2) % 3][t], &x[j], 4);
      __pipeline_commit();
    }]]},
      explain = "Who orders nothing ties no bundle, and then the newest two are"
        .. " the very ones that are needed. An empty bundle has to be tied.",
    },
    {
      name = "barrier-before-the-wait",
      replace = {"    __pipeline_wait_prior(2);\n    __syncthreads();",
        "    __syncthreads();\n    __pipeline_wait_prior(2);"},
      explain = "The barrier stands before the wait: it tells others nothing"
        .. " about copies that have not come yet.",
    },
    {
      name = "no-second-barrier",
      replace = {"desk[k % 3][i] - me));\n    __syncthreads();",
        "desk[k % 3][i] - me));"},
      explain = "The next round orders a tile onto the desk at which a slow"
        .. " thread still works.",
    },
    {
      name = "one-more-on-its-way",
      replace = {"__pipeline_wait_prior(2)", "__pipeline_wait_prior(3)"},
      explain = "wait_prior(3) leaves three bundles on their way, and this"
        .. " round's tile is in one of them.",
    },
    {
      name = "no-wait",
      replace = {"    __pipeline_wait_prior(2);\n", ""},
      explain = "Nobody waits for the copies: the desk is read while they are"
        .. " on their way.",
    },
    {
      name = "desk-of-the-next-round",
      replace = {"&desk[(k + 2) % 3][t]", "&desk[(k + 1) % 3][t]"},
      explain = "Desk (k + 1) % 3 holds the next round's tile, or is being"
        .. " filled with it. The tile for round k + 2 goes to desk (k + 2) %"
        .. " 3.",
    },
    {
      name = "one-round-ahead",
      replace = {"int j = 64 * (k + 2) + t;", "int j = 64 * (k + 1) + t;"},
      explain = "Tile k + 1 was ordered a round ago: the one for desk (k + 2) %"
        .. " 3 is tile k + 2.",
    },
    {
      name = "full-tiles",
      replace = {"min(64, n - 64 * k)", "64"},
      explain = "The last tile may have fewer numbers: behind them the desk"
        .. " holds what was there before, or nothing.",
    },
    {
      name = "by-the-registers",
      breaks = "shared_store_requests <= 8",
      replace = {"if (j < n) __pipeline_memcpy_async(&desk[(k + 2) % 3][t],"
        .. " &x[j], 4);", "if (j < n) desk[(k + 2) % 3][t] = x[j];"},
      explain = "The first two tiles are sent for, all others come by way of"
        .. " the threads' registers.",
    },
    {
      name = "without-errands",
      breaks = "async_copies",
      replace = {"abs(desk[k % 3][i] - me)", "abs(x[64 * k + i] - me)"},
      explain = "The tiles are sent for, and the work reads x itself.",
    },
  },
}
