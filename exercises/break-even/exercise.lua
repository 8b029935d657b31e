-- SPDX-License-Identifier: Apache-2.0
-- A machine is {start, host, device}, in microseconds.
local FIVE = {
  {10, 0.75, 0.25}, -- equal at 20, quicker from 21 on
  {50, 0.5, 0.0625},
  {8, 0.25, 0.25}, -- as slow for each element: never
  {3, 0.125, 0.5}, -- slower for each element: never
  {0, 0.0625, 0.03125}, -- no trip at all: from the first element on
}

return {
  kind = "lua",
  title = "Break even",
  task = "break_even(start, host, device): from how many elements on is each"
    .. " machine's device quicker than its host? 0 where it never is.",
  minutes = 10,
  entry = "break_even",
  signature = {
    {"in", "f64[]", "start"},
    {"in", "f64[]", "host"},
    {"in", "f64[]", "device"},
    {"out", "i32[]", "from"},
  },
  reference = function(args)
    for i = 0, #args.start - 1 do
      local start, host, device = args.start[i], args.host[i], args.device[i]
      args.from[i] = 0
      if host > device then
        local n = 1
        while host * n <= start + device * n do n = n + 1 end
        args.from[i] = n
      end
    end
  end,
  tolerance = {ulp = 0, reason = "whole numbers, from multiples of 1/64"},
  make = function(case, rng)
    local start = rng:steps(case.n, 0, 60, 1 / 8)
    local host = rng:steps(case.n, 1 / 64, 2, 1 / 64)
    local device = rng:steps(case.n, 1 / 64, 1, 1 / 64)
    for i = 0, case.given and case.n - 1 or -1 do
      start[i], host[i], device[i] = table.unpack(FIVE[i + 1])
    end
    return {start = start, host = host, device = device, from = case.n}
  end,
  cases = {
    {name = "five machines", n = 5, given = true},
    {name = "one machine", n = 1, given = true},
    {name = "twenty others", n = 20},
    {name = "many", n = 300, hidden = true},
  },
  hints = {
    "Draw two lines over n: host * n begins at 0, start + device * n begins at"
      .. " start. Where they cross depends on how much steeper the first one"
      .. " is.",
    "Each element on the device brings host - device microseconds. How many of"
      .. " them pay for start? And what if they bring nothing?",
    "start / (host - device) is where both take equally long. The least whole"
      .. " number above it is start // (host - device) + 1.",
  },
  editorial = "For each machine one subtraction, one comparison and one"
    .. " division, whatever the answer; trying n = 1, 2, 3 ... would take as"
    .. " many rounds as the answer says. The loop runs over machines, and"
    .. " there are few of them. Next: what is on the device already pays for"
    .. " no trip, which is the subject of keep-it-there.",
  mutants = {
    {
      name = "equal-counts",
      replace = {"start[i] // gain + 1", "math.ceil(start[i] / gain)"},
      explain = "Where both take equally long for a whole number of elements,"
        .. " the device is not quicker yet: it takes one element more.",
    },
    {
      name = "rounded-down",
      replace = {"start[i] // gain + 1", "start[i] // gain"},
      explain = "This is the last number of elements with which the device is"
        .. " not quicker. The next one is asked for.",
    },
    {
      name = "trip-alone",
      replace = {"host[i] - device[i]", "host[i]"},
      explain = "On the device an element takes time as well, device[i]: only"
        .. " the difference pays for the trip.",
    },
    {
      name = "sum",
      replace = {"host[i] - device[i]", "host[i] + device[i]"},
      explain = "Added up, the two prices of an element say nothing: what pays"
        .. " for the trip is the difference.",
    },
    {
      name = "never-forgotten",
      replace = {"gain > 0", "gain ~= 0"},
      explain = "Where an element takes longer on the device, no number of"
        .. " elements is enough. The two lines cross on the wrong side of 0.",
    },
    {
      name = "host-first",
      replace = {"host[i] - device[i]", "device[i] - host[i]"},
      explain = "The difference is the wrong way round: only the machines whose"
        .. " device never wins get a number.",
    },
  },
}
