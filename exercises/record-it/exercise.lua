-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "Record it",
  task = "record_it(x, rounds): x after so many rounds of two kernels, recorded"
    .. " once and launched as a graph.",
  minutes = 10,
  kernels = "kernels.cu",
  entry = "record_it",
  signature = {
    {"in", "i32[]", "x"},
    {"value", "i32", "rounds"},
    {"out", "i32[]", "out"},
  },
  reference = function(args)
    local n, from = #args.x, {}
    for i = 0, n - 1 do from[i] = args.x[i] end
    for _ = 1, 2 * args.rounds do
      local to = {}
      for i = 0, n - 1 do to[i] = (5 * from[i] + from[(i + 1) % n]) % 1000 end
      from = to
    end
    for i = 0, n - 1 do args.out[i] = from[i] end
  end,
  tolerance = {ulp = 0, reason = "whole numbers below 6000"},
  make = function(case, rng)
    return {x = rng:ints(case.n, 0, 999), rounds = case.rounds,
      out = case.n}
  end,
  cases = {
    {name = "3 rounds of 500", n = 500, rounds = 3},
    {name = "one round", n = 129, rounds = 1},
    {name = "whole blocks", n = 256, rounds = 2},
    {name = "no round", n = 10, rounds = 0},
    {name = "one number", n = 1, rounds = 4},
    {name = "20 rounds", n = 1009, rounds = 20, hidden = true},
  },
  goal = {"launches <= 0", "graphs <= 1"},
  hints = {
    "s:begin_capture() begins the recording, s:end_capture() ends it and gives"
      .. " the graph.",
    "Record what the starter's loop does in one turn.",
    "Recording runs nothing: also the first round is a launch of the graph.",
    "for _ = 1, rounds do graph:launch(s) end",
  },
  editorial = "One graph of two kernels, as many launches of it as rounds, none"
    .. " of a kernel by itself, and two copies. Each round still brings all"
    .. " numbers from memory and back, twice. Several rounds on one record are"
    .. " fewer launches, with a rest where they do not divide the rounds."
    .. " one-launch needs a single one, if all fits into a block.",
  mutants = {
    {
      name = "no-graph",
      replace = {"  s:begin_capture()\n"
        .. "  mix{grid = blocks, block = 128, stream = s}(a, b, n)\n"
        .. "  mix{grid = blocks, block = 128, stream = s}(b, a, n)\n"
        .. "  local round = s:end_capture()\n"
        .. "  for _ = 1, rounds do round:launch(s) end\n",
        "  for _ = 1, rounds do\n"
        .. "    mix{grid = blocks, block = 128, stream = s}(a, b, n)\n"
        .. "    mix{grid = blocks, block = 128, stream = s}(b, a, n)\n  end\n"},
      breaks = "launches <= 0",
      explain = "Each kernel was launched by itself, two for each round.",
    },
    {
      name = "records-each-round",
      replace = {"  s:begin_capture()\n"
        .. "  mix{grid = blocks, block = 128, stream = s}(a, b, n)\n"
        .. "  mix{grid = blocks, block = 128, stream = s}(b, a, n)\n"
        .. "  local round = s:end_capture()\n"
        .. "  for _ = 1, rounds do round:launch(s) end\n",
        "  for _ = 1, rounds do\n    s:begin_capture()\n"
        .. "    mix{grid = blocks, block = 128, stream = s}(a, b, n)\n"
        .. "    mix{grid = blocks, block = 128, stream = s}(b, a, n)\n"
        .. "    s:end_capture():launch(s)\n  end\n"},
      breaks = "graphs <= 1",
      explain = "A graph was made in every round and launched once. To make it"
        .. " is the dear part: record before the loop.",
    },
    {
      name = "half-a-round",
      replace = {"  mix{grid = blocks, block = 128, stream = s}(b, a, n)\n",
        ""},
      explain = "The way back is not in the recording: nothing of a changes.",
    },
    {
      name = "there-and-there",
      replace = {"(b, a, n)", "(a, b, n)"},
      explain = "Both kernels of the recording go from a to b, and a stays what"
        .. " it was.",
    },
    {
      name = "the-recording-counts",
      replace = {"for _ = 1, rounds do", "for _ = 2, rounds do"},
      explain = "One round is missing. Recording runs nothing, so the first"
        .. " round is a launch, too.",
    },
    {
      name = "one-launch-for-all",
      replace = {"for _ = 1, rounds do round:launch(s) end",
        "round:launch(s)"},
      explain = "The graph is one round, and it was launched once.",
    },
    {
      name = "other-array",
      replace = {"return a:copy_to_host()", "return b:copy_to_host()"},
      explain = "b is what a round has half-way; its end is in a.",
    },
  },
}
