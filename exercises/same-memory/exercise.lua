-- SPDX-License-Identifier: Apache-2.0
-- Views of a matrix of 6 x 8 floats, which begins at byte 64: start, rows,
-- columns, and the steps in bytes.
local WHOLE, TURNED = {64, 6, 8, 32, 4}, {64, 8, 6, 4, 32}
local COLUMN, ODD = {68, 6, 1, 32, 4}, {68, 6, 4, 32, 8}
local EVEN, BEHIND = {64, 6, 4, 32, 8}, {256, 6, 8, 32, 4}
local BACKWARDS, REPEATED = {252, 6, 8, -32, -4}, {96, 5, 8, 0, 4}
local PAIRS = {
  {WHOLE, TURNED}, {WHOLE, COLUMN}, {ODD, EVEN}, {TURNED, BACKWARDS},
  {REPEATED, WHOLE}, {REPEATED, COLUMN}, {ODD, COLUMN}, {WHOLE, BEHIND},
}
local SHIFTED = {
  {{0, 4, 4, 16, 4}, {4, 4, 4, 16, 4}}, -- one element further on
  {{0, 3, 5, 40, 8}, {16, 5, 3, 12, 4}},
  {{0, 1, 7, 4, 12}, {0, 7, 1, 8, 4}},
}

local function places_of(args, name, i)
  local v, set = {}, {}
  for k = 0, 4 do v[k] = args[name][5 * i + k] end
  for row = 0, v[1] - 1 do
    for column = 0, v[2] - 1 do
      set[v[0] + row * v[3] + column * v[4]] = true
    end
  end
  return set
end

return {
  kind = "lua",
  title = "The same memory",
  task = "same_memory(a, b): in how many places of a memory two views both have"
    .. " an element.",
  needs = {"no-copy"},
  minutes = 15,
  entry = "same_memory",
  signature = {
    {"in", "i32[]", "a"},
    {"in", "i32[]", "b"},
    {"out", "i32[]", "places"},
  },
  reference = function(args)
    for i = 0, #args.places - 1 do
      local in_b, count = places_of(args, "b", i), 0
      for place in pairs(places_of(args, "a", i)) do
        if in_b[place] then count = count + 1 end
      end
      args.places[i] = count
    end
  end,
  tolerance = {ulp = 0, reason = "whole numbers"},
  make = function(case, rng)
    local n = case.n or #case.pairs
    local a, b = rng:ints(5 * n, 1, 7), rng:ints(5 * n, 1, 9)
    for i = 0, n - 1 do
      for _, view in ipairs{a, b} do
        view[5 * i] = 1000 + 4 * view[5 * i]
        view[5 * i + 3] = 16 * (view[5 * i + 3] - 3)
        view[5 * i + 4] = 4 * (view[5 * i + 4] - 2)
      end
    end
    for i, pair in ipairs(case.pairs or {}) do
      for k = 1, 5 do
        a[5 * (i - 1) + k - 1], b[5 * (i - 1) + k - 1] = pair[1][k], pair[2][k]
      end
    end
    return {a = a, b = b, places = n}, {a = {n, 5}, b = {n, 5}}
  end,
  cases = {
    {name = "views of a matrix", pairs = PAIRS},
    {name = "further on", pairs = SHIFTED},
    {name = "one pair", pairs = {{COLUMN, COLUMN}}},
    {name = "30 pairs", n = 30},
    {name = "many", n = 120, hidden = true},
  },
  hints = {
    "Element (r, c) begins at start + r * row step + c * column step. Which"
      .. " bytes are these for a view of 2 rows and 3 columns?",
    "np.expand_dims(..., 1) makes a column of the rows' bytes; a column plus a"
      .. " row of numbers is a matrix.",
    "np.intersect1d has the numbers that are in both of its arguments, each"
      .. " once.",
  },
  editorial = "Two lists of rows * columns bytes for each pair: the work grows"
    .. " with the elements, not with the memory. To know only whether two"
    .. " views share anything, compare their lowest and highest bytes before:"
    .. " views that lie apart need no lists. Where they overlap lists are"
    .. " needed still, as the odd and the even columns of one matrix share"
    .. " nothing.",
  mutants = {
    {
      name = "steps-exchanged",
      replace = {"np.arange(view[1]) * view[3], 1)\n    return view[0] + down"
        .. " + np.arange(view[2]) * view[4]",
        "np.arange(view[1]) * view[4], 1)\n    return view[0] + down"
        .. " + np.arange(view[2]) * view[3]"},
      explain = "The steps are exchanged: the fourth number leads to the next"
        .. " row, the fifth to the next column.",
    },
    {
      name = "start-forgotten",
      replace = {"view[0] + down", "down"},
      explain = "Both views are taken to begin at the same byte: the first"
        .. " number says where each one does.",
    },
    {
      name = "elements-for-bytes",
      replace = {"view[0] + down", "view[0] // 4 + down"},
      explain = "The start is counted in elements and the steps in bytes: all"
        .. " three are bytes.",
    },
    {
      name = "first-row",
      replace = {"view[0] + down", "view[0] + down[0]"},
      explain = "Only the first rows are compared.",
    },
    {
      name = "repeated-counts",
      replace = {"#np.intersect1d(bytes_of(a[i]), bytes_of(b[i]))",
        "np.count_nonzero(np.isin(bytes_of(a[i]), bytes_of(b[i])))"},
      explain = "A place that a view has several times, by a step of 0, counts"
        .. " once.",
    },
    {
      name = "of-either",
      replace = {"#np.intersect1d(bytes_of(a[i]), bytes_of(b[i]))",
        "#np.union1d(bytes_of(a[i]), bytes_of(b[i]))"},
      explain = "These are the places of one view or of the other; those of"
        .. " both are asked for.",
    },
    {
      name = "always-the-first",
      replace = {"bytes_of(b[i])", "bytes_of(b[0])"},
      explain = "Each view of a is compared with the first one of b.",
    },
  },
}
