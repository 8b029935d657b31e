-- SPDX-License-Identifier: Apache-2.0
-- Axes, diagonals and triangles, grids, evenly spaced numbers, and functions
-- that are called for each element or line.
local np, fail, method, core = ...
local part = core.part

local function define(name, names, f) core.define(np, name, names, f) end

-- ---- Diagonals and triangles ----

-- What of a lies on diagonal k of these two axes, as the last axis.
local function diagonal(name, a, k, x, y)
  a, k = np.asarray(a), k or 0
  if a.ndim < 2 then
    fail(("%s: the array has %d axes; it needs at least two"):format(name,
                                                                     a.ndim))
  end
  x, y = core.axis(name, x or 0, a.ndim), core.axis(name, y or 1, a.ndim)
  if x == y then fail(name .. ": the two axes are the same") end
  local along = k >= 0 and y or x
  local n = a.shape[along + 1]
  local from = math.min(math.abs(k), n)
  a = part(a, along, from < n and from or 0, n - from)
  return core.diagonal(a, x, y)
end

define("fill_diagonal", {"a", "val"}, function(a, value)
  if a.ndim ~= 2 then
    fail(("fill_diagonal: the array has %d axes, not two"):format(a.ndim))
  end
  core.assign(diagonal("fill_diagonal", a), np.array(value, a.dtype))
end)

define("eye", {"N", "M", "k", "dtype"}, function(n, m, k, dtype)
  if type(m) == "string" then m, dtype = nil, m end
  if type(k) == "string" then k, dtype = nil, k end
  local out = np.zeros({n, m or n}, dtype or "f64")
  core.assign(diagonal("eye", out, k), np.asarray(1))
  return out
end)

define("identity", {"n", "dtype"}, function(n, dtype)
  return np.eye(n, n, 0, dtype)
end)

-- true where the column is at most the row plus k.
local function lower(n, m, k)
  return np.greater_equal(np.arange(n):reshape(n, 1), np.arange(-k, m - k))
end

define("tri", {"N", "M", "k", "dtype"}, function(n, m, k, dtype)
  return lower(n, m or n, k or 0):astype(dtype or "f64")
end)

local function triangle(name, keep_lower)
  define(name, {"m", "k"}, function(a, k)
    a, k = np.asarray(a), k or 0
    if a.ndim == 0 then fail(name .. ": the array has no axis") end
    local s = a.shape
    local rows, columns = s[#s - 1] or s[1], s[#s]
    local zero = np.zeros({1}, a.dtype)
    if keep_lower then return np.where(lower(rows, columns, k), a, zero) end
    return np.where(lower(rows, columns, k - 1), zero, a)
  end)
end
triangle("tril", true)
triangle("triu", false)

-- The row and column indexes where the mask holds.
local function where_true(mask)
  local m = mask.shape[2]
  local at = np.arange(mask.size)[mask:ravel()]
  return at // m, at % m
end

define("tril_indices", {"n", "k", "m"}, function(n, k, m)
  return where_true(lower(n, m or n, k or 0))
end)
define("triu_indices", {"n", "k", "m"}, function(n, k, m)
  return where_true(np.logical_not(lower(n, m or n, (k or 0) - 1)))
end)

-- ---- Grids and indexes ----

define("indices", {"dimensions", "dtype"}, function(shape, dtype)
  shape = type(shape) == "number" and {shape} or shape
  local whole = table.move(shape, 1, #shape, 2, {#shape})
  local out = np.empty(whole, dtype or "i64")
  for d, n in ipairs(shape) do
    local line = {}
    for e = 1, #shape do line[e] = e == d and n or 1 end
    core.assign(part(out, 0, d - 1, 1), np.arange(n):reshape(line))
  end
  return out
end)

function np.meshgrid(...)
  local axes = {...}
  local options = axes[#axes]
  local is_matrix, is_sparse = false, false
  if type(options) == "table" and #options == 0 and next(options) then
    axes[#axes] = nil
    is_matrix = options.indexing == "ij"
    is_sparse = options.sparse
    if not is_matrix and (options.indexing or "xy") ~= "xy" then
      fail("meshgrid: indexing is \"xy\" or \"ij\"")
    end
  end
  local shape, out = {}, {}
  for i, a in ipairs(axes) do
    axes[i] = np.ravel(np.asarray(a))
    shape[i] = axes[i].size
  end
  local swap = not is_matrix and #axes > 1
  if swap then shape[1], shape[2] = shape[2], shape[1] end
  for i, a in ipairs(axes) do
    local at, line = swap and i < 3 and 3 - i or i, {}
    for d = 1, #axes do line[d] = d == at and a.size or 1 end
    out[i] = a:reshape(line)
    if not is_sparse then out[i] = np.broadcast_to(out[i], shape):copy() end
  end
  return table.unpack(out)
end

local function check_index(name, index, n)
  if np.any(np.logical_or(np.less(index, 0), np.greater_equal(index, n))) then
    fail(("%s: an index is out of bounds for size %d"):format(name, n))
  end
end

local function unwrap(x)
  if x.ndim == 0 then return x:item() end
  return x
end

define("unravel_index", {"indices", "shape"}, function(index, shape)
  index = np.asarray(index)
  shape = type(shape) == "number" and {shape} or shape
  local size, out = 1, {}
  for _, n in ipairs(shape) do size = size * n end
  check_index("unravel_index", index, size)
  index = index:astype("i64")
  for d = #shape, 1, -1 do
    out[d] = unwrap(np.asarray(np.mod(index, shape[d])))
    index = np.asarray(np.floor_divide(index, shape[d]))
  end
  return table.unpack(out)
end)

define("ravel_multi_index", {"multi_index", "dims", "mode"},
       function(index, dims, mode)
  dims = type(dims) == "number" and {dims} or dims
  local parts = core.list(np, "ravel_multi_index", index)
  if #parts ~= #dims then
    fail(("ravel_multi_index: %d indexes for %d axes"):format(#parts, #dims))
  end
  local at = np.asarray(0)
  for d, n in ipairs(dims) do
    local i = parts[d]
    if mode == "wrap" then
      i = np.asarray(np.mod(i, n))
    elseif mode == "clip" then
      i = np.asarray(np.clip(i, 0, n - 1))
    else
      check_index("ravel_multi_index", i, n)
    end
    at = np.asarray(np.add(np.multiply(at, n), i))
  end
  return unwrap(at)
end)

-- ---- Evenly spaced numbers ----

local function is_whole(dtype)
  return dtype:find("^[iu]%d") ~= nil
end

-- The points, the step, both in f64; the axis of points first.
local function spaced(name, start, stop, num, endpoint)
  num = num == nil and 50 or num
  if math.type(num) ~= "integer" or num < 0 then
    fail(("%s: %s points"):format(name, num))
  end
  start, stop = np.asarray(start, "f64"), np.asarray(stop, "f64")
  local gaps = endpoint == false and num or num - 1
  local delta = np.asarray(stop - start)
  local line = {num}
  for _ = 1, delta.ndim do line[#line + 1] = 1 end
  local at = np.arange(num, "f64"):reshape(line)
  if gaps <= 0 then
    return np.add(np.multiply(at, delta), start), np.asarray(np.nan) * 1
  end
  local step = np.asarray(delta / gaps)
  local out = np.add(np.multiply(at, step), start)
  if np.any(np.equal(step, 0)) and not np.all(np.equal(delta, 0)) then
    out = np.add(np.multiply(at / gaps, delta), start)
  end
  if endpoint ~= false and num > 1 then
    core.assign(part(out, 0, num - 1, 1), stop)
  end
  return out, unwrap(step)
end

-- Brings the points to their axis and type.
local function spaced_as(out, dtype, axis)
  if dtype then out = out:astype(dtype) end
  if axis and axis ~= 0 then out = np.moveaxis(out, 0, axis) end
  return out
end

local line = np.linspace -- of two numbers, both ends included

-- Where its step is a number, and not so small that it is 0.
local function is_line(start, stop, num)
  if type(start) ~= "number" or type(stop) ~= "number" then return false end
  return math.type(num) == "integer" and num > 1
    and ((stop + 0.0 - start) / (num - 1) ~= 0 or start == stop)
end

define("linspace",
       {"start", "stop", "num", "endpoint", "retstep", "dtype", "axis"},
       function(start, stop, num, endpoint, retstep, dtype, axis)
  if type(endpoint) == "string" then endpoint, dtype = nil, endpoint end
  local out, step
  if endpoint ~= false and not retstep and is_line(start, stop, num or 50) then
    out = line(start, stop, num or 50)
  else
    out, step = spaced("linspace", start, stop, num, endpoint)
  end
  if dtype and is_whole(np.dtype(dtype)) then out = np.floor(out) end
  out = spaced_as(out, dtype, axis)
  if retstep then return out, step end
  return out
end)

define("logspace",
       {"start", "stop", "num", "endpoint", "base", "dtype", "axis"},
       function(start, stop, num, endpoint, base, dtype, axis)
  local out = spaced("logspace", start, stop, num, endpoint)
  return spaced_as(np.power(base == nil and 10.0 or base, out), dtype, axis)
end)

define("geomspace", {"start", "stop", "num", "endpoint", "dtype", "axis"},
       function(start, stop, num, endpoint, dtype, axis)
  start, stop = np.asarray(start, "f64"), np.asarray(stop, "f64")
  if np.any(np.equal(start, 0)) or np.any(np.equal(stop, 0)) then
    fail("geomspace: the sequence cannot contain 0")
  end
  if np.any(np.less(np.multiply(start, stop), 0)) then
    fail("geomspace: start and stop must have one sign")
  end
  local sign = np.sign(start)
  start, stop = np.asarray(start * sign), np.asarray(stop * sign)
  local out = spaced("geomspace", np.log10(start), np.log10(stop), num,
                     endpoint)
  out = np.power(10.0, out)
  local n = out.shape[1]
  if n > 0 then core.assign(part(out, 0, 0, 1), start) end
  if n > 1 and endpoint ~= false then
    core.assign(part(out, 0, n - 1, 1), stop)
  end
  return spaced_as(np.multiply(out, sign), dtype, axis)
end)

define("vander", {"x", "N", "increasing"}, function(x, n, increasing)
  x = np.asarray(x)
  if x.ndim ~= 1 then
    fail(("vander: the array has %d axes, not one"):format(x.ndim))
  end
  n = n or x.size
  local dtype = np.promote_types(x.dtype, "i64")
  local out = np.empty({x.size, n}, dtype)
  local power = np.ones(x.size, dtype)
  for k = 0, n - 1 do
    if k > 0 then power = power * x end
    core.assign(part(out, 1, increasing and k or n - 1 - k, 1),
                power:reshape(-1, 1))
  end
  return out
end)

-- ---- Calling a function for each line or element ----

define("apply_along_axis", {"func1d", "axis", "arr"}, function(f, axis, a)
  a = np.asarray(a)
  axis = core.axis("apply_along_axis", axis, a.ndim)
  local lines = np.moveaxis(a, axis, -1)
  local shape = lines.shape
  local n = table.remove(shape)
  lines = lines:reshape(-1, n)
  local results = {}
  for i = 0, lines.shape[1] - 1 do
    local r = f(lines[i])
    -- A float made of floats is of their type: numbers have none.
    local is_own = math.type(r) == "float" and a.dtype:find("f", 1, true)
    results[i + 1] = np.asarray(r, is_own and a.dtype or nil)
  end
  if #results == 0 then
    fail("apply_along_axis: there is no line to call the function for")
  end
  local own = results[1].shape
  local out = np.stack(results)
  local whole = table.move(own, 1, #own, #shape + 1,
                           table.move(shape, 1, #shape, 1, {}))
  out = out:reshape(whole)
  -- The result's axes take the place of the line's.
  for d = 1, #own do
    out = np.moveaxis(out, #shape + d - 1, axis + d - 1)
  end
  return unwrap(out)
end)

--- A function of arrays from one of numbers; it is called in Lua for each
--- element, so it is convenient, not fast.
define("vectorize", {"pyfunc", "otype"}, function(f, dtype)
  return function(...)
    local arrays = table.pack(np.broadcast_arrays(...))
    local shape, out = arrays[1].shape, {}
    local flat = {}
    for i = 1, arrays.n do flat[i] = np.ravel(arrays[i]) end
    local args = {}
    for k = 0, flat[1].size - 1 do
      for i = 1, arrays.n do args[i] = flat[i][k] end
      out[k + 1] = f(table.unpack(args, 1, arrays.n))
    end
    return unwrap(np.array(out, dtype):reshape(shape))
  end
end)
