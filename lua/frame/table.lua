-- SPDX-License-Identifier: Apache-2.0
-- The frame itself: named columns of equal length, and what is done to all of
-- them: rows, order, missing values, one value of each column.
local use = ...
local object, column, series = use("object"), use("column"), use("series")
local rows_of, print_text = use("rows"), use("print")
local np = use.np
local fail = object.fail
local state = object.state
local Table = {frame_kind = "frame", help_name = "frame.DataFrame"}
local methods = {}
local properties = {}
Table.methods = methods
local M = {Table = Table, methods = methods}

--- A frame of these names and columns[name], all of n rows.
function M.new(names, columns, n, index)
  return object.new(Table, {names = names, columns = columns, n = n,
                            index = index})
end

-- The same frame with f of each column, of n rows.
local function each(t, n, index, f)
  local columns = {}
  for _, name in ipairs(t.names) do columns[name] = f(t.columns[name], name) end
  return M.new(t.names, columns, n, index)
end

function M.take(df, rows, some_missing)
  local t = state(df)
  return each(t, #rows, rows_of.take(t.index, rows, some_missing),
    function(c) return column.take(c, rows, some_missing) end)
end

-- ---- Columns ----

--- The column of this name, or an error that lists them.
function M.find(t, name, what)
  local c = t.columns[name]
  if not c then
    object.unknown((what and what .. ": " or "") .. "there is no column", name,
      t.names)
  end
  return c
end

--- Of a list of names, or a name.
function M.find_all(t, names, what)
  local out = {}
  for i, name in ipairs(object.names(names)) do
    out[i] = M.find(t, name, what)
  end
  if #out == 0 then
    fail("%s: it takes a column's name or a list of names", what)
  end
  return out
end

function methods.column(df, name)
  local t = state(df)
  return series.new(M.find(t, name), name, t.index)
end

function methods.select(df, names)
  local t = state(df)
  local columns, list = {}, {}
  for i, name in ipairs(object.names(names)) do
    columns[name], list[i] = M.find(t, name), name
  end
  return M.new(list, columns, t.n, t.index)
end

function properties.columns(df)
  local names = state(df).names
  return table.move(names, 1, #names, 1, {})
end
function properties.shape(df) return {state(df).n, #state(df).names} end
function properties.index(df)
  return rows_of.index_values(state(df).index, state(df).n)
end
function properties.dtypes(df)
  local t = state(df)
  local types = {}
  for i, name in ipairs(t.names) do types[i] = t.columns[name].type end
  return series.new(column.from(types, nil, "dtypes"), nil,
    {{column = column.from(t.names, nil, "dtypes")}})
end

-- A name that is neither a method nor a column.
local function no_such_name(t, key)
  local names = table.move(t.names, 1, #t.names, 1, {})
  for name in pairs(methods) do names[#names + 1] = name end
  local near = object.nearest(key, names)
  if near and methods[near] and not t.columns[near] then
    fail('there is no column "%s"; did you mean df:%s()? (there are %s)', key,
      near, object.list(t.names))
  end
  object.unknown("there is no column", key, t.names)
end

function Table.__index(df, key)
  if type(key) == "string" then
    if methods[key] then return methods[key] end
    if properties[key] then return properties[key](df) end
    local t = state(df)
    if t.columns[key] then return methods.column(df, key) end
    no_such_name(t, key)
  elseif object.kind(key) == "series" or use.is_array(key) then
    return methods.filter(df, key)
  elseif type(key) == "table" then
    return methods.select(df, key)
  end
  fail("df[...] takes a column's name, a list of names or a mask, not %s"
    .. " (df:iloc(i) gives a row)", use.value_text(key))
end

-- What may follow df: or df. where it is typed.
function Table.__complete(df, is_call)
  if is_call then return methods end
  local out = {}
  for name in pairs(properties) do out[name] = true end
  for _, name in ipairs(state(df).names) do
    if name:find("^[%a_][%w_]*$") then out[name] = true end
  end
  return out
end

function Table.__len(df) return state(df).n end
function Table.__tostring(df) return print_text.frame(state(df)) end

-- ---- Assigning ----

-- The column of a value that is to stand in a frame of n rows.
local function fitting(t, name, value)
  local what = ('the column "%s"'):format(name)
  if type(value) == "function" then
    fail("%s: a function is no column; df:assign calls it", what)
  end
  local c = column.from(value, #t.names > 0 and t.n or nil, what)
  c = column.placed(c, t.columns[t.names[1]])
  if #t.names == 0 then t.n = #c.data end
  if #c.data ~= t.n then
    fail("%s has %d rows and the frame %d", what, #c.data, t.n)
  end
  if object.kind(value) == "series"
    and not rows_of.same(state(value).index, t.index, t.n) then
    fail("%s: the series has other row labels than the frame;"
      .. " s:to_numpy() goes by position", what)
  end
  return c
end

local function set(t, name, value)
  if type(name) ~= "string" then
    fail("a column's name is a string, not %s", use.value_text(name))
  end
  local c = fitting(t, name, value)
  if not t.columns[name] then t.names[#t.names + 1] = name end
  t.columns[name] = c
end

-- A frame that shares no list with another.
local function copied(df)
  local t = state(df)
  local columns = {}
  for name, c in pairs(t.columns) do columns[name] = c end
  return M.new(table.move(t.names, 1, #t.names, 1, {}), columns, t.n, t.index)
end

function Table.__newindex(df, name, value)
  if methods[name] or properties[name] then
    if not state(df).columns[name] then
      fail('df.%s is a method or a property: df:assign{["%s"] = ...} makes a'
        .. ' column of that name, df:column("%s") reads it', name, name, name)
    end
  end
  local own = copied(df)
  set(state(own), name, value)
  local t = state(df)
  t.names, t.columns, t.n = state(own).names, state(own).columns, state(own).n
end

--- A new frame with these columns as well; new ones in alphabetical order. A
--- function gets the frame.
function methods.assign(df, values)
  local names = {}
  if type(values) ~= "table" or object.kind(values) then
    fail("assign: a table of columns, such as {total = df.a + df.b}, not %s",
      use.value_text(values))
  end
  for name in pairs(values) do names[#names + 1] = name end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  local out = copied(df)
  for _, name in ipairs(names) do
    local value = values[name]
    if type(value) == "function" then value = value(out) end
    set(state(out), name, value)
  end
  return out
end

methods.copy = copied

local function moved(df, to_device)
  local t = state(df)
  local index = t.index and {}
  for i, level in ipairs(t.index or {}) do
    index[i] = {name = level.name,
                column = column.moved(level.column, to_device)}
  end
  return each(t, t.n, index, function(c) return column.moved(c, to_device) end)
end

--- The columns on the device in use, where all that follows is computed.
function methods.to_device(df) return moved(df, true) end
function methods.to_host(df) return moved(df, false) end

function properties.device(df)
  local first = state(df).columns[state(df).names[1]]
  return first and first.data.device or "host"
end

--- Without these columns.
function methods.drop(df, names)
  local out, gone = copied(df), {}
  local t = state(out)
  for _, name in ipairs(object.names(names)) do
    M.find(t, name, "drop")
    gone[name] = true
  end
  local kept = {}
  for _, name in ipairs(t.names) do
    if gone[name] then t.columns[name] = nil else kept[#kept + 1] = name end
  end
  t.names = kept
  return out
end

--- Columns by other names: {old = "new"}.
function methods.rename(df, names)
  local t = state(df)
  if type(names) ~= "table" then
    fail('rename: a table such as {old = "new"}, not %s', use.value_text(names))
  end
  for old in pairs(names) do M.find(t, old, "rename") end
  local list, columns = {}, {}
  for i, name in ipairs(t.names) do
    list[i] = names[name] or name
    if columns[list[i]] then
      fail('rename: there would be two columns "%s"', list[i])
    end
    columns[list[i]] = t.columns[name]
  end
  return M.new(list, columns, t.n, t.index)
end

--- A column, or several, as the rows' labels.
function methods.set_index(df, names)
  local t = state(df)
  local index = {}
  for i, c in ipairs(M.find_all(t, names, "set_index")) do
    index[i] = {name = object.names(names)[i], column = c}
  end
  local out = methods.drop(df, names)
  state(out).index = index
  return out
end

--- The labels as columns in front; {drop = true}: they go.
function methods.reset_index(df, options)
  local o = object.options("reset_index", options, {"drop"})
  local t = state(df)
  if o.drop then return M.new(t.names, t.columns, t.n) end
  local names, columns = {}, {}
  for i, level in ipairs(t.index or {{column = rows_of.columns(nil, t.n)[1]}})
  do
    local name = level.name or #(t.index or {1}) > 1 and "level_" .. i - 1
      or "index"
    if t.columns[name] then
      fail('reset_index: there is a column "%s" already; {drop = true} leaves'
        .. " the labels out", name)
    end
    names[i], columns[name] = name, level.column
  end
  for _, name in ipairs(t.names) do
    names[#names + 1], columns[name] = name, t.columns[name]
  end
  return M.new(names, columns, t.n)
end

function methods.astype(df, types)
  local t = state(df)
  if type(types) == "table" then
    for name in pairs(types) do M.find(t, name, "astype") end
  end
  return each(t, t.n, t.index, function(c, name)
    local wanted = type(types) == "table" and types[name] or types
    return type(wanted) == "string" and column.astype(c, wanted) or c
  end)
end

-- ---- Rows ----

function methods.filter(df, mask)
  return M.take(df, series.mask_rows(mask, state(df).n, "df[mask]"))
end

function M.part(df, from, to)
  local t = state(df)
  local like = t.columns[t.names[1]]
  if not like then return M.new({}, {}, 0) end
  return each(t, to - from, rows_of.slice(t.index, from, to, like),
    function(c) return column.slice(c, from, to) end)
end

function methods.head(df, n)
  return M.part(df, rows_of.head(state(df).n, n))
end
function methods.tail(df, n)
  return M.part(df, rows_of.tail(state(df).n, n))
end

-- Row i as a table from names to values.
local function row_table(t, i)
  local out = {}
  for _, name in ipairs(t.names) do
    out[name] = column.get(t.columns[name], i)
  end
  return out
end

--- Row i, from 0 or from the end, as a table; of a list of positions a frame.
function methods.iloc(df, i)
  local t = state(df)
  local list = type(i) == "number" and {i} or i
  if type(list) == "table" then list = np.array(list, "i64"):reshape(#list) end
  if not use.is_array(list) or not list.dtype:find("^[iu]") then
    fail("iloc: a row's number, or a list of them, not %s", use.value_text(i))
  end
  local rows = np.where(list:lt(0), list + t.n, list):astype("i64")
  if #rows > 0 and (np.min(rows) < 0 or np.max(rows) >= t.n) then
    fail("iloc: the frame has %d rows, from 0 to %d", t.n, t.n - 1)
  end
  if type(i) == "number" then return row_table(t, rows[0]) end
  return M.take(df, rows)
end

--- The row of a label, as a table.
function methods.loc(df, label)
  local t = state(df)
  local i = rows_of.find(t.index, label, t.n)
  if not i then
    fail("loc: no row has the label %s", tostring(label))
  end
  return row_table(t, i)
end

--- for i, row in df:iterrows() do ... end
function methods.iterrows(df)
  local t, i = state(df), -1
  return function()
    i = i + 1
    if i < t.n then return rows_of.label(t.index, i), row_table(t, i) end
  end
end

local function directions(ascending, count)
  local down = {}
  for i = 1, count do
    local up = ascending
    if type(ascending) == "table" then up = ascending[i] end
    down[i] = up == false
  end
  if type(ascending) == "table" and #ascending ~= count then
    fail("sort_values: ascending has %d values for %d columns", #ascending,
      count)
  end
  return down
end

--- Rows by one column or several; missing ones last, equal ones as they were.
function methods.sort_values(df, by, options)
  local o = object.options("sort_values", options,
    {"ascending", "ignore_index"})
  local columns = M.find_all(state(df), by, "sort_values")
  local out = M.take(df, column.order(columns,
    directions(o.ascending, #columns)))
  if o.ignore_index then state(out).index = nil end
  return out
end

function methods.sort_index(df, options)
  local o = object.options("sort_index", options, {"ascending"})
  local t = state(df)
  local columns, down = rows_of.columns(t.index, t.n), {}
  for i = 1, #columns do down[i] = o.ascending == false end
  return M.take(df, column.order(columns, down))
end

-- ---- Missing values ----

function methods.isna(df)
  local t = state(df)
  return each(t, t.n, t.index, function(c)
    return column.new("bool", column.missing(c))
  end)
end

function methods.notna(df)
  local t = state(df)
  return each(t, t.n, t.index, function(c)
    return column.new("bool", np.logical_not(column.missing(c)))
  end)
end

--- Without the rows in which a value is missing: any, or {how = "all"}; of the
--- columns {subset = ...}.
function methods.dropna(df, options)
  local o = object.options("dropna", options, {"subset", "how"})
  local how = object.choice("dropna", "how", o.how or "any", {"any", "all"})
  local t = state(df)
  local gone
  for _, c in ipairs(M.find_all(t, o.subset or t.names, "dropna")) do
    local missing = column.missing(c)
    if gone == nil then
      gone = missing
    elseif how == "any" then
      gone = np.logical_or(gone, missing)
    else
      gone = np.logical_and(gone, missing)
    end
  end
  if not column.any(gone) then return df end
  return methods.filter(df, np.logical_not(gone))
end

--- A value, or {column = value}, where one is missing.
function methods.fillna(df, value)
  local t = state(df)
  if type(value) == "table" then
    for name in pairs(value) do M.find(t, name, "fillna") end
  end
  return each(t, t.n, t.index, function(c, name)
    local v = value
    if type(value) == "table" then v = value[name] end
    if v == nil then return c end
    return series.filled(c, v, ('the column "%s"'):format(name))
  end)
end

-- ---- One value of each column ----

--- A series of f(column) by the columns' names.
local function by_column(t, names, f)
  local values = {n = #names}
  for i, name in ipairs(names) do values[i] = f(t.columns[name], name) end
  local c = column.from(values, nil, "the result")
  return series.new(c, nil, {{column = column.from(names, nil, "names")}})
end

-- The names of the columns that a reduction takes.
local function reducible(t, what, numeric_only)
  local names = {}
  for _, name in ipairs(t.names) do
    local c = t.columns[name]
    if c.type ~= "str" then
      names[#names + 1] = name
    elseif not numeric_only then
      fail('%s: the column "%s" holds texts; df:%s{numeric_only = true} leaves'
        .. " such columns out", what, name, what)
    end
  end
  return names
end

for _, name in ipairs{"sum", "mean", "min", "max", "median", "std", "var"} do
  methods[name] = function(df, options)
    local o = object.options(name, options, {"numeric_only", "ddof"})
    local t = state(df)
    local values = by_column(t, reducible(t, name, o.numeric_only), function(c)
      local v = series.reduce(c, name, name, o.ddof or 1)
      return type(v) == "boolean" and (v and 1 or 0) or v
    end)
    return values
  end
end

function methods.count(df)
  local t = state(df)
  return by_column(t, t.names, function(c)
    return t.n - column.total(column.missing(c))
  end)
end

function methods.nunique(df)
  local t = state(df)
  return by_column(t, t.names, function(c)
    local _, _, count = series.distinct(c)
    return count
  end)
end

--- count, mean, std, min, quartiles and max of the columns of numbers; where
--- there is none: count, unique, top and freq.
function methods.describe(df)
  local t = state(df)
  local names, columns = {}, {}
  for _, name in ipairs(t.names) do
    if column.is_number(t.columns[name]) then names[#names + 1] = name end
  end
  if #names == 0 then names = t.names end
  if #names == 0 then fail("describe: the frame has no columns") end
  local labels
  for _, name in ipairs(names) do
    columns[name], labels = series.describe_column(t.columns[name])
  end
  return M.new(names, columns, #labels, {{column = column.from(labels)}})
end

--- The values as an array with two axes: numbers and bools only.
function methods.to_numpy(df)
  local t = state(df)
  local list = {}
  for i, name in ipairs(t.names) do
    local c = t.columns[name]
    if c.type == "str" then
      fail('to_numpy: the column "%s" holds texts; df[{...}] chooses others',
        name)
    end
    list[i] = c.data
  end
  if #list == 0 then fail("to_numpy: the frame has no columns") end
  return np.stack(list, 1)
end
properties.values = methods.to_numpy

return M
