-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "Record it",
  task = "record_it(x, rounds): x after so many rounds of two kernels, which"
    .. " are recorded ten rounds at a time, and one at a time for the rest.",
  minutes = 15,
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
    {name = "47 rounds", n = 300, rounds = 47},
    {name = "one number", n = 1, rounds = 4},
    {name = "20 rounds", n = 1009, rounds = 20, hidden = true},
  },
  goal = {
    "launches <= 0", "graphs <= 2",
    {"graph_launches <= 11", cases = {"47 rounds"}},
    {"graph_launches <= 2", cases = {"20 rounds"}},
  },
  hints = {
    "s:begin_capture() begins the recording, s:end_capture() ends it and gives"
      .. " the graph.",
    "A loop of Lua may stand between the two: what it launches is all"
      .. " recorded.",
    "Recording runs nothing: also the first rounds are launches of a graph.",
    "rounds // 10 launches of the one graph, rounds % 10 of the other.",
  },
  editorial = "Two graphs, of 20 kernels and of 2; 47 rounds are 11 launches in"
    .. " place of 94. Each round still brings all numbers from memory and back,"
    .. " twice. A longer record makes fewer launches and a longer rest; records"
    .. " of 1, 2, 4, 8 and so on need one launch for each binary digit."
    .. " one-launch needs a single one, if all fits into a block.",
  mutants = {
    {
      name = "no-graph",
      replace = {"  local ten, one = record(10), record(1)\n"
        .. "  for _ = 1, rounds // 10 do ten:launch(s) end\n"
        .. "  for _ = 1, rounds % 10 do one:launch(s) end\n",
        "  for _ = 1, rounds do\n"
        .. "    mix{grid = blocks, block = 128, stream = s}(a, b, n)\n"
        .. "    mix{grid = blocks, block = 128, stream = s}(b, a, n)\n  end\n"},
      breaks = "launches <= 0",
      explain = "Each kernel was launched by itself, two for each round.",
    },
    {
      name = "records-each-round",
      replace = {"  local ten, one = record(10), record(1)\n"
        .. "  for _ = 1, rounds // 10 do ten:launch(s) end\n"
        .. "  for _ = 1, rounds % 10 do one:launch(s) end\n",
        "  for _ = 1, rounds // 10 do record(10):launch(s) end\n"
        .. "  for _ = 1, rounds % 10 do record(1):launch(s) end\n"},
      breaks = "graphs <= 2",
      explain = "A graph was made for each launch. To make it is the dear part:"
        .. " record before the loops.",
    },
    {
      name = "one-at-a-time",
      replace = {"  for _ = 1, rounds // 10 do ten:launch(s) end\n"
        .. "  for _ = 1, rounds % 10 do one:launch(s) end\n",
        "  for _ = 1, rounds do one:launch(s) end\n"},
      breaks = "graph_launches <= 11",
      explain = "Each round was a launch of its own, of the short graph: ten"
        .. " rounds at a time are a tenth of the launches.",
    },
    {
      name = "short-ones-alone",
      replace = {"rounds // 10 do ten:launch(s)",
        "rounds // 10 * 10 do one:launch(s)"},
      breaks = "graph_launches <= 2",
      explain = "The long graph is recorded, and the short one was launched in"
        .. " its place.",
    },
    {
      name = "the-rest-left-out",
      replace = {"  for _ = 1, rounds % 10 do one:launch(s) end\n", ""},
      explain = "Where ten does not divide the rounds, the rest of them is"
        .. " missing.",
    },
    {
      name = "half-a-round",
      replace = {"      mix{grid = blocks, block = 128, stream = s}(b, a, n)\n",
        ""},
      explain = "That is x: no round came home. A graph runs when it is"
        .. " launched, and a round is the way to b and the way back to a.",
    },
    {
      name = "there-and-there",
      replace = {"(b, a, n)", "(a, b, n)"},
      explain = "That is x: no round came home. A graph runs when it is"
        .. " launched, and a round is the way to b and the way back to a.",
    },
    {
      name = "recorded-alone",
      replace = {"  for _ = 1, rounds // 10 do ten:launch(s) end\n"
        .. "  for _ = 1, rounds % 10 do one:launch(s) end\n", ""},
      explain = "That is x: no round came home. A graph runs when it is"
        .. " launched, and a round is the way to b and the way back to a.",
    },
    {
      name = "the-recording-counts",
      replace = {"for _ = 1, rounds % 10 do", "for _ = 2, rounds % 10 do"},
      explain = "One round is missing. Recording runs nothing, so the first"
        .. " round is a launch, too.",
    },
    {
      name = "one-launch-for-all",
      replace = {"for _ = 1, rounds % 10 do one:launch(s) end",
        "one:launch(s)"},
      explain = "The short graph is one round, and it was launched once.",
    },
    {
      name = "other-array",
      replace = {"return a:copy_to_host()", "return b:copy_to_host()"},
      explain = "b is what a round has half-way; its end is in a.",
    },
  },
}
