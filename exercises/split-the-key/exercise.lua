-- SPDX-License-Identifier: Apache-2.0
-- How far from n / 6 a count may be: six deviations, sqrt(5 n) / 6 each. One in
-- 500 million is farther, and each submission has its own. Of 36 throws 6 are
-- doubles, and 6 have ten or more: 4 6, 5 5, 6 4, 5 6, 6 5, 6 6.
local function allowed(n)
  return {abs = 6 * math.sqrt(5 * n) / 6, reason = "six deviations of a"
    .. " binomial count: of n throws each counts with 1/6"}
end

local function case(n, hidden)
  return {name = ("n=%d"):format(n), n = n, hidden = hidden,
          tolerance = allowed(n)}
end

return {
  kind = "lua",
  title = "Split the key",
  task = "doubles(seed, n): of n throws of two dice, how many are doubles, and"
    .. " how many have ten or more. The starter's dice always agree; mend"
    .. " that.",
  minutes = 5,
  entry = "doubles",
  signature = {
    {"value", "i32", "seed"},
    {"value", "i32", "n"},
    {"out", "f64", "count"},
    {"out", "f64", "high"},
  },
  reference = function(args)
    args.count[0], args.high[0] = args.n / 6, args.n / 6
  end,
  tolerance = allowed(6000),
  make = function(c, rng)
    return {seed = rng:ints(1, 0, 1000000)[0], n = c.n}
  end,
  cases = {case(6000), case(60000), case(24000), case(90000, true)},
  hints = {
    "Look at a and b themselves, with n = 10. The same function, the same key,"
      .. " the same shape: the same numbers.",
    "A key is used once. jax.random.split makes two of one.",
    "k1, k2 = table.unpack(jax.random.split(key)): one for each die.",
  },
  editorial = "One split, two draws of n numbers each, and two sums: O(n),"
    .. " without a loop. Each key is used once, so the same seed gives the"
    .. " same throws again. Three dice would take jax.random.split(key, 3)."
    .. " For keys that are numbered, one for each step of a loop,"
    .. " jax.random.fold_in makes a key of a key and a number.",
  mutants = {
    {
      name = "same-part",
      replace = {"randint(k2", "randint(k1"},
      explain = "All throws are doubles: the two dice are one throw, or were"
        .. " drawn with one key.",
    },
    {
      name = "same-key",
      replace = {"local k1, k2 = table.unpack(jax.random.split(key))",
        "local k1, k2 = key, key"},
      explain = "All throws are doubles: the two dice are one throw, or were"
        .. " drawn with one key.",
    },
    {
      name = "twelve-faces",
      replace = {"randint(k2, {n}, 1, 7)", "randint(k2, {n}, 1, 13)"},
      explain = "One of the dice has more faces than the other: 1 to 6 are"
        .. " drawn by 1, 7.",
    },
    {
      name = "another-die",
      replace = {"randint(k2, {n}, 1, 7)",
        "randint(k2, {n}, 1, 7) + 1"},
      explain = "One of the dice has the faces 2 to 7.",
    },
    {
      name = "shared-throw",
      replace = {"local b = jax.random.randint(k2, {n}, 1, 7)",
        "local b = a"},
      explain = "All throws are doubles: the two dice are one throw, or were"
        .. " drawn with one key.",
    },
  },
}
