-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Two desks",
  task = "Make the kernel fetch each tile by asynchronous copies, while it"
    .. " works on the one before: out[i] = the sum of |x[i] - x[j]| over all"
    .. " j.",
  needs = {"matmul-tiled"},
  minutes = 25,
  kernel = "distances",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"value", "int", "n"},
  },
  reference = "double_buffer",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 200000,
  make = function(case, rng)
    local n, block = case.n, case.block or 64
    local x = case.equal and rng:full(n, 7) or rng:ints(n, -1000, 1000)
    return {x = x, out = n, n = n}, {blocks_for(n, block), block}
  end,
  cases = {
    {name = "4 tiles of 64", n = 256},
    {name = "one tile", n = 64},
    {name = "n=1", n = 1},
    {name = "65: a tile and one element", n = 65},
    {name = "all equal", n = 130, equal = true},
    {name = "3 tiles of 128", n = 384, block = 128},
    {name = "n=509, a prime", n = 509, block = 96},
    {name = "large", n = 1201, block = 256, hidden = true},
  },
  requires = {"shared", "async_copies"},
  goal = {
    -- Room for zeros behind the end, one tile's for each block.
    {"shared_store_requests <= 12",
      cases = {"4 tiles of 64", "3 tiles of 128"}},
    -- the first of its four tiles, which all blocks have to wait for
    {"async_copies_idle <= 256", cases = {"4 tiles of 64"}},
  },
  hints = {
    "__shared__ int desk[2][256]; one is worked at while the other is filled."
      .. " Which tile is on which desk in round 0, 1, 2?",
    "Order tile 0 before the loop. In each round: order the next tile, wait for"
      .. " the one before it, barrier, work, barrier.",
    "__pipeline_memcpy_async(&desk[1 - now][t], &x[next], 4), only if next < n;"
      .. " then __pipeline_commit() in any case.",
    "__pipeline_wait_prior(1) leaves the newest bundle on its way. The last"
      .. " round's bundle is empty, so the number stays 1.",
  },
  editorial = "No store of a thread to shared memory: the tiles come by"
    .. " asynchronous copies, each one round ahead, and only the first is"
    .. " waited for idly. That takes 2 KiB in place of one; two barriers a"
    .. " tile are as before. Next: four elements of x a thread, so that each"
    .. " number of a tile serves four times. three-desks sends for tiles two"
    .. " rounds ahead.",
  mutants = {
    {
      name = "no-wait",
      replace = {"    __pipeline_wait_prior(1);\n", ""},
      explain = "Nobody waits for the copies: the desk is read while they are"
        .. " still on their way.",
    },
    {
      name = "waits-for-one-too-few",
      replace = {"__pipeline_wait_prior(1)", "__pipeline_wait_prior(2)"},
      explain = "wait_prior(2) leaves two bundles on their way, and the tile of"
        .. " this round is in one of them.",
    },
    {
      name = "barrier-before-the-wait",
      replace = {"    __pipeline_wait_prior(1);\n    __syncthreads();",
        "    __syncthreads();\n    __pipeline_wait_prior(1);"},
      explain = "The barrier stands before the wait: it tells others nothing"
        .. " about copies that have not come yet.",
    },
    {
      name = "no-second-barrier",
      replace = {"desk[now][k]);\n    __syncthreads();", "desk[now][k]);"},
      explain = "Without the barrier at the end of a round, a fast thread"
        .. " orders a tile onto the desk at which a slow one still works.",
    },
    {
      name = "one-desk",
      replace = {"&desk[1 - now][t]", "&desk[now][t]"},
      explain = "The next tile is ordered onto the desk at which this round"
        .. " works.",
    },
    {
      name = "commit-in-the-branch",
      replace = {[[
    if (next < n) __pipeline_memcpy_async(&desk[1 - now][t], &x[next], 4);
    __pipeline_commit();]], [[
    if (next < n) {
      __pipeline_memcpy_async(&desk[1 - now][t], &x[next], 4);
      __pipeline_commit();
    }]]},
      explain = "Who orders nothing ties no bundle, and then wait_prior(1)"
        .. " leaves out the very bundle that is needed. An empty one has to be"
        .. " tied.",
    },
    {
      name = "no-guard",
      replace = {"if (next < n) __pipeline", "__pipeline"},
      explain = "The next tile is ordered beyond the end of x, too.",
    },
    {
      name = "full-length",
      replace = {"int length = min(size, n - first);", "int length = size;"},
      explain = "The last tile may be shorter: behind its end the desk holds"
        .. " what was there before.",
    },
    {
      name = "signed",
      replace = {"abs(mine - desk[now][k])", "mine - desk[now][k]"},
      explain = "This is what you get when differences are added with their"
        .. " sign: a distance is never negative.",
    },
    {
      name = "always-the-first",
      replace = {"int next = first + size + t;", "int next = size + t;"},
      explain = "This is what you get when every round orders tile 1 again.",
    },
    {
      name = "by-the-registers",
      breaks = "async_copies",
      replace = {[[
  if (t < n) __pipeline_memcpy_async(&desk[0][t], &x[t], 4);
  __pipeline_commit();
  for (int first = 0, now = 0; first < n; first += size, now = 1 - now) {
    int next = first + size + t;
    if (next < n) __pipeline_memcpy_async(&desk[1 - now][t], &x[next], 4);]], [[
  if (t < n) desk[0][t] = x[t];
  for (int first = 0, now = 0; first < n; first += size, now = 1 - now) {
    int next = first + size + t;
    if (next < n) desk[1 - now][t] = x[next];]]},
      explain = "There are two desks, and each tile comes by way of the"
        .. " threads' registers.",
    },
    {
      name = "the-second-half-by-registers",
      breaks = "shared_store_requests <= 12",
      replace = {[[
    if (next < n) __pipeline_memcpy_async(&desk[1 - now][t], &x[next], 4);]], [[
    if (next < n) desk[1 - now][t] = x[next];]]},
      explain = "The first tile is sent for, all others come by way of the"
        .. " threads' registers.",
    },
    {
      name = "waits-at-once",
      breaks = "async_copies_idle <= 256",
      replace = {"__pipeline_wait_prior(1)", "__pipeline_wait_prior(0)"},
      explain = "Each tile is waited for as soon as it is ordered, and nothing"
        .. " is worked on meanwhile.",
    },
    {
      name = "without-desks",
      breaks = "shared",
      replace = {"sum += abs(mine - desk[now][k])",
        "sum += abs(mine - x[first + k])"},
      explain = "The tiles are sent for, and the sum reads x itself.",
    },
  },
}
