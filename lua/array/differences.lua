-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: differences between neighbours, areas, slopes.
local _, _, _, core = ...

-- Along an axis, all but the first and all but the last items.
local function neighbours(lib, x, axis)
  local n = x.shape[axis + 1]
  local count = math.max(0, n - 1)
  return lib.slice(x, axis, math.min(1, n), count), lib.slice(x, axis, 0, count)
end

local function differences(lib, define)
  local xp = lib.xp
  define("diff", {"a", "n", "axis", "prepend", "append"},
         function(a, n, axis, prepend, append)
    a, n = lib.array(a, "diff"), n or 1
    if n == 0 then return a end
    if n < 0 then
      lib.fail("diff", "ValueError", lib.either(
        "n is %d, and must not be negative",
        "order must be non-negative but got %d"), n)
    elseif a.ndim == 0 then
      lib.fail("diff", "ValueError", lib.either(
        "the array has no axis",
        "diff requires input that is at least one dimensional; got %s[]"),
        a.dtype)
    end
    axis = lib.axis(axis or -1, a.ndim, "diff")
    local shape = a.shape
    shape[axis + 1] = 1
    local function edge(x)
      x = lib.array(x, "diff")
      return x.ndim == 0 and xp.broadcast_to(x, shape) or x
    end
    if prepend ~= nil then a = xp.concatenate({edge(prepend), a}, axis) end
    if append ~= nil then a = xp.concatenate({a, edge(append)}, axis) end
    local minus = a.dtype == "bool" and xp.not_equal or xp.subtract
    for _ = 1, n do a = minus(neighbours(lib, a, axis)) end
    return a
  end)
  define("ediff1d", {"a", "to_end", "to_begin"}, function(a, to_end, to_begin)
    local d = xp.diff(xp.ravel(lib.array(a, "ravel")))
    local function edge(x) -- of its own type in NumPy
      x = xp.ravel(x)
      return lib.either(x, xp.astype(x, d.dtype))
    end
    local parts = {d}
    if to_begin ~= nil then table.insert(parts, 1, edge(to_begin)) end
    if to_end ~= nil then parts[#parts + 1] = edge(to_end) end
    return xp.concatenate(parts)
  end)
  -- The area under y by trapezoids, `dx` wide or between the points x.
  define("trapezoid", {"y", "x", "dx", "axis"}, function(y, x, dx, axis)
    y, x = lib.curve("trapezoid", y, x)
    if lib.either(y.ndim == 0, false) then
      lib.fail("trapezoid", nil, "the array has no axis")
    end
    axis = lib.axis(axis or -1, y.ndim, "trapezoid")
    if x == nil then return lib.even_area(y, dx or 1.0, axis) end
    local width
    if x.ndim > 1 then
      width = xp.diff(x, {axis = axis})
    else
      local shape = {}
      width = xp.diff(x)
      for d = 1, y.ndim do shape[d] = d == axis + 1 and width.size or 1 end
      width = lib.reshape(width, shape)
    end
    local heights = xp.add(neighbours(lib, y, axis))
    return xp.multiply(0.5, xp.sum(xp.multiply(width, heights),
                                   {axis = axis}))
  end)
end

-- ---- Slopes ----

-- At the ends by three items: only where the spacing is even.
local function ends_by_three(lib, at, n)
  local xp = lib.xp
  local function line(a, x, b, y, c, z)
    return xp.add(xp.add(xp.multiply(a, x), xp.multiply(b, y)),
                  xp.multiply(c, z))
  end
  return line(-1.5, at(0, 1), 2.0, at(1, 2), -0.5, at(2, 3)),
         line(0.5, at(n - 3, n - 2), -2.0, at(n - 2, n - 1), 1.5, at(n - 1, n))
end

-- Inside by the parabola through three points.
local function uneven(lib, at, n, points, shape, axis)
  local steps = lib.xp.diff(lib.reshape(points, shape), {axis = axis})
  local function gap(from, to)
    return lib.slice(steps, axis, from, to - from)
  end
  local first = (at(1, 2) - at(0, 1)) / gap(0, 1)
  local last = (at(n - 1, n) - at(n - 2, n - 1)) / gap(n - 2, n - 1)
  if n == 2 then return lib.join({first, last}, axis) end
  local left, right = gap(0, n - 2), gap(1, n - 1)
  local both = left + right
  local inner = -right / (left * both) * at(0, n - 2) +
                (right - left) / (left * right) * at(1, n - 1) +
                left / (right * both) * at(2, n)
  return lib.join({first, inner, last}, axis)
end

-- Along one axis: central differences, and one-sided ones at the ends. `step`
-- is a number, or the points along the axis.
local function slope(lib, f, step, axis, edge_order)
  local xp, n = lib.xp, f.shape[axis + 1]
  if n < edge_order + 1 then
    lib.fail("gradient", "ValueError", lib.either(
      "axis %d has %d elements and needs at least %d",
      "Shape of array too small to calculate a numerical gradient, at least " ..
      "2 elements are required."), axis, n, edge_order + 1)
  end
  local function at(from, to) return lib.slice(f, axis, from, to - from) end
  if type(step) ~= "number" and step.ndim == 1 then
    if edge_order == 2 then
      lib.fail("gradient", "ValueError", "edge_order 2 needs an even spacing")
    end
    local shape = {}
    for d = 1, f.ndim do shape[d] = d == axis + 1 and step.size or 1 end
    return uneven(lib, at, n, step, shape, axis)
  end
  local first, last
  if edge_order == 2 then
    first, last = ends_by_three(lib, at, n)
  else
    first = xp.subtract(at(1, 2), at(0, 1))
    last = xp.subtract(at(n - 1, n), at(n - 2, n - 1))
  end
  local parts = {first, last}
  if n > 2 then
    local inner = xp.multiply(xp.subtract(at(2, n), at(0, n - 2)), 0.5)
    table.insert(parts, 2, inner)
  end
  return xp.divide(lib.join(parts, axis), step)
end

local function slopes(lib, define)
  -- One result for each axis; lib.spacings reads how far the items are apart.
  define("gradient", lib.either({"f", "spacing", "axis", "edge_order"}),
         function(...)
    local f, steps, axes, edge_order = lib.spacings(...)
    local out = {}
    for i, d in ipairs(axes) do
      local step = steps(i, d)
      out[i] = lib.of_type(slope(lib, f, step, d, edge_order or 1), f)
    end
    if lib.either(#out > 1, false) then return table.unpack(out) end
    return #out == 1 and out[1] or out
  end)
end

core.family(function(lib)
  differences(lib, lib.define)
  slopes(lib, lib.define)
end)
