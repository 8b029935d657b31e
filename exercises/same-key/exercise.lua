-- SPDX-License-Identifier: Apache-2.0
return {
  title = "The same key",
  task = "Find, for each row, the last row with its key, by a hash table: write"
    .. " insert.",
  needs = {"histogram"},
  minutes = 30,
  kernels = {
    {name = "insert", signature = {
      {"in", "const int *", "keys"},
      {"inout", "int *", "table"},
      {"out", "int *", "cell"},
      {"value", "int", "n"},
      {"value", "int", "bits"},
    }},
    {name = "look", signature = {
      {"in", "const int *", "table"},
      {"in", "const int *", "cell"},
      {"out", "int *", "last"},
      {"value", "int", "n"},
    }},
  },
  signature = {
    {"in", "const int *", "keys"},
    {"out", "int *", "last"},
    {"scratch", "int *", "table"},
    {"scratch", "int *", "cell"},
    {"value", "int", "n"},
    {"value", "int", "bits"},
  },
  launches = function(args, kernels, case)
    local block = case.block or 128
    local blocks = blocks_for(args.n, block)
    args.table:fill(-1)
    kernels.insert[{blocks, block}](args.keys, args.table, args.cell, args.n,
      args.bits)
    kernels.look[{blocks, block}](args.table, args.cell, args.last, args.n)
  end,
  reference = "same_key",
  tolerance = {ulp = 0, reason = "numbers of rows"},
  budget = 400000,
  make = function(case, rng)
    local keys = rng:ints(case.n, case.low or 0, case.most)
    for i = 0, case.n - 1 do
      keys[i] = keys[i] * (case.step or 1)
      if case.distinct then keys[i] = i * case.distinct end
    end
    return {
      keys = keys, last = case.n, table = 1 << case.bits, cell = case.n,
      n = case.n, bits = case.bits,
    }
  end,
  cases = {
    {name = "300 rows of 40 keys", n = 300, most = 39, bits = 9},
    {name = "one row", n = 1, most = 9, bits = 1},
    {name = "all of one key", n = 200, most = 0, bits = 4},
    {name = "no two alike", n = 200, most = 1, distinct = 1, bits = 9},
    {name = "keys below zero", n = 250, low = -50, most = -1, bits = 8},
    {name = "-1 is a key, too", n = 64, low = -1, most = 0, bits = 3},
    {name = "keys far apart", n = 300, most = 99, step = 1048576, bits = 9},
    {name = "a table that is full in the end", n = 128, most = 1,
      distinct = 77, bits = 7, block = 32},
    {name = "large", n = 3001, low = -700, most = 700, bits = 12, block = 96,
      hidden = true},
  },
  requires = {{"min_threads = 32", kernel = "insert"}},
  hints = {
    "atomicCAS(&table[at], -1, i) puts i there if the cell is free, and gives"
      .. " back what was there before, in one step.",
    "It gave back -1: the cell is yours. It gave back a row: compare keys[row]"
      .. " with your own key.",
    "Another key: go on to the next cell, at = (at + 1) & (m - 1), which comes"
      .. " from the last cell to the first.",
    "The same key: the cell is to hold the last of its rows, and atomicMax"
      .. " keeps the higher number.",
  },
  editorial = "One compare-and-swap a row where the table is half empty, and a"
    .. " few more where keys crowd. All rows of one key meet in one cell, and"
    .. " wait. With a number for each cell this is groupby; with the rows of a"
    .. " second table that look here and insert nothing it is a join. frame"
    .. " does both so.",
  mutants = {
    {
      name = "first-row",
      replace = {"atomicMax(&table[at], i);", "atomicMin(&table[at], i);"},
      explain = "That is the first row with the key. The last one has the"
        .. " highest number: atomicMax.",
    },
    {
      name = "whoever-came",
      replace = {[[
    if (keys[row] == keys[i]) {
      atomicMax(&table[at], i);
      break;
    }]], [[
    if (keys[row] == keys[i]) break;]]},
      explain = "The cell holds the row that came first in time, whichever that"
        .. " was. The highest number has to win, by atomicMax.",
    },
    {
      name = "no-compare",
      replace = {"keys[row] == keys[i]", "true"},
      explain = "A cell that is taken was taken for one's own, and another key"
        .. " may have it: two keys can have the same home. Compare the keys.",
    },
    {
      name = "not-round",
      replace = {"(at + 1) & ((1 << bits) - 1)", "at + 1"},
      explain = "Behind the table's last cell there is none: go on at cell 0.",
    },
    {
      name = "stays",
      replace = {"at = (at + 1) & ((1 << bits) - 1);", "at = at;"},
      explain = "The cell has another key, and the thread asks it again,"
        .. " forever: go on to the next one.",
    },
    {
      name = "home-noted",
      replace = {"cell[i] = at;", "cell[i] = home(keys[i], bits);"},
      explain = "The key's home was noted. Where another key lives there, its"
        .. " cell is a later one: note where the walk ended.",
    },
    {
      name = "look-then-take",
      replace = {[[
    int row = atomicCAS(&table[at], -1, i);
    if (row == -1) break;]], [[
    int row = table[at];
    if (row == -1) {
      table[at] = i;
      break;
    }]]},
      explain = "Between looking and taking another thread may take the cell:"
        .. " both must be one step, atomicCAS.",
    },
    {
      name = "exchanged",
      replace = {"int row = atomicCAS(&table[at], -1, i);",
        "int row = atomicExch(&table[at], i);"},
      explain = "atomicExch writes in any case, so a row that was there is"
        .. " gone. atomicCAS writes only where the cell is free.",
    },
    {
      name = "one-thread",
      breaks = "insert: min_threads = 32",
      replace = {[[
  if (i >= n) return;
  int at = home(keys[i], bits);
  for (;;) {
    // Of two rows that find a free cell at the same time, one gets it, and the
    // other one is told whose it is.
    int row = atomicCAS(&table[at], -1, i);
    if (row == -1) break;
    if (keys[row] == keys[i]) {
      atomicMax(&table[at], i);
      break;
    }
    at = (at + 1) & ((1 << bits) - 1);
  }
  cell[i] = at;]], [[
  if (threadIdx.x > 0) return;
  for (int last = min(i + (int)blockDim.x, n); i < last; i++) {
    int at = home(keys[i], bits);
    for (;;) {
      int row = atomicCAS(&table[at], -1, i);
      if (row == -1) break;
      if (keys[row] == keys[i]) {
        atomicMax(&table[at], i);
        break;
      }
      at = (at + 1) & ((1 << bits) - 1);
    }
    cell[i] = at;
  }]]},
      explain = "The first thread of each block puts in all of its rows, one"
        .. " after the other.",
    },
  },
}
