-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Which way round",
  task = "which_way(bytes, W, start, speed): what an all-reduce costs by a ring"
    .. " and by a tree, and which is quicker.",
  minutes = 15,
  entry = "which_way",
  signature = {
    {"in", "f64[]", "bytes"},
    {"value", "i32", "W"},
    {"value", "f64", "start"},
    {"value", "f64", "speed"},
    {"out", "f64[]", "ring"},
    {"out", "f64[]", "tree"},
    {"out", "i32[]", "way"},
  },
  reference = function(args)
    local W, rounds, reach = args.W, 0, 1
    while reach < W do rounds, reach = rounds + 1, 2 * reach end
    for i = 0, #args.bytes - 1 do
      local n, ring, tree = args.bytes[i], 0, 0
      for _ = 1, 2 * (W - 1) do
        ring = ring + args.start + n / W / args.speed
      end
      for _ = 1, 2 * rounds do tree = tree + args.start + n / args.speed end
      args.ring[i], args.tree[i] = ring, tree
      args.way[i] = ring > tree and 1 or 0
    end
  end,
  tolerance = {rel = 1e-12, reason = "a product in place of a sum of at most"
    .. " 126 equal terms: each addition is off by 2^-53 at most"},
  make = function(case, rng)
    local bytes = rng:ints(case.n, 1, case.most)
    for i, b in ipairs(case.given or {}) do bytes[i - 1] = b end
    return {bytes = bytes, W = case.workers, start = case.start,
            speed = case.speed, ring = case.n, tree = case.n, way = case.n}
  end,
  cases = {
    {name = "8 workers", n = 6, workers = 8, start = 10, speed = 10000,
      most = 400000, given = {8, 8000000, 190000}},
    {name = "5 workers", n = 6, workers = 5, start = 4, speed = 500,
      most = 9000},
    {name = "two workers", n = 4, workers = 2, start = 3, speed = 100,
      most = 5000},
    {name = "no start", n = 3, workers = 6, start = 0, speed = 8, most = 100},
    {name = "one worker", n = 3, workers = 1, start = 7, speed = 10, most = 90},
    {name = "many", n = 40, workers = 61, start = 12.5, speed = 300,
      most = 60000, hidden = true},
  },
  hints = {
    "A step's time is start + bytes / speed, and steps come one after the"
      .. " other: times the number of steps.",
    "Of 5 workers, 3 are left after a round, then 2, then 1: half of them,"
      .. " rounded up. Count the rounds in a loop.",
    "Lists are added and compared as a whole: ring > tree is np.greater(ring,"
      .. " tree), and :astype(\"i32\") makes 0 and 1 of it.",
  },
  editorial = "Short lists pay for steps, and a tree has few; long lists pay"
    .. " for bytes, and in the ring no worker sends more than two lists,"
    .. " however many there are. Libraries have a third way between them:"
    .. " halves, then quarters, to partners ever nearer, which has the tree's"
    .. " steps and the ring's bytes. (Rabenseifner's way.)",
  mutants = {
    {
      name = "whole-list",
      replace = {"bytes / W / speed", "bytes / speed"},
      explain = "In a step of the ring each worker hands on one piece of W, not"
        .. " its whole list.",
    },
    {
      name = "one-way-ring",
      replace = {"2 * (W - 1)", "(W - 1)"},
      explain = "That is half of the ring's way: after W - 1 steps each worker"
        .. " has one finished piece, and the pieces go round once more.",
    },
    {
      name = "once-too-often",
      replace = {"2 * (W - 1)", "2 * W"},
      explain = "The ring has W - 1 steps in each round, for a piece has its"
        .. " first worker's share already.",
    },
    {
      name = "one-way-tree",
      replace = {"2 * rounds", "rounds"},
      explain = "That is the tree's way up alone. The result has to come down"
        .. " again, to all.",
    },
    {
      name = "rounded-down",
      replace = {"(left + 1) // 2", "left // 2"},
      explain = "Of an odd number of workers one has nobody to give to, and"
        .. " stays: half, rounded up, are left.",
    },
    {
      name = "one-start",
      replace = {"2 * (W - 1) * (start + bytes / W / speed)",
        "start + 2 * (W - 1) * bytes / W / speed"},
      explain = "Each step is a message of its own, and pays its own start.",
    },
    {
      name = "the-slower",
      replace = {"np.greater(ring, tree)", "np.less(ring, tree)"},
      explain = "way is 1 where the tree is quicker, and so where the ring"
        .. " takes longer.",
    },
    {
      name = "tie-to-the-tree",
      replace = {"np.greater(ring, tree)", "np.greater_equal(ring, tree)"},
      explain = "Where both take the same time, the ring is to be named.",
    },
  },
}
