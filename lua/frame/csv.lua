-- SPDX-License-Identifier: Apache-2.0
-- read_csv and to_csv, by pandas' rules; ../bind/frame/csv reads the file.
local use = ...
local object, column = use("object"), use("column")
local tables, rows_of, concat = use("table"), use("rows"), use("concat")
local np = use.np
local fail = object.fail
local M = {}

-- What stands for a missing value unless keep_default_na is false.
local default_na = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN",
  "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN",
  "None", "n/a", "nan", "null"}

local option_names = {"sep", "delimiter", "header", "names", "usecols",
  "dtype", "nrows", "chunksize", "na_values", "keep_default_na", "quotechar",
  "skiprows", "index_col", "on_bad_lines", "threads", "device"}

-- ---- Options ----

local function na_of(o)
  local list, values = {}, o.na_values
  if o.keep_default_na ~= false then
    table.move(default_na, 1, #default_na, 1, list)
  end
  if values ~= nil and type(values) ~= "table" then values = {values} end
  for _, v in ipairs(values or {}) do
    if type(v) ~= "string" and type(v) ~= "number" then
      fail("read_csv: na_values are texts or numbers, not %s",
        use.value_text(v))
    end
    list[#list + 1] = tostring(v)
  end
  return list
end

local function count_of(o, name)
  local n = o[name]
  if n ~= nil and (math.type(n) ~= "integer" or n < (name == "chunksize" and 1
    or 0)) then
    fail("read_csv: %s is a number of rows, not %s", name, tostring(n))
  end
  return n
end

local function check_text(what, x)
  if type(x) ~= "string" then
    fail("%s is a text, not %s", what, use.value_text(x))
  end
  return x
end

local function check_threads(n)
  if n ~= nil and (math.type(n) ~= "integer" or n < 0) then
    fail("read_csv: threads is a number of threads, or 0 for one on each"
      .. " processor, not %s", tostring(n))
  end
  return n
end

-- Passes over n rows, which the option asks for, and of which there must be as
-- many.
local function pass_rows(reader, n, path, said)
  for i = 1, n do
    if not reader:names() then
      fail("read_csv: %s, and %s has %s", said, path,
        i == 2 and "1 row" or i - 1 .. " rows")
    end
  end
end

local function open(path, o)
  if o.device ~= nil and type(o.device) ~= "boolean" then
    fail("read_csv: device = true puts the columns on the device in use"
      .. " (cuda.select chooses it), and this is %s", use.value_text(o.device))
  end
  local sep = check_text("read_csv: sep", o.sep or o.delimiter or ",")
  local bad = object.choice("read_csv", "on_bad_lines", o.on_bad_lines
    or "error", {"error", "skip"})
  local quote = o.quotechar
  if quote == nil then quote = '"' end
  if quote then check_text("read_csv: quotechar", quote) end
  local reader = use.csv_open(path, sep, quote, na_of(o),
    check_threads(o.threads), bad == "skip")
  local skipped = count_of(o, "skiprows") or 0
  pass_rows(reader, skipped, path, ("skiprows = %d"):format(skipped))
  return reader
end

-- ---- Names ----

--- Each once: a, a.1, a.2; one that is empty is Unnamed: 3.
function M.distinct(names)
  local seen, out = {}, {}
  for i, name in ipairs(names) do
    if name == "" then name = "Unnamed: " .. i - 1 end
    local one, n = name, 0
    while seen[one] do
      n = n + 1
      one = name .. "." .. n
    end
    seen[one], out[i] = true, one
  end
  return out
end

-- Those that the caller gives: texts, each once.
local function given_names(names)
  if names == nil then return nil end
  if type(names) ~= "table" or object.kind(names) then
    fail("read_csv: names is a list of texts, not %s", use.value_text(names))
  end
  local seen = {}
  for i = 1, #names do
    local name = check_text("read_csv: item " .. i .. " of names", names[i])
    if seen[name] then fail('read_csv: names has "%s" twice', name) end
    seen[name] = true
  end
  return names
end

-- The names of the file's columns; the reader stands at the first row behind.
local function names_of(reader, path, o)
  local header, given = o.header, given_names(o.names)
  if header == nil then header = given == nil end
  if header ~= true and header ~= false
    and not (math.type(header) == "integer" and header >= 0) then
    fail("read_csv: header is the number of the row of names, or false where"
      .. " there is none, not %s", type(header) == "number" and header
      or use.value_text(header))
  end
  local row = math.type(header) == "integer" and header or 0
  -- The row of names is one of those that must be there, but for a file without
  -- any.
  if row > 0 then
    local said = ("header = %d is the row of names, counted from 0%s"):format(
      row, o.skiprows and " behind skiprows" or "")
    pass_rows(reader, row + 1, path, said)
    reader:back()
  end
  local first = reader:names()
  if not first then
    if given then return given end
    fail("read_csv: %s is empty: there are no columns in it", path)
  end
  if header == false then reader:back() end
  if given then
    if #given < #first then
      fail("read_csv: %s has %d columns, and names has %d", path, #first,
        #given)
    end
    return given
  elseif header == false then
    for i in ipairs(first) do first[i] = tostring(i - 1) end
  end
  return M.distinct(first)
end

-- ---- Types ----

local function has(list, name)
  for _, v in ipairs(list) do
    if v == name then return true end
  end
  return false
end

-- Of each column: the type that is given, "" where it is found, false where the
-- column is not wanted.
local function types_of(names, o)
  local types = {}
  for i in ipairs(names) do types[i] = o.usecols == nil and "" or false end
  for _, wanted in ipairs(object.names(o.usecols or {})) do
    local at
    for i, name in ipairs(names) do
      if wanted == name or wanted == i - 1 then at = i end
    end
    if not at then
      object.unknown("read_csv: usecols: there is no column", wanted, names)
    end
    types[at] = ""
  end
  local given = o.dtype
  if type(given) == "table" then
    for name in pairs(given) do
      if not has(names, name) then
        object.unknown("read_csv: dtype: there is no column", name, names)
      end
    end
  end
  for i, name in ipairs(names) do
    local one = given
    if type(given) == "table" then one = given[name] end
    if one and types[i] then
      types[i] = column.type_named(one, "read_csv: dtype")
    end
  end
  return types
end

local limits = {i8 = 2 ^ 7, i16 = 2 ^ 15, i32 = 2 ^ 31, u8 = 2 ^ 8,
                u16 = 2 ^ 16, u32 = 2 ^ 32}

-- The column as the type that is given for it.
local function narrowed(c, type, name)
  local most = limits[type]
  if most and #c.data > 0 then
    local least = type:find("^u") and 0 or -most
    local low, high = np.min(c.data), np.max(c.data)
    if low < least or high >= most then
      fail('read_csv: the column "%s" has %d, which is no %s; dtype = "i64"'
        .. " takes it", name, low < least and low or high, type)
    end
  end
  if type == "" or c.type == type then return c end
  return column.new(type, c.data:astype(type))
end

-- ---- Reading ----

local function next_part(reader, names, types, most)
  local list, n = reader:read(names, types, most)
  local columns, kept = {}, {}
  for i, name in ipairs(names) do
    if types[i] then
      kept[#kept + 1] = name
      columns[name] = narrowed(list[i], types[i], name)
    end
  end
  return tables.new(kept, columns, n), n
end

local function with_index(df, o)
  if o.device then df = df:to_device() end
  if o.index_col == nil or o.index_col == false then return df end
  local names = object.names(o.index_col)
  local list = {}
  for i, name in ipairs(names) do
    list[i] = math.type(name) == "integer" and df.columns[name + 1] or name
  end
  return df:set_index(list)
end

local function read_one(path, o)
  if type(path) ~= "string" then
    fail("read_csv: a file's name or a list of names, not %s",
      use.value_text(path))
  end
  local reader = open(path, o)
  local names = names_of(reader, path, o)
  local df = next_part(reader, names, types_of(names, o), count_of(o, "nrows"))
  reader:close()
  return with_index(df, o)
end

-- An iterator over parts of `chunksize` rows.
local function parts_of(path, o)
  local reader = open(path, o)
  local names = names_of(reader, path, o)
  local types, done = types_of(names, o), 0
  local size, most = count_of(o, "chunksize"), count_of(o, "nrows")
  return function()
    if not reader then return nil end
    local wanted = most and math.min(size, most - done) or size
    local df, n = next_part(reader, names, types, wanted)
    if n == 0 then
      reader:close()
      reader = nil
      return nil
    end
    if done > 0 then
      object.state(df).index = {{column = column.new("i64",
        np.arange(done, done + n))}}
    end
    done = done + n
    return with_index(df, o)
  end
end

--- The rows of a file, or of several one below the other.
function M.read_csv(path, options)
  local o = object.options("read_csv", options, option_names)
  if o.chunksize then
    if type(path) ~= "string" then
      fail("read_csv: chunksize reads one file, not %s", use.value_text(path))
    end
    return parts_of(path, o)
  elseif type(path) ~= "table" then
    return read_one(path, o)
  end
  local list = {}
  for i, one in ipairs(path) do list[i] = read_one(one, o) end
  if #list == 0 then fail("read_csv: the list has no files") end
  return concat.concat(list, {ignore_index = o.index_col == nil})
end

-- ---- Writing ----

local written = {bool = true, i64 = true, u64 = true, f64 = true, f32 = true}

-- The column as C writes it.
local function for_writing(c)
  if c.type == "str" then return c end
  local data = c.data
  if not written[data.dtype] then
    data = data:astype(data.dtype:find("f") and "f32" or "i64")
  end
  return {data = data, is_object = c.type == "object"}
end

-- The first line: the names, or other ones for the columns, none for `false`.
local function header_of(o, names, columns)
  local header = o.header
  if header == nil or header == true then return names end
  if header == false then return {} end
  if type(header) ~= "table" or object.kind(header) then
    fail("to_csv: header is true, false or a list of other names, not %s",
      use.value_text(header))
  elseif #header ~= columns then
    fail("to_csv: header has %d name%s for %d column%s", #header,
      #header == 1 and "" or "s", columns, columns == 1 and "" or "s")
  end
  local out, labels = {}, #names - columns
  table.move(names, 1, labels, 1, out)
  for i = 1, columns do
    out[labels + i] = check_text("to_csv: item " .. i .. " of header",
      header[i])
  end
  return out
end

--- Writes a file, or gives the text where no path is given.
function tables.methods.to_csv(df, path, options)
  if type(path) == "table" and not options then path, options = nil, path end
  local o = object.options("to_csv", options,
    {"sep", "index", "header", "na_rep", "columns"})
  local t = object.state(o.columns and df:select(o.columns) or df)
  if path ~= nil and type(path) ~= "string" then
    fail("to_csv: a file's name, not %s", use.value_text(path))
  end
  local sep = check_text("to_csv: sep", o.sep or ",")
  if #sep ~= 1 or sep:find("[\r\n]") then
    fail('to_csv: sep is one character, not "%s"', sep)
  end
  local na = o.na_rep or ""
  na = type(na) == "number" and tostring(na) or check_text("to_csv: na_rep", na)
  local names, columns = {}, {}
  if o.index ~= false then
    for i, c in ipairs(rows_of.columns(t.index, t.n)) do
      columns[i] = for_writing(c)
      names[i] = t.index and t.index[i].name or ""
    end
  end
  for _, name in ipairs(t.names) do
    names[#names + 1] = name
    columns[#columns + 1] = for_writing(t.columns[name])
  end
  if #names == 0 then fail("to_csv: the frame has no columns") end
  return use.csv_write(path, header_of(o, names, #t.names), columns, t.n, sep,
    na)
end

return M
