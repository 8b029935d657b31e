-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: matrices of ones and triangles, grids, evenly spaced numbers,
-- and functions called for each element or line.
local np, _, _, core = ...

-- ---- Matrices ----

local function check_rank(lib, name, a)
  if a.ndim >= lib.either(1, 2) then return end
  lib.fail(name, "ValueError", lib.either(
    "the array has no axis", "Argument to jax.numpy.%s must be at least 2D"),
    name)
end

local function matrices(lib, define)
  define("eye", {"N", "M", "k", "dtype"}, function(n, m, k, dtype)
    if type(m) == "string" then m, dtype = nil, m end
    if type(k) == "string" then k, dtype = nil, k end
    return lib.ones_on(lib.shape({n, m or n}, "eye"), k or 0, dtype)
  end)
  define("identity", {"n", "dtype"}, function(n, dtype)
    return lib.xp.eye(n, n, 0, dtype)
  end)
  define("tri", {"N", "M", "k", "dtype"}, function(n, m, k, dtype)
    local mask = lib.lower(lib.shape({n, m or n}, "tri"), k or 0)
    return lib.xp.astype(mask, dtype or lib.tri_type())
  end)
  for name, is_lower in pairs{tril = true, triu = false} do
    define(name, {"m", "k"}, function(a, k)
      a, k = lib.array(a, name), k or 0
      check_rank(lib, name, a)
      local zero = lib.zero_like(a)
      local mask = lib.lower(a.shape, is_lower and k or k - 1)
      if is_lower then return lib.select(mask, a, zero) end
      return lib.select(mask, zero, a)
    end)
  end
end

-- ---- Grids ----

-- A shape with this size at place `at`, 1 elsewhere.
local function line(rank, at, size)
  local shape = {}
  for d = 1, rank do shape[d] = d == at and size or 1 end
  return shape
end

-- The places where a mask of np's holds, along its axes.
local function where_true(lib, mask)
  local m = mask.shape[2]
  local at = np.arange(mask.size)[mask:ravel()]
  return lib.known(at // m), lib.known(at % m)
end

-- true where the column is at most the row plus k.
local function lower(n, m, k)
  return np.greater_equal(np.arange(n):reshape(n, 1), np.arange(-k, m - k))
end

local function grids(lib, define)
  define("tril_indices", {"n", "k", "m"}, function(n, k, m)
    return where_true(lib, lower(n, m or n, k or 0))
  end, 0)
  define("triu_indices", {"n", "k", "m"}, function(n, k, m)
    return where_true(lib, np.logical_not(lower(n, m or n, (k or 0) - 1)))
  end, 0)
  -- JAX's are sparse, if one will.
  define("indices", {"dimensions", "dtype", lib.either(nil, "sparse")},
         function(shape, dtype, sparse)
    shape = lib.shape(shape, "indices")
    local list = {}
    for d, n in ipairs(shape) do
      list[d] = lib.ramp(dtype or lib.int(), sparse and line(#shape, d, n) or
                         shape, d - 1, "indices")
    end
    if sparse then return table.unpack(list) end
    if #list == 0 then return lib.xp.zeros({0}, dtype or lib.int()) end
    return lib.xp.stack(list)
  end)
  define("fromfunction", {"f", "shape", "dtype"}, function(f, shape, dtype)
    shape = lib.shape(shape, "fromfunction")
    local list = {}
    for d = 1, #shape do
      list[d] = lib.ramp(dtype or lib.float(), shape, d - 1, "fromfunction")
    end
    return f(table.unpack(list))
  end, 2)
end

-- Arrays spread over each other's axes; `swaps`: the first two change places.
local function spread_over(lib, list, swaps, sparse)
  local shape, out = {}, {}
  for i, a in ipairs(list) do shape[i] = a.size end
  if swaps then shape[1], shape[2] = shape[2], shape[1] end
  for i, a in ipairs(list) do
    local at = swaps and i < 3 and 3 - i or i
    local own = sparse and line(#list, at, a.size) or shape
    out[i] = lib.spread(lib.reshape(a, {a.size}), own, {at - 1})
    if not sparse then out[i] = lib.fresh(out[i]) end
  end
  return table.unpack(out)
end

local function meshes(lib, define)
  define("meshgrid", nil, function(...)
    local list, o = lib.with_options("meshgrid", {"indexing", "sparse"}, ...)
    local indexing = o.indexing or "xy"
    if lib.either(indexing ~= "xy" and indexing ~= "ij", false) then
      lib.fail("meshgrid", nil, "indexing is \"xy\" or \"ij\"")
    end
    for i, a in ipairs(list) do
      a = lib.array(a, "meshgrid")
      if lib.either(false, a.ndim > 1) then
        lib.fail("meshgrid", "ValueError",
                 "argument %d has %d axes, and needs one", i, a.ndim)
      end
      list[i] = a
    end
    return spread_over(lib, list, indexing == "xy" and #list > 1, o.sparse)
  end)
end

-- ---- Evenly spaced numbers ----

-- Brings the points to their type and axis.
local function spaced_as(lib, name, out, dtype, axis)
  if dtype then out = lib.xp.astype(out, dtype) end
  if (axis or 0) == 0 then return out end
  axis = lib.axis(axis, out.ndim, lib.either("moveaxis", name))
  return lib.xp.moveaxis(out, 0, axis)
end

local function lines(lib, define)
  define("linspace",
         {"start", "stop", "num", "endpoint", "retstep", "dtype", "axis"},
         function(start, stop, num, endpoint, retstep, dtype, axis)
    if type(endpoint) == "string" then endpoint, dtype = nil, endpoint end
    local out, step = lib.spaced("linspace", start, stop, num,
                                 endpoint ~= false, retstep)
    if dtype and lib.is_whole(dtype, "linspace") then
      out = lib.xp.floor(out)
    end
    out = spaced_as(lib, "linspace", out, dtype, axis)
    if retstep then return out, step end
    return out
  end, 2)
  define("logspace",
         {"start", "stop", "num", "endpoint", "base", "dtype", "axis"},
         function(start, stop, num, endpoint, base, dtype, axis)
    local name = lib.either("logspace", "linspace")
    local out = lib.spaced(name, start, stop, num, endpoint ~= false)
    out = lib.xp.power(base == nil and 10.0 or base, out)
    return spaced_as(lib, "logspace", out, dtype, axis)
  end, 2)
  define("geomspace", {"start", "stop", "num", "endpoint", "dtype", "axis"},
         function(start, stop, num, endpoint, dtype, axis)
    local out = lib.geometric(start, stop, num, endpoint ~= false)
    return spaced_as(lib, "geomspace", out, dtype, axis)
  end, 2)
  define("vander", {"x", "N", "increasing"}, function(x, n, increasing)
    x = lib.array(x, "vander")
    if x.ndim ~= 1 then
      lib.fail("vander", "ValueError", "the array has %d axes, not one",
               x.ndim)
    end
    local columns = lib.powers(x, n or x.size)
    if #columns == 0 then return lib.xp.zeros({x.size, 0}, x.dtype) end
    if not increasing then
      for i = 1, #columns // 2 do
        local k = #columns + 1 - i
        columns[i], columns[k] = columns[k], columns[i]
      end
    end
    return lib.xp.stack(columns, 1)
  end)
end

-- ---- Calling a function for each line or element ----

local function calls(lib, define)
  local by_name = {}
  local function along_axis(f, axis, a, ...)
    a = lib.array(a, "apply_along_axis")
    axis = lib.axis(axis, a.ndim, "apply_along_axis")
    return lib.map_lines(f, a, axis, ...)
  end
  core.define(by_name, "apply_along_axis", {"func1d", "axis", "arr"},
              along_axis)
  -- What stands behind the array goes to the function, a table by name too.
  define("apply_along_axis", nil, function(...)
    if select("#", ...) > 3 then return along_axis(...) end
    return by_name.apply_along_axis(...)
  end)
  define("apply_over_axes", {"func", "a", "axes"}, function(f, a, axes)
    a = lib.array(a, "apply_over_axes")
    local is_list = type(axes) == "table" and getmetatable(axes) == nil
    for _, axis in ipairs(is_list and axes or {axes}) do
      local r = lib.array(f(a, axis), "apply_over_axes")
      a = r.ndim == a.ndim and r or lib.xp.expand_dims(r, axis)
    end
    return a
  end, 3)
  -- A function of arrays from one of numbers.
  define("vectorize", {"pyfunc", "otype"}, function(f, dtype)
    return function(...)
      local list = {lib.xp.broadcast_arrays(...)}
      return lib.map_elements(f, list, dtype)
    end
  end)
end

core.family(function(lib)
  local define = lib.define
  matrices(lib, define)
  grids(lib, define)
  meshes(lib, define)
  lines(lib, define)
  calls(lib, define)
end)
