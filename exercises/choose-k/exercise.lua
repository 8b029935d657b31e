-- SPDX-License-Identifier: Apache-2.0
-- Points around `planted` middles. An attempt with as many groups is the
-- planted one; with fewer, neighbours in the row of middles are put together;
-- with more, the first ones are parted into halves, point by point in turns.
local function groups_of(case, k)
  local planted = case.planted
  return function(i)
    local own = i % planted
    if k <= planted then return own * k // planted end
    local halves = k - planted
    return own < halves and i // planted % 2 == 1 and planted + own or own
  end
end

local function distance_of(x, d, i, j)
  local sum = 0
  for c = 0, d - 1 do sum = sum + (x[i * d + c] - x[j * d + c]) ^ 2 end
  return math.sqrt(sum)
end

-- The silhouette of point i: sum and size of each group are asked.
local function silhouette(args, n, d, k, r, i)
  local sum, size = {}, {}
  for g = 0, k - 1 do sum[g], size[g] = 0, 0 end
  for j = 0, n - 1 do
    local g = args.labels[r * n + j]
    sum[g] = sum[g] + distance_of(args.x, d, i, j)
    size[g] = size[g] + 1
  end
  local own = args.labels[r * n + i]
  local a, b = sum[own] / (size[own] - 1), math.huge
  for g = 0, k - 1 do
    if g ~= own then b = math.min(b, sum[g] / size[g]) end
  end
  return (b - a) / math.max(a, b)
end

return {
  kind = "lua",
  title = "How many groups",
  task = "choose_k(x, labels): the mean silhouette of each attempt at grouping"
    .. " the points, and the number of groups of the best.",
  minutes = 30,
  entry = "choose_k",
  signature = {
    {"in", "f64[]", "x"},
    {"in", "i32[]", "labels"},
    {"out", "f64[]", "scores"},
    {"out", "i32", "best"},
  },
  reference = function(args)
    local attempts = #args.scores
    local n = #args.labels // attempts
    local d = #args.x // n
    local best = 0
    for r = 0, attempts - 1 do
      local total = 0
      for i = 0, n - 1 do
        total = total + silhouette(args, n, d, r + 2, r, i)
      end
      args.scores[r] = total / n
      if args.scores[r] > args.scores[best] then best = r end
    end
    args.best[0] = best + 2
  end,
  tolerance = {
    abs = 1e-9,
    reason = "sums of at most 150 distances in f64, each off by 2^-52 of"
      .. " itself, in any order: a silhouette is at most 1 and off by less than"
      .. " 1e-12",
  },
  make = function(case, rng)
    local n, d, m = case.n, case.d, case.attempts
    local x = rng:floats(n * d, -1, 1)
    local labels = rng:full(m * n, 0)
    for i = 0, n - 1 do
      local own = i % case.planted
      for c = 0, d - 1 do
        x[i * d + c] = x[i * d + c] + (c == 0 and 8 or 3 * (own % 2)) * own
      end
      for r = 0, m - 1 do labels[r * n + i] = groups_of(case, r + 2)(i) end
    end
    return {x = x, labels = labels, scores = m},
      {x = {n, d}, labels = {m, n}}
  end,
  cases = {
    {name = "3 planted groups, 4 attempts", n = 60, d = 2, planted = 3,
      attempts = 4},
    {name = "two groups", n = 20, d = 3, planted = 2, attempts = 2},
    {name = "one attempt", n = 8, d = 2, planted = 2, attempts = 1},
    {name = "one coordinate", n = 30, d = 1, planted = 3, attempts = 3},
    {name = "4 planted groups", n = 80, d = 4, planted = 4, attempts = 5},
    {name = "the last attempt is best", n = 50, d = 2, planted = 5,
      attempts = 4},
    {name = "large", n = 150, d = 3, planted = 4, attempts = 5, hidden = true},
  },
  hints = {
    "The distances are needed once, whatever the attempt: of shape (n, n), from"
      .. " np.expand_dims(x, 1) - np.expand_dims(x, 0).",
    "For an attempt with k groups, np.equal of its labels, as a column, and of"
      .. " np.arange(k), as a row, says who is in which group: (n, k). The"
      .. " matrix product of the distances with it is the sum of the distances"
      .. " from each point to each group.",
    "A point's distance to itself is 0 and does not count: divide the sum of"
      .. " its own group by the size less one, the others by their sizes.",
    "np.where(is_in, math.huge, means) keeps its own group out of the minimum.",
  },
  editorial = "The distances are computed once, n * n of them, from an array of"
    .. " n * n * d differences; each attempt is then a product of matrices,"
    .. " O(n n k), and no loop over points. Memory ends it first: with a"
    .. " million points nobody keeps n * n numbers. Then take some of the"
    .. " points, or compare each with the groups' middles, n * k numbers.",
  mutants = {
    {
      name = "itself-counted",
      replace = {"(np.take(size, labels[r]) - 1)", "np.take(size, labels[r])"},
      explain = "A point is no other point of its group: the sum is divided by"
        .. " the size less one.",
    },
    {
      name = "own-group-too",
      replace = {"np.where(is_in, math.huge, sums / size)", "sums / size"},
      explain = "The least mean distance is taken over all groups, its own"
        .. " among them, which is nearly always the nearest.",
    },
    {
      name = "all-others-together",
      replace = {"np.min(np.where(is_in, math.huge, sums / size), 1)",
        "np.sum(np.where(is_in, 0, sums), 1) / (n - np.take(size, labels[r]))"},
      explain = "b is the mean distance to the nearest other group, not to all"
        .. " others together.",
    },
    {
      name = "squared-distances",
      replace = {"np.sqrt(np.sum(apart * apart, 2))",
        "np.sum(apart * apart, 2)"},
      explain = "The silhouette is made of distances, and these are their"
        .. " squares.",
    },
    {
      name = "not-divided",
      replace = {"(b - a) / np.maximum(a, b)", "(b - a)"},
      explain = "The difference is to be divided by the larger of the two.",
    },
    {
      name = "place-not-number",
      replace = {"np.argmax(scores) + 2", "np.argmax(scores)"},
      explain = "This is the place of the best attempt; attempt 0 has 2"
        .. " groups.",
    },
    {
      name = "worst",
      replace = {"np.argmax(scores)", "np.argmin(scores)"},
      explain = "This is the attempt with the lowest score.",
    },
  },
}
