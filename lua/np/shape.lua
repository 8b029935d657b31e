-- SPDX-License-Identifier: Apache-2.0
-- Axes, diagonals and triangles, grids, evenly spaced numbers, and functions
-- that are called for each element or line.
local np, fail, _, core = ...
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

