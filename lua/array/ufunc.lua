-- SPDX-License-Identifier: Apache-2.0
-- What NumPy's binary functions have as methods: np.add.reduce(x), .accumulate,
-- .outer, .at. In Lua all functions share one metatable: fields of others are
-- the errors that they were.
local np, fail, _, core = ...

-- Functions of two numbers; those that fold in another way than one by one.
local names = {}
for name in ([[add subtract multiply divide power maximum minimum fmax fmin
  logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor gcd lcm
  logaddexp logaddexp2 hypot arctan2 floor_divide mod remainder left_shift
  right_shift equal not_equal less less_equal greater greater_equal
  copysign heaviside]]):gmatch("%S+") do
  names[#names + 1] = name
end
local folds = {add = "sum", multiply = "prod", maximum = "max",
               minimum = "min", logical_and = "all", logical_or = "any"}
local scans = {add = "cumsum", multiply = "cumprod", maximum = "cummax",
               minimum = "cummin"}

local known = setmetatable({}, {__mode = "k"}) -- function -> {xp, name}

local function first_axis(xp, name, a, axis)
  a = xp.asarray(a)
  if a.ndim == 0 then fail(name .. ": a number has no axis") end
  return xp.moveaxis(a, core.axis(name, axis or 0, a.ndim), 0)
end

local methods = {}

function methods.reduce(xp, name, f, a, axis)
  if folds[name] then return xp[folds[name]](a, axis or 0) end
  a = first_axis(xp, name .. ".reduce", a, axis)
  local n = a.shape[1]
  if n == 0 then
    fail(name .. ".reduce: there is nothing to begin with in 0 elements")
  end
  local r = a[0]
  for i = 1, n - 1 do r = f(r, a[i]) end
  return r
end

function methods.accumulate(xp, name, f, a, axis)
  if scans[name] then return xp[scans[name]](a, axis or 0) end
  a = first_axis(xp, name .. ".accumulate", a, axis)
  local list = {a[0]}
  for i = 2, a.shape[1] do list[i] = f(list[i - 1], a[i - 1]) end
  return xp.stack(list, axis or 0)
end

function methods.outer(xp, _, f, a, b)
  a, b = xp.asarray(a), xp.asarray(b)
  local shape = a.shape
  for _ = 1, b.ndim do shape[#shape + 1] = 1 end
  return f(xp.reshape(a, shape), b)
end

--- a[i] = f(a[i], b) for each i among the indices, also where one is there
--- several times.
function methods.at(xp, name, f, a, indices, b)
  if type(a) ~= "userdata" or core.has_jax(a) then
    fail(name .. ".at: it changes a host array in place; of a jax array, " ..
         "x.at[i]:" .. name .. "(y) gives a new one")
  end
  local at = xp.ravel(xp.asarray(indices))
  b = xp.asarray(b)
  local is_one = b.ndim == 0
  for k = 0, at.size - 1 do
    a[at[k]] = f(a[at[k]], is_one and b:item() or b[k])
  end
end

--- Gives the functions of np, or jnp, their methods.
function core.ufuncs(xp)
  for _, name in ipairs(names) do
    local f = rawget(xp, name)
    if f then known[f] = {xp = xp, name = name} end
  end
end
core.ufuncs(np)

-- What a learner means who writes f[{32, 128}](x), or f[3].
core.no_launch = "this is a function of Lua, no kernel: f(x) calls it. Only " ..
  "a kernel takes a grid, k[{blocks, threads}](x), and only arrays and " ..
  "tables have elements"

core.function_metatable{__metatable = false, __index = function(f, field)
  local own, method = known[f], methods[field]
  if type(field) ~= "string" then error(core.no_launch, 2) end
  if not own or not method then
    error(("a function has no field %q: f(x) calls it"):format(field), 2)
  end
  return function(...) return method(own.xp, own.name, f, ...) end
end}
