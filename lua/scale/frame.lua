-- SPDX-License-Identifier: Apache-2.0
-- scale.frame: frames whose rows are in parts, each a frame. What goes row by
-- row is a task for each part; groups are made of each part first, and of those
-- together.
local use = ...
local mistakes, objects = use("shared/mistakes"), use("shared/objects")
local client, functions, graph = use("client"), use("functions"), use("graph")
local csv, parquet, tasks = use("csv"), use("parquet"), use("tasks")
local frame = use.frame
local fail = mistakes.fail
local M = {}

local KEY = {}

local function own(x) return rawget(x, KEY) end

-- ---- Making ----

local Frame = {__name = "scale.DataFrame", help_name = "scale.DataFrame"}
local Series = {__name = "scale.Series", help_name = "scale.Series"}
local methods, of_series = {}, {}

local function is_ours(x)
  local meta = getmetatable(x)
  return meta == Frame or meta == Series
end

-- parts: tasks; meta: the same without a row; is_whole: its labels are kept.
local function new(parts, meta, is_whole)
  local class = objects.kind(meta) == "series" and Series or Frame
  return setmetatable({[KEY] = {parts = parts, meta = meta,
                                is_whole = is_whole}}, class)
end

-- As many rows as there are, in so many parts.
local function from_frame(df, options)
  local o = mistakes.options("from_frame", options, {"npartitions"})
  if objects.kind(df) ~= "frame" then
    fail("from_frame: a frame comes first, not %s", use.value_text(df))
  end
  local n, count = #df, o.npartitions or 1
  if math.type(count) ~= "integer" or count < 1 then
    fail("from_frame: npartitions is a number of parts, not %s",
      tostring(count))
  end
  local parts = {}
  count = math.max(1, math.min(count, n))
  for i = 1, count do
    local from, to = (i - 1) * n // count, i * n // count
    parts[i] = tasks.new("value", {df:head(to):tail(to - from)},
      {label = "frame", is_source = true, block = i, blocks = count})
  end
  return new(parts, df:head(0))
end

--- As documented in help/scale.lua.
local function read_csv(path, options)
  local pieces, meta, o = csv.pieces(path, options or {})
  local parts, file = {}, use.absolute(path)
  for i, piece in ipairs(pieces) do
    parts[i] = tasks.new("csv", {file, piece, o}, {label = "read_csv",
      is_source = true, block = i, blocks = #pieces, bytes = piece.stop
      - piece.start})
  end
  return new(parts, meta)
end

--- As documented in help/scale.lua.
local function read_parquet(path, options)
  local pieces, meta, columns = parquet.pieces(path, options)
  local parts = {}
  for i, p in ipairs(pieces) do
    parts[i] = tasks.new("parquet", {use.absolute(p.path), p.groups, columns},
      {label = "read_parquet", is_source = true, block = i, blocks = #pieces,
       bytes = p.bytes})
  end
  return new(parts, meta)
end

-- ---- Row by row ----

local operators = {
  __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "idiv",
  __mod = "mod", __pow = "pow", __band = "band", __bor = "bor", __unm = "unm",
  __bnot = "bnot",
}

local ops = use("ops")

-- The parts that stand side by side in a call: of all frames and series in it.
local function count_of(what, args)
  local count
  for i = 1, args.n do
    local x = args[i]
    if is_ours(x) then
      count = count or #own(x).parts
      if #own(x).parts ~= count then
        fail("%s: one has %d parts and the other %d: both must come of one "
          .. "frame", what, count, #own(x).parts)
      end
    end
  end
  return count
end

-- lead with one more.
local function with(lead, x)
  local args = table.move(lead, 1, #lead, 1, {})
  args[#args + 1] = x
  return args
end

-- ops[op](lead..., args...) of each part; what it gives of none says what it
-- is.
local function by_part(label, op, lead, ...)
  local args = table.pack(...)
  local count = count_of(label, args)
  local function at(i)
    local out = {n = args.n}
    for k = 1, args.n do
      local x = args[k]
      if is_ours(x) then x = i and own(x).parts[i] or own(x).meta end
      out[k] = x
    end
    return out
  end
  local meta = ops[op](table.unpack(with(lead, at())))
  local parts = {}
  for i = 1, count do
    parts[i] = tasks.new(op, with(lead, at(i)), {label = label})
  end
  return new(parts, meta)
end

local function method(name)
  return function(x, ...) return by_part(name, "named", {name}, x, ...) end
end

for event, name in pairs(operators) do
  Series[event] = function(a, b)
    if event == "__unm" or event == "__bnot" then b = nil end
    return by_part(name, "operate", {name}, a, b)
  end
end

for _, name in ipairs{"eq", "ne", "lt", "le", "gt", "ge", "between", "isin",
  "abs", "sqrt", "exp", "log", "floor", "ceil", "round", "isna", "notna",
  "fillna", "astype"} do
  of_series[name] = method(name)
end
for _, name in ipairs{"select", "drop", "rename", "astype", "dropna", "fillna",
  "isna", "notna"} do
  methods[name] = method(name)
end

function methods.column(df, name) return method("column")(df, name) end

local function filter(x, mask)
  if getmetatable(mask) ~= Series then
    fail("filter: a mask of the same frame's columns, such as df.x:gt(3), "
      .. "not %s", use.value_text(mask))
  end
  return by_part("filter", "named", {"filter"}, x, mask)
end
methods.filter, of_series.filter = filter, filter

--- df:assign{name = column, value, or a function of the frame}.
function methods.assign(df, values)
  if type(values) ~= "table" or getmetatable(values) then
    fail("assign: a table of columns, such as {total = df.a + df.b}, not %s",
      use.value_text(values))
  end
  for _, name in ipairs(mistakes.keys(values)) do
    local value = values[name]
    if type(value) == "function" then value = value(df) end
    df = by_part("assign", "assign", {name}, df, value)
  end
  return df
end

--- df:map_partitions(f): f of each part, a frame.
local function map_partitions(x, f, ...)
  return by_part("map_partitions", "call",
    {functions.pack(f, "map_partitions")}, x, ...)
end
methods.map_partitions = map_partitions
of_series.map_partitions = map_partitions

-- ---- Together ----

local function joined(list, op, lead, label)
  return tasks.joined(list, function(part)
    return tasks.new(op, with(lead, part), {label = label})
  end)
end

local function one(task)
  local out
  client.executor():compute({task}, function(_, value) out = value end)
  return out
end

for _, name in ipairs{"sum", "mean", "min", "max", "count"} do
  of_series[name] = function(s)
    local lists = {}
    for i, part in ipairs(own(s).parts) do
      lists[i] = tasks.new("numbers_of", {name, part}, {label = name})
    end
    local all = joined(lists, "numbers_join", {name}, "combine")
    return one(tasks.new("numbers_end", {name, all}, {label = name}))
  end
end

local function compute(x)
  local o, list, place = own(x), {}, {}
  for i, part in ipairs(o.parts) do place[part] = i end
  client.executor():compute(o.parts, function(t, value)
    list[place[t]] = value
  end)
  if o.is_whole then return list[1] end
  return frame.concat(list, {ignore_index = true})
end

local function persist(x)
  client.executor():persist(own(x).parts)
  return x
end

for _, m in ipairs{methods, of_series} do
  m.compute, m.persist = compute, persist
  m.graph = function(x) return graph.new(own(x).parts) end
end

--- The first rows, computed of as few parts as have them.
function methods.head(df, n)
  n = n or 5
  local list, rows = {}, 0
  for _, part in ipairs(own(df).parts) do
    list[#list + 1] = one(tasks.new("named", {"head", {part, n, n = 2}},
      {label = "head"}))
    rows = rows + #list[#list]
    if rows >= n then break end
  end
  return frame.concat(list, {ignore_index = true}):head(n)
end

local function length(x)
  local total = 0
  local list = {}
  for i, part in ipairs(own(x).parts) do
    list[i] = tasks.new("rows", {part}, {label = "rows"})
  end
  client.executor():compute(list, function(_, n) total = total + n end)
  return total
end
Frame.__len, Series.__len = length, length

-- ---- Groups ----

local Groups = {__name = "scale.GroupBy", help_name = "scale.GroupBy"}
local group_methods = {}

-- Which results of parts a result of all is made of.
local of_parts = {sum = {"sum"}, count = {"count"}, min = {"min"},
                  max = {"max"}, mean = {"sum", "count"}}

-- wanted: a list of {column, aggregation, name of the result}.
local function aggregate(gb, wanted, gives_series)
  local o = own(gb)
  local partial, seen, list = {}, {}, {}
  for _, w in ipairs(wanted) do
    if not of_parts[w[2]] then
      mistakes.unknown("groupby: there is no aggregation", w[2],
        mistakes.keys(of_parts))
    end
    for _, f in ipairs(of_parts[w[2]]) do
      local name = w[1] .. "\0" .. f
      if not seen[name] then
        seen[name], partial[#partial + 1] = true, {w[1], f, name}
      end
    end
  end
  -- What frame says of the columns, it says now.
  local meta = ops.group_end(o.keys, wanted, gives_series,
    ops.group_part(o.keys, partial, own(o.frame).meta))
  for i, part in ipairs(own(o.frame).parts) do
    list[i] = tasks.new("group_part", {o.keys, partial, part},
      {label = "group"})
  end
  local all = joined(list, "group_join", {o.keys, partial}, "regroup")
  return new({tasks.new("group_end", {o.keys, wanted, gives_series, all},
    {label = "groups"})}, meta, true)
end

local function columns_of(gb)
  local o, out, is_key = own(gb), {}, {}
  for _, key in ipairs(o.keys) do is_key[key] = true end
  for _, name in ipairs(o.columns or own(o.frame).meta.columns) do
    if not is_key[name] then out[#out + 1] = name end
  end
  return out
end

for name in pairs(of_parts) do
  group_methods[name] = function(gb)
    local wanted = {}
    for i, c in ipairs(columns_of(gb)) do wanted[i] = {c, name, c} end
    return aggregate(gb, wanted, own(gb).is_series)
  end
end

--- gb:agg{x = "max", y = {"min", "mean"}}.
function group_methods.agg(gb, what)
  if type(what) == "string" then return group_methods[what](gb) end
  if type(what) ~= "table" then
    fail('agg: a table such as {x = "max", y = {"min", "mean"}}, not %s',
      use.value_text(what))
  end
  local wanted, known = {}, {}
  for _, c in ipairs(columns_of(gb)) do
    known[c] = true
    local f = what[c]
    if type(f) == "table" then
      for _, name in ipairs(f) do
        wanted[#wanted + 1] = {c, name, c .. "_" .. tostring(name)}
      end
    elseif f ~= nil then
      wanted[#wanted + 1] = {c, f, c}
    end
  end
  for c in pairs(what) do
    if not known[c] then
      mistakes.unknown("agg: there is no column", c, columns_of(gb))
    end
  end
  return aggregate(gb, wanted)
end

local function groups(df, keys, columns, is_series)
  return setmetatable({[KEY] = {frame = df, keys = keys, columns = columns,
                                is_series = is_series}}, Groups)
end

function methods.groupby(df, by)
  local keys = type(by) == "table" and by or {by}
  ops.group_part(keys, {}, own(df).meta) -- raises where there is no such column
  return groups(df, keys)
end

-- What groups of a whole frame can do, and these cannot.
local function check_group_method(gb, key)
  local o = own(gb)
  local of_frames = getmetatable(own(o.frame).meta:groupby(o.keys))
  local is_column = false
  for _, name in ipairs(columns_of(gb)) do
    is_column = is_column or name == key
  end
  if type(key) == "string" and not is_column and of_frames.methods[key] then
    fail("groups of a frame in parts have no %s (there are %s);"
      .. " df:compute():groupby(...) has it", key,
      mistakes.list(mistakes.keys(group_methods)))
  end
end

function Groups.__index(gb, key)
  if group_methods[key] then return group_methods[key] end
  check_group_method(gb, key)
  local o = own(gb)
  local list = type(key) == "table" and key or {key}
  method("select")(o.frame, list)
  return groups(o.frame, o.keys, list, type(key) ~= "table")
end

function Groups.__complete(_, is_call)
  return is_call and group_methods or {}
end

-- ---- Looks ----

local properties = {}
function properties.npartitions(x) return #own(x).parts end
function properties.columns(x) return own(x).meta.columns end
function properties.dtypes(x) return own(x).meta.dtypes end

function Frame.__index(df, key)
  if getmetatable(key) == Series then return filter(df, key) end
  if type(key) == "table" then return method("select")(df, key) end
  if methods[key] then return methods[key] end
  if properties[key] then return properties[key](df) end
  return methods.column(df, key)
end

function Frame.__newindex()
  fail("a frame in parts never changes: df:assign{total = df.a + df.b} gives "
    .. "one with a column more")
end
Series.__newindex = Frame.__newindex

local series_properties = {npartitions = properties.npartitions}
function series_properties.name(s) return own(s).meta.name end
function series_properties.dtype(s) return own(s).meta.dtype end

function Series.__index(s, key)
  if of_series[key] then return of_series[key] end
  if series_properties[key] then return series_properties[key](s) end
  mistakes.unknown("a series in parts has no", key, mistakes.keys(of_series))
end

function Frame.__complete(df, is_call)
  if is_call then return methods end
  local out = {}
  for name in pairs(properties) do out[name] = true end
  for _, name in ipairs(own(df).meta.columns) do out[name] = true end
  return out
end

function Series.__complete(_, is_call)
  return is_call and of_series or series_properties
end

function Frame.__tostring(df)
  local o = own(df)
  return ("scale.DataFrame  columns %s  in %d part%s"):format(
    mistakes.list(o.meta.columns), #o.parts, #o.parts == 1 and "" or "s")
end

function Series.__tostring(s)
  local o = own(s)
  return ("scale.Series  %s  %s  in %d part%s"):format(o.meta.name or "",
    o.meta.dtype, #o.parts, #o.parts == 1 and "" or "s")
end

for _, guarded in ipairs{{methods, Frame, "df", "frame"},
  {of_series, Series, "s", "series"}, {group_methods, Groups, "g", "group"}} do
  local class = guarded[2]
  mistakes.guard_methods(guarded[1], function(x)
    return getmetatable(x) == class
  end, guarded[3], guarded[4])
end

M.frame = {read_csv = read_csv, read_parquet = read_parquet,
           from_frame = from_frame}
M.classes = {DataFrame = methods, Series = of_series, GroupBy = group_methods}
use.guard(M.frame, "scale.frame")

return M
