-- SPDX-License-Identifier: Apache-2.0
local SEND, RECEIVE = 1, 2

-- A ring of n ranks, `rounds` times round: `first(r)` says whether rank r sends
-- first.
local function ring(n, rounds, first)
  local lists = {}
  for r = 0, n - 1 do
    local list = {}
    for _ = 1, rounds do
      local send, receive = {SEND, (r + 1) % n}, {RECEIVE, (r - 1) % n}
      list[#list + 1] = first(r) and send or receive
      list[#list + 1] = first(r) and receive or send
    end
    lists[r + 1] = list
  end
  return lists
end

local function odd(r) return r % 2 == 1 end
local function all() return true end
local function none() return false end

-- Letters between ranks, in an order that goes through; from letter `wrong` on,
-- each third receiver has two of its things exchanged.
local function letters(case, rng)
  local lists, n = {}, case.ranks
  for r = 1, n do lists[r] = {} end
  local from = rng:ints(case.letters, 0, n - 1)
  local far = rng:ints(case.letters, 1, n - 1)
  for k = 0, case.letters - 1 do
    local r, p = from[k], (from[k] + far[k]) % n
    table.insert(lists[r + 1], {SEND, p})
    local at = #lists[p + 1] + 1
    if k >= case.wrong and k % 3 == 0 and at > 1 then at = at - 1 end
    table.insert(lists[p + 1], at, {RECEIVE, r})
  end
  return lists
end

return {
  kind = "lua",
  title = "Who waits for whom",
  task = "who_waits(kind, peer): how far each rank comes when sends wait for"
    .. " their receivers, and how many are stuck.",
  minutes = 20,
  entry = "who_waits",
  signature = {
    {"in", "i32[]", "kind"},
    {"in", "i32[]", "peer"},
    {"out", "i32[]", "done"},
    {"out", "i32", "stuck"},
  },
  reference = function(args)
    local ranks = #args.done
    local T = #args.kind // ranks
    local at, waiting, stuck = {}, {}, 0
    for r = 0, ranks - 1 do at[r], waiting[#waiting + 1] = 0, r end
    while #waiting > 0 do -- ranks that came to something new
      local r = table.remove(waiting)
      local i = r * T + at[r]
      if at[r] < T and args.kind[i] ~= 0 then
        local p = args.peer[i]
        local j = p * T + at[p]
        if at[p] < T and args.peer[j] == r and
           args.kind[i] + args.kind[j] == SEND + RECEIVE then
          at[r], at[p] = at[r] + 1, at[p] + 1
          waiting[#waiting + 1], waiting[#waiting + 2] = r, p
        end
      end
    end
    for r = 0, ranks - 1 do
      args.done[r] = at[r]
      if at[r] < T and args.kind[r * T + at[r]] ~= 0 then stuck = stuck + 1 end
    end
    args.stuck[0] = stuck
  end,
  tolerance = {ulp = 0, reason = "whole numbers"},
  make = function(case, rng)
    local lists = case.given or letters(case, rng)
    local T = 0
    for _, list in ipairs(lists) do T = math.max(T, #list) end
    local kind, peer = rng:full(#lists * T, 0), rng:full(#lists * T, 0)
    for r, list in ipairs(lists) do
      for t, thing in ipairs(list) do
        local i = (r - 1) * T + t - 1
        kind[i], peer[i] = thing[1], thing[2]
      end
    end
    return {kind = kind, peer = peer, done = #lists},
      {kind = {#lists, T}, peer = {#lists, T}}
  end,
  cases = {
    {name = "after you", given = {{{SEND, 1}, {RECEIVE, 1}},
      {{SEND, 0}, {RECEIVE, 0}}}},
    {name = "one turned round", given = {{{SEND, 1}, {RECEIVE, 1}},
      {{RECEIVE, 0}, {SEND, 0}}}},
    {name = "a chain of letters", given = {{{SEND, 1}},
      {{RECEIVE, 0}, {SEND, 2}}, {{RECEIVE, 1}, {SEND, 3}, {RECEIVE, 3}},
      {{RECEIVE, 2}}}},
    {name = "a chain from the other end", given = {{{RECEIVE, 1}},
      {{RECEIVE, 2}, {SEND, 0}}, {{RECEIVE, 3}, {SEND, 1}}, {{SEND, 2}}}},
    {name = "a ring, all send first", given = ring(4, 2, all)},
    {name = "a ring, odd ones send first", given = ring(4, 2, odd)},
    {name = "the wrong sender", given = {{{SEND, 1}},
      {{RECEIVE, 2}, {RECEIVE, 0}}, {{RECEIVE, 0}, {SEND, 1}}}},
    {name = "letters, nobody stuck", ranks = 5, letters = 12, wrong = 99},
    {name = "a ring of five", given = ring(5, 3, odd), hidden = true},
    {name = "nobody begins", given = ring(3, 1, none), hidden = true},
    {name = "many letters", ranks = 9, letters = 90, wrong = 60, hidden = true},
  },
  hints = {
    "Play it: each rank stands at one thing. Look for a rank that stands at a"
      .. " send whose receiver stands at the receive that fits. Both go on.",
    "Each pair that goes on may be what another one waits for: look at all"
      .. " ranks again, until a whole round moves nobody.",
    "A rank may have come to the end of its row, done[r] == T, where there is"
      .. " no kind to look at.",
    "Stuck is who has things left to do when nothing moves: kind is not 0"
      .. " there.",
  },
  editorial = "Each round looks at all ranks; where letters go against the"
    .. " order of the ranks, one letter a round is through. A list of ranks"
    .. " that have just come to something new looks at each thing twice at"
    .. " most. In which order pairs go on makes no difference to the end: what"
    .. " could go on once still can. A program that is right whatever a send"
    .. " does is one of which nobody is stuck here.",
  mutants = {
    {
      name = "one-round",
      replace = {"until not has_moved", "until true"},
      explain = "The ranks are looked at once. What goes on may be what"
        .. " another one has been waiting for.",
    },
    {
      name = "whoever-receives",
      replace = {"if other == 2 and q == r then", "if other == 2 then"},
      explain = "A receive is from one rank. Who waits for another's letter"
        .. " does not take this one.",
    },
    {
      name = "whatever-it-does",
      replace = {"if other == 2 and q == r then", "if q == r then"},
      explain = "Both send to each other, and nobody receives: that is the"
        .. " deadlock.",
    },
    {
      name = "sends-alone",
      replace = {"done[r], done[p] = done[r] + 1, done[p] + 1",
        "done[r] = done[r] + 1"},
      explain = "The send is through, and the receiver still stands at the"
        .. " receive: both go on.",
    },
    {
      name = "all-that-wait",
      replace = {"if now(r) ~= 0 then stuck", "if now(r) == 1 then stuck"},
      explain = "Who waits in a receive is stuck as well.",
    },
    {
      name = "end-is-stuck",
      replace = {"if now(r) ~= 0 then stuck", "if done[r] < T then stuck"},
      explain = "A rank with fewer things to do than others has come to its"
        .. " end: kind is 0 there.",
    },
    {
      name = "never-stuck",
      replace = {"stuck = stuck + 1", "stuck = 1"},
      explain = "How many are stuck is asked, not whether one is.",
    },
  },
}
