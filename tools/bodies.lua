-- SPDX-License-Identifier: Apache-2.0
-- Which functions np and jnp both have with a body in Lua of their own, where one in
-- lua/array/ could serve both: none. So it is with the methods of their arrays.
-- `warpshop run tools/bodies.lua` prints them, and how many share one.
local M = {}

-- How many there may be.
M.most = 0

local function files(text)
  local set = {}
  for name in text:gmatch("%S+") do set["lua/" .. name .. ".lua"] = true end
  return set
end

-- Files whose functions only stand around a body: they read arguments' names, or make
-- results strong.
local wrappers = files[[array/define np/policy jax/jnp/policy jax/jnp/writing jax/results
  jax/argument_names jax/core/args jax/product_options]]

-- Files in which np and jnp say what differs: what a body in common asks them.
local policies = files[[np/policy jax/jnp/policy]]

-- What refuses, where values are not known, is no body.
local refusals = files[[jax/explain/mistakes]]

-- ---- Functions ----

local function source_of(f)
  local info = debug.getinfo(f, "S")
  local file = info.source:match("lua/[%w/_]+%.lua$")
  return info.what == "C" and "C" or file or info.source, info.linedefined
end

local function place_of(f)
  local file, line = source_of(f)
  return file == "C" and "C" or ("%s:%d"):format(file, line)
end

-- f's variables from outside: {name, value, id}; two closures that have one variable
-- in common have its id in common.
local function variables(f)
  local list = {}
  for i = 1, 255 do
    local name, value = debug.getupvalue(f, i)
    if not name then break end
    list[i] = {name = name, value = value, id = debug.upvalueid(f, i)}
  end
  return list
end

-- Of each variable: how many closures of one function in the text have it. What one
-- alone has is what it was made with.
local users, seen = {}, {}

local function look_at(f)
  if seen[f] then return end
  seen[f] = true
  local place = place_of(f)
  for _, v in ipairs(variables(f)) do
    local key = v.id and place ~= "C" and place
    if key then
      users[v.id] = users[v.id] or {}
      users[v.id][key] = (users[v.id][key] or 0) + 1
    end
    if type(v.value) == "function" then look_at(v.value) end
  end
end

-- The file that a function loads when it is first called (core.later).
local function loaded_later(f)
  if source_of(f) ~= "lua/array/define.lua" then return nil end
  for _, v in ipairs(variables(f)) do
    if v.name == "file" then return ("lua/%s.lua"):format(v.value) end
  end
end

local inside

-- The functions that f was made with, whatever they are called: those in variables
-- that it alone of its kind has. One of its own file's is a helper, unless it stands
-- around something itself.
local function made_with(f)
  local file, list = source_of(f), {}
  look_at(f)
  for _, v in ipairs(variables(f)) do
    local own = v.value
    if type(own) == "function" and users[v.id][place_of(f)] == 1 and
       (source_of(own) ~= file or loaded_later(own) or inside(own)) then
      list[#list + 1] = own
    end
  end
  return list
end

-- The function that stands in another: the first variable of C's, or the one that a
-- wrapper was made with.
function inside(f)
  local file = source_of(f)
  if file == "C" then
    local first = variables(f)[1]
    return first and type(first.value) == "function" and first.value
  elseif not wrappers[file] then
    return nil
  end
  local list = made_with(f)
  if #list > 1 then
    error(("%s stands around %s and %s: which is the body?"):format(
      place_of(f), place_of(list[1]), place_of(list[2])))
  end
  return list[1]
end

-- The function itself, without what stands around it, or the file that it loads.
local function bare(f)
  while true do
    local later = loaded_later(f)
    if later then return nil, later end
    local own = inside(f)
    if not own then return f end
    f = own
  end
end

--- Where the body of a function of the library stands: "C", "lua/FILE:LINE", or the
--- file.
function M.body(f)
  local own, file = bare(f)
  return file or place_of(own)
end

-- ---- Two of them ----

-- Two closures of one function in the text are one body where what they were made with
-- is, too, but for what is policy. Else: both places. `known`: those looked at.
local function difference(f, g, known)
  local x, y = M.body(f), M.body(g)
  f, g = bare(f), bare(g)
  if x == "C" or y == "C" or f and refusals[source_of(f)] or
     g and refusals[source_of(g)] then
    return nil
  end
  if x ~= y then return x, y end
  if not f or rawequal(f, g) or known[f] then return nil end
  known[f] = true
  local of_g = variables(g)
  for i, v in ipairs(variables(f)) do
    local own, other = v.value, of_g[i].value
    if type(own) == "function" and type(other) == "function" and
       not rawequal(own, other) and not policies[source_of(own)] and
       not policies[source_of(other)] then
      x, y = difference(own, other, known)
      if x then return x, y end
    end
  end
end

--- The functions of both tables, as {name, body of a, body of b}: those with two bodies
--- in Lua, and how many have one in common.
function M.compare(a, b, prefix)
  local two, shared = {}, 0
  for name, f in pairs(a) do
    local g = rawget(b, name)
    if type(f) == "function" and type(g) == "function" then
      local x, y = difference(f, g, {})
      if x then
        two[#two + 1] = {prefix .. name, x, y}
      elseif M.body(f) ~= "C" and M.body(g) ~= "C" then
        shared = shared + 1
      end
    end
  end
  return two, shared
end

-- ---- All ----

local function add(two, shared, a, b, prefix)
  local more, count = M.compare(a, b, prefix)
  table.move(more, 1, #more, #two + 1, two)
  return shared + count
end

-- The methods of np's arrays and of jax's, but those that are the functions.
local function methods()
  local own, theirs, traced = {}, {}, nil
  jax.make_jaxpr(function(x)
    traced = debug.getmetatable(x).methods
    return x
  end)(1.0)
  for name, f in pairs(debug.getmetatable(np.zeros(1)).methods) do
    local g = traced[name] or rawget(jax.numpy, name)
    if f ~= rawget(np, name) or g ~= rawget(jax.numpy, name) then
      own[name], theirs[name] = f, g
    end
  end
  return own, theirs
end

--- The same of np and jnp with their parts and methods, sorted by name.
function M.all()
  local two, jnp = {}, jax.numpy
  for _, lib in ipairs{np, jnp, np.linalg, jnp.linalg, np.fft, jnp.fft} do
    for _, f in pairs(lib) do
      if type(f) == "function" then look_at(f) end
    end
  end
  local shared = add(two, 0, np, jnp, "")
  for _, part in ipairs{"linalg", "fft"} do
    shared = add(two, shared, np[part], jnp[part], part .. ".")
  end
  local own, theirs = methods()
  shared = add(two, shared, own, theirs, "x:")
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
