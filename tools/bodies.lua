-- SPDX-License-Identifier: Apache-2.0
-- Which functions np and jnp both have with a body in Lua of their own, where one in
-- lua/array/ could serve both: none. `warpshop run tools/bodies.lua` prints them, and
-- how many share one.
local M = {}

-- How many there may be.
M.most = 0

-- Files whose functions only stand around a body: they read arguments' names, or make
-- results strong.
local wrappers = {}
for name in ([[array/define np/policy jax/jnp/policy jax/jnp/writing jax/results jax/argument_names
    jax/core/args jax/product_options]]):gmatch("%S+") do
  wrappers["lua/" .. name .. ".lua"] = true
end

-- The file that a function loads when it is first called (core.later).
local function loaded_later(f)
  for i = 1, 255 do
    local name, value = debug.getupvalue(f, i)
    if not name then return nil end
    if name == "file" then return ("lua/%s.lua"):format(value) end
  end
end

-- A function that stands in another: the first upvalue of C, or `f`, `own`.
local function inside(f, is_c)
  for i = 1, is_c and 1 or 255 do
    local name, value = debug.getupvalue(f, i)
    if not name then return nil end
    local is_named = is_c or name == "f" or name == "own"
    if is_named and type(value) == "function" then return value end
  end
end

--- Where the body of a function of the library stands: "C", "lua/FILE:LINE", or the
--- file.
function M.body(f)
  while true do
    local info = debug.getinfo(f, "S")
    local file = info.source:match("lua/[%w/_]+%.lua$")
    local is_c = info.what == "C"
    local later = file == "lua/array/define.lua" and loaded_later(f)
    if later then return later end
    local own = (is_c or wrappers[file]) and inside(f, is_c)
    if not own then return is_c and "C" or ("%s:%d"):format(file, info.linedefined) end
    f = own
  end
end

--- The functions of both tables, as {name, body of a, body of b}: those with two bodies
--- in Lua, and how many have one in common.
function M.compare(a, b, prefix)
  local two, shared = {}, 0
  for name, f in pairs(a) do
    local g = rawget(b, name)
    if type(f) == "function" and type(g) == "function" then
      local x, y = M.body(f), M.body(g)
      if x ~= "C" and x == y then shared = shared + 1 end
      if x ~= "C" and y ~= "C" and x ~= y then
        two[#two + 1] = {prefix .. name, x, y}
      end
    end
  end
  return two, shared
end

--- The same of np and jnp with their parts, sorted by name.
function M.all()
  local jnp = jax.numpy
  local two, shared = M.compare(np, jnp, "")
  for _, part in ipairs{"linalg", "fft"} do
    local more, count = M.compare(np[part], jnp[part], part .. ".")
    table.move(more, 1, #more, #two + 1, two)
    shared = shared + count
  end
  table.sort(two, function(x, y) return x[1] < y[1] end)
  return two, shared
end

if arg and arg[0] and arg[0]:find("bodies.lua", 1, true) then
  local two, shared = M.all()
  for _, row in ipairs(two) do print(("%-24s %-32s %s"):format(table.unpack(row))) end
  print(("bodies: %d functions of np and jnp have two, of at most %d; %d share one"):format(
    #two, M.most, shared))
  return
end
return M
