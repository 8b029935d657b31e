-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "A ring of workers",
  task = "ring(lists): the sum of all rows for every worker, handed round a"
    .. " ring piece by piece, all at once, so that no door is crowded.",
  needs = {"missing-wait"},
  minutes = 25,
  kernels = "kernels.cu",
  entry = "ring",
  signature = {
    {"in", "f32[]", "lists"},
    {"out", "f32[]", "sums"},
    {"out", "i32[]", "sent"},
    {"out", "i32[]", "got"},
  },
  reference = function(args)
    local W = #args.sent
    local n = #args.lists // W
    for i = 0, n - 1 do
      local sum = 0
      for w = 0, W - 1 do sum = sum + args.lists[w * n + i] end
      for w = 0, W - 1 do args.sums[w * n + i] = sum end
    end
    for w = 0, W - 1 do
      args.sent[w] = 2 * (W - 1) * (n // W)
      args.got[w] = args.sent[w]
    end
  end,
  tolerance = {ulp = 0, reason = "multiples of 1/64 below 100: sums of ten are"
    .. " exact in a float, in any order"},
  make = function(case, rng)
    local W, n = case.workers, case.workers * case.size
    return {lists = rng:steps(W * n, -100, 100, 1 / 64), sums = W * n, sent = W,
            got = W},
      {lists = {W, n}, sums = {W, n}}
  end,
  cases = {
    {name = "4 workers", workers = 4, size = 300},
    {name = "2 workers", workers = 2, size = 129},
    {name = "3 workers, one number a piece", workers = 3, size = 1},
    {name = "one worker", workers = 1, size = 40},
    {name = "7 workers", workers = 7, size = 128, hidden = true},
  },
  goal = {
    {"chain <= 12", cases = {"4 workers"}},
    {"chain <= 18", cases = {"7 workers"}},
  },
  hints = {
    "In step 0 worker w hands on piece w. In step 1 it hands on the piece that"
      .. " it has just got, which is w - 1: its own share is in it already.",
    "So in any step worker w hands on piece (w - step) % W, to (w + 1) % W."
      .. " After W - 1 steps each has one piece that is finished, and the same"
      .. " rule hands the finished ones on: the second round differs in"
      .. " is_added alone.",
    "What worker w hands on came from its left neighbour, (w - 1) % W, on that"
      .. " one's stream. Record an event behind each hand, and let the right"
      .. " one wait.",
    "From step 1 on: stream[w]:wait(done[(w - 1) % W]) for all workers, before"
      .. " any of this step's hands records its event anew.",
  },
  editorial = "2 (W - 1) steps of W launches: 24 for 4 workers, in a chain of"
    .. " 12, of which 6 are copies. Less than two rows go out of each door."
    .. " The host waits once. For many workers and short rows the number of"
    .. " steps is what takes long: a tree has fewer. Lesson 48-many-gpus says"
    .. " what libraries choose.",
  mutants = {
    {
      name = "nobody-waits",
      replace = {"if step > 0 then", "if false then"},
      explain = "A worker hands on what its neighbour may not have brought"
        .. " yet.",
    },
    {
      name = "waits-for-the-right",
      replace = {"done[(w - 1) % W]", "done[(w + 1) % W]"},
      explain = "The piece comes from the left neighbour: that one has to be"
        .. " waited for.",
    },
    {
      name = "host-waits",
      breaks = "chain <= 12",
      replace = {"step < W - 1 and 1 or 0)\n",
        "step < W - 1 and 1 or 0)\n      cuda.synchronize()\n"},
      explain = "The host waits for each hand before the next one: they go one"
        .. " after the other, and not at once.",
    },
    {
      name = "one-after-the-other",
      breaks = "chain <= 18",
      replace = {"      if step > 0 then stream[w]:wait(done[(w - 1) % W])"
        .. " end\n    end\n    for w = 0, W - 1 do\n",
        "      if step + w > 0 then"
        .. " stream[w]:wait(done[(w - 1) % W]) end\n"},
      explain = "Each waits for what its neighbour does in this same step: the"
        .. " hands go one after the other, round the ring.",
    },
    {
      name = "same-piece",
      replace = {"(w - step) % W", "w"},
      explain = "Each worker hands on its own piece again and again. The one"
        .. " that it has just got is to go on.",
    },
    {
      name = "against-the-ring",
      replace = {"(w - step) % W", "(w + step) % W"},
      explain = "In step 1 worker w has got piece w - 1, not w + 1.",
    },
    {
      name = "always-added",
      replace = {"step < W - 1 and 1 or 0", "1"},
      explain = "In the second round the pieces are finished: added once more"
        .. " they become too large.",
    },
    {
      name = "one-step-too-many",
      replace = {"step < W - 1 and 1 or 0", "step <= W - 1 and 1 or 0"},
      explain = "The first round has W - 1 steps. In the next one a finished"
        .. " piece is added to another one.",
    },
    {
      name = "half-way",
      replace = {"2 * W - 3", "W - 2"},
      explain = "After the first round each worker has one finished piece, and"
        .. " the others have not seen it yet.",
    },
  },
}
