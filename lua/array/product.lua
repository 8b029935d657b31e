-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: products of two arrays, convolutions, polynomials.
local np, _, _, core = ...
local shape_text = core.shape_text

-- ---- Products ----

-- Two sizes that are summed over must be equal.
local function inner_sizes(lib, name, a, b, i, j)
  local m, n = a.shape[i + 1], b.shape[j + 1]
  if m == n then return end
  if lib.either(true, false) then
    lib.fail(name, nil, "sizes differ: axis %d of %s and axis %d of %s", i,
             shape_text(a.shape), j, shape_text(b.shape))
  end
  lib.fail(name, "TypeError", "inner sizes differ: %d of %s and %d of %s", m,
           shape_text(a.shape), n, shape_text(b.shape))
end

local function inner(lib, define)
  local xp = lib.xp
  define("dot", lib.either({"a", "b"}), function(x, y)
    local quick = lib.dot_lines(x, y)
    if quick then return quick end
    local a, b = lib.operands("dot", x, y)
    if a.ndim == 0 or b.ndim == 0 then
      return xp.multiply(lib.either(x, a), lib.either(y, b))
    end
    local last, other = a.ndim - 1, math.max(b.ndim - 2, 0)
    inner_sizes(lib, "dot", a, b, last, other)
    return lib.contract(a, b, {last}, {other})
  end)
  define("vdot", lib.either({"a", "b"}), function(a, b)
    a, b = xp.ravel(a), xp.ravel(b)
    if lib.either(a.size ~= b.size, false) then
      lib.fail("vdot", nil, "%d and %d elements", a.size, b.size)
    end
    return xp.dot(a, b)
  end)
  define("inner", lib.either({"a", "b"}), function(a, b)
    a, b = lib.operands("inner", a, b)
    if a.ndim == 0 or b.ndim == 0 then return xp.multiply(a, b) end
    if lib.either(a.shape[a.ndim] ~= b.shape[b.ndim], false) then
      lib.fail("inner", nil, "the last axes of shapes %s and %s differ",
               shape_text(a.shape), shape_text(b.shape))
    end
    inner_sizes(lib, "inner", a, b, a.ndim - 1, b.ndim - 1)
    return lib.contract(a, b, {a.ndim - 1}, {b.ndim - 1})
  end)
  define("vecdot", {"x1", "x2", "axis"}, function(x, y, axis)
    local a, b = lib.operands("vecdot", x, y)
    axis = axis or -1
    local i = lib.axis(axis, a.ndim, "vecdot")
    local j = lib.axis(axis, b.ndim, "vecdot")
    if lib.either(a.shape[i + 1] ~= b.shape[j + 1], false) then
      lib.fail("vecdot", nil, "axis %d is %d long in %s and %d in %s", axis,
               a.shape[i + 1], shape_text(a.shape), b.shape[j + 1],
               shape_text(b.shape))
    end
    inner_sizes(lib, "vecdot", a, b, i, j)
    local products = xp.multiply(xp.moveaxis(a, i, -1), xp.moveaxis(b, j, -1))
    return lib.of_type(xp.sum(products, {axis = -1, dtype = products.dtype}),
                       a)
  end, 2)
end

-- The axes over which tensordot sums.
local function summed_axes(lib, a, b, axes)
  local left, right = {}, {}
  if type(axes) ~= "number" then
    return lib.axes(axes[1], a.ndim, "tensordot"),
           lib.axes(axes[2], b.ndim, "tensordot")
  elseif axes > math.min(a.ndim, b.ndim) then
    lib.fail("tensordot", "TypeError", lib.either(
      "%d axes of shapes %s and %s", "%d axes of %s and %s"), axes,
      shape_text(a.shape), shape_text(b.shape))
  end
  for i = 1, axes do left[i], right[i] = a.ndim - axes + i - 1, i - 1 end
  return left, right
end

local function check_summed(lib, a, b, left, right)
  local is_wrong = #left ~= #right
  for i = 1, math.min(#left, #right) do
    is_wrong = is_wrong or a.shape[left[i] + 1] ~= b.shape[right[i] + 1]
  end
  if not is_wrong then return end
  if lib.either(true, false) then
    lib.fail("tensordot", nil, "the axes {%s} of %s and {%s} of %s differ",
             table.concat(left, ", "), shape_text(a.shape),
             table.concat(right, ", "), shape_text(b.shape))
  elseif #left ~= #right then
    lib.fail("tensordot", "TypeError", "%d axes of one and %d of the other",
             #left, #right)
  end
  for i, d in ipairs(left) do
    inner_sizes(lib, "tensordot", a, b, d, right[i])
  end
end

-- The cross product's part i, of vectors of m and n items along the last axis.
local function crossed(lib, a, b, m, n)
  local xp = lib.xp
  local function part(z, size, i)
    return i < size and lib.item(z, z.ndim - 1, i) or 0
  end
  return function(i, j)
    return xp.subtract(xp.multiply(part(a, m, i), part(b, n, j)),
                       xp.multiply(part(a, m, j), part(b, n, i)))
  end
end

local function outer(lib, define)
  local xp = lib.xp
  define("outer", {"a", "b"}, function(a, b)
    a, b = lib.operands("outer", a, b)
    return xp.multiply(lib.insert_axes(xp.ravel(a), {1}),
                       lib.insert_axes(xp.ravel(b), {0}))
  end, 2)
  define("tensordot", {"a", "b", "axes"}, function(a, b, axes)
    a, b = lib.operands("tensordot", a, b)
    local left, right = summed_axes(lib, a, b, axes == nil and 2 or axes)
    check_summed(lib, a, b, left, right)
    return lib.contract(a, b, left, right)
  end, 2)
  define("kron", {"a", "b"}, function(a, b)
    a, b = lib.operands("kron", a, b)
    local s, t = a.shape, b.shape
    while #s < #t do table.insert(s, 1, 1) end
    while #t < #s do table.insert(t, 1, 1) end
    local x, y, whole = {}, {}, {}
    for d = 1, #s do
      x[2 * d - 1], x[2 * d] = s[d], 1
      y[2 * d - 1], y[2 * d] = 1, t[d]
      whole[d] = s[d] * t[d]
    end
    if #s == 0 then return xp.multiply(a, b) end
    return lib.reshape(xp.multiply(lib.reshape(a, x), lib.reshape(b, y)),
                       whole)
  end, 2)
  define("cross", {"a", "b", "axisa", "axisb", "axisc", "axis"},
         function(a, b, axisa, axisb, axisc, axis)
    a, b = lib.operands("cross", a, b)
    if lib.either(a.ndim == 0 or b.ndim == 0, false) then
      lib.fail("cross", nil, "a number is no vector")
    end
    local s, t = a.shape, b.shape
    a = xp.moveaxis(a, axis or axisa or -1, -1)
    b = xp.moveaxis(b, axis or axisb or -1, -1)
    local m, n = a.shape[#s], b.shape[#t]
    local least = lib.either(3, 2) -- what NumPy has of two is of the past
    if m < least or m > 3 or n < least or n > 3 then
      if lib.either(true, false) then
        lib.fail("cross", nil,
                 "shapes %s and %s: the vectors must have 3 items",
                 shape_text(a.shape), shape_text(b.shape))
      end
      lib.fail("cross", "ValueError",
               "the vectors have 2 or 3 elements, not %d and %d", m, n)
    end
    local minor = crossed(lib, a, b, m, n)
    if m == 2 and n == 2 then return minor(0, 1) end
    local r = xp.stack({minor(1, 2), minor(2, 0), minor(0, 1)},
                       {axis = axis or axisc or -1})
    return lib.of_types(r, a, b)
  end, 2)
end

-- ---- Convolution ----

local widths = {
  full = function(n) return n - 1, n - 1 end,
  same = function(n) return n // 2, n - n // 2 - 1 end,
  valid = function() return 0, 0 end,
}

local function check_lines(lib, name, x, y)
  for _, z in ipairs{x, y} do
    if z.ndim ~= 1 then
      lib.fail(name, "ValueError", lib.either(
        "the arrays must have one axis; one has %d",
        name .. "() only support 1-dimensional inputs"), z.ndim)
    end
  end
  if x.size == 0 or y.size == 0 then
    lib.fail(name, "ValueError", lib.either(
      "an array is empty",
      "inputs cannot be empty, got shapes (%d,) and (%d,)"), x.size, y.size)
  end
end

-- The shorter one against each stretch of the longer.
local function convolution(lib, name, x, y, mode)
  local is_correlation = name == "correlate"
  x, y = lib.float_operands(name, x, y)
  check_lines(lib, name, x, y)
  mode = mode or (is_correlation and "valid" or "full")
  local is_swapped = x.size < y.size
  if is_swapped then x, y = y, x end
  local width = widths[mode]
  if not width then
    lib.fail(name, "ValueError", lib.either(
      "there is no mode \"%s\": full, same and valid are",
      "mode must be one of full, same, valid, not %s"), tostring(mode))
  end
  if not is_correlation then y = lib.reverse(y, {0}) end
  local r = lib.slide(x, y, width(y.size))
  if not is_correlation or not is_swapped then return r end
  return lib.fresh(lib.reverse(r, {0}))
end

local function convolutions(lib, define)
  for _, name in ipairs{"convolve", "correlate"} do
    define(name, {"a", "v", "mode"}, function(x, y, mode)
      return convolution(lib, name, x, y, mode)
    end, 2)
  end
end

-- ---- Polynomials: the highest power first ----

local function sums_of_polynomials(lib, define)
  local xp = lib.xp
  local function padded(p, n)
    return p.size < n and xp.pad(p, {{n - p.size, 0}}) or p
  end
  for name, plain in pairs{polyadd = "add", polysub = "subtract"} do
    define(name, {"a1", "a2"}, function(a, b)
      a, b = lib.operands(name, xp.atleast_1d(a), xp.atleast_1d(b))
      local n = math.max(a.size, b.size)
      return xp[plain](padded(a, n), padded(b, n))
    end, 2)
  end
  local function with_one(p) -- without a coefficient, it is 0
    return p.size > 0 and p or xp.zeros(1, p.dtype)
  end
  define("polymul", {"a1", "a2", lib.either(nil, "trim_leading_zeros")},
         function(a, b, trims)
    a, b = lib.operands("polymul", xp.atleast_1d(a), xp.atleast_1d(b))
    if lib.either(true, trims) then
      a, b = lib.without_front_zeros(a), lib.without_front_zeros(b)
    end
    return xp.convolve(with_one(a), with_one(b))
  end, 2)
  define("polyval", {"p", "x"}, function(p, x)
    p, x = lib.coefficients_and_place(p, x)
    local y = lib.zeros_of(x)
    for i = 0, p.size - 1 do y = y * x + lib.at(p, i) end
    return y
  end, 2)
end

local function slopes_of_polynomials(lib, define)
  local xp = lib.xp
  define("polyder", {"p", "m"}, function(p, m)
    p = lib.coefficients(p, "polyder")
    for _ = 1, m or 1 do
      local n = p.size
      if n <= 1 then return lib.no_coefficients(p) end
      p = xp.multiply(lib.slice(p, 0, 0, n - 1), lib.falling(p, n - 1))
    end
    return p
  end)
  define("polyint", {"p", "m", "k"}, function(p, m, k)
    p = lib.coefficients(p, "polyint")
    if not lib.is_float(p) then p = xp.multiply(p, 1.0) end
    for i = 1, m or 1 do
      local is_list = type(k) == "table" and not getmetatable(k)
      local own = is_list and (k[i] or lib.either(k[1], k)) or k or 0.0
      p = xp.concatenate{xp.divide(p, lib.falling(p, p.size)),
                         xp.asarray({own}, p.dtype)}
    end
    return p
  end)
end

-- ---- Fitting, and zeros ----

local function fitting(lib, define)
  local xp = lib.xp
  define("polyfit", lib.either({"x", "y", "deg", "rcond", "full", "w"},
                               {"x", "y", "deg"}),
         function(x, y, degree, rcond, full, w)
    x, y = lib.points("polyfit", x, y)
    if x.ndim ~= 1 or x.size == 0 then
      lib.fail("polyfit", "TypeError", "x must have one axis and not be empty")
    elseif y.ndim < 1 or y.ndim > 2 or y.shape[1] ~= x.size then
      lib.fail("polyfit", "TypeError", "x has %d points and y has shape %s",
               x.size, shape_text(y.shape))
    elseif math.type(degree) ~= "integer" or degree < 0 then
      lib.fail("polyfit", "ValueError",
               "the degree is a whole number from 0 on, not %s",
               tostring(degree))
    end
    local left, right = xp.vander(x, degree + 1), y
    local function along(v)
      return y.ndim == 2 and lib.insert_axes(v, {1}) or v
    end
    if w ~= nil then
      w = lib.points("polyfit", w, w)
      left, right = left * lib.insert_axes(w, {1}), right * along(w)
    end
    local scale = xp.sqrt(xp.sum(left * left, 0))
    rcond = rcond or x.size * 2.220446049250313e-16
    local c, residuals, rank, s = lib.fit(left / scale, right, rcond)
    c = c / along(scale)
    if full then return c, residuals, rank, s, rcond end
    return c
  end, 1)
end

-- The matrix whose eigenvalues are the zeros of p.
local function companion(p)
  local n = p.size - 1
  local m = np.eye(n, n, -1)
  m[0] = -p["1:"] / p[0]
  return m
end

-- On the host: how many there are depends on the zeros that p begins with. What
-- it ends with are zeros at 0.
local function zeros_of(lib, define)
  define("roots", {"p"}, function(p)
    local t
    p, t = lib.known_coefficients("roots", p)
    if p.ndim ~= 1 then
      lib.fail("roots", "ValueError", "the coefficients are an array with one "
               .. "axis, and p has %d", p.ndim)
    end
    local at = np.flatnonzero(p)
    if at.size == 0 then return lib.zeros_found(np.zeros(0), nil, t) end
    local first, last = at[0], at[-1]
    local zeros = np.zeros(p.size - 1 - last)
    if first == last then return lib.zeros_found(zeros, nil, t) end
    local r = np.linalg.eigvals(companion(p[("%d:%d"):format(first, last + 1)]))
    if not np.iscomplexobj(r) then
      return lib.zeros_found(np.concatenate{r, zeros}, nil, t)
    end
    return lib.zeros_found(np.concatenate{r.real, zeros},
                           np.concatenate{r.imag, zeros}, t)
  end)
end

core.family(function(lib)
  local define = lib.define
  define("einsum", nil, core.later(lib, "array/einsum"))
  inner(lib, define)
  outer(lib, define)
  convolutions(lib, define)
  sums_of_polynomials(lib, define)
  slopes_of_polynomials(lib, define)
  fitting(lib, define)
  zeros_of(lib, define)
end)
