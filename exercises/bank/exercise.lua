-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "By name",
  task = "by_holder(holder, balance, holders): for each holder the largest"
    .. " balance, the number of accounts and the mean; zeros for who has none.",
  minutes = 15,
  entry = "by_holder",
  signature = {
    {"in", "i32[]", "holder"},
    {"in", "f32[]", "balance"},
    {"value", "i32", "holders"},
    {"out", "f32[]", "most"},
    {"out", "i32[]", "count"},
    {"out", "f32[]", "mean"},
  },
  reference = function(args)
    local sum = {}
    for h = 0, args.holders - 1 do
      args.most[h], args.count[h], sum[h] = 0, 0, 0
    end
    for i = 0, #args.balance - 1 do
      local h, b = args.holder[i], args.balance[i]
      if args.count[h] == 0 or b > args.most[h] then args.most[h] = b end
      args.count[h] = args.count[h] + 1
      sum[h] = sum[h] + b
    end
    for h = 0, args.holders - 1 do
      args.mean[h] = sum[h] / math.max(args.count[h], 1)
    end
  end,
  tolerance = {ulp = 2,
    reason = "balances are multiples of 1/4 within 1000, so that sums of 3000"
      .. " of"
      .. " them are exact, and a division rounds once"},
  make = function(case, rng)
    local last = (case.used or case.holders) - 1
    return {
      holder = rng:ints(case.n, 0, last),
      balance = rng:steps(case.n, case.low or -1000, case.high or 1000, 1 / 4),
      holders = case.holders, most = case.holders, count = case.holders,
      mean = case.holders,
    }
  end,
  cases = {
    {name = "12 accounts of 4 holders", n = 12, holders = 4},
    {name = "one account", n = 1, holders = 1},
    {name = "all of them in debt", n = 20, holders = 3, low = -1000,
      high = -1},
    {name = "holders without an account", n = 9, holders = 8, used = 3},
    {name = "as many holders as accounts", n = 10, holders = 10},
    {name = "more holders than accounts", n = 5, holders = 40},
    {name = "a large bank", n = 3000, holders = 57, used = 50, hidden = true},
  },
  hints = {
    "The numbers of the holders are the places: array.at[holder]:max(balance)"
      .. " sends each balance to its holder's place.",
    "Begin the maximum with -jnp.inf: with 0, a holder in debt would get 0.",
    "jnp.where(count:gt(0), most, 0) mends those who have no account, and"
      .. " sum / jnp.maximum(count, 1) never divides by 0.",
  },
  editorial = "Three walks over the accounts, for count, largest and sum, each"
    .. " O(n), and results of one number a holder; nothing is sorted. One"
    .. " kernel could do all three in one walk, by atomics: centres adds up"
    .. " so. Accounts sorted by holder would make each holder one stretch,"
    .. " added up in the same order at every run.",
  mutants = {
    {
      name = "begins-with-zero",
      replace = {"jnp.full(holders, -jnp.inf)", "jnp.zeros(holders)"},
      explain = "Where all balances of a holder are debts, the largest is one"
        .. " of them and not 0. Let the maximum begin with minus infinity.",
    },
    {
      name = "infinity-left",
      replace = {"jnp.where(count:gt(0), most, 0), count",
        "most, count"},
      explain = "Whoever has no account still has the minus infinity that the"
        .. " maximum began with: 0 is asked for.",
    },
    {
      name = "last-one",
      replace = {":max(balance)", ":set(balance)"},
      explain = "That is the balance of a holder's last account. The largest is"
        .. " asked for.",
    },
    {
      name = "smallest",
      replace = {"-jnp.inf).at[holder]:max(balance)",
        "jnp.inf).at[holder]:min(balance)"},
      explain = "That is each holder's smallest balance.",
    },
    {
      name = "sum-for-mean",
      replace = {"sum / jnp.maximum(count, 1)", "sum"},
      explain = "The mean is the sum divided by the number of accounts.",
    },
    {
      name = "one-too-many",
      replace = {"jnp.maximum(count, 1)", "(count + 1)"},
      explain = "The sum was divided by one more than there are accounts. To"
        .. " avoid a division by 0, take the larger of the count and 1.",
    },
  },
}
