-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Only the answer, of two tables",
  task = "top_regions(branch, balance, region, regions, limit, k): the k"
    .. " regions"
    .. " whose accounts above the limit have most together.",
  needs = {"bank"},
  minutes = 20,
  entry = "top_regions",
  signature = {
    {"in", "i32[]", "branch"},
    {"in", "f32[]", "balance"},
    {"in", "i32[]", "region"},
    {"value", "i32", "regions"},
    {"value", "f32", "limit"},
    {"value", "i32", "k"},
    {"out", "f32[]", "sums"},
    {"out", "i32[]", "which"},
  },
  reference = function(args)
    local sum, order = {}, {}
    for r = 0, args.regions - 1 do sum[r], order[r + 1] = 0, r end
    for i = 0, #args.balance - 1 do
      local r = args.region[args.branch[i]]
      if args.balance[i] > args.limit then sum[r] = sum[r] + args.balance[i] end
    end
    table.sort(order, function(a, b)
      if sum[a] ~= sum[b] then return sum[a] > sum[b] end
      return a < b
    end)
    for j = 0, args.k - 1 do
      args.sums[j], args.which[j] = sum[order[j + 1]], order[j + 1]
    end
  end,
  tolerance = {ulp = 0,
    reason = "balances are multiples of 1/4 within 1000, so that sums of 4000"
      .. " of"
      .. " them are exact"},
  make = function(case, rng)
    local last = (case.used or case.regions) - 1
    return {
      branch = rng:ints(case.n, 0, case.branches - 1),
      balance = rng:steps(case.n, case.low or -1000, case.high or 1000, 1 / 4),
      region = rng:ints(case.branches, 0, last), regions = case.regions,
      limit = case.limit, k = case.k, sums = case.k, which = case.k,
    }
  end,
  cases = {
    {name = "the 2 first of 4 regions", n = 30, branches = 7, regions = 4,
      limit = 100, k = 2},
    {name = "one of each", n = 1, branches = 1, regions = 1, limit = -2000,
      k = 1},
    {name = "nobody above the limit", n = 10, branches = 3, regions = 5,
      limit = 2000, k = 3},
    {name = "regions without a branch", n = 12, branches = 4, regions = 9,
      used = 2, limit = 0, k = 6},
    {name = "debts count as well", n = 25, branches = 6, regions = 3,
      limit = -500, k = 3},
    {name = "balances at the limit", n = 60, branches = 5, regions = 3,
      low = 99, high = 101, limit = 100, k = 3},
    {name = "all regions", n = 60, branches = 11, regions = 6, limit = 250,
      k = 6},
    {name = "a large bank", n = 4000, branches = 300, regions = 40, limit = 200,
      k = 10, hidden = true},
  },
  hints = {
    "Join first: region[branch] is the region of each account.",
    "Filter without selecting: jnp.where(balance:gt(limit), balance, 0).",
    "jnp.argsort(-sums) gives the regions with the largest sum first, equal"
      .. " ones"
      .. " in the order in which they stand; [\":\" .. k] takes the first k.",
  },
  editorial = "Each account is looked up, chosen and added once, O(n); then the"
    .. " regions are sorted, and k of them are given back. No table of"
    .. " accounts and branches is made: region[branch] takes from each branch"
    .. " what is needed. For a few of very many regions a search for the k"
    .. " largest would spare the sort.",
  mutants = {
    {
      name = "no-join",
      replace = {"region[branch]", "branch % regions"},
      explain = "The number of a branch is not that of its region:"
        .. " region[branch]"
        .. " says where it lies.",
    },
    {
      name = "no-filter",
      replace = {"jnp.where(balance:gt(limit), balance, 0)", "balance"},
      explain = "All accounts were counted: only those above the limit are to.",
    },
    {
      name = "smallest-first",
      replace = {"jnp.argsort(-sums)", "jnp.argsort(sums)"},
      explain = "argsort puts the smallest first. Sort by -sums to have the"
        .. " largest there.",
    },
    {
      name = "other-side",
      replace = {"balance:gt(limit)", "balance:lt(limit)"},
      explain = "Those are the accounts below the limit.",
    },
    {
      name = "counted-for-summed",
      replace = {"jnp.where(balance:gt(limit), balance, 0)",
        "jnp.where(balance:gt(limit), 1.0, 0)"},
      explain = "That counts the accounts above the limit: their balances are"
        .. " to"
        .. " be added.",
    },
    {
      name = "what-is-over",
      replace = {"jnp.where(balance:gt(limit), balance, 0)",
        "jnp.where(balance:gt(limit), balance - limit, 0)"},
      explain = "What was added is by how much each account is above the limit."
        .. " The whole balance counts.",
    },
  },
}
