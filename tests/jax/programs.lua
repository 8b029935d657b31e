-- SPDX-License-Identifier: Apache-2.0
-- Draws random programs from lax's primitives, with bounds on their values and
-- on how far apart two correct computations of them can be.
--
-- A program is {inputs, vars, eqns, outputs, axes}. A variable has a shape, a
-- type, and four numbers that follow from the program alone:
--   most         no element is larger
--   error        distance from the exact value where functions and orders of
--                summation differ (host and device)
--   order_error  the same where only orders differ (vmap and a loop)
--   slope        no derivative by an input is larger
-- Zero errors mean equal bits. What jumps (floor, comparisons, sorting) takes
-- only exact values.
local M = {}

local lax = jax.lax

-- ---- Chance ----

local Chance = {}
Chance.__index = Chance

-- SplitMix64 (Steele, Lea, Flood 2014).
function Chance:next()
  self.state = self.state + 0x9e3779b97f4a7c15
  local z = self.state
  z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
  z = (z ~ (z >> 27)) * 0x94d049bb133111eb
  return (z ~ (z >> 31)) >> 1
end
function Chance:below(n) return self:next() % n end
function Chance:from(list) return list[self:below(#list) + 1] end

-- ---- Variables ----

local EPS = 2.0 ^ -23
local sizes = {0, 1, 1, 2, 2, 3, 3, 3, 5, 7, 7, 13}
local MOST = 1e4

local function size_of(shape)
  local n = 1
  for _, s in ipairs(shape) do n = n * s end
  return n
end

local function same_shape(a, b)
  return table.concat(a, ",") == table.concat(b, ",")
end

local function is_exact(v) return v.error == 0 end

local function copy(list) return table.move(list, 1, #list, 1, {}) end

-- ---- Operations ----
-- A row: weight, and f(draw) -> equation or nil where the draw does not fit.

local rows = {}
local function op(weight, f) rows[#rows + 1] = {weight = weight, f = f} end

-- An equation: its text, its function, its inputs, and what its result is.
local function eqn(text, f, inputs, result)
  return {text = text, f = f, inputs = inputs, result = result}
end

local function floats_like(v, fields)
  local r = {shape = v.shape, dtype = v.dtype, most = v.most, error = v.error,
             order_error = v.order_error, slope = v.slope}
  for k, x in pairs(fields or {}) do r[k] = x end
  return r
end

-- The rounding of a result this large, where its inputs may differ already.
local function rounded(e, most) return e > 0 and e + EPS * most or 0 end

-- Functions with a bound on their values and slopes; ulps: how inexact.
local functions = {
  {"sin", 1, 1, 4}, {"cos", 1, 1, 4}, {"tanh", 1, 1, 8},
  {"logistic", 1, 0.25, 8}, {"atan", 1.6, 1, 4},
  {"neg", nil, 1, 0}, {"abs", nil, 1, 0, jumps = true},
}
op(8, function(d)
  local row = d.chance:from(functions)
  local v = d:pick(function(v) return v.dtype == "f32" end)
  if not v then return end
  local name, most, slope, ulps = table.unpack(row, 1, 4)
  if row.jumps and not is_exact(v) then return end
  most = most or v.most
  local own = ulps * EPS * most
  return eqn(name, lax[name], {v}, floats_like(v, {
    most = most, error = slope * v.error + own,
    order_error = rounded(slope * v.order_error, ulps * most),
    slope = slope * v.slope}))
end)
-- Growing functions, where the argument is small.
op(3, function(d)
  local name = d.chance:from{"exp", "expm1", "sinh", "cosh"}
  local v = d:pick(function(v) return v.dtype == "f32" and v.most <= 4 end)
  if not v then return end
  local most = math.exp(v.most)
  return eqn(name, lax[name], {v}, floats_like(v, {
    most = most, error = most * v.error + 4 * EPS * most,
    order_error = rounded(most * v.order_error, 4 * most),
    slope = most * v.slope}))
end)
-- Functions of 1 + x^2: they have poles elsewhere.
op(3, function(d)
  local name = d.chance:from{"log", "sqrt", "rsqrt", "cbrt"}
  local v = d:pick(function(v) return v.dtype == "f32" and v.most <= 90 end)
  if not v then return end
  local most = math.max(1, v.most)
  local ulps = name == "sqrt" and 0 or 4
  local e = 2 * most * v.error
  local inner = rounded(e, 1 + v.most * v.most)
  local order = rounded(2 * most * v.order_error, 1 + v.most * v.most)
  local above = ulps * EPS * 2 * math.log(2 + most) * most
  return eqn(name .. "(1 + x^2)", function(x)
    return lax[name](lax.add(lax.mul(x, x), 1.0))
  end, {v}, floats_like(v, {
    most = most + 1, error = inner + above + (e > 0 and EPS * most or 0),
    order_error = order + (order > 0 and EPS * most * 4 or 0),
    slope = 2 * most * v.slope}))
end)
op(3, function(d)
  local name = d.chance:from{"floor", "ceil", "sign", "round"}
  local v = d:pick(function(v) return v.dtype == "f32" and is_exact(v) end)
  if not v then return end
  return eqn(name, lax[name], {v}, floats_like(v, {
    most = v.most + 1, slope = 0}))
end)
op(12, function(d)
  local name = d.chance:from{"add", "sub", "mul", "max", "min"}
  local a, b = d:pair(function(v) return v.dtype == "f32" end)
  if not a then return end
  local is_choice = name == "max" or name == "min"
  if is_choice and not (is_exact(a) and is_exact(b)) then return end
  local function both(field)
    if name == "mul" then return a[field] * b.most + b[field] * a.most end
    return a[field] + b[field]
  end
  local most = name == "mul" and a.most * b.most or
               is_choice and math.max(a.most, b.most) or a.most + b.most
  return eqn(name, lax[name], {a, b}, floats_like(a, {
    most = most, error = rounded(both("error"), most),
    order_error = rounded(both("order_error"), most), slope = both("slope")}))
end)
op(3, function(d)
  local a, b = d:pair(function(v) return v.dtype == "f32" and v.most <= 50 end)
  if not a then return end
  local function quotient(field)
    return a[field] + a.most * 2 * b.most * b[field]
  end
  local e = quotient("error")
  return eqn("x / (1 + y^2)", function(x, y)
    return lax.div(x, lax.add(lax.mul(y, y), 1.0))
  end, {a, b}, floats_like(a, {
    error = rounded(e, 4 * a.most),
    order_error = rounded(quotient("order_error"), 4 * a.most),
    slope = quotient("slope")}))
end)
op(2, function(d)
  local v = d:pick(function(v) return v.dtype == "f32" and v.most <= 20 end)
  if not v then return end
  local y = d.chance:from{2, 3}
  local most, slope = v.most ^ y, y * math.max(1, v.most) ^ (y - 1)
  local f = function(x) return lax.integer_pow(x, y) end
  return eqn("integer_pow " .. y, f, {v}, floats_like(v, {
    most = most, error = slope * v.error + 4 * EPS * most,
    order_error = rounded(slope * v.order_error, 4 * most),
    slope = slope * v.slope}))
end)
-- A number: a literal.
op(4, function(d)
  local name = d.chance:from{"add", "sub", "mul"}
  local v = d:pick(function(v) return v.dtype == "f32" end)
  if not v then return end
  local c = (d.chance:below(33) - 16) / 8
  local most = name == "mul" and math.abs(c) * v.most or math.abs(c) + v.most
  local by = name == "mul" and math.abs(c) or 1
  return eqn(name .. " " .. c, function(x) return lax[name](x, c) end, {v},
             floats_like(v, {
    most = most, error = rounded(by * v.error, most),
    order_error = rounded(by * v.order_error, most), slope = by * v.slope}))
end)

-- Integers: they wrap, so everything is exact.
local function whole(shape, dtype)
  return {shape = shape, dtype = dtype, most = 2.0 ^ 32, error = 0,
          order_error = 0, slope = 0}
end
local function is_whole(v) return v.dtype:find("^[iu]%d") ~= nil end
op(6, function(d)
  local name = d.chance:from{"add", "sub", "mul", "max", "min", "bitwise_and",
                             "bitwise_or", "bitwise_xor"}
  local a, b = d:pair(is_whole)
  if not a then return end
  return eqn(name, lax[name], {a, b}, whole(a.shape, a.dtype))
end)
op(2, function(d)
  local name = d.chance:from{"div", "rem"}
  local a, b = d:pair(is_whole)
  if not a then return end
  return eqn(name .. " by y | 1", function(x, y)
    return lax[name](x, lax.bitwise_or(y, lax.full_like(y, 1)))
  end, {a, b}, whole(a.shape, a.dtype))
end)
op(3, function(d)
  local name = d.chance:from{"neg", "bitwise_not", "abs", "sign"}
  local v = d:pick(is_whole)
  if not v then return end
  return eqn(name, lax[name], {v}, whole(v.shape, v.dtype))
end)
op(3, function(d)
  local name = d.chance:from{"shift_left", "shift_right_logical",
                             "shift_right_arithmetic"}
  local v = d:pick(is_whole)
  if not v then return end
  local n = d.chance:below(35)
  return eqn(name .. " " .. n, function(x)
    return lax[name](x, lax.full_like(x, n))
  end, {v}, whole(v.shape, v.dtype))
end)
op(3, function(d)
  local name = d.chance:from{"bitwise_and", "bitwise_or", "bitwise_xor"}
  local a, b = d:pair(function(v) return v.dtype == "bool" end)
  if not a then return end
  return eqn(name, lax[name], {a, b}, whole(a.shape, "bool"))
end)
op(5, function(d)
  local name = d.chance:from{"eq", "ne", "lt", "le", "gt", "ge"}
  local a, b = d:pair(function(v) return v.dtype ~= "bool" and is_exact(v) end)
  if not a then return end
  return eqn(name, lax[name], {a, b}, whole(a.shape, "bool"))
end)
op(6, function(d)
  local a, b = d:pair(function() return true end)
  if not a then return end
  local which = d:pick(function(v)
    return v.dtype == "bool" and (#v.shape == 0 or same_shape(v.shape, a.shape))
  end)
  if not which then return end
  local function larger(field) return math.max(a[field], b[field]) end
  return eqn("select_n", lax.select_n, {which, a, b}, floats_like(a, {
    most = larger("most"), error = larger("error"),
    order_error = larger("order_error"), slope = a.slope + b.slope}))
end)

-- Types. Between floats and integers only what both have.
local kinds = {"f32", "i32", "u32", "i8", "u8", "bool"}
op(4, function(d)
  local to = d.chance:from(kinds)
  local v = d:pick(function(v) return v.dtype ~= to and is_exact(v) end)
  if not v then return end
  if v.dtype == "f32" then
    if to ~= "i32" and to ~= "bool" then return end
  elseif to == "f32" then
    if v.dtype ~= "bool" and v.dtype ~= "i8" and v.dtype ~= "u8" then return end
    return eqn("convert to f32", function(x)
      return lax.convert_element_type(x, "f32")
    end, {v}, {shape = v.shape, dtype = "f32", most = 255, error = 0,
               order_error = 0, slope = 0})
  end
  return eqn("convert to " .. to, function(x)
    return lax.convert_element_type(x, to)
  end, {v}, whole(v.shape, to))
end)

-- What moves elements.
local function any() return true end
op(4, function(d)
  local v = d:pick(function(v) return #v.shape >= 2 end)
  if not v then return end
  local order = {}
  for i = 1, #v.shape do
    table.insert(order, d.chance:below(#order + 1) + 1, i - 1)
  end
  local shape = {}
  for i, n in ipairs(order) do shape[i] = v.shape[n + 1] end
  return eqn("transpose", function(x) return lax.transpose(x, order) end, {v},
             floats_like(v, {shape = shape}))
end)
op(3, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 end)
  if not v then return end
  local axis = d.chance:below(#v.shape)
  return eqn("rev", function(x) return lax.rev(x, {axis}) end, {v}, v)
end)
op(4, function(d)
  local v = d:pick(any)
  if not v then return end
  local n = size_of(v.shape)
  local shape = d.chance:from{{n}, {n, 1}, {1, n}, {1, 1, n}}
  if n % 2 == 0 and d.chance:below(2) == 0 then shape = {2, n // 2} end
  if n == 1 and d.chance:below(3) == 0 then shape = {} end
  return eqn("reshape", function(x) return lax.reshape(x, shape) end, {v},
             floats_like(v, {shape = shape}))
end)
op(5, function(d)
  local v = d:pick(function(v)
    return #v.shape <= 2 and size_of(v.shape) < 300
  end)
  if not v then return end
  local shape, dims = {}, {}
  local at = d.chance:below(#v.shape + 1)
  for i = 0, #v.shape do
    if i == at then
      shape[i + 1] = d.chance:from(sizes)
    else
      local own = v.shape[i < at and i + 1 or i]
      dims[#dims + 1] = i
      shape[i + 1] = own == 1 and d.chance:from{1, 4} or own
    end
  end
  return eqn("broadcast_in_dim", function(x)
    return lax.broadcast_in_dim(x, shape, dims)
  end, {v}, floats_like(v, {shape = shape}))
end)
op(4, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 end)
  if not v then return end
  local from, to, by, shape = {}, {}, {}, {}
  for i, n in ipairs(v.shape) do
    from[i] = d.chance:below(n + 1)
    to[i] = from[i] + d.chance:below(n - from[i] + 1)
    by[i] = d.chance:from{1, 1, 2, 3}
    shape[i] = (to[i] - from[i] + by[i] - 1) // by[i]
  end
  return eqn("slice", function(x) return lax.slice(x, from, to, by) end, {v},
             floats_like(v, {shape = shape}))
end)
op(3, function(d)
  local v = d:pick(function(v)
    return #v.shape >= 1 and v.dtype ~= "bool" and size_of(v.shape) < 300
  end)
  if not v then return end
  local config, shape = {}, {}
  for i, n in ipairs(v.shape) do
    local c = {d.chance:below(5) - 1, d.chance:below(5) - 1,
               d.chance:from{0, 0, 1, 2}}
    config[i] = c
    shape[i] = n + c[1] + c[2] + math.max(0, n - 1) * c[3]
    if shape[i] < 0 then return end
  end
  return eqn("pad", function(x)
    return lax.pad(x, v.dtype == "f32" and 0.5 or 1, config)
  end, {v}, floats_like(v, {shape = shape, most = math.max(1, v.most)}))
end)
op(4, function(d)
  local a = d:pick(function(v) return #v.shape >= 1 end)
  if not a then return end
  local axis = d.chance:below(#a.shape) + 1
  local b = d:pick(function(v)
    if v.dtype ~= a.dtype or #v.shape ~= #a.shape then return false end
    for i, n in ipairs(a.shape) do
      if i ~= axis and v.shape[i] ~= n then return false end
    end
    return true
  end)
  local shape = copy(a.shape)
  shape[axis] = a.shape[axis] + b.shape[axis]
  local function larger(field) return math.max(a[field], b[field]) end
  return eqn("concatenate", function(x, y)
    return lax.concatenate({x, y}, axis - 1)
  end, {a, b}, floats_like(a, {
    shape = shape, most = larger("most"), error = larger("error"),
    order_error = larger("order_error"), slope = larger("slope")}))
end)

-- Reductions and products.
local function reduced(d, v)
  local axes, shape, n = {}, {}, 1
  for i, s in ipairs(v.shape) do
    if d.chance:below(2) == 0 then
      axes[#axes + 1] = i - 1
      n = n * s
    else
      shape[#shape + 1] = s
    end
  end
  return axes, shape, n
end
op(5, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 and v.dtype ~= "bool" end)
  if not v then return end
  local axes, shape, n = reduced(d, v)
  if #axes == 0 then return end
  local f = function(x) return lax.reduce_sum(x, axes) end
  if v.dtype ~= "f32" then
    return eqn("reduce_sum", f, {v}, whole(shape, v.dtype))
  end
  local most = n * v.most
  local own = n > 1 and n * EPS * most or 0
  return eqn("reduce_sum", f, {v}, floats_like(v, {
    shape = shape, most = most, error = n * v.error + own,
    order_error = n * v.order_error + own, slope = n * v.slope}))
end)
op(4, function(d)
  local v = d:pick(function(v)
    return #v.shape >= 1 and is_exact(v) and v.dtype ~= "bool"
  end)
  if not v then return end
  local name = d.chance:from{"reduce_max", "reduce_min"}
  local axes, shape, n = reduced(d, v)
  if #axes == 0 or n == 0 then return end
  return eqn(name, function(x) return lax[name](x, axes) end, {v},
             floats_like(v, {shape = shape}))
end)
op(2, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 and v.dtype == "bool" end)
  if not v then return end
  local name = d.chance:from{"reduce_and", "reduce_or"}
  local axes, shape = reduced(d, v)
  if #axes == 0 then return end
  return eqn(name, function(x) return lax[name](x, axes) end, {v},
             whole(shape, "bool"))
end)
op(5, function(d)
  local a = d:pick(function(v)
    return #v.shape >= 1 and #v.shape <= 2 and v.dtype ~= "bool"
  end)
  if not a then return end
  local i = d.chance:below(#a.shape) + 1
  local b = d:pick(function(v)
    return v.dtype == a.dtype and #v.shape >= 1 and #v.shape <= 2 and
           (v.shape[1] == a.shape[i] or v.shape[2] == a.shape[i])
  end)
  if not b then return end
  local k = b.shape[1] == a.shape[i] and 1 or 2
  local shape, n = {}, a.shape[i]
  for j, s in ipairs(a.shape) do if j ~= i then shape[#shape + 1] = s end end
  for j, s in ipairs(b.shape) do if j ~= k then shape[#shape + 1] = s end end
  local f = function(x, y)
    return lax.dot_general(x, y, {{{i - 1}, {k - 1}}, {{}, {}}})
  end
  if a.dtype ~= "f32" then
    return eqn("dot", f, {a, b}, whole(shape, a.dtype))
  end
  local function both(field)
    return n * (a[field] * b.most + b[field] * a.most)
  end
  local most = n * a.most * b.most
  local own = (n + 1) * EPS * most
  return eqn("dot", f, {a, b}, floats_like(a, {
    shape = shape, most = most, error = both("error") + own,
    order_error = both("order_error") + own, slope = both("slope")}))
end)

-- Loops and choices.
op(4, function(d)
  local xs = d:pick(function(v) return v.dtype == "f32" and #v.shape >= 1 end)
  if not xs then return end
  local rest = table.move(xs.shape, 2, #xs.shape, 1, {})
  local c = d:pick(function(v)
    return v.dtype == "f32" and same_shape(v.shape, rest)
  end)
  if not c then return end
  local is_back = d.chance:below(2) == 0
  local function both(field) return c[field] + 2 * xs[field] end
  local most = both("most")
  return eqn("scan, c / 2 + x", function(start, x)
    local _, ys = lax.scan(function(carry, part)
      local new = lax.add(lax.mul(carry, 0.5), part)
      return new, new
    end, start, x, {reverse = is_back})
    return ys
  end, {c, xs}, floats_like(xs, {
    most = most, error = rounded(both("error"), 4 * most),
    order_error = rounded(both("order_error"), 4 * most),
    slope = both("slope")}))
end)
op(2, function(d)
  local v = d:pick(function(v) return v.dtype == "f32" end)
  if not v then return end
  local n = d.chance:below(4)
  return eqn("fori_loop " .. n .. ", x / 2 + i", function(x)
    return lax.fori_loop(0, n, function(i, y)
      return lax.add(lax.mul(y, 0.5), lax.convert_element_type(i, "f32"))
    end, x)
  end, {v}, floats_like(v, {
    most = v.most + 6, error = rounded(v.error, 4 * (v.most + 6)),
    order_error = rounded(v.order_error, 4 * (v.most + 6))}))
end)
-- As many steps as a value says; gradients cannot go back through it.
op(2, function(d)
  local n = d:pick(function(v) return #v.shape == 0 and v.dtype == "i32" end)
  local v = d:pick(is_whole)
  if not n or not v then return end
  return eqn("while_loop, 3 x + 1", function(from, x)
    return lax.while_loop(function(s) return lax.lt(s[1], 6) end, function(s)
      return {lax.add(s[1], 1), lax.add(lax.mul(s[2], 3), 1)}
    end, {lax.bitwise_and(from, lax.full_like(from, 7)), x})[2]
  end, {n, v}, whole(v.shape, v.dtype))
end)
op(4, function(d)
  local p = d:pick(function(v)
    return #v.shape == 0 and (v.dtype == "bool" or v.dtype == "i32")
  end)
  local v = d:pick(function(v) return v.dtype == "f32" end)
  if not p or not v then return end
  return eqn("cond, -x or x / 2 + 1", function(which, x)
    if p.dtype ~= "bool" then which = lax.gt(which, 3) end
    return lax.cond(which, lax.neg, function(y)
      return lax.add(lax.mul(y, 0.5), 1.0)
    end, x)
  end, {p, v}, floats_like(v, {
    most = v.most + 1, error = rounded(v.error, v.most + 1),
    order_error = rounded(v.order_error, v.most + 1)}))
end)

-- By index.
local function scalar_index(v) return #v.shape == 0 and v.dtype == "i32" end
op(3, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 end)
  local at = d:pick(scalar_index)
  if not v or not at then return end
  local shape = {}
  for i, n in ipairs(v.shape) do shape[i] = d.chance:below(n + 1) end
  return eqn("dynamic_slice", function(x, i)
    local starts = {}
    for k = 1, #shape do starts[k] = i end
    return lax.dynamic_slice(x, starts, shape)
  end, {v, at}, floats_like(v, {shape = shape}))
end)
op(2, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 end)
  local at = d:pick(scalar_index)
  if not v or not at then return end
  local part = d:pick(function(u)
    if u.dtype ~= v.dtype or #u.shape ~= #v.shape then return false end
    for i, n in ipairs(u.shape) do
      if n > v.shape[i] then return false end
    end
    return true
  end)
  local function larger(field) return math.max(v[field], part[field]) end
  return eqn("dynamic_update_slice", function(x, y, i)
    local starts = {}
    for k = 1, #v.shape do starts[k] = i end
    return lax.dynamic_update_slice(x, y, starts)
  end, {v, part, at}, floats_like(v, {
    most = larger("most"), error = larger("error"),
    order_error = larger("order_error"), slope = larger("slope")}))
end)
op(4, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 and v.shape[1] >= 2 end)
  local at = d:pick(function(i)
    return i.dtype == "i32" and size_of(i.shape) <= 30
  end)
  if not v or not at then return end
  local shape = copy(at.shape)
  table.move(v.shape, 2, #v.shape, #shape + 1, shape)
  return eqn("x[i & 1]", function(x, i)
    return x[lax.bitwise_and(i, lax.full_like(i, 1))]
  end, {v, at}, floats_like(v, {shape = shape}))
end)
op(4, function(d)
  local name = d.chance:from{"add", "max", "min", "mul"}
  local v = d:pick(function(v)
    return #v.shape == 1 and v.shape[1] >= 2 and is_whole(v)
  end)
  local at = d:pick(function(i) return i.dtype == "i32" and #i.shape == 1 end)
  if not v or not at then return end
  return eqn("x.at[i & 1]:" .. name, function(x, i)
    local u = lax.convert_element_type(i, v.dtype)
    local place = x.at[lax.bitwise_and(i, lax.full_like(i, 1))]
    return place[name](place, u)
  end, {v, at}, whole(v.shape, v.dtype))
end)
op(3, function(d)
  local v = d:pick(function(v) return v.dtype == "f32" and #v.shape == 1 end)
  if not v or v.shape[1] < 2 then return end
  local u = d:pick(function(one)
    return one.dtype == "f32" and #one.shape == 0
  end)
  if not u then return end
  local name = d.chance:from{"set", "add"}
  local function both(field) return v[field] + u[field] end
  return eqn('x.at["1:"]:' .. name, function(x, y)
    local place = x.at["1:"]
    return place[name](place, y)
  end, {v, u}, floats_like(v, {
    most = both("most"), error = rounded(both("error"), both("most")),
    order_error = rounded(both("order_error"), both("most")),
    slope = both("slope")}))
end)
op(3, function(d)
  local name = d.chance:from{"argmax", "argmin"}
  local v = d:pick(function(v)
    return #v.shape >= 1 and is_exact(v) and v.dtype ~= "bool"
  end)
  if not v then return end
  local axis = d.chance:below(#v.shape)
  if v.shape[axis + 1] == 0 then return end
  local shape = copy(v.shape)
  table.remove(shape, axis + 1)
  return eqn(name, function(x) return jnp[name](x, axis) end, {v},
             whole(shape, "i32"))
end)

-- Along an axis.
op(3, function(d)
  local v = d:pick(function(v) return #v.shape >= 1 and v.dtype ~= "bool" end)
  if not v then return end
  local axis = d.chance:below(#v.shape)
  local f = function(x) return lax.cumsum(x, axis) end
  if v.dtype ~= "f32" then
    return eqn("cumsum", f, {v}, whole(v.shape, v.dtype))
  end
  local n = v.shape[axis + 1]
  local own = n > 1 and n * EPS * n * v.most or 0
  return eqn("cumsum", f, {v}, floats_like(v, {
    most = n * v.most, error = n * v.error + own,
    order_error = n * v.order_error + own, slope = n * v.slope}))
end)
op(3, function(d)
  local v = d:pick(function(v)
    return #v.shape >= 1 and is_exact(v) and v.dtype ~= "bool"
  end)
  if not v then return end
  local axis = d.chance:below(#v.shape)
  return eqn("sort", function(x) return lax.sort(x, axis) end, {v}, v)
end)

-- ---- Drawing ----

local total_weight = 0
for _, row in ipairs(rows) do total_weight = total_weight + row.weight end

local Draw = {}
Draw.__index = Draw

-- A variable for which the test holds; later ones rather than earlier.
function Draw:pick(test)
  local fit = {}
  for _, v in ipairs(self.vars) do
    if test(v) then fit[#fit + 1] = v end
  end
  if #fit == 0 then return nil end
  local a, b = self.chance:below(#fit), self.chance:below(#fit)
  return fit[math.max(a, b) + 1]
end

-- Two of one shape and type.
function Draw:pair(test)
  local a = self:pick(test)
  if not a then return nil end
  return a, self:pick(function(v)
    return v.dtype == a.dtype and same_shape(v.shape, a.shape) and test(v)
  end)
end

function Draw:operation()
  local at = self.chance:below(total_weight)
  for _, row in ipairs(rows) do
    at = at - row.weight
    if at < 0 then return row.f(self) end
  end
end

local function is_fit(r)
  return r.dtype ~= "f32" or
         r.most <= MOST and r.slope <= 1e3 and r.error <= 0.05 and
         size_of(r.shape) <= 2000
end

function Draw:add_input(n)
  local rank = self.chance:from{0, 1, 1, 2, 2, 2, 3}
  local shape = {}
  for i = 1, rank do shape[i] = self.chance:from(sizes) end
  local dtype = n == 1 and "f32" or
                self.chance:from{"f32", "f32", "f32", "i32", "u32", "i8",
                                 "bool"}
  local data, count = {}, size_of(shape)
  for i = 1, count do
    local v = self.chance:below(1025) - 512
    data[i] = dtype == "f32" and v / 128 or dtype == "bool" and v % 2 == 0 or
              dtype == "u32" and v + 512 or dtype == "i8" and v % 100 or v
  end
  self.inputs[n] = count == 0 and np.zeros(shape, dtype) or
                   np.array(data, dtype):reshape(shape)
  self.vars[n] = {shape = shape, dtype = dtype, most = 4, error = 0,
                  order_error = 0, slope = 1, id = n}
  if dtype ~= "f32" then self.vars[n].slope = 0 end
end

--- The program of this seed.
function M.program(seed)
  local d = setmetatable({chance = setmetatable({state = seed}, Chance),
                          vars = {}, inputs = {}, eqns = {}}, Draw)
  local count = 1 + d.chance:below(3)
  for n = 1, count do d:add_input(n) end
  local wanted = 3 + d.chance:below(12)
  for _ = 1, 8 * wanted do
    local e = #d.eqns < wanted and d:operation()
    if e and is_fit(e.result) then
      local r = floats_like(e.result)
      r.id = #d.vars + 1
      d.vars[r.id] = r
      e.result = r
      d.eqns[#d.eqns + 1] = e
    end
  end
  local outputs = {#d.vars}
  if #d.vars > count + 1 then
    outputs[2] = count + 1 + d.chance:below(#d.vars - count - 1)
  end
  local axes, any_axis = {}, false
  for n, v in ipairs(d.vars) do
    if n > count then break end
    v.none = 0
    axes[n] = d.chance:below(4) > 0 and d.chance:from{0, #v.shape}
    any_axis = any_axis or axes[n]
  end
  if not any_axis then axes[1] = 0 end
  local slope, depth = 0, #d.eqns
  for _, v in ipairs(d.vars) do v.none = 0 end
  for _, id in ipairs(outputs) do
    slope = slope + d.vars[id].slope * size_of(d.vars[id].shape)
  end
  return {inputs = d.inputs, vars = d.vars, eqns = d.eqns, outputs = outputs,
          axes = axes, slope_error = 4 * EPS * depth * slope}
end

--- The program as a function of arrays: it gives the list of its outputs.
function M.as_function(program)
  return function(...)
    local values = {...}
    for _, e in ipairs(program.eqns) do
      local args = {}
      for i, v in ipairs(e.inputs) do args[i] = values[v.id] end
      values[e.result.id] = e.f(table.unpack(args))
    end
    local out = {}
    for i, id in ipairs(program.outputs) do out[i] = values[id] end
    return out
  end
end

--- The program without equation k, whose result another variable stands for;
--- nil where there is none.
function M.without(program, k)
  local gone = program.eqns[k].result
  local instead
  local function may_stand(v)
    if v.dtype == gone.dtype and same_shape(v.shape, gone.shape) then
      instead = v
    end
  end
  for n = 1, #program.inputs do may_stand(program.vars[n]) end
  for i = 1, k - 1 do may_stand(program.eqns[i].result) end
  local is_read = false
  for i, e in ipairs(program.eqns) do
    for _, v in ipairs(e.inputs) do is_read = is_read or i > k and v == gone end
  end
  for _, id in ipairs(program.outputs) do is_read = is_read or id == gone.id end
  if is_read and not instead then return nil end
  local less = {}
  for key, v in pairs(program) do less[key] = v end
  less.eqns, less.outputs = {}, {}
  for i, e in ipairs(program.eqns) do
    if i ~= k then
      local inputs = {}
      for n, v in ipairs(e.inputs) do inputs[n] = v == gone and instead or v end
      less.eqns[#less.eqns + 1] = eqn(e.text, e.f, inputs, e.result)
    end
  end
  for i, id in ipairs(program.outputs) do
    less.outputs[i] = id == gone.id and instead.id or id
  end
  return less
end

--- The program as it was drawn, one equation a line.
function M.text(program)
  local function name(v) return ("v%d:%s[%s]"):format(
    v.id, v.dtype, table.concat(v.shape, ",")) end
  local lines = {}
  for i, x in ipairs(program.inputs) do
    lines[i] = ("v%d = %s"):format(i, tostring(x))
  end
  for _, e in ipairs(program.eqns) do
    local inputs = {}
    for i, v in ipairs(e.inputs) do inputs[i] = "v" .. v.id end
    lines[#lines + 1] = ("%s = %s %s"):format(name(e.result), e.text,
                                              table.concat(inputs, " "))
  end
  lines[#lines + 1] = "in v" .. table.concat(program.outputs, ", v")
  return table.concat(lines, "\n")
end

return M
