-- SPDX-License-Identifier: Apache-2.0
-- np's functions of device arrays: jnp's functions of this name, with NumPy's
-- types (64-bit ones stay), give device arrays.
local use = ...
local core = use("core/core")
local config = use("core/config")
local tree = use("core/tree")
local arrays = use("core/arrays")
local indexing = use("jnp/indexing")
local assign = use("jnp/assign")
local is_keywords = use("core/args").is_keywords
local jnp = use.jnp
local M = {}

-- ---- np's functions ----

local function is_device(x)
  return use.is_array(x) and not use.is_jax(x) and x.device ~= "host"
end

local function is_host(x) return use.is_array(x) and x.device == "host" end

-- The arrays among the arguments, also those in lists.
local function arrays_of(args)
  local list = {}
  for i = 1, args.n do
    for _, x in ipairs(tree.leaves(args[i])) do
      if use.is_array(x) then list[#list + 1] = x end
    end
  end
  return list
end

local function refuse_mixture(name, host, device)
  local a = use.variable_name(host) or "x"
  local b = use.variable_name(device) or "dx"
  core.raise("argument", ("np.%s: %s lives on the host and %s on %s: " ..
             "cuda.to_device(%s) copies the one over, %s:copy_to_host() the " ..
             "other back"):format(name, a, b, device.device, a, b))
end

local function check_places(name, args)
  local host, device
  for _, x in ipairs(arrays_of(args)) do
    if is_host(x) then host = host or x end
    if is_device(x) then device = device or x end
  end
  if host then refuse_mixture(name, host, device) end
end

local function to_jax(x)
  return tree.map(function(leaf)
    return is_device(leaf) and use.mark(leaf, false) or leaf
  end, x)
end

local function from_jax(x)
  return tree.map(function(leaf)
    if core.is_literal(leaf) then leaf = arrays.array_of(leaf) end
    return use.is_array(leaf) and use.is_jax(leaf) and use.unmark(leaf) or leaf
  end, x)
end

-- Functions whose positions and counts, from this result on, are i64 in NumPy
-- and i32 here whatever the width.
local positions_from = {
  argsort = 1, argpartition = 1, lexsort = 1, searchsorted = 1, digitize = 1,
  nonzero = 1, flatnonzero = 1, argwhere = 1, unravel_index = 1,
  ravel_multi_index = 1, bincount = 1, unique = 2,
}
-- Those that compute in f64 whatever the arrays' type.
local is_wide = {cov = true, corrcoef = true, interp = true}

local function is_empty(x) return type(x) == "table" and next(x) == nil end

-- histogram's options by name: NumPy has the density before the weights.
local function named_options(args)
  local names, o = {"", "bins", "range", "density", "weights"}, {}
  for i = 2, args.n do
    local x = args[i]
    local is_named = i == args.n and (is_keywords(x) or is_empty(x))
    local own = {[names[i] or "number " .. i] = x}
    for k, v in pairs(is_named and x or own) do o[k] = v end
  end
  return {args[1], o, n = 2}
end

local function call_as_numpy(name, args)
  if name == "histogram" then args = named_options(args) end
  if is_wide[name] then
    for i = 1, args.n do
      if use.is_array(args[i]) then args[i] = jnp.astype(args[i], "f64") end
    end
  end
  local results = table.pack(jnp[name](table.unpack(args, 1, args.n)))
  for i = positions_from[name] or results.n + 1, results.n do
    results[i] = tree.map(function(x)
      return use.is_array(x) and x.dtype == "i32" and jnp.astype(x, "i64") or x
    end, results[i])
  end
  local o = name == "histogram" and args[2]
  if o and not o.density and not o.weights then -- counted in floats here
    results[1] = jnp.astype(results[1], "i64")
  end
  return results
end

--- np[name] of arguments among which there are device arrays.
function M.call(name, ...)
  local args = table.pack(...)
  check_places(name, args)
  for i = 1, args.n do
    if type(args[i]) == "table" or is_device(args[i]) then
      args[i] = to_jax(args[i])
    end
  end
  local results = config.as_numpy(function()
    return call_as_numpy(name, args)
  end)
  for i = 1, results.n do results[i] = from_jax(results[i]) end
  return table.unpack(results, 1, results.n)
end

-- ---- x[array] ----

-- jax moves places outside to the nearest inside; np refuses them.
local function check_places_inside(x, key)
  local np, n = use.np, x.shape[1]
  local at = np.asnumpy(use.is_array(key) and key or np.array(key))
  if at.dtype == "bool" or at.size == 0 then return end
  for _, i in ipairs{np.max(at), np.min(at)} do
    if i < -n or i >= n then
      core.raise("argument", ("index %d is out of bounds for axis 0 with " ..
                 "size %d"):format(i, n))
    end
  end
end

--- x[key] of a device array, by a mask, an array of places, or a table of
--- indexes whose places are known to be inside.
function M.index(x, key, is_checked)
  if not is_checked then check_places_inside(x, key) end
  return from_jax(config.as_numpy(function()
    return indexing.get(use.mark(x, false),
                        is_device(key) and to_jax(key) or key)
  end))
end

-- The bytes from the first element of an array to its last.
local function range_of(x)
  local first, last = 0, x.itemsize
  for d, n in ipairs(x.shape) do
    local span = (n - 1) * x.strides[d]
    if span < 0 then first = first + span else last = last + span end
  end
  local start = x:pointer():address()
  return start + first, start + last
end

local function share_memory(x, y)
  if x.size == 0 or y.size == 0 then return false end
  local x_first, x_last = range_of(x)
  local y_first, y_last = range_of(y)
  return x_first < y_last and y_first < x_last
end

-- A value to assign, as a device array of x's type that is not part of x.
local function value_for(x, value)
  if not use.is_array(value) then
    return use.cuda.to_device(use.np.array(value, x.dtype))
  end
  if value.dtype ~= x.dtype then
    value = config.as_numpy(function()
      return jnp.astype(use.mark(value, false), x.dtype)
    end)
  end
  value = use.unmark(value)
  return share_memory(x, value) and arrays.packed(value) or value
end

--- x[key] = value: costs what is assigned, not all of x.
function M.assign(x, key, value, is_checked)
  if is_host(value) then
    core.raise("argument", ("x[...] = value: the value lives on the host " ..
               "and x on %s: cuda.to_device(value) copies it over"):format(
               x.device))
  elseif value == nil then
    core.raise("argument", "nil cannot be stored in an array")
  end
  if not is_checked then check_places_inside(x, key) end
  local here = use.cuda.device().id
  if use.is_array(value) and value.device ~= here then
    value = value:to(here)
  end
  if x.device == here then
    assign(x, key, value_for(x, value))
  else -- by way of this device, where the kernels are
    local copy = x:to(here)
    assign(copy, key, value_for(copy, value))
    x:copy_from(copy)
  end
end

return M
