-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "The missing wait",
  task = "Mend missing_wait(x, y): it gives 2 * x + y by luck: two streams, no"
    .. " order between them. Let the device keep the order; the host waits"
    .. " once.",
  minutes = 8,
  kernels = "kernels.cu",
  entry = "missing_wait",
  signature = {
    {"in", "f32[]", "x"},
    {"in", "f32[]", "y"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do args.out[i] = 2 * args.x[i] + args.y[i] end
  end,
  tolerance = {ulp = 0, reason = "multiples of 1/64 below 1000: their sums fit"
    .. " in a float, so nothing is rounded"},
  make = function(case, rng)
    return {x = rng:steps(case.n, -100, 100, 1 / 64),
            y = rng:steps(case.n, -100, 100, 1 / 64), out = case.n}
  end,
  cases = {
    {name = "n=1000", n = 1000},
    {name = "one", n = 1},
    {name = "a block and one", n = 129},
    {name = "many", n = 20000, hidden = true},
  },
  goal = {"synchronizations <= 1"},
  hints = {
    "The message has two lines. Which of the two must come first?",
    "An event is recorded behind the first, on its stream. Who waits for it?",
    "stream:wait(event) holds back what is queued on that stream afterwards.",
    "t:wait(ready), between the record and the sum.",
  },
  editorial = "Two launches, three copies, one event, and the host waits once."
    .. " The chain is 4: x goes in, is doubled, added, and the sum comes out;"
    .. " y travels beside it. An event costs neither a kernel nor a copy, and"
    .. " holds back one stream alone. three-streams has pieces that need no"
    .. " event; graph-of-tasks asks what can begin when.",
  mutants = {
    {
      name = "host-waits",
      replace = {"  t:wait(ready)\n", "  s:synchronize()\n"},
      breaks = "synchronizations <= 1",
      explain = "The host stood still until x was doubled; it could have queued"
        .. " the rest and gone on.",
    },
    {
      name = "recorded-elsewhere",
      replace = {"ready:record(s)", "ready:record(t)"},
      explain = "The event stands behind the work of t, which is not what the"
        .. " sum has to wait for.",
    },
    {
      name = "recorded-too-early",
      replace = {
        "  twice{grid = blocks, block = 128, stream = s}(dx, doubled, n)\n"
          .. "  ready:record(s)\n",
        "  ready:record(s)\n  twice{grid = blocks, block = 128, stream = s}"
          .. "(dx, doubled, n)\n",
      },
      explain = "The event stands before the doubling: it is there as soon as x"
        .. " has arrived.",
    },
    {
      name = "waits-too-late",
      replace = {
        "  t:wait(ready)\n  add{grid = blocks, block = 128, stream = t}"
          .. "(doubled, dy, sum, n)\n",
        "  add{grid = blocks, block = 128, stream = t}(doubled, dy, sum, n)\n"
          .. "  t:wait(ready)\n",
      },
      explain = "The sum was queued before the wait, which holds back only what"
        .. " comes after it.",
    },
    {
      name = "the-other-waits",
      replace = {"t:wait(ready)", "s:wait(ready)"},
      explain = "s waits for itself; the sum is on t.",
    },
    {
      name = "sum-on-the-first",
      replace = {"add{grid = blocks, block = 128, stream = t}",
        "add{grid = blocks, block = 128, stream = s}"},
      explain = "On s the sum waits for the doubling, and no longer for y and"
        .. " for the copy behind it.",
    },
    {
      name = "nobody-waits",
      replace = {"  t:synchronize()\n", ""},
      explain = "The host gives out back while it is still being filled.",
    },
    {
      name = "waits-for-the-first",
      replace = {"t:synchronize()", "s:synchronize()"},
      explain = "The host waits for the doubling, and not for the copy.",
    },
    {
      name = "x-not-doubled",
      replace = {"(doubled, dy, sum, n)", "(dx, dy, sum, n)"},
      explain = "That adds x itself.",
    },
  },
}
