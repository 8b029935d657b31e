-- SPDX-License-Identifier: Apache-2.0
local function older(major, minor, want)
  if major ~= want[0] then return major < want[0] end
  return minor < want[1]
end

return {
  kind = "lua",
  title = "Can I reach it?",
  task = "can_i_reach_it(...): what keeps a program from each machine's device:"
    .. " no driver, an old one, the capability, the memory, or nothing.",
  minutes = 10,
  entry = "can_i_reach_it",
  signature = {
    {"in", "i32[]", "drivers"},
    {"in", "i32[]", "devices"},
    {"in", "i32[]", "free"},
    {"in", "i32[]", "version"},
    {"in", "i32[]", "capability"},
    {"value", "i32", "memory"},
    {"out", "i32[]", "why"},
  },
  reference = function(args)
    for i = 0, #args.free - 1 do
      local driver, device = args.drivers, args.devices
      local why = 0
      if args.free[i] < args.memory then why = 4 end
      if older(device[2 * i], device[2 * i + 1], args.capability) then
        why = 3
      end
      if older(driver[2 * i], driver[2 * i + 1], args.version) then
        why = 2
      end
      if driver[2 * i] == 0 then why = 1 end
      args.why[i] = why
    end
  end,
  tolerance = {ulp = 0, reason = "whole numbers"},
  make = function(case, rng)
    local n = case.n
    local driver, device = rng:full(2 * n, 0), rng:full(2 * n, 0)
    local major, minor = rng:ints(n, 11, 13), rng:ints(n, 0, 12)
    local has, new = rng:ints(n, 0, 5), rng:ints(n, 7, 12)
    local step, free = rng:ints(n, 0, 9), rng:ints(n, 1, 32)
    for i = 0, n - 1 do
      if has[i] > 0 then
        driver[2 * i], driver[2 * i + 1] = major[i], minor[i]
      end
      device[2 * i], device[2 * i + 1] = new[i], step[i]
      free[i] = free[i] * 512
    end
    for i, row in ipairs(case.given or {}) do
      local at = 2 * (i - 1)
      driver[at], driver[at + 1] = row[1], row[2]
      device[at], device[at + 1], free[i - 1] = row[3], row[4], row[5]
    end
    local version, capability = rng:full(2, 0), rng:full(2, 0)
    version[0], version[1] = case.version[1], case.version[2]
    capability[0], capability[1] = case.capability[1], case.capability[2]
    return {drivers = driver, devices = device, free = free, version = version,
            capability = capability, memory = case.memory, why = n},
      {drivers = {n, 2}, devices = {n, 2}}
  end,
  cases = {
    {name = "six machines", n = 6, version = {12, 2}, capability = {8, 6},
      memory = 4096, given = {
        {12, 4, 9, 0, 16000}, -- newer in all: 9.0 is above 8.6
        {0, 0, 8, 9, 16000},
        {11, 8, 9, 0, 16000}, -- 11.8 is below 12.2
        {13, 0, 7, 5, 16000},
        {12, 2, 8, 6, 4095},
        {12, 2, 8, 6, 4096}, -- exactly what is asked for
      }},
    {name = "numbers with two digits", n = 4, version = {12, 10},
      capability = {10, 0}, memory = 100, given = {
        {12, 9, 10, 0, 100}, {12, 10, 10, 0, 100}, {13, 0, 9, 9, 100},
        {12, 11, 12, 0, 99},
      }},
    {name = "a program for 13.0", n = 3, version = {13, 0},
      capability = {7, 5}, memory = 0, given = {
        {12, 10, 8, 0, 0}, {12, 12, 7, 5, 0}, {13, 0, 7, 4, 0},
      }},
    {name = "everything in the way", n = 3, version = {12, 0},
      capability = {9, 0}, memory = 1000, given = {
        {0, 0, 7, 0, 10}, {11, 0, 7, 0, 10}, {12, 0, 7, 0, 10},
      }},
    {name = "many", n = 400, version = {12, 5}, capability = {8, 6},
      memory = 8192, hidden = true},
  },
  hints = {
    "Ask in the order of the list, with if and elseif: the first answer"
      .. " counts.",
    "A version has two whole numbers. 12.10 is newer than 12.9, and 9.0 is"
      .. " newer than 8.6: compare the first numbers, and the second ones only"
      .. " where the first are equal.",
    "have[0] < want[0] or have[0] == want[0] and have[1] < want[1]",
  },
  editorial = "At most eight comparisons a machine: one for the driver, three"
    .. " for each pair of numbers, one for the memory. The first test that"
    .. " fails ends the others. Nothing is sorted and no pair becomes a"
    .. " fraction, so versions of any length compare rightly. warpshop doctor"
    .. " says the same things about the machine in front of you.",
  mutants = {
    {
      name = "as-a-fraction",
      replace = {
        "have[0] < want[0] or have[0] == want[0] and have[1] < want[1]",
        "have[0] + have[1] / 10 < want[0] + want[1] / 10"},
      explain = "12.10 is no fraction: read so it would be 13.0. The second"
        .. " number may have two digits, and counts only where the first are"
        .. " equal.",
    },
    {
      name = "both-numbers",
      replace = {"have[0] == want[0] and have[1] < want[1]",
        "have[1] < want[1]"},
      explain = "9.0 is above 8.6, although 0 is below 6: the second numbers"
        .. " count only where the first are equal.",
    },
    {
      name = "first-number-alone",
      replace = {" or have[0] == want[0] and have[1] < want[1]", ""},
      explain = "Only the first numbers are compared, and so 12.1 is taken for"
        .. " as new as 12.2.",
    },
    {
      name = "exactly-as-much",
      replace = {"free[i] < memory", "free[i] <= memory"},
      explain = "Where exactly as much is free as the program needs, it fits.",
    },
    {
      name = "memory-first",
      replace = {"if drivers[i][0] == 0 then",
        "if free[i] < memory then\n      why[i] = 4\n"
          .. "    elseif drivers[i][0] == 0 then"},
      explain = "Where memory is short and something else is in the way as"
        .. " well, 4 was given: the first of the list counts.",
    },
    {
      name = "capability-of-the-driver",
      replace = {"is_below(devices[i], capability)",
        "is_below(drivers[i], capability)"},
      explain = "The capability is the device's: the driver's version says"
        .. " nothing about it.",
    },
    {
      name = "no-driver-is-old",
      replace = {"      why[i] = 1\n", "      why[i] = 2\n"},
      explain = "Where there is no driver, nothing is too old: the answer is"
        .. " 1.",
    },
    {
      name = "newer-refused",
      replace = {"is_below(devices[i], capability)",
        "devices[i][0] ~= capability[0] or devices[i][1] < capability[1]"},
      explain = "A device with a higher capability runs the program, too: what"
        .. " is made for an old one runs on newer ones.",
    },
  },
}
