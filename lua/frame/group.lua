-- SPDX-License-Identifier: Apache-2.0
-- groupby: rows with equal keys, and one value of each group. Groups stand in
-- the order of their keys; rows whose key is missing are in none.
local use = ...
local object, column = use("object"), use("column")
local series, tables = use("series"), use("table")
local np = use.np
local fail = object.fail
local state = object.state
local Groups = {frame_kind = "groups", help_name = "frame.GroupBy"}
local methods = {}
Groups.methods = methods
local M = {Groups = Groups}

-- ---- Codes ----

--- Codes of rows with equal keys, how many there are, and their first rows.
--- `keep`: a missing key is a key.
function M.codes(columns, keep)
  local codes, count, first = column.factorize(columns[1], keep)
  for i = 2, #columns do
    local more, n = column.factorize(columns[i], keep)
    codes, count, first = use.combine(codes, more, n)
  end
  return codes, count, first
end

-- The same in the order of the keys.
local function sorted(columns, codes, count, first)
  local keys = {}
  for i, c in ipairs(columns) do keys[i] = column.take(c, first) end
  local order = column.order(keys)
  local rank = use.invert(order)
  return use.renumber(codes, rank), count, use.take(first, order)
end

-- ---- One value of each group ----

-- The codes of texts as numbers in their order, and back.
local function by_rank(c, f)
  local ranks = c.texts:ranks()
  local v = f(use.sortable(c.data, ranks))
  local back = column.beside(c.data, np.argsort(ranks):astype("i32"))
  local missing = np.isnan(v)
  local codes = use.take(back, use.cast(np.where(missing, -1, v), "i64"))
  return column.new("str", codes, c.texts)
end

local gives_floats = {mean = true, median = true, std = true, var = true}

-- Numbers and bools by C's aggregation, and the type that pandas gives.
local function of_numbers(c, name, g, ddof, what)
  local data = column.numbers(c, what)
  local out = use.aggregate(name, data, g.codes, g.count, ddof)
  if name == "min" or name == "max" then
    if c.type == "bool" then return column.new("bool", out:astype("bool")) end
    if c.type == "object" then return column.new("object", out) end
    return column.new(c.type, use.cast(out, c.type))
  elseif c.type == "f32" or c.type == "f16" then
    return column.new(c.type, use.cast(out, c.type))
  end
  return column.new(out.dtype, out)
end

local function distinct_in_groups(c, g)
  local more, n = column.factorize(c, false)
  local _, _, first = use.combine(g.codes, more, n)
  local of = use.take(g.codes, first)
  return column.new("i64",
    use.aggregate("size", of, of, g.count))
end

local function sizes(g)
  return use.aggregate("size", g.codes, g.codes, g.count)
end

-- How many values of each group are there.
local function counts(c, g)
  if c.type ~= "str" then
    return use.aggregate("count", column.numbers(c, "count"), g.codes, g.count)
  end
  return use.aggregate("count",
    np.where(c.data:lt(0), np.nan, 1.0), g.codes, g.count)
end

local function end_of(c, name, g)
  local data
  if c.type == "str" then
    data = np.where(c.data:lt(0), np.nan, 1.0)
  else
    data = column.numbers(c, name)
  end
  local rows = use.aggregate(name, data, g.codes, g.count)
  return column.take(c, rows, column.any(rows:lt(0)))
end

--- f(column, name) of the groups, as a column.
local function aggregate(c, name, g, ddof)
  if name == "size" then
    return column.new("i64", sizes(g))
  elseif name == "count" then
    return column.new("i64", counts(c, g))
  elseif name == "nunique" then
    return distinct_in_groups(c, g)
  elseif name == "first" or name == "last" then
    return end_of(c, name, g)
  elseif c.type == "str" and (name == "min" or name == "max") then
    return by_rank(c, function(data)
      return use.aggregate(name, data, g.codes, g.count)
    end)
  end
  return of_numbers(c, name, g, ddof, name)
end

local names = {"sum", "mean", "min", "max", "count", "size", "std", "var",
               "median", "first", "last", "nunique"}

-- A function of Lua's of each group's series, or a name.
local function check_function(f, what)
  if type(f) == "function" then return f end
  for _, name in ipairs(names) do
    if f == name then return f end
  end
  object.unknown(what .. ": there is no aggregation", tostring(f), names)
end

-- The rows of each group, one group behind the other.
local function rows_by_group(g)
  if not g.order then
    g.order = np.argsort(np.where(g.codes:lt(0), g.count, g.codes))
    g.sizes = column.host(sizes(g))
  end
  return g.order, g.sizes
end

-- f of each group's part of a series.
local function by_function(c, f, g, name)
  local order, size = rows_by_group(g)
  local values, from = {n = g.count}, 0
  for i = 1, g.count do
    local to = from + size[i - 1]
    local part = column.take(c, order[("%d:%d"):format(from, to)])
    local v = f(series.new(part, name))
    values[i] = v == nil and column.NA or v
    from = to
  end
  return column.from(values, nil, "agg")
end

local function apply(own, name, f)
  local c = own.table.columns[name]
  if type(f) == "function" then return by_function(c, f, own.groups, name) end
  if c.type == "str" and (f == "sum" or gives_floats[f]) then
    fail('%s: the column "%s" holds texts; choose others, such as'
      .. ' df:groupby(...)[{"x"}]:%s(), or {numeric_only = true}', f, name, f)
  end
  return aggregate(c, f, own.groups)
end

-- ---- groupby ----

-- The labels of the result: the keys, or columns in front (as_index = false).
local function index_of(own)
  local index = {}
  for i, name in ipairs(own.keys) do
    index[i] = {name = name,
      column = column.take(own.table.columns[name], own.groups.first)}
  end
  return index
end

local function result(own, result_names, columns)
  local df = tables.new(result_names, columns, own.groups.count, index_of(own))
  return own.as_index and df or df:reset_index()
end

-- The columns that are aggregated: chosen ones, or all but the keys.
local function chosen(own)
  if own.columns then return own.columns end
  local out, is_key = {}, {}
  for _, key in ipairs(own.keys) do is_key[key] = true end
  for _, name in ipairs(own.table.names) do
    if not is_key[name] then out[#out + 1] = name end
  end
  return out
end

local function of_all(own, f, numeric_only)
  local kept, columns = {}, {}
  for _, name in ipairs(chosen(own)) do
    if not (numeric_only and own.table.columns[name].type == "str") then
      kept[#kept + 1] = name
      columns[name] = apply(own, name, f)
    end
  end
  if own.is_series then
    local s = series.new(columns[kept[1]], kept[1], index_of(own))
    return own.as_index and s or result(own, kept, columns)
  end
  return result(own, kept, columns)
end

for _, name in ipairs(names) do
  methods[name] = function(gb, options)
    local o = object.options(name, options, {"numeric_only", "ddof"})
    local own = state(gb)
    if o.ddof and (name == "std" or name == "var") then
      return of_all(own, function(s)
        return s[name](s, {ddof = o.ddof})
      end, o.numeric_only)
    end
    return of_all(own, name, o.numeric_only)
  end
end

--- How many rows each group has.
function methods.size(gb)
  local own = state(gb)
  local c = column.new("i64", sizes(own.groups))
  if own.as_index then return series.new(c, nil, index_of(own)) end
  return result(own, {"size"}, {size = c})
end

-- agg{x = "max", y = {"min", "mean"}, total = {"x", "sum"}}: the columns of the
-- result in the frame's order, named x, y_min, y_mean; then new names.
local function of_table(own, wanted)
  local kept, columns, new = {}, {}, {}
  local function add(name, source, f)
    kept[#kept + 1] = name
    columns[name] = apply(own, source, check_function(f, "agg"))
  end
  for name in pairs(wanted) do
    if not own.table.columns[name] then new[#new + 1] = name end
  end
  for _, name in ipairs(own.table.names) do
    local f = wanted[name]
    if type(f) == "table" then
      for _, one in ipairs(f) do
        add(name .. "_" .. (type(one) == "string" and one or "f"), name, one)
      end
    elseif f ~= nil then
      add(name, name, f)
    end
  end
  table.sort(new)
  for _, name in ipairs(new) do
    local pair = wanted[name]
    if type(pair) ~= "table" or type(pair[1]) ~= "string" or pair[2] == nil
    then
      object.unknown("agg: there is no column", name, own.table.names)
    end
    tables.find(own.table, pair[1], "agg")
    add(name, pair[1], pair[2])
  end
  return result(own, kept, columns)
end

-- agg{"min", "max"} of one column: a column for each.
local function of_list(own, list)
  local kept, columns = {}, {}
  local of = chosen(own)
  for _, name in ipairs(of) do
    for _, f in ipairs(list) do
      local full = type(f) == "string" and f or "f"
      if not own.is_series then full = name .. "_" .. full end
      kept[#kept + 1] = full
      columns[full] = apply(own, name, check_function(f, "agg"))
    end
  end
  return result(own, kept, columns)
end

function methods.agg(gb, what)
  local own = state(gb)
  if type(what) ~= "table" then
    return of_all(own, check_function(what, "agg"))
  elseif what[1] ~= nil then
    return of_list(own, what)
  end
  return of_table(own, what)
end
methods.aggregate = methods.agg

--- The rows of one group: of a key, or a list of keys.
function methods.get_group(gb, key)
  local own = state(gb)
  local i = use("rows").find(index_of(own), key, own.groups.count)
  if not i then
    fail("get_group: there is no group %s (gb:size() lists them)",
      tostring(key))
  end
  return tables.take(own.frame, np.nonzero(own.groups.codes:eq(i)))
end

--- for key, part in gb:each() do ... end
function methods.each(gb)
  local own, i, from = state(gb), -1, 0
  local index = index_of(own)
  local order, size = rows_by_group(own.groups)
  return function()
    i = i + 1
    if i >= own.groups.count then return nil end
    local to = from + size[i]
    local rows = order[("%d:%d"):format(from, to)]
    from = to
    return use("rows").label(index, i), tables.take(own.frame, rows)
  end
end

local function choose(gb, list, is_series)
  local own = state(gb)
  for _, name in ipairs(list) do tables.find(own.table, name, "groupby") end
  return object.new(Groups, {frame = own.frame, table = own.table,
    keys = own.keys, groups = own.groups, as_index = own.as_index,
    columns = list, is_series = is_series})
end

function Groups.__index(gb, key)
  if type(key) == "table" then return choose(gb, key) end
  if methods[key] then return methods[key] end
  local own = state(gb)
  if own.table.columns[key] then return choose(gb, {key}, true) end
  local all = table.move(own.table.names, 1, #own.table.names, 1, {})
  for name in pairs(methods) do all[#all + 1] = name end
  local near = use.nearest(tostring(key), all)
  if near and methods[near] and not own.table.columns[near] then
    fail('groupby: there is no column "%s"; did you mean :%s()?', key, near)
  end
  object.unknown("groupby: there is no column", tostring(key),
    own.table.names)
end

function Groups.__complete(_, is_call) return is_call and methods or {} end

function Groups.__len(gb) return state(gb).groups.count end
function Groups.__tostring(gb)
  local own = state(gb)
  return ("%d groups of %d rows by %s; :mean(), :size() ... say more"):format(
    own.groups.count, own.table.n, table.concat(own.keys, ", "))
end

-- Of rows on a device a dozen small arrays are made, which come from the pool.
local function pooled_on_device(x, f, ...)
  if x.device == "host" then return f(...) end
  return use.pooled(f, ...)
end

-- But for agg, which calls functions of the program's: their arrays are its
-- own, with a guard, and they may yield. What is slow of it asks for the pool
-- itself.
for name, f in pairs(methods) do
  if f ~= methods.aggregate then
    methods[name] = function(gb, ...)
      return pooled_on_device(state(gb).groups.codes, f, gb, ...)
    end
  end
end

local function grouped(columns)
  local c = columns[1]
  if #columns == 1 and c.texts then
    local codes, count, first = use.sorted_codes(c.data, c.texts)
    if codes then return codes, count, first end
  end
  return sorted(columns, M.codes(columns))
end

--- Rows with equal values in a column, or in a list of columns.
function tables.methods.groupby(df, by, options)
  local o = object.options("groupby", options, {"as_index"})
  local t = state(df)
  local columns = tables.find_all(t, by, "groupby")
  local codes, count, first = pooled_on_device(columns[1].data, grouped,
                                               columns)
  return object.new(Groups, {frame = df, table = t, keys = object.names(by),
    groups = {codes = codes, count = count, first = first},
    as_index = o.as_index ~= false})
end

return M
