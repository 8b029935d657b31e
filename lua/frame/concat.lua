-- SPDX-License-Identifier: Apache-2.0
-- Frames and series one below the other.
local use = ...
local object, column = use("object"), use("column")
local series, tables, rows_of = use("series"), use("table"), use("rows")
local np = use.np
local fail = object.fail
local M = {}

-- A column of n missing values that goes with another.
local function missing(like, n)
  local is_text = like.type == "str"
  local data = column.beside(like.data, is_text and np.full(n, -1, "i32")
    or np.full(n, np.nan))
  if is_text then return column.new("str", data, use.texts()) end
  local is_bool = like.type == "bool" or like.type == "object"
  return column.new(is_bool and "object" or "f64", data)
end

-- The names of all, in the order in which they come; a column of each.
local function names_of(states)
  local names, example = {}, {}
  for _, t in ipairs(states) do
    for _, name in ipairs(t.names) do
      if not example[name] then
        names[#names + 1], example[name] = name, t.columns[name]
      end
    end
  end
  return names, example
end

local function joined_index(states, o)
  if o.ignore_index then return nil end
  local all_plain, list, ns = #states == 1, {}, {}
  for i, t in ipairs(states) do
    list[i], ns[i] = t.index, t.n or #t.column.data
  end
  if all_plain then return states[1].index end
  local levels
  for i = 1, #ns do
    local n = list[i] and #list[i] or 1
    levels = levels or n
    if n ~= levels then
      fail("concat: the rows of frame %d have %d labels each, and those before"
        .. " %d; {ignore_index = true} leaves labels out", i, n, levels)
    end
  end
  local first = states[1]
  return rows_of.concat(list, ns, "concat",
    first.column or first.columns[first.names[1]])
end

local function concat_series(states, o)
  local columns, name = {}, states[1].name
  for i, s in ipairs(states) do
    columns[i] = s.column
    if s.name ~= name then name = nil end
  end
  return series.new(column.concat(columns, "concat"), name,
    joined_index(states, o))
end

--- One below the other: the columns of all, missing where one has none.
function M.concat(list, options)
  local o = object.options("concat", options, {"ignore_index"})
  if type(list) ~= "table" or object.kind(list) or #list == 0 then
    fail("concat: it takes a list of frames or of series, not %s",
      use.value_text(list))
  end
  local states, kind = {}, object.kind(list[1])
  for i, x in ipairs(list) do
    if object.kind(x) ~= kind or not kind then
      fail("concat: item %d of the list is %s; all are frames, or all series",
        i, use.value_text(x))
    end
    states[i] = object.state(x)
  end
  if kind == "series" then return concat_series(states, o) end
  local names, example = names_of(states)
  local columns, n = {}, 0
  for _, t in ipairs(states) do n = n + t.n end
  for _, name in ipairs(names) do
    local parts = {}
    for i, t in ipairs(states) do
      parts[i] = t.columns[name] or missing(example[name], t.n)
    end
    columns[name] = column.concat(parts, ('concat: the column "%s"')
      :format(name))
  end
  return tables.new(names, columns, n, joined_index(states, o))
end

return M
