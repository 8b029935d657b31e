-- SPDX-License-Identifier: Apache-2.0
-- Files in which columns lie as columns: Arrow's, which ../bind/frame/arrow
-- reads and writes, and Parquet's, which pyarrow makes Arrow's of and back, in
-- a process of its own (parquet.py).
local use = ...
local object, column = use("object"), use("column")
local tables, series = use("table"), use("series")
local rows_of, concat = use("rows"), use("concat")
local csv = use("csv")
local fail = object.fail
local M = {}

-- Exit statuses of parquet.py.
local NO_PYARROW, NO_COLUMN = 3, 4

-- ---- Options ----

local function check_path(what, path)
  if type(path) ~= "string" then
    fail("%s: a file's name or a list of names, not %s", what,
      use.value_text(path))
  end
end

-- The columns that are wanted as a list, or nil for all.
local function columns_of(what, o)
  if o.columns == nil then return nil end
  local list = object.names(o.columns)
  for i = 1, #list do
    if type(list[i]) ~= "string" then
      fail("%s: columns is a list of names, and item %d is %s", what, i,
        use.value_text(list[i]))
    end
  end
  return list
end

local function as_keys(list)
  local out = {}
  for _, name in ipairs(list) do out[name] = true end
  return out
end

-- ---- Reading ----

-- pandas keeps row labels without a name in such columns.
local function with_labels(df)
  local labels, index = {}, {}
  for _, name in ipairs(df.columns) do
    if name:find("^__index_level_%d+__$") then
      index[#index + 1] = {column = object.state(df).columns[name]}
      labels[#labels + 1] = name
    end
  end
  if #labels == 0 then return df end
  df = df:drop(labels)
  object.state(df).index = index
  return df
end

-- A frame of {name, type, data, texts}; without `rows` a series of the only
-- one.
local function of_columns(list, rows)
  local names, columns = {}, {}
  for i, c in ipairs(list) do names[i] = c.name end
  names = csv.distinct(names)
  for i, c in ipairs(list) do
    columns[names[i]] = column.new(c.type, c.data, c.texts)
  end
  if rows then return tables.new(names, columns, rows) end
  local name = list[1].name
  return series.new(columns[names[1]], name ~= "" and name or nil)
end

-- What other libraries hand over.
use.keep_maker(function(list, rows)
  local x = of_columns(list, rows)
  return rows and with_labels(x) or x
end)

-- The frame of a reader's columns, in the order that is wanted.
local function frame_of(reader, what, wanted)
  local there = reader:names()
  local is_there = as_keys(there)
  for _, name in ipairs(wanted or {}) do
    if not is_there[name] then
      object.unknown(what .. ": there is no column", name, there)
    end
  end
  local df = of_columns(reader:read(wanted and as_keys(wanted)))
  return wanted and df:select(wanted) or with_labels(df)
end

local function paths_of(what, path)
  local paths = type(path) == "table" and path or {path}
  for i = 1, math.max(#paths, 1) do
    if type(path) == "table" and #paths == 0 then
      fail("%s: the list has no files", what)
    end
    check_path(what, paths[i])
  end
  return paths
end

-- What all readers have in common: several files, row labels, the device.
local function read(what, path, options, read_all, more)
  local o = object.options(what, options,
    {"columns", "index_col", "device", more})
  if o.device ~= nil and type(o.device) ~= "boolean" then
    fail("%s: device = true puts the columns on the device in use"
      .. " (cuda.select chooses it), and this is %s", what,
      use.value_text(o.device))
  end
  local list = read_all(paths_of(what, path), columns_of(what, o), o)
  local df = list[1]
  if #list > 1 then
    df = concat.concat(list, {ignore_index = true})
  end
  if o.device then df = df:to_device() end
  if o.index_col == nil or o.index_col == false then return df end
  return df:set_index(object.names(o.index_col))
end

local function arrow_reader(what)
  return function(path, options)
    return read(what, path, options, function(paths, wanted)
      local list = {}
      for i, one in ipairs(paths) do
        local reader = use.arrow_open(what .. ": " .. one, one)
        list[i] = frame_of(reader, what, wanted)
        reader:close()
      end
      return list
    end)
  end
end

--- As documented in help/frame.lua.
M.read_arrow = arrow_reader("read_arrow")
M.read_feather = arrow_reader("read_feather")

-- ---- Parquet ----

local function lines_of(text)
  local out = {}
  for line in text:gmatch("[^\n]+") do out[#out + 1] = line end
  return out
end

-- What parquet.py writes; `what` is the function's name.
local function run(what, words, input, wanted)
  local status, said, out = use.run_python("lua/frame/parquet.py", words, input)
  if status == NO_PYARROW then
    local told = lines_of(said)
    use.raise("not-found", what .. ": Parquet is read and written by pyarrow,"
      .. " a library of Python's, and it is not here"
      .. (#told > 0 and (" (%s)"):format(told[#told]) or "")
      .. ": `pip install pyarrow` gets it (a virtual environment that is"
      .. " active is used; Feather files, read_feather and to_feather, need"
      .. " no library)")
  elseif status == NO_COLUMN then
    local names = lines_of(out:text())
    for _, name in ipairs(wanted) do
      if not as_keys(names)[name] then
        object.unknown(what .. ": there is no column", name, names)
      end
    end
  elseif status ~= 0 then
    local lines = lines_of(said)
    use.raise("io", what .. ": " .. (lines[#lines]
      or "Python ended before it was done"))
  end
  return out
end

-- What parquet.py is told of files and columns.
local function words_of(command, paths, wanted, groups)
  local words = {command, wanted and "columns"}
  words[#words + 1] = groups and "groups=" .. table.concat(groups, ",")
  words[#words + 1] = tostring(#paths)
  table.move(paths, 1, #paths, #words + 1, words)
  return table.move(wanted or {}, 1, wanted and #wanted or 0, #words + 1, words)
end

-- A frame of each stream in its answer.
local function frames_of(what, memory, labels, wanted)
  local list, reader = {}, nil
  for i, one in ipairs(labels) do
    local label = what .. ": " .. one
    local before = reader
    reader = before and use.arrow_next(label, before)
      or use.arrow_open(label, memory)
    if before then before:close() end
    list[i] = frame_of(reader, what, wanted)
  end
  reader:close()
  memory:close()
  return list
end

-- A list of row groups of one file, or nil for all.
local function groups_of(what, o, paths)
  local groups = o.row_groups
  if groups == nil then return nil end
  local function is_number(n) return math.type(n) == "integer" and n >= 0 end
  if type(groups) ~= "table" then groups = {groups} end
  for i = 1, #groups do
    if not is_number(groups[i]) then
      fail("%s: row_groups is a list of numbers, the first is 0, not %s", what,
        tostring(groups[i]))
    end
  end
  if #paths ~= 1 then
    fail("%s: row_groups are those of one file, and here are %d", what, #paths)
  end
  return groups
end

--- As documented in help/frame.lua.
function M.read_parquet(path, options)
  local what = "read_parquet"
  return read(what, path, options, function(paths, wanted, o)
    local words = words_of("read", paths, wanted, groups_of(what, o, paths))
    return frames_of(what, run(what, words, nil, wanted), paths, wanted)
  end, "row_groups")
end

--- As documented in help/frame.lua. `asked`: what the user called, for messages.
function M.read_parquet_metadata(path, options, asked)
  local what = asked or "read_parquet_metadata"
  local o = object.options(what, options, {"columns"})
  local paths, wanted = paths_of(what, path), columns_of(what, o)
  local memory = run(what, words_of("metadata", paths, wanted), nil, wanted)
  local list = frames_of(what, memory, {paths[1], paths[1]})
  return list[1], list[2]
end

-- ---- Writing ----

-- The column as C writes it: on the host, in a type that Arrow has.
local function for_writing(c)
  local data = column.host(c.data)
  if data.dtype == "bf16" then data = data:astype("f32") end
  return {data = data, texts = c.texts, is_object = c.type == "object"}
end

-- As pandas calls them.
local function label_name(index, i)
  return index and index[i].name or ("__index_level_%d__"):format(i - 1)
end

-- Names and columns, row labels first: all where `index` is true, those that
-- are not 0, 1, 2 ... where it is nil.
local function columns_to_write(t, index)
  local names, columns = {}, {}
  local has_labels = index or (index == nil and t.index)
  for i, c in ipairs(has_labels and rows_of.columns(t.index, t.n) or {}) do
    names[i] = label_name(t.index, i)
    columns[i] = for_writing(c)
  end
  for _, name in ipairs(t.names) do
    names[#names + 1] = name
    columns[#columns + 1] = for_writing(t.columns[name])
  end
  return names, columns
end

--- What other libraries get: names, columns as C takes them, rows, and where
--- they were, if not on the host.
function tables.Table.to_written(df)
  local t = object.state(df)
  local names, columns = columns_to_write(t)
  return names, columns, t.n, df.device ~= "host" and df.device or nil
end

function series.Series.to_written(s)
  local own = object.state(s)
  local where = own.column.data.device
  return {own.name or ""}, {for_writing(own.column)}, #own.column.data,
    where ~= "host" and where or nil
end

-- Names, columns and rows where all are numbers on a device, which can be lent
-- there: they need neither bits nor texts beside them. Else nothing.
local function lent(names, columns, rows)
  local out = {}
  for i, c in ipairs(columns) do
    if not column.is_number(c) or c.type == "bf16"
      or not column.is_device(c.data) then return nil end
    out[i] = {data = c.data}
  end
  return names, out, rows
end

function tables.Table.to_lent(df)
  local t, names, columns = object.state(df), {}, {}
  for i, c in ipairs(t.index and rows_of.columns(t.index, t.n) or {}) do
    names[i], columns[i] = label_name(t.index, i), c
  end
  for _, name in ipairs(t.names) do
    names[#names + 1], columns[#columns + 1] = name, t.columns[name]
  end
  return lent(names, columns, t.n)
end

function series.Series.to_lent(s)
  local own = object.state(s)
  return lent({own.name or ""}, {own.column}, #own.column.data)
end

local function write(what, df, path, o, where)
  if type(path) ~= "string" then
    fail("%s: a file's name comes first, not %s", what, use.value_text(path))
  end
  local list = columns_of(what, o)
  local t = object.state(list and df:select(list) or df)
  local names, columns = columns_to_write(t, o.index)
  if #names == 0 then fail("%s: the frame has no columns", what) end
  for i, name in ipairs(names) do
    for k = 1, i - 1 do
      if names[k] == name then
        fail('%s: the row labels and a column are both called "%s";'
          .. " {index = false} leaves the labels out", what, name)
      end
    end
  end
  use.arrow_write(what .. ": " .. path, names, columns, t.n, where)
end

--- As documented in help/frame.lua.
function tables.methods.to_feather(df, path, options)
  local o = object.options("to_feather", options, {"columns", "index"})
  write("to_feather", df, path, o, path)
end

local packings = {"snappy", "zstd", "gzip", "lz4", "brotli", "none"}

--- As documented in help/frame.lua.
function tables.methods.to_parquet(df, path, options)
  local what = "to_parquet"
  local o = object.options(what, options, {"compression", "columns", "index"})
  local packing = object.choice(what, "compression",
    o.compression == nil and "snappy" or o.compression or "none", packings)
  local memory = use.memory()
  write(what, df, path, o, memory)
  local out = run(what, {"write", packing}, memory)
  memory:close()
  use.memory_save(what .. ": " .. path, out, path)
  out:close()
end

return M
