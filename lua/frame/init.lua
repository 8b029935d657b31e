-- SPDX-License-Identifier: Apache-2.0
-- What is in `frame`: makes frames and series of what a learner has, and reads
-- them from files.
local use = ...
setmetatable(use.frame, nil)
local object, column = use("object"), use("column")
local series, tables = use("series"), use("table")
local csv, arrow, concat = use("csv"), use("arrow"), use("concat")
use("device")
use("parts")
local frame, np = use.frame, use.np
local fail, mistakes = object.fail, use("shared/mistakes")

--- Stands for a missing value in a list.
frame.NA = column.NA

-- The names and values of {{"name", values}, ...} or {name = values}.
local function pairs_of(data, order)
  local names, values = {}, {}
  if data[1] ~= nil then
    for i, pair in ipairs(data) do
      if type(pair) ~= "table" or type(pair[1]) ~= "string" or pair[2] == nil
      then
        fail('DataFrame: entry %d is not {"name", values}', i)
      end
      names[i], values[pair[1]] = pair[1], pair[2]
    end
    return names, values
  end
  for name, value in pairs(data) do
    if type(name) ~= "string" then
      fail("DataFrame: a column's name is a string, not %s",
        use.value_text(name))
    end
    names[#names + 1], values[name] = name, value
  end
  table.sort(names)
  return order or names, values
end

-- A matrix's columns, named by `columns`, or "0", "1" ...
local function of_matrix(a, columns)
  if a.ndim ~= 2 then
    fail("DataFrame: an array with two axes, not %d", a.ndim)
  end
  local data = {}
  for k = 0, a.shape[2] - 1 do
    local name = columns and columns[k + 1] or tostring(k)
    data[k + 1] = {name, np.array(a[(":, %d"):format(k)])}
  end
  return data
end

--- A frame of {name = values} (names in alphabetical order, or as {columns =}
--- says), of {{"name", values}, ...} in that order, or of a matrix.
function frame.DataFrame(data, options)
  local o = object.options("DataFrame", options, {"columns"})
  if object.kind(data) == "frame" then return data:copy() end
  if use.is_array(data) then data = of_matrix(data, o.columns) end
  if data ~= nil and type(data) ~= "table" then
    fail("DataFrame: a table such as {x = {1, 2}}, not %s",
      use.value_text(data))
  end
  local names, values = pairs_of(data or {}, o.columns)
  local out = tables.new({}, {}, 0)
  -- A value alone takes the others' length, so it comes when that is known.
  for is_alone = 0, 1 do
    for _, name in ipairs(names) do
      local v = values[name]
      local is_one = type(v) ~= "table" and not use.is_array(v) or v == frame.NA
      if v == nil then
        object.unknown("DataFrame: there is no column", name, names)
      elseif is_one == (is_alone == 1) then
        rawset(object.state(out).columns, name, nil)
        local own = object.state(out)
        local c = column.from(v, #own.names > 0 and own.n or nil,
          ('the column "%s"'):format(name))
        if #own.names > 0 and #c.data ~= own.n then
          fail('DataFrame: the column "%s" has %d rows and "%s" has %d', name,
            #c.data, own.names[1], own.n)
        end
        own.n = #c.data
        own.names[#own.names + 1], own.columns[name] = name, c
      end
    end
  end
  object.state(out).names = names
  return out
end

--- A series of a list or an array; {name =, index = list of labels}.
function frame.Series(values, options)
  local o = object.options("Series", options, {"name", "index"})
  local c = column.from(values, nil, "Series")
  local index = o.index and {{column = column.from(o.index, nil, "index")}}
  if index and #index[1].column.data ~= #c.data then
    fail("Series: %d labels for %d values", #index[1].column.data, #c.data)
  end
  return series.new(c, o.name, index or nil)
end

--- Is a value missing?
function frame.isna(v)
  if object.kind(v) then return v:isna() end
  return column.is_missing(v)
end

-- Methods of frames.
for _, file in ipairs{"group", "merge", "pivot", "duplicates"} do use(file) end

local function guard_methods(metatable, sign, what)
  mistakes.guard_methods(metatable.methods, function(x)
    return object.kind(x) == metatable.frame_kind
  end, sign, what)
end

guard_methods(tables.Table, "df", "frame")
guard_methods(series.Series, "s", "series")
guard_methods(use("group").Groups, "g", "group")

frame.read_csv = csv.read_csv
frame.read_parquet = arrow.read_parquet
frame.read_parquet_metadata = arrow.read_parquet_metadata
frame.read_feather = arrow.read_feather
frame.read_arrow = arrow.read_arrow
frame.concat = concat.concat

use.guard(frame, "frame")
return frame
