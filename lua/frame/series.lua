-- SPDX-License-Identifier: Apache-2.0
-- A series: a column with its name and its rows' labels. Arithmetic and
-- comparisons value by value, and what one asks of a column.
local use = ...
local object, column = use("object"), use("column")
local rows_of, print_text = use("rows"), use("print")
local np = use.np
local fail = object.fail
local state = object.state
local Series = {frame_kind = "series", help_name = "frame.Series"}
local methods = {}
local properties = {}
Series.methods = methods
local M = {Series = Series, methods = methods}

--- A series of a column; `index` is nil or what rows.lua has.
function M.new(c, name, index)
  return object.new(Series, {column = c, name = name, index = index})
end

local function like(s, c)
  local own = state(s)
  return M.new(c, own.name, own.index)
end

-- ---- Reading ----

function properties.values(s) return methods.to_numpy(s) end
function properties.name(s) return state(s).name end
function properties.dtype(s) return state(s).column.type end
function properties.device(s) return state(s).column.data.device end
function properties.shape(s) return {#state(s).column.data} end
function properties.index(s)
  return rows_of.index_values(state(s).index, #state(s).column.data)
end

-- The value of a label, where the labels have one column.
local function at_label(s, label)
  local own = state(s)
  local i = rows_of.find(own.index, label, #own.column.data)
  return i and column.get(own.column, i)
end

local function take(s, rows)
  local own = state(s)
  return M.new(column.take(own.column, rows), own.name,
    rows_of.take(own.index, rows))
end
M.take = take

--- The positions that a mask selects.
function M.mask_rows(mask, n, what)
  local data
  if object.kind(mask) == "series" then
    local c = state(mask).column
    if c.type == "object" then
      fail("%s: the mask has missing values; mask:fillna(false) leaves them"
        .. " out", what)
    end
    data = c.data
  else
    data = type(mask) == "table" and np.array(mask) or mask
  end
  if not use.is_array(data) or data.dtype ~= "bool" then
    fail("%s: a mask is a column of bools, such as df.x:gt(0)", what)
  elseif #data ~= n then
    fail("%s: the mask has %d rows and the frame %d", what, #data, n)
  end
  return use.places(data)
end

function Series.__index(s, key)
  if type(key) == "string" and methods[key] then return methods[key] end
  if properties[key] then return properties[key](s) end
  if object.kind(key) == "series" or use.is_array(key) then
    return methods.filter(s, key)
  end
  local v = at_label(s, key)
  if v ~= nil then return v end
  if type(key) == "string" then
    local near = object.nearest(key, object.keys(methods))
    fail('the series has no label and no method "%s"%s', key,
      near and ("; did you mean s:%s()?"):format(near) or
        " (?frame.Series lists its methods)")
  end
  fail("the series has no row %s: it has %d rows (labels: s.index)",
    tostring(key), #state(s).column.data)
end

function Series.__newindex()
  fail("a series is not written into: df.x = ... puts another column in place")
end

function Series.__complete(_, is_call)
  return is_call and methods or properties
end

function Series.__len(s) return #state(s).column.data end
function Series.__tostring(s) return print_text.series(state(s)) end

--- The values as an array: of texts a list.
function methods.to_numpy(s)
  local c = state(s).column
  if c.type == "str" then return column.tolist(c) end
  return c.data
end
function methods.to_host(s)
  local own = state(s)
  local index = own.index and {}
  for i, level in ipairs(own.index or {}) do
    index[i] = {name = level.name, column = column.moved(level.column)}
  end
  return M.new(column.moved(own.column), own.name, index)
end

methods.to_list = function(s) return column.tolist(state(s).column) end
methods.tolist = methods.to_list

--- The value of row i, from 0, or from the end.
function methods.iloc(s, i)
  local c = state(s).column
  local n = #c.data
  if math.type(i) ~= "integer" or i < -n or i >= n then
    fail("iloc: there is no row %s; the series has %d", tostring(i), n)
  end
  return column.get(c, i < 0 and i + n or i)
end

--- The value of a label.
function methods.loc(s, label)
  local v = at_label(s, label)
  if v == nil then
    fail("loc: no row has the label %s", tostring(label))
  end
  return v
end

-- ---- Value by value ----

local function same_rows(a, b, what)
  local x, y = state(a), state(b)
  column.check_places(x.column, y.column, what)
  if #x.column.data ~= #y.column.data
    or not rows_of.same(x.index, y.index, #x.column.data) then
    fail("%s: the two series have other row labels; s:to_numpy() goes by"
      .. " position", what)
  end
end

-- The numbers of an operand, as np takes them.
local function operand(x, what)
  if object.kind(x) == "series" then
    local c = state(x).column
    if c.type == "str" then
      fail("%s: the column %s holds texts", what,
        state(x).name and ('"%s"'):format(state(x).name) or "")
    end
    return c.data
  elseif type(x) == "table" then
    return column.from(x, nil, what).data
  end
  return x
end

-- A series out of np's function of two operands.
local function arithmetic(what, f)
  return function(a, b)
    if object.kind(a) == "series" and object.kind(b) == "series" then
      same_rows(a, b, what)
    end
    local s = object.kind(a) == "series" and a or b
    local data = f(operand(a, what), operand(b, what))
    local own = state(s)
    local name = own.name
    if object.kind(a) == "series" and object.kind(b) == "series"
      and state(a).name ~= state(b).name then name = nil end
    return M.new(column.new(data.dtype, data), name, own.index)
  end
end

local function wide(x)
  if use.is_array(x) and not x.dtype:find("^f") then
    return use.cast(x, "f64")
  end
  return x
end

Series.__add = arithmetic("+", function(a, b) return a + b end)
Series.__sub = arithmetic("-", function(a, b) return a - b end)
Series.__mul = arithmetic("*", function(a, b) return a * b end)
Series.__div = arithmetic("/", function(a, b) return wide(a) / wide(b) end)
Series.__pow = arithmetic("^", function(a, b) return a ^ b end)
-- By zero: NaN, as pandas has it, whose integers become floats there.
local function by_zero(f)
  return function(a, b)
    local some = use.is_array(b) and column.any(np.equal(b, 0)) or b == 0
    if some then a, b = wide(a), wide(b) end
    return f(a, b)
  end
end
Series.__idiv = arithmetic("//", by_zero(function(a, b) return a // b end))
Series.__mod = arithmetic("%", by_zero(function(a, b) return a % b end))
function Series.__unm(s)
  local data = -operand(s, "-")
  return like(s, column.new(data.dtype, data))
end

local function logical(what, f)
  return arithmetic(what, function(a, b)
    for _, x in ipairs{a, b} do
      if use.is_array(x) and x.dtype ~= "bool" then
        fail("%s: both sides are bools, such as df.x:gt(0)", what)
      end
    end
    return f(a, b)
  end)
end
Series.__band = logical("&", function(a, b) return np.logical_and(a, b) end)
Series.__bor = logical("|", function(a, b) return np.logical_or(a, b) end)
Series.__bxor = logical("~", function(a, b) return np.logical_xor(a, b) end)
function Series.__bnot(s)
  local c = state(s).column
  if c.type ~= "bool" then
    fail("~: the series is of bools, such as df.x:gt(0)")
  end
  return like(s, column.new("bool", np.logical_not(c.data)))
end
local function no_order()
  fail("series are compared by methods: s:lt(3), s:ge(t); Lua's < gives one"
    .. " truth")
end
Series.__lt, Series.__le = no_order, no_order

-- Texts: both sides' ranks in one dictionary.
local function text_sides(a, b, what)
  local c = state(a).column
  local other = object.kind(b) == "series" and state(b).column
  if other and other.type ~= "str" or not other and type(b) ~= "string" then
    fail("%s: texts are compared with texts, not with %s", what,
      other and other.type or use.value_text(b))
  end
  local all = use.texts()
  local x = column.codes_in(c, all)
  local y = other and column.codes_in(other, all)
  local code = not other and all:add(b)
  local ranks = all:ranks()
  return use.sortable(x, ranks),
    other and use.sortable(y, ranks) or ranks[code]
end

-- Is it equal: without an order, by the codes.
local function text_equal(a, b)
  local c = state(a).column
  if type(b) == "string" then
    local code = c.texts:find(b)
    return code < 0 and column.zeros(c.data, "bool") or c.data:eq(code)
  end
  local x, y = text_sides(a, b, "eq")
  return np.equal(x, y)
end

for name, f in pairs{eq = "equal", ne = "not_equal", lt = "less",
                     le = "less_equal", gt = "greater", ge = "greater_equal"} do
  local compare = np[f]
  methods[name] = function(a, b)
    if b == nil then fail("%s: with what? s:%s(3)", name, name) end
    if b == column.NA then
      fail("%s: nothing is equal to what is missing; s:isna() and s:notna() say"
        .. " where", name)
    end
    if object.kind(b) == "series" then same_rows(a, b, name) end
    local data
    if state(a).column.type == "str" then
      if name == "eq" then
        data = text_equal(a, b)
      elseif name == "ne" then
        data = np.logical_not(text_equal(a, b))
      else
        data = compare(text_sides(a, b, name))
      end
    else
      if type(b) == "string" then
        fail("%s: the column %sholds numbers, and %q is a text", name,
          state(a).name and ('"%s" '):format(state(a).name) or "", b)
      end
      if type(b) == "boolean" and state(a).column.type == "object" then
        b = b and 1 or 0
      end
      data = compare(operand(a, name), operand(b, name))
    end
    return like(a, column.new("bool", data))
  end
end

function methods.between(s, low, high)
  return methods.ge(s, low) & methods.le(s, high)
end

--- Is the value one of a list's?
function methods.isin(s, list)
  local c = state(s).column
  if object.kind(list) == "series" then list = methods.to_list(list) end
  if type(list) ~= "table" and not use.is_array(list) then
    fail("isin: a list of values, not %s", use.value_text(list))
  end
  local data
  if c.type == "str" then
    local is_in = np.zeros(#c.texts + 1, "i32")
    for _, text in ipairs(list) do
      local code = type(text) == "string" and c.texts:find(text) or -1
      if code >= 0 then is_in[code] = 1 end
    end
    data = use.renumber(c.data, is_in):eq(1)
  else
    data = np.isin(c.data, list)
  end
  return like(s, column.new("bool", data))
end

--- f of each value that is there, called one by one.
function methods.map(s, f)
  local c = state(s).column
  local list = column.tolist(c)
  local value = f
  if type(f) == "table" then value = function(v) return f[v] end end
  if type(value) ~= "function" then
    fail("map: a function of a value or a table, not %s", use.value_text(f))
  end
  for i = 1, #c.data do
    local v = list[i]
    if v == v then
      v = value(v)
      list[i] = v == nil and column.NA or v
    else
      list[i] = column.NA
    end
  end
  list.n = #c.data
  return like(s, column.from(list, nil, "map"))
end
methods.apply = methods.map

for _, name in ipairs{"abs", "sqrt", "exp", "log", "floor", "ceil", "round"} do
  methods[name] = function(s, decimals)
    local data = np[name](operand(s, name), name == "round" and decimals or nil)
    return like(s, column.new(data.dtype, data))
  end
end

-- ---- Missing values ----

function methods.isna(s)
  return like(s, column.new("bool", column.missing(state(s).column)))
end
function methods.notna(s)
  return like(s, column.new("bool",
    np.logical_not(column.missing(state(s).column))))
end

--- The column with `value` where one is missing.
function M.filled(c, value, what)
  local missing = column.missing(c)
  if not column.any(missing) then return c end
  if c.type == "str" then
    if type(value) ~= "string" then
      fail("fillna: %s holds texts, and %s is none", what,
        use.value_text(value))
    end
    local texts = use.texts()
    local codes = column.codes_in(c, texts)
    return column.new("str",
      np.where(missing, texts:add(value), codes):astype("i32"), texts)
  elseif c.type == "object" then
    if type(value) ~= "boolean" then
      fail("fillna: %s holds bools, and %s is none", what,
        use.value_text(value))
    end
    return column.new("bool",
      np.where(missing, value and 1.0 or 0.0, c.data):astype("bool"))
  elseif type(value) ~= "number" then
    fail("fillna: %s holds numbers, and %s is none", what,
      use.value_text(value))
  end
  return column.new(c.type, np.where(missing, value, c.data):astype(c.type))
end

function methods.fillna(s, value)
  local own = state(s)
  return like(s, M.filled(own.column, value,
    own.name and ('the column "%s"'):format(own.name) or "the series"))
end

function methods.dropna(s)
  local missing = column.missing(state(s).column)
  if not column.any(missing) then return s end
  return take(s, np.nonzero(np.logical_not(missing)))
end

-- ---- Rows ----

function methods.filter(s, mask)
  return take(s, M.mask_rows(mask, #state(s).column.data, "s[mask]"))
end

local function part(s, from, to)
  local own = state(s)
  return M.new(column.slice(own.column, from, to), own.name,
    rows_of.slice(own.index, from, to, own.column))
end

function methods.head(s, n)
  local from, to = rows_of.head(#state(s).column.data, n)
  return part(s, from, to)
end
function methods.tail(s, n)
  local from, to = rows_of.tail(#state(s).column.data, n)
  return part(s, from, to)
end

function methods.sort_values(s, options)
  local o = object.options("sort_values", options, {"ascending"})
  return take(s, column.order({state(s).column}, {o.ascending == false}))
end

function methods.sort_index(s, options)
  local o = object.options("sort_index", options, {"ascending"})
  local own = state(s)
  local columns = rows_of.columns(own.index, #own.column.data)
  local down = {}
  for i in ipairs(columns) do down[i] = o.ascending == false end
  return take(s, column.order(columns, down))
end

function methods.rename(s, name)
  local own = state(s)
  return M.new(own.column, name, own.index)
end

function methods.astype(s, type)
  return like(s, column.astype(state(s).column, type))
end

-- ---- One value of all ----

-- C's aggregation of all rows as one group.
local function whole(name, data, ddof)
  local v = use.aggregate(name, data, column.zeros(data, "i32"), 1, ddof)
  return column.host(v)[0]
end

-- Of a column: its value by pandas' rules.
local function reduce(c, name, what, ddof)
  if c.type == "str" and (name == "min" or name == "max") then
    local ranks = c.texts:ranks()
    local v = whole(name, use.sortable(c.data, ranks))
    if v ~= v then return v end
    return c.texts:get(np.argsort(ranks)[v // 1 | 0])
  end
  local data = column.numbers(c, what)
  if (name == "min" or name == "max") and #data == 0 then return np.nan end
  local v = whole(name, data, ddof)
  if (name == "min" or name == "max") and c.type == "bool" then
    return v == 1
  elseif c.type == "object" and name == "sum" then
    return math.tointeger(v) or v
  end
  return v
end
M.reduce = reduce

for _, name in ipairs{"sum", "mean", "min", "max", "median"} do
  methods[name] = function(s)
    local own = state(s)
    return reduce(own.column, name, name)
  end
end
for _, name in ipairs{"std", "var"} do
  methods[name] = function(s, options)
    local o = object.options(name, options, {"ddof"})
    return reduce(state(s).column, name, name, o.ddof or 1)
  end
end

function methods.count(s)
  local c = state(s).column
  return #c.data - column.total(column.missing(c))
end

-- The values that are there, of numbers, as f64.
local function present(c, what)
  local data = use.cast(column.numbers(c, what), "f64")
  return data[np.logical_not(np.isnan(data))]
end

function M.quantile(c, q)
  local data = present(c, "quantile")
  if #data == 0 then return np.nan end
  return column.scalar(np.quantile(data, q))
end

function methods.quantile(s, q)
  q = q or 0.5
  if type(q) ~= "number" or q < 0 or q > 1 then
    fail("quantile: q is a number from 0 to 1, not %s", tostring(q))
  end
  return M.quantile(state(s).column, q)
end

-- The first row of each distinct value, without missing ones or with them.
function M.distinct(c, keep_missing)
  local codes, count, first = column.factorize(c, keep_missing or false)
  return first, codes, count
end

function methods.nunique(s)
  local _, _, count = M.distinct(state(s).column)
  return count
end

function methods.unique(s)
  local own = state(s)
  local first = M.distinct(own.column, true)
  return M.new(column.take(own.column, first), own.name)
end

function methods.idxmax(s) return M.extreme_label(s, "max") end
function methods.idxmin(s) return M.extreme_label(s, "min") end
function M.extreme_label(s, name)
  local own = state(s)
  local data = column.numbers(own.column, "idx" .. name)
  local v = whole(name, data)
  local at = np.nonzero(np.equal(data, v))
  if #at == 0 then fail("idx%s: there is no value", name) end
  return rows_of.label(own.index, at[0])
end

function methods.any(s) return column.any(operand(s, "any")) end
function methods.all(s) return column.all(operand(s, "all")) end

function methods.cumsum(s)
  local data = np.cumsum(operand(s, "cumsum"))
  return like(s, column.new(data.dtype, data))
end

--- How often each value is there, the most frequent first.
function methods.value_counts(s, options)
  local o = object.options("value_counts", options,
    {"normalize", "sort", "ascending", "dropna"})
  local own = state(s)
  local first, codes, count = M.distinct(own.column, o.dropna == false)
  local counts = use.aggregate("size", codes, codes, count)
  local values = column.take(own.column, first)
  if o.sort ~= false then
    local order = np.argsort(o.ascending and counts or -counts)
    values, counts = column.take(values, order), use.take(counts, order)
  end
  if o.normalize then counts = counts / column.total(counts) end
  return M.new(column.new(counts.dtype, counts),
    o.normalize and "proportion" or "count",
    {{name = own.name, column = values}})
end

function methods.describe(s)
  local own = state(s)
  return M.new(M.describe_column(own.column), own.name,
    {{column = column.from(M.describe_labels(own.column))}})
end

local of_numbers = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"}
local of_others = {"count", "unique", "top", "freq"}

function M.describe_labels(c)
  return column.is_number(c) and of_numbers or of_others
end

-- Of numbers only; of others as texts, since a column has one type.
function M.describe_column(c)
  local s = M.new(c)
  if column.is_number(c) then
    local data = present(c, "describe")
    local q = np.full(3, np.nan)
    if #data > 0 then
      q = column.host(np.quantile(data, column.beside(data,
        np.array{0.25, 0.5, 0.75})))
    end
    return column.from({methods.count(s), methods.mean(s), methods.std(s),
      methods.min(s), q[0], q[1], q[2], methods.max(s)}, nil, "describe"),
      of_numbers
  end
  local counts = methods.value_counts(s)
  local n = #state(counts).column.data
  local top = n > 0 and rows_of.label(state(counts).index, 0)
  if type(top) == "boolean" then top = top and "True" or "False" end
  return column.from({tostring(methods.count(s)), tostring(n),
    top or column.NA, n > 0 and tostring(methods.iloc(counts, 0)) or column.NA},
    nil, "describe"), of_others
end

return M
