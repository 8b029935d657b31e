-- SPDX-License-Identifier: Apache-2.0
-- The variables that a lesson's cells set, so that what a learner tries between
-- two cells cannot break the next one. Loaded with the globals, a function that
-- says what a value is ("host", "device", "kernel" or nil), and the globals
-- that were there from the start.
local globals, kind, first = ...
local np, cuda = first.np, first.cuda
local copyto, array_equal = np.copyto, np.array_equal
local like = cuda.device_array_like

local MOST_BYTES <const> = 1 << 24 -- larger arrays keep what was done to them

local variables = {} -- name -> {value =, content =}
local before = {} -- the globals when the cell began

local function small(x) return x.nbytes <= MOST_BYTES end

local function copy_table(t)
  local c = {}
  for k, v in next, t do c[k] = v end
  return c
end

-- What a value holds, apart from the value; nil where that cannot change or is
-- too much.
local function content(value)
  if type(value) == "table" then return copy_table(value) end
  local what = kind(value)
  if what == "host" and small(value) then return value:copy() end
  if what == "device" and small(value) then
    local c = like(value)
    c:copy_from(value)
    return c
  end
end

local function has_same_bytes(x, y)
  local fine, is_same = pcall(function()
    return array_equal(x:view("u8"), y:view("u8"))
  end)
  return fine and is_same
end

local function put_back(value, held)
  if type(value) == "table" then
    for k in next, value do
      if held[k] == nil then value[k] = nil end
    end
    for k, v in next, held do rawset(value, k, v) end
  elseif kind(value) == "host" then
    -- What nobody changed need not be copied to the device again.
    if not has_same_bytes(value, held) then copyto(value, held) end
  else
    value:copy_from(held)
  end
end

local M = {}

-- Another lesson begins.
function M.forget() variables = {} end

-- Before a cell: what earlier cells set is as they left it, but a kernel that
-- the learner wrote in place of a lesson's stays. A cell may take a library's
-- name for its own, as a kernel called scale.
function M.before()
  for name, value in next, first do
    if not variables[name] then rawset(globals, name, value) end
  end
  for name, v in next, variables do
    local is_own = kind(rawget(globals, name)) == "kernel"
      and kind(v.value) == "kernel"
    if not is_own then
      rawset(globals, name, v.value)
      -- An array that was freed, or lost with its device, stays so.
      if v.content ~= nil then pcall(put_back, v.value, v.content) end
    end
  end
  before = copy_table(globals)
end

-- After a cell: what it set, and what it made of what was set before.
function M.after()
  for name, value in next, globals do
    if name ~= "_" and not rawequal(value, before[name]) then
      variables[name] = {value = value}
    end
  end
  for name, v in next, variables do
    if rawget(globals, name) == nil then
      variables[name] = nil
    else
      local fine, held = pcall(content, v.value)
      v.content = fine and held or nil
    end
  end
end

return M
