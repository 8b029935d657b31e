-- SPDX-License-Identifier: Apache-2.0
-- jnp: products of arrays, and what is made of them: convolutions, polynomials,
-- differences, interpolation. einsum: einsum.lua.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local jnp = use.jnp
local M = {}

local function shape_of(x) return core.shape_of(x) end
local function range(from, to)
  local out = {}
  for d = from, to do out[#out + 1] = d end
  return out
end

local contract = args.contract

local function two(name, x, y)
  local a = args.promoted(name, args.pair(name, x, y))
  return args.array(a[1], name), args.array(a[2], name)
end

local function inner_sizes(name, m, n, x, y)
  if m ~= n then
    args.fail(name, "TypeError", "inner sizes differ: %d of %s and %d of %s", m,
              core.shape_text(shape_of(x)), n, core.shape_text(shape_of(y)))
  end
end

-- ---- Products ----

--- dot(x, y): over the last axis of x and the last but one of y.
function M.dot(x, y)
  local a, b = two("dot", x, y)
  local m, n = #shape_of(a), #shape_of(b)
  if m == 0 or n == 0 then return jnp.multiply(a, b) end
  local at = n == 1 and 0 or n - 2
  inner_sizes("dot", shape_of(a)[m], shape_of(b)[at + 1], a, b)
  return contract(a, b, {{{m - 1}, {at}}, {{}, {}}})
end

--- matmul(x, y): of matrices, for all axes before, which are broadcast.
function M.matmul(x, y)
  local a, b = two("matmul", x, y)
  local m, n = #shape_of(a), #shape_of(b)
  if m == 0 or n == 0 then
    args.fail("matmul", "ValueError",
              "input operand %d must have ndim at least 1",
              m == 0 and 0 or 1)
  end
  local k = shape_of(b)[n == 1 and 1 or n - 1]
  inner_sizes("matmul", shape_of(a)[m], k, a, b)
  if m <= 2 and n <= 2 then
    return contract(a, b, {{{m - 1}, {n == 1 and 0 or n - 2}}, {{}, {}}})
  end
  if m == 1 then a = lax.expand_dims(a, {0}) end
  if n == 1 then b = lax.expand_dims(b, {1}) end
  local own_a, own_b = shape_of(a), shape_of(b)
  local lead_a = table.move(own_a, 1, #own_a - 2, 1, {})
  local lead_b = table.move(own_b, 1, #own_b - 2, 1, {})
  local lead = args.broadcast_shapes("matmul", {lead_a, lead_b})
  local out
  if #lead_b == 0 then
    out = contract(a, b, {{{#own_a - 1}, {0}}, {{}, {}}})
  else
    local function spread(z, own)
      local full = args.copy(lead)
      full[#full + 1], full[#full + 2] = own[#own - 1], own[#own]
      return args.stretch(z, full)
    end
    a, b = spread(a, own_a), spread(b, own_b)
    local r = #lead
    out = contract(a, b, {{{r + 1}, {r}}, {range(0, r - 1), range(0, r - 1)}})
  end
  local r = #shape_of(out)
  if n == 1 then out = lax.squeeze(out, {r - 1}) end
  if m == 1 then
    out = lax.squeeze(out, {#shape_of(out) - (n == 1 and 1 or 2)})
  end
  return out
end

function M.vdot(x, y) return M.dot(jnp.ravel(x), jnp.ravel(y)) end

--- vecdot(x, y, axis): dot products along an axis.
function M.vecdot(x, y, ...)
  local axis = args.named("vecdot", {"axis"}, ...).axis or -1
  local a, b = two("vecdot", x, y)
  local function size(v)
    return shape_of(v)[args.axis(axis, #shape_of(v), "vecdot") + 1]
  end
  inner_sizes("vecdot", size(a), size(b), a, b)
  local products = jnp.multiply(jnp.moveaxis(a, axis, -1),
                                jnp.moveaxis(b, axis, -1))
  local sum = jnp.sum(products, {axis = -1, dtype = core.dtype_of(products)})
  return args.as_type(sum, core.dtype_of(a), core.aval_of(a).weak)
end

--- inner(x, y): over the last axes of both.
function M.inner(x, y)
  local a, b = two("inner", x, y)
  local m, n = #shape_of(a), #shape_of(b)
  if m == 0 or n == 0 then return jnp.multiply(a, b) end
  inner_sizes("inner", shape_of(a)[m], shape_of(b)[n], a, b)
  return contract(a, b, {{{m - 1}, {n - 1}}, {{}, {}}})
end

--- outer(x, y): every product of two elements.
function M.outer(x, y)
  local a, b = two("outer", x, y)
  return jnp.multiply(jnp.expand_dims(jnp.ravel(a), 1),
                      jnp.expand_dims(jnp.ravel(b), 0))
end

--- tensordot(x, y, axes): over the last `axes` axes of x and the first of y, or
--- over {axes of x, axes of y}.
function M.tensordot(x, y, ...)
  local axes = args.named("tensordot", {"axes"}, ...).axes
  if axes == nil then axes = 2 end
  local a, b = two("tensordot", x, y)
  local m, n = #shape_of(a), #shape_of(b)
  local left, right
  if type(axes) == "number" then
    if axes > math.min(m, n) then
      args.fail("tensordot", "TypeError", "%d axes of %s and %s", axes,
                core.shape_text(shape_of(a)), core.shape_text(shape_of(b)))
    end
    left, right = range(m - axes, m - 1), range(0, axes - 1)
  else
    local function list(v, rank)
      local out = {}
      for i, d in ipairs(args.is_list(v) and v or {v}) do
        out[i] = args.axis(d, rank, "tensordot")
      end
      return out
    end
    left, right = list(axes[1], m), list(axes[2], n)
  end
  if #left ~= #right then
    args.fail("tensordot", "TypeError", "%d axes of one and %d of the other",
              #left, #right)
  end
  for i, d in ipairs(left) do
    inner_sizes("tensordot", shape_of(a)[d + 1], shape_of(b)[right[i] + 1], a,
                b)
  end
  return contract(a, b, {{left, right}, {{}, {}}})
end

--- kron(x, y): y in the place of each element of x, times it.
function M.kron(x, y)
  local a, b = two("kron", x, y)
  local rank = math.max(#shape_of(a), #shape_of(b))
  local function widened(z, offset)
    local shape, wide = args.copy(shape_of(z)), {}
    while #shape < rank do table.insert(shape, 1, 1) end
    for d, n in ipairs(shape) do
      wide[2 * d - 1], wide[2 * d] = 1, 1
      wide[2 * d - offset] = n
    end
    return lax.reshape(z, wide), shape
  end
  local p, s = widened(a, 1)
  local q, t = widened(b, 0)
  local out = {}
  for d = 1, rank do out[d] = s[d] * t[d] end
  return lax.reshape(jnp.multiply(p, q), out)
end

--- cross(x, y): of vectors with two or three elements along the last axis.
function M.cross(x, y, ...)
  local o = args.named("cross", {"axisa", "axisb", "axisc", "axis"}, ...)
  local a, b = two("cross", x, y)
  a = jnp.moveaxis(a, o.axis or o.axisa or -1, -1)
  b = jnp.moveaxis(b, o.axis or o.axisb or -1, -1)
  local m, n = shape_of(a)[#shape_of(a)], shape_of(b)[#shape_of(b)]
  if (m ~= 2 and m ~= 3) or (n ~= 2 and n ~= 3) then
    args.fail("cross", "ValueError",
              "the vectors have 2 or 3 elements, not %d " ..
              "and %d", m, n)
  end
  local function part(z, size, i)
    if i >= size then return 0 end
    local r = #shape_of(z) - 1
    return lax.squeeze(lax.slice_in_dim(z, i, i + 1, 1, r), {r})
  end
  local function minor(i, j)
    return jnp.subtract(jnp.multiply(part(a, m, i), part(b, n, j)),
                        jnp.multiply(part(a, m, j), part(b, n, i)))
  end
  if m == 2 and n == 2 then return minor(0, 1) end
  return jnp.stack({minor(1, 2), minor(2, 0), minor(0, 1)},
                   {axis = o.axis or o.axisc or -1})
end

-- ---- Convolution ----

-- Windows of y against x: row i of the matrix is x[i], x[i + 1], ...
local function windows(x, count, width)
  local index = {}
  for k = 0, width - 1 do
    index[k + 1] = lax.slice_in_dim(x, k, k + count, 1, 0)
  end
  return jnp.stack(index, 1)
end

-- The sums of products of y with each stretch of x, from `before` elements in
-- front of it to `after` behind. What has no partner there counts as 0, also
-- where it is infinite.
local function slide(x, y, before, after)
  local m, n = shape_of(x)[1], shape_of(y)[1]
  local rows = m + before + after - n + 1
  if before == 0 and after == 0 then return M.dot(windows(x, rows, n), y) end
  local t = core.dtype_of(x)
  local wide = (t == "f16" or t == "bf16") and "f32" or t
  local padded = lax.pad(x, core.literal(0.0, t), {{before, after, 0}})
  local at = windows(lax.iota("i32", {m + before + after}, 0), rows, n)
  local is_there = jnp.logical_and(jnp.greater_equal(at, before),
                                   jnp.less(at, before + m))
  local products = jnp.multiply(
    lax.convert_element_type(windows(padded, rows, n), wide),
    lax.convert_element_type(y, wide))
  local sums = jnp.sum(jnp.where(is_there, products, 0.0), {axis = 1})
  local is_weak = core.aval_of(x).weak and core.aval_of(y).weak
  return lax.convert_element_type(sums, t, is_weak)
end

local function convolution(name, x, y, o, is_correlation)
  local mode = o.mode or (is_correlation and "valid" or "full")
  x, y = two(name, jnp.atleast_1d(x), jnp.atleast_1d(y))
  x, y = args.as_float(x), args.as_float(y)
  if #shape_of(x) ~= 1 or #shape_of(y) ~= 1 then
    args.fail(name, "ValueError", "%s() only support 1-dimensional inputs",
              name)
  end
  local m, n = shape_of(x)[1], shape_of(y)[1]
  if m == 0 or n == 0 then
    args.fail(name, "ValueError", "inputs cannot be empty, got shapes (%d,) " ..
              "and (%d,)", m, n)
  end
  local is_swapped = m < n
  if is_swapped then x, y, n = y, x, m end
  local before, after = 0, 0
  if mode == "full" then
    before, after = n - 1, n - 1
  elseif mode == "same" then
    before, after = n // 2, n - n // 2 - 1
  elseif mode ~= "valid" then
    args.fail(name, "ValueError",
              "mode must be one of full, same, valid, not %s",
              tostring(mode))
  end
  if not is_correlation then y = lax.rev(y, {0}) end
  local out = slide(x, y, before, after)
  return is_correlation and is_swapped and lax.rev(out, {0}) or out
end

--- convolve(x, y, mode): "full", "same" or "valid".
function M.convolve(x, y, ...)
  return convolution("convolve", x, y, args.named("convolve", {"mode"}, ...))
end
--- correlate(x, y, mode): "valid" without one.
function M.correlate(x, y, ...)
  return convolution("correlate", x, y, args.named("correlate", {"mode"}, ...),
                     true)
end

-- ---- Polynomials ----

--- polyval(p, x): p[0] x^(n - 1) + ... + p[n - 1], by Horner's rule.
function M.polyval(p, x)
  local a = args.promoted("polyval", args.pair("polyval", p, x))
  p, x = args.array(a[1], "polyval"), args.array(a[2], "polyval")
  local n = shape_of(p)[1]
  local y = lax.full_like(x, core.dtype_of(x) == "bool" and false or 0)
  for i = 0, n - 1 do
    local c = lax.squeeze(lax.slice_in_dim(p, i, i + 1, 1, 0), {0})
    y = jnp.add(jnp.multiply(y, x), c)
  end
  return y
end

local function padded_front(x, n)
  local short = n - shape_of(x)[1]
  if short <= 0 then return x end
  return jnp.pad(x, {{short, 0}})
end

local function aligned(name, f)
  M[name] = function(p, q)
    local a, b = two(name, jnp.atleast_1d(p), jnp.atleast_1d(q))
    local n = math.max(shape_of(a)[1], shape_of(b)[1])
    return f(padded_front(a, n), padded_front(b, n))
  end
end
aligned("polyadd", function(p, q) return jnp.add(p, q) end)
aligned("polysub", function(p, q) return jnp.subtract(p, q) end)

-- What lies behind the zeros in front, of known coefficients.
local function trimmed(p)
  local at = use.np.flatnonzero(args.known(p, "polymul", "coefficients that " ..
    "are traced have no zeros to trim"))
  if at.size == 0 then return lax.slice_in_dim(p, 0, 1, 1, 0) end
  return lax.slice_in_dim(p, at[0], shape_of(p)[1], 1, 0)
end

--- polymul(p, q, trim_leading_zeros)
function M.polymul(p, q, ...)
  local o = args.named("polymul", {"trim_leading_zeros"}, ...)
  local a, b = two("polymul", jnp.atleast_1d(p), jnp.atleast_1d(q))
  if o.trim_leading_zeros then a, b = trimmed(a), trimmed(b) end
  local function with_one(x) -- without a coefficient, it is 0
    return shape_of(x)[1] > 0 and x or jnp.zeros(1, core.dtype_of(x))
  end
  return M.convolve(with_one(a), with_one(b))
end

--- polyder(p, m): the m-th derivative's coefficients.
function M.polyder(p, ...)
  local m = args.named("polyder", {"m"}, ...).m or 1
  p = args.as_float(args.array(p, "polyder"))
  for _ = 1, m do
    local n = shape_of(p)[1]
    if n <= 1 then return lax.slice_in_dim(p, 0, 0, 1, 0) end
    p = jnp.multiply(lax.slice_in_dim(p, 0, n - 1, 1, 0),
                     lax.rev(jnp.arange(1, n), {0}))
  end
  return p
end

--- polyint(p, m, k): the m-th integral's, with these constants.
function M.polyint(p, ...)
  local o = args.named("polyint", {"m", "k"}, ...)
  p = args.as_float(args.array(p, "polyint"))
  for i = 1, o.m or 1 do
    local n = shape_of(p)[1]
    local k = o.k and (args.is_list(o.k) and o.k[i] or o.k) or 0
    p = jnp.append(jnp.divide(p, lax.rev(jnp.arange(1, n + 1), {0})),
                   jnp.asarray({k}, core.dtype_of(p)))
  end
  return p
end

-- ---- Interpolation ----

--- interp(x, xp, fp): the value at x on the lines through the points (xp, fp),
--- whose xp ascend, unless the function has a period. Beyond the ends it is
--- `left` and `right`: values, or "extrapolate".
function M.interp(x, xp, fp, ...)
  local o = args.named("interp", {"left", "right", "period"}, ...)
  xp, fp = args.array(xp, "interp"), args.array(fp, "interp")
  if #shape_of(xp) ~= 1 or not core.same_shape(shape_of(xp), shape_of(fp)) then
    args.fail("interp", "ValueError",
              "xp and fp must be one-dimensional arrays " ..
              "of equal size, not %s and %s", core.shape_text(shape_of(xp)),
              core.shape_text(shape_of(fp)))
  end
  for _, side in ipairs{"left", "right"} do
    if type(o[side]) == "string" and o[side] ~= "extrapolate" then
      args.fail("interp", "ValueError", "the only valid string value of " ..
                "`%s` is \"extrapolate\", but got: \"%s\"", side, o[side])
    end
  end
  local a = args.promoted("interp", {args.array(x, "interp"), xp},
                          types.inexact)
  x, xp, fp = a[1], a[2], args.as_float(fp)
  if o.period ~= nil then
    local period = jnp.abs(o.period)
    x, xp = jnp.mod(x, period), jnp.mod(xp, period)
    xp, fp = lax.sort_key_val(xp, fp)
    local function around(y, by)
      return jnp.concatenate{y["-1:"] - by, y, y[":1"] + by}
    end
    xp, fp = around(xp, period), around(fp, 0)
  end
  local n = shape_of(xp)[1]
  local i = jnp.searchsorted(xp, x, {side = "right"})
  i = jnp.maximum(jnp.minimum(i, n - 1), math.min(1, n - 1))
  local before = math.min(1, n - 1)
  local x0, y0 = jnp.take(xp, i - before), jnp.take(fp, i - before)
  local dx, dy = jnp.take(xp, i) - x0, jnp.take(fp, i) - y0
  -- No NaN from 0 / 0 in gradients, either.
  local tiny = jnp.finfo(core.dtype_of(xp)).eps ^ 2
  local is_flat = jnp.less_equal(jnp.abs(dx), tiny)
  local f = jnp.where(is_flat, y0,
                      y0 + (x - x0) / jnp.where(is_flat, 1, dx) * dy)
  if o.period ~= nil then return f end
  if o.left ~= "extrapolate" then
    f = jnp.where(jnp.less(x, xp[0]), o.left == nil and fp[0] or o.left, f)
  end
  if o.right ~= "extrapolate" then
    local last = o.right == nil and fp[-1] or o.right
    f = jnp.where(jnp.greater(x, xp[-1]), last, f)
  end
  return f
end

return M
