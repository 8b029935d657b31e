-- SPDX-License-Identifier: Apache-2.0
-- Columns: {type, data, texts}. README.md says what the types are.
local use = ...
local object = use("object")
local np = use.np
local fail = object.fail
local M = {}

-- Stands for a missing value in a list.
M.NA = setmetatable({}, {__tostring = function() return "NaN" end})

function M.new(type, data, texts)
  return {type = type, data = data, texts = texts}
end

function M.length(c) return #c.data end

local function is_missing(v) return v == nil or v == M.NA or v ~= v end
M.is_missing = is_missing

-- ---- Where columns are ----

function M.is_device(data) return data.device ~= "host" end

--- The array on the host, wherever it is.
function M.host(data)
  return data.device == "host" and data or data:copy_to_host()
end

-- A number or a truth; a device has it as an array without axes.
local function scalar(v)
  if use.is_array(v) then return M.host(v):tolist() end
  return v
end

M.scalar = scalar

function M.any(data) return scalar(np.any(data)) end
function M.all(data) return scalar(np.all(data)) end
function M.total(data) return scalar(np.sum(data)) // 1 end

--- An array where `like` is.
function M.beside(like, data)
  if not M.is_device(like) then return data end
  return use.cuda.to_device(data)
end

--- As many zeros as `like` has elements, where it is.
function M.zeros(like, dtype)
  if not M.is_device(like) then return np.zeros(#like, dtype) end
  return use.cuda.device_array(#like, dtype):fill(0)
end

--- A column with its array elsewhere.
function M.moved(c, to_device)
  local data = c.data
  if to_device and not M.is_device(data) then
    data = use.cuda.to_device(data)
  elseif not to_device then
    data = M.host(data)
  end
  return M.new(c.type, data, c.texts)
end

--- Both columns are in one place.
function M.check_places(a, b, what)
  if a.data.device ~= b.data.device then
    fail("%s: one column is on %s and another on %s; df:to_device() or"
      .. " df:to_host() brings them together", what,
      M.is_device(a.data) and a.data.device or "the host",
      M.is_device(b.data) and b.data.device or "the host")
  end
end

-- ---- Types ----

local floats = {f16 = true, bf16 = true, f32 = true, f64 = true}

function M.is_float(c) return floats[c.type] or false end
function M.is_texts(c) return c.type == "str" end
--- Not texts, not bools: describe() and its like take these.
function M.is_number(c)
  return c.type ~= "str" and c.type ~= "object" and c.type ~= "bool"
end
function M.is_integer(c) return M.is_number(c) and not floats[c.type] end

--- The values as f64 or i64, which C's aggregations take.
function M.numbers(c, what)
  if c.type == "str" then
    fail('%s: the column holds texts; astype("f64") makes numbers of them, or'
      .. " names the row that holds none", what)
  elseif M.is_float(c) or c.type == "object" or c.type == "u64" then
    return c.type == "object" and c.data or use.cast(c.data, "f64")
  end
  return use.cast(c.data, "i64")
end

-- ---- Made of values ----

local function kind_of(v)
  if type(v) == "number" then return math.type(v) end
  return type(v)
end

local words = {integer = "numbers", float = "numbers", boolean = "bools",
               string = "texts"}

-- What the values of a list are: "integer", "float", "boolean" or "string"; and
-- whether some are missing.
local function kind_of_list(list, n, what)
  local kind, some_missing = nil, false
  for i = 1, n do
    local v = list[i]
    if is_missing(v) then
      some_missing = true
    else
      local k = kind_of(v)
      if not words[k] then
        fail("%s: value %d of the list is %s; a column holds numbers, texts or"
          .. " bools (and frame.NA where one is missing)", what, i - 1,
          use.value_text(v))
      elseif kind and words[kind] ~= words[k] then
        fail("%s: value %d of the list is %s among %s; a column holds values"
          .. " of one kind", what, i - 1, use.value_text(v), words[kind])
      end
      if kind ~= "float" then kind = k end
    end
  end
  return kind or "float", some_missing
end

local function filled(list, n, value_of)
  local out = {}
  for i = 1, n do
    local v = list[i]
    out[i] = is_missing(v) and np.nan or value_of(v)
  end
  return np.array(out, "f64"):reshape(n)
end

local function from_list(list, n, what)
  local kind, some_missing = kind_of_list(list, n, what)
  if kind == "string" then
    local texts = use.texts()
    return M.new("str", use.encode(list, n, texts), texts)
  elseif kind == "boolean" and some_missing then
    return M.new("object", filled(list, n, function(v) return v and 1 or 0 end))
  elseif some_missing or kind == "float" then
    return M.new("f64", filled(list, n, function(v) return v end))
  end
  local type = kind == "boolean" and "bool" or "i64"
  return M.new(type, np.array(list, type):reshape(n))
end

-- The length of a list in which frame.NA stands for what is missing.
local function list_length(list)
  local n = #list
  return math.max(n, math.tointeger(list.n) or 0)
end

--- A column of an array, a list, a series, or a value for each of `n` rows.
function M.from(value, n, what)
  if object.kind(value) == "series" then
    return object.state(value).column
  elseif use.is_array(value) then
    if value.ndim ~= 1 then
      fail("%s: a column is an array with one axis, not %d (x:ravel() has one)",
        what, value.ndim)
    end
    return M.new(value.dtype, value)
  elseif type(value) == "table" and value ~= M.NA and not object.kind(value)
  then
    return from_list(value, list_length(value), what)
  elseif n == nil then
    fail("%s: a list or an array, not %s", what, use.value_text(value))
  end
  local one = from_list({value}, 1, what)
  local data = np.full(n, one.data[0], one.data.dtype)
  return M.new(one.type, data, one.texts)
end

--- The same where `like` is.
function M.placed(c, like)
  return M.moved(c, like and M.is_device(like.data))
end

--- The value of row i: a number, a text, a bool; NaN where it is missing.
function M.get(c, i)
  local v
  if M.is_device(c.data) then
    v = M.host(c.data[("%d:%d"):format(i, i + 1)])[0]
  else
    v = c.data[i]
  end
  if c.type == "str" then
    if v < 0 then return np.nan end
    return c.texts:get(v)
  elseif c.type == "object" then
    if v ~= v then return v end
    return v == 1
  end
  return v
end

function M.tolist(c)
  local out = M.host(c.data):tolist()
  if c.type == "str" then
    for i, code in ipairs(out) do
      out[i] = code < 0 and np.nan or c.texts:get(code)
    end
  elseif c.type == "object" then
    for i, v in ipairs(out) do
      if v == v then out[i] = v == 1 end
    end
  end
  return out
end

-- ---- Rows ----

--- The same values in a type that has a missing one.
function M.with_missing(c)
  if c.type == "str" or c.type == "object" or M.is_float(c) then
    return c
  elseif c.type == "bool" then
    return M.new("object", use.cast(c.data, "f64"))
  end
  return M.new("f64", use.cast(c.data, "f64"))
end

--- The rows at these positions; `some_missing`: -1 stands for no row.
function M.take(c, rows, some_missing)
  if some_missing then c = M.with_missing(c) end
  return M.new(c.type, use.take(c.data, rows), c.texts)
end

--- Rows `from` to before `to`: a view.
function M.slice(c, from, to)
  return M.new(c.type, c.data[("%d:%d"):format(from, to)], c.texts)
end

--- Where a value is missing: an array of bool.
function M.missing(c)
  if c.type == "str" then return c.data:lt(0) end
  if c.type == "object" or M.is_float(c) then return np.isnan(c.data) end
  return M.zeros(c.data, "bool")
end

--- Are two columns the same, value by value?
function M.same(a, b)
  if #a.data ~= #b.data then return false end
  if a.type ~= b.type then return false end
  if a.type ~= "str" then
    return np.array_equal(a.data, b.data, {equal_nan = true})
  end
  return np.array_equal(M.codes_in(a, b.texts), b.data)
end

--- Codes of rows with equal values, how many there are, and their first rows.
--- `keep`: a missing value is one.
function M.factorize(c, keep)
  return use.factorize(c.data, keep, c.texts and #c.texts)
end

--- Codes of a column of texts in another dictionary, which takes new ones in.
function M.codes_in(c, texts)
  if c.texts == texts then return c.data end
  return use.renumber(c.data, texts:take_in(c.texts))
end

-- ---- Several in one ----

local group_of = {str = "texts", bool = "bools", object = "bools"}

-- The type in which two numbers' types meet, as NumPy has it.
local function wider(a, b)
  if a == b then return a end
  if floats[a] or floats[b] then return "f64" end
  return "i64"
end

-- The type in which columns meet.
local function common(columns, what)
  local type = columns[1].type
  for _, c in ipairs(columns) do
    M.check_places(columns[1], c, what)
    local a, b = group_of[type] or "numbers", group_of[c.type] or "numbers"
    if a ~= b then
      fail("%s: a column of %s and one of %s do not go together; astype makes"
        .. " one the other", what, a, b)
    end
    if type ~= c.type then
      type = a == "bools" and "object" or wider(type, c.type)
    end
  end
  return type
end
M.common = common

--- One below the other.
function M.concat(columns, what)
  if #columns == 1 then return columns[1] end
  local type, parts = common(columns, what), {}
  local texts = type == "str" and use.texts() or nil
  for i, c in ipairs(columns) do
    if texts then
      parts[i] = M.codes_in(c, texts)
    else
      parts[i] = use.cast(c.data, type == "object" and "f64" or type)
    end
  end
  return M.new(type, np.concatenate(parts), texts)
end

-- ---- Order ----

--- An array in whose order the values stand, missing ones last.
function M.sort_key(c, is_descending)
  local key = c.data
  if c.type == "str" then key = use.sortable(key, c.texts:ranks()) end
  if not is_descending then return key end
  if key.dtype == "bool" then return np.logical_not(key) end
  if key.dtype:find("^[iu]") then return np.invert(key) end
  return -key
end

--- The positions in the order of several columns, the first one most; equal
--- rows stay as they are. descending[i] of each.
function M.order(columns, descending)
  local order
  for i = #columns, 1, -1 do
    local key = M.sort_key(columns[i], descending and descending[i])
    if order then
      order = use.take(order, np.argsort(use.take(key, order)))
    else
      order = np.argsort(key)
    end
  end
  return order
end

-- ---- Other types ----

local pandas = {int64 = "i64", int32 = "i32", int16 = "i16", int8 = "i8",
                uint64 = "u64", uint32 = "u32", uint16 = "u16", uint8 = "u8",
                float64 = "f64", float32 = "f32", float16 = "f16",
                boolean = "bool", string = "str", int = "i64", float = "f64"}
local types = {"i64", "f64", "bool", "str", "i32", "f32", "i16", "i8", "u64",
               "u32", "u16", "u8", "f16"}

--- One of a column's types by its name, np's or pandas'.
function M.type_named(name, what)
  name = pandas[name] or name
  for _, t in ipairs(types) do
    if t == name then return t end
  end
  object.unknown(what .. ": there is no type", tostring(name), types)
end

local function to_texts(c)
  local list = M.tolist(c)
  for i, v in ipairs(list) do
    if v ~= v then
      list[i] = M.NA
    else
      list[i] = type(v) == "boolean" and (v and "True" or "False")
        or use.number_text(v)
    end
  end
  local texts = use.texts()
  return M.new("str", use.encode(list, #list, texts), texts)
end

local function to_numbers(c, type)
  local list = M.tolist(c)
  for i, v in ipairs(list) do
    local x = v == v and tonumber(v) or nil
    if v == v and not x then
      fail('astype: row %d, "%s", is no number', i - 1, v)
    end
    list[i] = x or np.nan
  end
  return M.astype(M.new("f64", np.array(list, "f64"):reshape(#list)), type)
end

function M.astype(c, type)
  type = M.type_named(type, "astype")
  if type == c.type then return c end
  if type == "str" then return to_texts(c) end
  if c.type == "str" then return to_numbers(c, type) end
  if not floats[type] and M.any(M.missing(c)) then
    fail("astype: %s has no missing value, and row %d is missing; fillna puts"
      .. " another in its place", type, np.argmax(M.missing(c)))
  end
  return M.new(type, use.cast(c.data, type))
end

return M
