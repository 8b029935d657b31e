-- SPDX-License-Identifier: Apache-2.0
-- Values as texts, and back: what goes to another process, or into a file.
-- Numbers, texts, truths, arrays, frames, and tables of them; tables that are
-- the same stay the same.
local use = ...
local np, frame = use.np, use.frame
local objects = use("shared/objects")
local M = {}

-- ---- Packing ----

local write

--- A value that is no array on a device.
function M.on_host(x)
  return use.is_array(x) and x.device ~= "host" and x:copy_to_host() or x
end

local function write_array(out, x)
  x = M.on_host(np.asarray(x))
  out[#out + 1] = string.pack("<c1s1I1", "A", x.dtype, x.ndim)
  for _, n in ipairs(x.shape) do out[#out + 1] = string.pack("<i8", n) end
  out[#out + 1] = use.array_bytes(x)
end

local function write_table(out, x, where)
  local seen = out.seen[x]
  if seen then
    out[#out + 1] = string.pack("<c1I4", "R", seen)
    return
  end
  out.count = out.count + 1
  out.seen[x] = out.count
  out[#out + 1] = "T"
  for key, value in next, x do
    write(out, key, where)
    write(out, value, type(key) == "string" and where .. "." .. key
      or ("%s[%s]"):format(where, tostring(key)))
  end
  out[#out + 1] = "E"
end

-- A frame or a series as what it consists of.
local function write_frame(out, x, where)
  out[#out + 1] = "F"
  write_table(out, getmetatable(x).to_parts(x), where)
end

local by_type = {
  ["nil"] = function(out) out[#out + 1] = "n" end,
  boolean = function(out, x) out[#out + 1] = x and "t" or "f" end,
  number = function(out, x)
    local is_whole = math.type(x) == "integer"
    out[#out + 1] = string.pack(is_whole and "<c1i8" or "<c1d",
      is_whole and "i" or "d", x)
  end,
  string = function(out, x) out[#out + 1] = string.pack("<c1s8", "s", x) end,
}

function write(out, x, where)
  local plain = by_type[type(x)]
  if plain then
    plain(out, x)
  elseif use.is_array(x) then
    write_array(out, x)
  elseif type(x) == "table" and out.special and out.special(x) then
    out[#out + 1] = string.pack("<c1i8", "K", out.special(x))
  elseif objects.kind(x) == "frame" or objects.kind(x) == "series" then
    write_frame(out, x, where)
  elseif type(x) == "table" and not getmetatable(x) then
    write_table(out, x, where)
  else
    out.refuse(where, x)
  end
end

--- The text of a value. refuse(where, value): what cannot be packed, and its
--- place below `where`. special(table): a whole number in its place, or nil.
function M.pack(x, where, refuse, special)
  local out = {seen = {}, count = 0, refuse = refuse, special = special}
  write(out, x, where)
  return table.concat(out)
end

-- ---- Unpacking ----

local read

local function read_array(from)
  local dtype, ndim
  dtype, ndim, from.at = string.unpack("<s1I1", from.text, from.at)
  local shape = {}
  for i = 1, ndim do
    shape[i], from.at = string.unpack("<i8", from.text, from.at)
  end
  local x
  x, from.at = use.array_of(dtype, shape, from.text, from.at)
  return x
end

local function read_table(from)
  local out = {}
  from.tables[#from.tables + 1] = out
  while from.text:byte(from.at) ~= 0x45 do -- "E"
    local key = read(from)
    out[key] = read(from)
  end
  from.at = from.at + 1
  return out
end

local function number_of(format)
  return function(from)
    local x
    x, from.at = string.unpack(format, from.text, from.at)
    return x
  end
end

local readers = {
  n = function() return nil end,
  t = function() return true end,
  f = function() return false end,
  i = number_of("<i8"), d = number_of("<d"), s = number_of("<s8"),
  A = read_array, T = read_table,
  F = function(from)
    from.at = from.at + 1 -- the table's own letter
    local parts = read_table(from)
    return getmetatable(frame[parts.class]{}).of_parts(parts)
  end,
  R = function(from)
    local k
    k, from.at = string.unpack("<I4", from.text, from.at)
    return from.tables[k]
  end,
  K = function(from)
    local k
    k, from.at = string.unpack("<i8", from.text, from.at)
    return from.special(k)
  end,
}

function read(from)
  local letter = from.text:sub(from.at, from.at)
  from.at = from.at + 1
  return readers[letter](from)
end

--- The value again. special(number): what stands where the packed value had it.
function M.unpack(text, special)
  return read{text = text, at = 1, tables = {}, special = special}
end

-- ---- Sizes and files ----

local function size_of(x)
  if use.is_array(x) then return x.nbytes end
  if type(x) == "string" then return #x + 32 end
  if type(x) ~= "table" then return 16 end
  if objects.kind(x) then return getmetatable(x).bytes_of(x) end
  local n = 64
  for _, v in next, x do n = n + 32 + size_of(v) end
  return n
end

--- About how many bytes a value takes; a table within itself counts as little.
function M.size(x)
  local can, size = pcall(size_of, x)
  return can and size or 64
end

local function never(where) error("scale: " .. where .. " cannot be kept") end

--- Writes a value into a file of ours.
function M.save(path, x)
  if use.is_array(x) and x.dtype ~= "bf16" and x.device == "host" then
    np.save(path .. ".npy", x)
    assert(os.rename(path .. ".npy", path))
    return
  end
  local file = assert(io.open(path, "wb"))
  local is_written = file:write(M.pack(x, "a result", never))
  if not (file:close() and is_written) then
    use.raise("io", path .. " could not be written: is the disk full?")
  end
end

function M.load(path)
  local file = assert(io.open(path, "rb"))
  if file:read(1) == "\x93" then
    file:close()
    return np.load(path)
  end
  file:seek("set", 0)
  local text = file:read("a")
  file:close()
  return M.unpack(text)
end

return M
