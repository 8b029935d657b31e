-- SPDX-License-Identifier: Apache-2.0
-- The right table's rows by key, and where each left row's rows begin.
local function tables_of(case, rng)
  local key = rng:ints(case.n, 0, (case.used or case.keys) - 1)
  local of = rng:ints(math.max(case.m, 1), case.from or 0, case.keys - 1)
  local start, count = rng:full(case.keys, 0), rng:full(case.keys, 0)
  local order, at = rng:full(math.max(case.m, 1), 0), rng:full(case.n + 1, 0)
  for j = 0, case.m - 1 do
    if case.one then of[j] = case.one end
    count[of[j]] = count[of[j]] + 1
  end
  for c = 1, case.keys - 1 do start[c] = start[c - 1] + count[c - 1] end
  local next_place = {}
  for c = 0, case.keys - 1 do next_place[c] = start[c] end
  for j = 0, case.m - 1 do
    order[next_place[of[j]]] = j
    next_place[of[j]] = next_place[of[j]] + 1
  end
  for i = 0, case.n - 1 do
    if case.one and i % 5 == 2 then key[i] = case.one end
    at[i + 1] = at[i] + math.max(count[key[i]], 1)
  end
  return key, start, count, order, at
end

return {
  title = "The rows of a join",
  task = "Each thread makes one row of a left join's result: it finds its left"
    .. " row, and which of that row's partners is its own.",
  needs = {"vector-add"},
  minutes = 20,
  kernel = "joined_rows",
  signature = {
    {"in", "const int *", "key"},
    {"in", "const int *", "start"},
    {"in", "const int *", "count"},
    {"in", "const int *", "order"},
    {"in", "const int *", "at"},
    {"out", "int *", "left"},
    {"out", "int *", "right"},
    {"value", "int", "n"},
  },
  reference = "joined_rows",
  tolerance = {ulp = 0, reason = "numbers of rows"},
  budget = 40000,
  make = function(case, rng)
    local key, start, count, order, at = tables_of(case, rng)
    local total = math.tointeger(at[case.n])
    return {
      key = key, start = start, count = count, order = order, at = at,
      left = total, right = total, n = case.n,
    }, {blocks_for(total, case.block or 128), case.block or 128}
  end,
  cases = {
    {name = "100 rows and 60 rows, 20 keys", n = 100, m = 60, keys = 20},
    {name = "one row each", n = 1, m = 1, keys = 1},
    {name = "each key once on the right", n = 150, m = 12, keys = 12, used = 6},
    {name = "nothing on the right", n = 70, m = 0, keys = 5},
    {name = "no partner for anybody", n = 80, m = 30, keys = 10, used = 5,
      from = 5},
    {name = "one key with all right rows", n = 40, m = 60, keys = 9, one = 4},
    {name = "one left row, many partners", n = 1, m = 700, keys = 1,
      block = 96},
    {name = "large", n = 500, m = 300, keys = 77, block = 64, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "at is sorted. The left row of result row r is the last i with at[i] <= r.",
    "Look for it by halves: with low and high around it, ask for at[middle],"
      .. " and go on in the half where it must be.",
    "r - at[i] is the how-manieth row of left row i this is, from 0 on: its"
      .. " right row is order[start[c] + r - at[i]], with c = key[i].",
    "A left row without partners has one row, too, with -1 on the right.",
  },
  editorial = "About log2(n) loads of at for each row of the result, in which"
    .. " lanes side by side mostly agree. One thread for each left row needs no"
    .. " search, and where one key has a thousand partners its warp waits for"
    .. " that one thread: frame does it so, and is slow there.",
  mutants = {
    {
      name = "first-not-last",
      replace = {"at[middle] <= r", "at[middle] < r"},
      explain = "Where a left row's first row stands, at[i] is equal to r: that"
        .. " one counts as well.",
    },
    {
      name = "always-first-partner",
      replace = {"order[start[c] + r - at[low]]", "order[start[c]]"},
      explain = "Each row got the first partner. A left row comes once with"
        .. " each of its partners: r - at[i] says with which one.",
    },
    {
      name = "without-order",
      replace = {"order[start[c] + r - at[low]]", "start[c] + r - at[low]"},
      explain = "That is the place in order, and not the row that stands"
        .. " there.",
    },
    {
      name = "partner-for-nobody",
      replace = {"count[c] > 0 ? order[start[c] + r - at[low]] : -1",
        "order[start[c] + r - at[low]]"},
      explain = "A row without partners is to have -1 on the right.",
    },
    {
      name = "missing-is-zero",
      replace = {": -1;", ": 0;"},
      explain = "0 is the first row of the right table. Nobody is -1.",
    },
    {
      name = "key-for-row",
      replace = {"left[r] = low;", "left[r] = c;"},
      explain = "left is to hold the left row's number; what stands there is"
        .. " its key's.",
    },
    {
      name = "guard-by-n",
      replace = {"if (r >= at[n]) return;", "if (r >= n) return;"},
      explain = "The result has at[n] rows, and not as many as the left table.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[=[
  if (r >= at[n]) return;
  // The last left row whose rows begin at r or before it.
  int low = 0, high = n - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (at[middle] <= r)
      low = middle;
    else
      high = middle - 1;
  }
  int c = key[low];
  left[r] = low;
  right[r] = count[c] > 0 ? order[start[c] + r - at[low]] : -1;]=], [=[
  if (threadIdx.x > 0) return;
  int low = 0, last = min(r + (int)blockDim.x, at[n]);
  for (; r < last; r++) {
    while (low < n - 1 && at[low + 1] <= r) low++;
    int c = key[low];
    left[r] = low;
    right[r] = count[c] > 0 ? order[start[c] + r - at[low]] : -1;
  }]=]},
      explain = "The first thread of each block makes all of its rows.",
    },
  },
}
