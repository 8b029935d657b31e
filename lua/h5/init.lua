-- SPDX-License-Identifier: Apache-2.0
-- What is in `h5`: files, groups and data sets, under h5py's names.
local use = ...
local h5, np = use.h5, use.np
setmetatable(h5, nil)
local mistakes, index = use("shared/mistakes"), use("shared/index")
local fail = mistakes.fail

local KEY = {}
local AUTO_BYTES = 1 << 20

local function own(x) return rawget(x, KEY) end

local Group = {__name = "h5.Group", help_name = "h5.Group"}
local File = {__name = "h5.File", help_name = "h5.File"}
local Dataset = {__name = "h5.Dataset", help_name = "h5.Dataset"}

local function new(class, state) return setmetatable({[KEY] = state}, class) end

-- ---- Data sets ----

local of_set, set_properties = {}, {}

local function shape_text(shape)
  return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
end

-- The elements of a box; axes that a number chose are gone.
local function read(d, box)
  local o = own(d)
  local first, count, step, kept = {}, {}, {}, {}
  for axis, s in ipairs(box) do
    if s.step < 0 then
      fail("a data set is read forwards: d[\"2:8\"][\"::-1\"] turns what was"
        .. " read round")
    end
    first[axis], count[axis], step[axis] = s.first, s.count, s.step
    if not s.is_number then kept[#kept + 1] = s.count end
  end
  local x = o.file:read(o.name, first, count, step)
  if #kept < #box then x = x:reshape(kept) end
  return #kept == 0 and #box > 0 and x:item() or x
end

function of_set.read(d)
  local shape, box = own(d).info.shape, {}
  for axis, n in ipairs(shape) do
    box[axis] = {first = 0, count = n, step = 1}
  end
  return read(d, box)
end

function set_properties.shape(d) return {table.unpack(own(d).info.shape)} end
function set_properties.ndim(d) return #own(d).info.shape end
function set_properties.dtype(d) return own(d).info.dtype end
function set_properties.name(d) return own(d).name end
function set_properties.chunks(d)
  local chunks = own(d).info.chunks
  return chunks and {table.unpack(chunks)}
end

function Dataset.__index(d, key)
  if set_properties[key] then return set_properties[key](d) end
  if of_set[key] then return of_set[key] end
  return read(d, index.read(key, own(d).info.shape, "a data set"))
end

function Dataset.__newindex(d)
  fail('a data set is written as a whole: f["%s"] = x', own(d).name)
end

function Dataset.__len(d)
  local n = own(d).info.shape[1]
  if not n then fail("a data set without axes has no length") end
  return n
end

function Dataset.__tostring(d)
  local o = own(d)
  return ('h5.Dataset "%s"  shape %s  %s'):format(o.name,
    shape_text(o.info.shape), o.info.dtype)
end

-- ---- Groups and files ----

local of_group, of_file = {}, {}

local function check_name(what, name)
  if type(name) ~= "string" or name == "" or name:find("%z") then
    fail("%s: a data set's name is a text, not %s", what, use.value_text(name))
  end
  return name
end

-- The name from the file's root on.
local function whole_name(g, name)
  if name:sub(1, 1) == "/" or own(g).name == "/" then return name end
  return own(g).name .. "/" .. name
end

local function in_quotes(names)
  local out = {}
  for i, name in ipairs(names) do out[i] = '"' .. name .. '"' end
  return table.concat(out, ", ")
end

function of_group.keys(g) return own(g).file:names(own(g).name) end

-- What the name leads to.
local function get(g, name)
  local o = own(g)
  check_name("h5", name)
  local ok, info = pcall(o.file.look, o.file, whole_name(g, name))
  if not ok then
    local keys = o.file:is_open() and of_group.keys(g) or {}
    for _, key in ipairs(keys) do
      if key == name then error(info, 0) end -- it is there, and is refused
    end
    if #keys == 0 or name:find("/") then error(info, 0) end
    mistakes.unknown(o.label .. ": there is no", name, keys)
  end
  local state = {file = o.file, name = whole_name(g, name), info = info,
                 label = o.label, mode = o.mode}
  return new(info.is_group and Group or Dataset, state)
end

-- Chunks of about 1 MiB: the longest axis is cut in two until they are.
local function automatic(shape, width)
  local out, count = {}, width
  for axis, n in ipairs(shape) do out[axis], count = n, count * n end
  while count > AUTO_BYTES do
    local longest = 1
    for axis, n in ipairs(out) do
      if n > out[longest] then longest = axis end
    end
    if out[longest] == 1 then break end
    count = count // out[longest]
    out[longest] = (out[longest] + 1) // 2
    count = count * out[longest]
  end
  return out
end

local function chunks_of(o, x)
  local is_empty = #x.shape == 0 or x.size == 0
  if is_empty or not o.chunks and not o.compression then return nil end
  if o.chunks == nil or o.chunks == true then
    return automatic(x.shape, x.itemsize)
  elseif type(o.chunks) ~= "table" or #o.chunks ~= #x.shape then
    fail("create_dataset: chunks are a number of elements for each axis, such"
      .. " as {100, 100}, or true, not %s", type(o.chunks) == "table"
        and shape_text(o.chunks) or use.value_text(o.chunks))
  end
  local out = {}
  for axis, n in ipairs(o.chunks) do
    if math.type(n) ~= "integer" or n < 1 then
      fail("create_dataset: a chunk has 1 element or more on an axis, not %s",
        tostring(n))
    end
    out[axis] = math.min(n, x.shape[axis])
  end
  return out
end

--- As documented in help/h5.lua.
function of_group.create_dataset(g, name, options)
  local o = mistakes.options("create_dataset", options,
    {"data", "dtype", "chunks", "compression", "compression_opts"})
  check_name("create_dataset", name)
  if own(g).mode == "r" then
    fail('%s: it was opened to be read; h5.File(path, "a") can be written',
      own(g).label)
  elseif o.data == nil then
    fail("create_dataset: data is the array that is written")
  elseif o.compression ~= nil and o.compression ~= "gzip" then
    fail('create_dataset: compression is "gzip", not %s',
      use.value_text(o.compression))
  end
  local level = o.compression_opts or 4
  if math.type(level) ~= "integer" or level < 0 or level > 9 then
    fail("create_dataset: compression_opts is a level of gzip, 0 to 9, not %s",
      tostring(level))
  end
  local x = np.asarray(o.data)
  if o.dtype then x = x:astype(o.dtype) end
  if x.device ~= "host" then x = x:copy_to_host() end
  own(g).file:write(whole_name(g, name), x, chunks_of(o, x),
    o.compression and level or -1)
  return get(g, name)
end

local function guarded(methods, class, sign, what)
  mistakes.guard_methods(methods, function(x)
    local meta = getmetatable(x)
    return meta == class or class == Group and meta == File
  end, sign, what)
end

function of_file.close(f) own(f).file:close() end

guarded(of_group, Group, "f", "file")
guarded(of_file, File, "f", "file")
guarded(of_set, Dataset, "d", "data set")

function Group.__index(g, name) return of_group[name] or get(g, name) end
function File.__index(f, name)
  return of_file[name] or of_group[name] or get(f, name)
end

function Group.__newindex(g, name, x)
  of_group.create_dataset(g, name, {data = x})
end
File.__newindex = Group.__newindex

function Group.__tostring(g)
  return ('h5.Group "%s"  %s'):format(own(g).name, in_quotes(of_group.keys(g)))
end

function File.__tostring(f)
  local o = own(f)
  return ("h5.%s  %s"):format(o.label, o.file:is_open()
    and in_quotes(of_group.keys(f)) or "closed")
end

File.__close = of_file.close

-- What may follow f: or f. where it is typed.
local function completions(methods, fields)
  return function(x, is_call)
    if is_call then return methods end
    local out = {}
    for _, name in ipairs(fields(x)) do
      if name:find("^[%a_][%w_]*$") then out[name] = true end
    end
    return out
  end
end

local of_both = {close = of_file.close}
for name, f in pairs(of_group) do of_both[name] = f end
Group.__complete = completions(of_group, of_group.keys)
File.__complete = completions(of_both, function(f)
  return own(f).file:is_open() and of_group.keys(f) or {}
end)
Dataset.__complete = completions(of_set, function()
  return {"shape", "ndim", "dtype", "chunks", "name"}
end)

--- As documented in help/h5.lua.
function h5.File(path, mode)
  if type(path) ~= "string" then
    fail("File: a file's name comes first, not %s", use.value_text(path))
  end
  mode = mistakes.choice("File", "mode", mode == nil and "r" or mode,
    {"r", "r+", "a", "w"})
  local label = "File: " .. path
  return new(File, {file = use.h5_open(path, mode, label), name = "/",
                    label = label, mode = mode})
end

use.guard(h5, "h5")
return h5
