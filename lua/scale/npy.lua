-- SPDX-License-Identifier: Apache-2.0
-- Arrays in .npy files, of which each chunk is read when it is wanted. np.load
-- reads whole files, and checks more of them.
local use = ...
local np = use.np
local fail = use("shared/mistakes").fail
local M = {}

local kinds = {b = "bool", i = "i", u = "u", f = "f"}

local function bad(path, why) fail("from_npy: %s: %s", path, why) end

local function dtype_of(path, descr)
  local order, kind, bytes = descr:match("^([<>|=])(%a)(%d+)$")
  local letter = kinds[kind]
  if not letter then
    bad(path, ("its element type is %s, none of np's"):format(descr))
  end
  local name = letter == "bool" and "bool" or letter .. 8 * tonumber(bytes)
  return name, order == ">"
end

local function header_of(path)
  local file, why = io.open(path, "rb")
  if not file then use.raise("io", why) end
  local start = file:read(12) or ""
  if start:sub(1, 6) ~= "\x93NUMPY" or #start < 12 then
    file:close()
    bad(path, "it is not a .npy file (np.save writes one)")
  end
  local is_new = start:byte(7) > 1
  local n = string.unpack(is_new and "<I4" or "<I2", start, 9)
  local offset = (is_new and 12 or 10) + n
  file:seek("set", is_new and 12 or 10)
  local text = file:read(n) or ""
  local size = file:seek("end")
  file:close()
  return text, offset, size
end

--- What M.npy of ops.lua needs to read a part of it, and the array's shape.
function M.open(path)
  if type(path) ~= "string" then
    fail("from_npy: the file's name, a text, comes first; this is %s",
      use.value_text(path))
  end
  local text, offset, size = header_of(path)
  local descr = text:match("['\"]descr['\"]%s*:%s*['\"]([^'\"]+)['\"]")
  local order = text:match("['\"]fortran_order['\"]%s*:%s*(%a+)")
  local list = text:match("['\"]shape['\"]%s*:%s*%(([%d%s,]*)%)")
  if not (descr and order and list) then bad(path, "its header is damaged") end
  local file = {path = path, offset = offset, is_fortran = order == "True",
                shape = {}}
  file.dtype, file.is_swapped = dtype_of(path, descr)
  local count = 1
  for n in list:gmatch("%d+") do
    file.shape[#file.shape + 1] = math.tointeger(n)
    count = count * math.tointeger(n)
  end
  local width = np.zeros(0, file.dtype).itemsize
  if offset + count * width > size then
    bad(path, "it is shorter than its header says")
  end
  return file, width
end

return M
