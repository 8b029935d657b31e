-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Heat waves",
  task = "heat_waves(memory, start, stations, days, station_step, day_step,"
    .. " limit, length): who has so many hot days in a row, and when.",
  needs = {"normalise-rows", "no-copy"},
  minutes = 25,
  entry = "heat_waves",
  signature = {
    {"in", "f64[]", "memory"},
    {"value", "i32", "start"},
    {"value", "i32", "stations"},
    {"value", "i32", "days"},
    {"value", "i32", "station_step"},
    {"value", "i32", "day_step"},
    {"value", "f64", "limit"},
    {"value", "i32", "length"},
    {"out", "i32[]", "by_day"},
    {"out", "i32[]", "by_station"},
  },
  reference = function(args)
    local ends = args.days - args.length + 1
    for j = 0, ends - 1 do args.by_day[j] = 0 end
    for i = 0, args.stations - 1 do
      local from, sum = args.start + i * args.station_step, 0
      for j = 0, args.days - 1 do
        sum = sum + args.memory[from + j * args.day_step]
      end
      local run, count = 0, 0
      for j = 0, args.days - 1 do
        local above = args.memory[from + j * args.day_step] - sum / args.days
        run = above > args.limit and run + 1 or 0
        if run >= args.length then
          count = count + 1
          local day = j - args.length + 1
          args.by_day[day] = args.by_day[day] + 1
        end
      end
      args.by_station[i] = count
    end
  end,
  tolerance = {ulp = 0,
    reason = "whole numbers; readings are multiples of 1/4, so that their sums"
      .. " are exact, and none is so near to its mean and limit that rounding"
      .. " decides"},
  budget = 4000000,
  -- The limit is no multiple of 1 / (4 days): no reading is just at it.
  make = function(case, rng)
    return {
      memory = rng:steps(case.n, case.low or -8, 8, 1 / 4), start = case.start,
      stations = case.stations, days = case.days,
      station_step = case.station_step, day_step = case.day_step,
      limit = case.limit or math.pi / 4, length = case.length,
      by_day = case.days - case.length + 1, by_station = case.stations,
    }
  end,
  cases = {
    {name = "5 stations, 30 days", n = 160, start = 3, stations = 5, days = 30,
      station_step = 31, day_step = 1, length = 3},
    {name = "a column for each station", n = 160, start = 0, stations = 4,
      days = 40, station_step = 1, day_step = 4, length = 2},
    {name = "as many stations as days", n = 144, start = 0, stations = 12,
      days = 12, station_step = 12, day_step = 1, length = 2},
    {name = "the newest day first", n = 90, start = 29, stations = 3, days = 30,
      station_step = 30, day_step = -1, length = 2},
    {name = "single days", n = 60, start = 0, stations = 3, days = 20,
      station_step = 20, day_step = 1, length = 1},
    {name = "all days in a row", n = 21, start = 1, stations = 4, days = 5,
      station_step = 5, day_step = 1, length = 5, limit = -20},
    {name = "one day", n = 9, start = 2, stations = 3, days = 1,
      station_step = 2, day_step = 1, length = 1, limit = -1 / 3},
    {name = "below freezing", n = 200, start = 0, stations = 4, days = 50,
      station_step = 50, day_step = 1, length = 4, low = -40,
      limit = -5 - 1 / 7},
    {name = "many stations", n = 300000, start = 100, stations = 150,
      days = 1800, station_step = 1990, day_step = 1, length = 4,
      hidden = true},
  },
  hints = {
    "First the readings as an array (stations, days): the places i *"
      .. " station_step + j * day_step, with i as a column and j as a row.",
    "np.mean(t, {axis = 1, keepdims = true}) stretches along the days; compare"
      .. " what is left with limit, and all of it is true or false.",
    "Two hot days in a row: the array without its last day, and the array"
      .. " without its first day, joined by &.",
    'For k = 1 to length - 1 join a window that begins k days later:'
      .. ' hot[(":, %d:%d"):format(k, k + ends)]. Sums along either axis are'
      .. " the answers.",
  },
  editorial = "Each window is a view, and each & an array of a byte a reading:"
    .. " length passes. For long waves np.cumsum along the days does it in one:"
    .. " the number of hot days in a window is a difference of two sums. Next:"
    .. " cuda.fuse, or jit of the next part, makes one kernel of all of it.",
  mutants = {
    {
      name = "mean-of-all",
      replace = {"np.mean(t, {axis = 1, keepdims = true})", "np.mean(t)"},
      explain = "That is one mean for all stations; each has its own.",
    },
    {
      name = "mean-of-the-day",
      replace = {"np.mean(t, {axis = 1, keepdims = true})",
        "np.mean(t, {axis = 0, keepdims = true})"},
      explain = "That is the mean of each day over all stations. A station's is"
        .. " over its days, axis 1.",
    },
    {
      name = "at-least-once",
      replace = {"wave = wave & hot", "wave = wave | hot"},
      explain = "That finds windows with a hot day in them. All days of the"
        .. " window have to be hot.",
    },
    {
      name = "one-day-short",
      replace = {"for k = 1, length - 1 do", "for k = 1, length - 2 do"},
      explain = "The windows were joined for one day less than length.",
    },
    {
      name = "steps-exchanged",
      replace = {"i * station_step + j * day_step",
        "i * day_step + j * station_step"},
      explain = "The two steps are exchanged: from one station to the next it"
        .. " is station_step.",
    },
    {
      name = "start-forgotten",
      replace = {"memory[start + i", "memory[i"},
      explain = "The readings begin at memory[start], not at memory[0].",
    },
    {
      name = "below",
      replace = {"np.greater(t", "np.less(t"},
      explain = "Those are the readings that are less than limit above the"
        .. " mean: hot ones are more.",
    },
    {
      name = "no-mean",
      replace = {"t - np.mean(t, {axis = 1, keepdims = true})", "t"},
      explain = "The readings themselves were compared with limit: hot is what"
        .. " is more than limit above the station's mean.",
    },
  },
}
