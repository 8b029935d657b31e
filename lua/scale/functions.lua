-- SPDX-License-Identifier: Apache-2.0
-- Functions on their way to where a task runs: Lua's own code of them, and the
-- values of the variables around them.
local use = ...
local fail = use("shared/mistakes").fail
local pack = use("pack")
local M = {}

-- ---- Which globals a function uses ----

-- What string.dump gives (ldump.c of Lua 5.4), read from byte `at` on.
local Dump = {}
Dump.__index = Dump

local HEADER = 31

function Dump:byte()
  local b = self.text:byte(self.at)
  self.at = self.at + 1
  return b
end

function Dump:count()
  local n = 0
  repeat
    local b = self:byte()
    n = n << 7 | b & 0x7f
  until b & 0x80 ~= 0
  return n
end

function Dump:string()
  local n = self:count()
  if n == 0 then return nil end
  self.at = self.at + n - 1
  return self.text:sub(self.at - n + 1, self.at - 1)
end

local constant_bytes = {[0x13] = 8, [0x03] = 8}

function Dump:constants()
  local out = {}
  for i = 0, self:count() - 1 do
    local kind = self:byte()
    if kind == 0x04 or kind == 0x14 then
      out[i] = self:string()
    else
      self.at = self.at + (constant_bytes[kind] or 0)
    end
  end
  return out
end

-- Which of a function's variables around it are _ENV, where `outer` has the
-- same of the function around it.
function Dump:environments(outer)
  local out = {}
  for i = 0, self:count() - 1 do
    local is_local, place = self:byte(), self:byte()
    self:byte()
    out[i] = is_local == 0 and outer[place]
  end
  return out
end

function Dump:pass_debug()
  local lines = self:count()
  self.at = self.at + lines
  for _ = 1, self:count() do self:count(); self:count() end
  for _ = 1, self:count() do self:string(); self:count(); self:count() end
  for _ = 1, self:count() do self:string() end
end

local GETTABUP = 11

-- The names that one function, and those in it, read of _ENV.
function Dump:read_function(outer, names)
  self:string()
  self:count()
  self:count()
  self.at = self.at + 3
  local size = self:count()
  local code = self.at
  self.at = code + 4 * size
  local constants = self:constants()
  local environments = self:environments(outer)
  if outer.is_main then environments = table.move(outer, 0, 255, 0, {}) end
  for i = 0, size - 1 do
    local word = string.unpack("<I4", self.text, code + 4 * i)
    if word & 0x7f == GETTABUP and environments[word >> 16 & 0xff] then
      local name = constants[word >> 24]
      if name then names[name] = true end
    end
  end
  for _ = 1, self:count() do self:read_function(environments, names) end
  self:pass_debug()
end

-- names -> true, of the globals that f reads.
local function globals_of(code, upvalues)
  local outer, names = {is_main = true}, {}
  for i, name in ipairs(upvalues) do outer[i - 1] = name == "_ENV" end
  setmetatable({text = code, at = HEADER + 2}, Dump):read_function(outer, names)
  return names
end

-- ---- Packing ----

-- The name of a function that every worker has.
local function library_name(f)
  for _, library in ipairs{"np", "math", "string"} do
    for name, g in next, _G[library] do
      if g == f then return library .. "." .. name end
    end
  end
end

local ways = "numbers, texts, truths, arrays and tables of them travel with a"
  .. " function"

-- What to say of a variable around a function that cannot travel.
local function refuse(where, value)
  local meta = getmetatable(value)
  local what = "a " .. (type(meta) == "table" and meta.__name or type(value))
  if what == "a table" then what = "a table with a metatable" end
  fail("scale: %s is %s, which cannot go where the tasks run: %s",
    where, what, ways)
end

local function upvalues_of(f, code)
  local names, values, environment = {}, {}, nil
  for i = 1, 255 do
    local name, value = debug.getupvalue(f, i)
    if not name then break end
    names[i] = name
    if name == "_ENV" then
      environment = value
    else
      values[i] = value
    end
  end
  local globals = {}
  for name in pairs(globals_of(code, names)) do
    local value = rawget(environment or _G, name)
    if value ~= nil and use.is_own_global(name) then globals[name] = value end
  end
  return names, values, globals
end

local function packed(f)
  local name = library_name(f)
  if name then return pack.pack({name = name}, "", refuse) end
  local is_lua, code = pcall(string.dump, f)
  if not is_lua then
    fail("scale: this function is written in C, and only those of np, math and"
      .. " string are known where tasks run: function(x) return f(x) end calls"
      .. " it there")
  end
  local names, values, globals = upvalues_of(f, code)
  -- One text, so that what two variables share is shared there as well.
  for i, name_of in ipairs(names) do
    pack.pack(values[i], ('the upvalue "%s"'):format(name_of), refuse)
  end
  for key, value in pairs(globals) do
    pack.pack(value, ('the global "%s"'):format(key), refuse)
  end
  return pack.pack({code = code, names = names, values = values,
                    globals = globals}, "", refuse)
end

--- The text of a function; raises and names a variable that cannot travel.
function M.pack(f, what)
  if type(f) ~= "function" then
    fail("%s takes a function, not %s", what, use.value_text(f))
  end
  return packed(f)
end

-- ---- Unpacking ----

local function restored(own)
  if own.name then
    local library, name = own.name:match("^(%a+)%.(.+)$")
    return _G[library][name]
  end
  local f = assert(load(own.code, "function", "b"))
  local environment = setmetatable(own.globals, {__index = _G})
  for i, name in ipairs(own.names) do
    if name == "_ENV" then
      debug.setupvalue(f, i, environment)
    else
      debug.setupvalue(f, i, own.values[i])
    end
  end
  return f
end

local known = setmetatable({}, {__mode = "v"})

--- The function again, with variables of its own.
function M.unpack(text)
  local f = known[text]
  if not f then
    f = restored(pack.unpack(text))
    known[text] = f
  end
  return f
end

return M
