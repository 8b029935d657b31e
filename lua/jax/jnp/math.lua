-- SPDX-License-Identifier: Apache-2.0
-- jnp: elementwise functions. Most are one primitive after promotion; a row
-- says how the arguments are promoted:
--
--   'n'  to one type; bool is refused by the primitive
--   'f'  to floats: integers become the default float
--   'a'  to one type, whatever it is
--   'i'  to one type, of integers or bool
--   '?'  to truth: whatever is not 0
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local custom = use("transforms/custom")
local jnp = use.jnp
local M = {}

local value, done = args.value, args.done

local function dtype_of(x) return core.dtype_of(x) end
local function is_float(x) return types.is_float(core.dtype_of(x)) end
local function elementwise(x) return args.as_float(x, types.elementwise) end
local function is_bool(x) return core.dtype_of(x) == "bool" end

-- A constant of x's type, as x is.
local function like(x, v)
  local a = core.aval_of(x)
  return args.as_type(core.literal(v, a.dtype, true), a.dtype, a.weak)
end

local function as_truth(x)
  if is_bool(x) then return x end
  if core.is_literal(x) then return args.as_type(x, "bool") end
  return lax.ne(x, like(x, 0))
end

local function refuse_floats(name, x)
  if is_float(x) then
    args.fail(name, "TypeError", "it takes integers or bool, not %s",
              dtype_of(x))
  end
end

-- ---- One argument ----

local function unary(name, kind, prim)
  local f = lax[prim]
  M[name] = function(x)
    x = value(x, name)
    if kind == "f" then x = elementwise(x) end
    if kind == "i" then refuse_floats(name, x) end
    return f(x)
  end
end

for _, row in ipairs{
  {"negative", "n", "neg"}, {"sign", "n", "sign"},
  {"exp", "f", "exp"}, {"exp2", "f", "exp2"}, {"expm1", "f", "expm1"},
  {"log", "f", "log"}, {"log1p", "f", "log1p"}, {"sqrt", "f", "sqrt"},
  {"cbrt", "f", "cbrt"}, {"sin", "f", "sin"}, {"cos", "f", "cos"},
  {"tan", "f", "tan"}, {"arcsin", "f", "asin"}, {"arccos", "f", "acos"},
  {"arctan", "f", "atan"}, {"sinh", "f", "sinh"}, {"cosh", "f", "cosh"},
  {"tanh", "f", "tanh"}, {"arcsinh", "f", "asinh"}, {"arccosh", "f", "acosh"},
  {"arctanh", "f", "atanh"}, {"invert", "i", "not"},
} do unary(row[1], row[2], row[3]) end

function M.square(x)
  x = value(x, "square")
  return is_bool(x) and lax.square(args.as_type(x, "i32")) or
         lax.square(x)
end

function M.positive(x) return done(value(x, "positive")) end

-- Whole numbers are left as they are.
local function rounding(name, prim)
  M[name] = function(x)
    x = value(x, name)
    return is_float(x) and lax[prim](x) or done(x)
  end
end
rounding("floor", "floor")
rounding("ceil", "ceil")

function M.trunc(x)
  x = value(x, "trunc")
  if not is_float(x) then return done(x) end
  return lax.select_n(lax.lt(x, like(x, 0)), lax.floor(x), lax.ceil(x))
end

function M.rint(x)
  x = value(x, "rint")
  if not is_float(x) and not config.numpy then
    return done(args.as_type(x, config.float(), false))
  end
  local is_weak = is_float(x) and core.aval_of(x).weak
  return args.as_type(lax.round(elementwise(x), 1), dtype_of(elementwise(x)),
                      is_weak)
end

function M.reciprocal(x)
  x = elementwise(value(x, "reciprocal"))
  return lax.div(like(x, 1), x)
end

local function scaled(name, factor)
  M[name] = function(x)
    x = elementwise(value(x, name))
    return lax.mul(x, like(x, factor))
  end
end
scaled("deg2rad", math.pi / 180)
scaled("rad2deg", 180 / math.pi)
scaled("log10", 1 / math.log(10))
do
  local by_log = M.log10
  M.log10 = function(x)
    return by_log(lax.log(elementwise(value(x, "log10"))))
  end
end

function M.log2(x)
  x = elementwise(value(x, "log2"))
  return lax.div(lax.log(x), like(x, math.log(2)))
end

function M.isfinite(x)
  x = value(x, "isfinite")
  if is_float(x) then return lax.is_finite(x) end
  return done(lax.full(core.shape_of(x), true, "bool"))
end

local function of_floats(name, f)
  M[name] = function(x)
    x = value(x, name)
    if is_float(x) then return f(x) end
    return done(lax.full(core.shape_of(x), false, "bool"))
  end
end
of_floats("isnan", function(x) return lax.ne(x, x) end)
of_floats("isinf", function(x)
  return lax.eq(lax.abs(x), like(x, math.huge))
end)

local words = {f16 = "u16", bf16 = "u16", f32 = "u32", f64 = "u64"}
function M.signbit(x)
  x = value(x, "signbit")
  local t = dtype_of(x)
  if t == "bool" then
    return done(lax.full(core.shape_of(x), false, "bool"))
  end
  if not words[t] then return lax.lt(x, like(x, 0)) end
  local signed = words[t]:gsub("u", "i")
  return lax.lt(lax.bitcast_convert_type(x, signed), core.literal(0, signed))
end

-- sin(pi x) / (pi x), 1 at 0, where its derivatives are those of its series.
function M.sinc(x)
  x = args.as_float(value(x, "sinc"))
  local pi_x = lax.mul(x, like(x, math.pi))
  local is_zero = lax.eq(x, like(x, 0))
  local safe = jnp.where(is_zero, 1.0, pi_x)
  local square = lax.mul(pi_x, pi_x)
  local series = lax.add(lax.mul(square, like(x, -1 / 6)), like(x, 1))
  return jnp.where(is_zero, series, lax.div(lax.sin(safe), safe))
end

function M.bitwise_count(x)
  x = value(x, "bitwise_count")
  refuse_floats("bitwise_count", x)
  if is_bool(x) then return lax.convert_element_type(x, "u8") end
  if dtype_of(x):sub(1, 1) == "i" then x = lax.abs(x) end
  return lax.convert_element_type(lax.population_count(x), "u8")
end

-- ---- Two arguments ----

local function binary(name, kind, prim, of_bool)
  local f = lax[prim]
  local together = kind == "f" and args.together_float or args.together
  local rule = name == "divide" and types.inexact or types.elementwise
  M[name] = function(x, y)
    local a, dtype = together(name, args.pair(name, x, y), rule)
    if of_bool and dtype == "bool" then return lax[of_bool](a[1], a[2]) end
    if kind == "i" then refuse_floats(name, a[1]) end
    return f(a[1], a[2])
  end
end

for _, row in ipairs{
  {"add", "n", "add", "or"}, {"subtract", "n", "sub"},
  {"multiply", "n", "mul", "and"}, {"divide", "f", "div"},
  {"maximum", "a", "max"}, {"minimum", "a", "min"},
  {"arctan2", "f", "atan2"}, {"nextafter", "f", "nextafter"},
  {"bitwise_and", "i", "and"}, {"bitwise_or", "i", "or"},
  {"bitwise_xor", "i", "xor"},
  {"equal", "a", "eq"}, {"not_equal", "a", "ne"}, {"less", "a", "lt"},
  {"less_equal", "a", "le"}, {"greater", "a", "gt"},
  {"greater_equal", "a", "ge"},
} do binary(row[1], row[2], row[3], row[4]) end


for name, prim in pairs{logical_and = "and", logical_or = "or",
                        logical_xor = "xor"} do
  M[name] = function(x, y)
    local a = args.stretched(name, {as_truth(value(x, name)),
                                    as_truth(value(y, name))})
    return lax[prim](a[1], a[2])
  end
end
function M.logical_not(x)
  return lax["not"](as_truth(value(x, "logical_not")))
end

-- bool counts as an integer in division and shifts.
local function numbers(name, x, y)
  local a, t, weak = args.together(name, args.pair(name, x, y))
  if t == "bool" then
    for i = 1, 2 do a[i] = args.as_type(a[i], "i32", false) end
  end
  return a[1], a[2], t, weak
end

function M.left_shift(x, y)
  local a, b = numbers("left_shift", x, y)
  refuse_floats("left_shift", a)
  return lax.shift_left(a, b)
end

function M.right_shift(x, y)
  local a, b = numbers("right_shift", x, y)
  refuse_floats("right_shift", a)
  return dtype_of(a):sub(1, 1) == "u" and lax.shift_right_logical(a, b) or
         lax.shift_right_arithmetic(a, b)
end

local function differ_in_sign(r, y)
  return lax["and"](lax.ne(lax.sign(r), lax.sign(y)), lax.ne(r, like(r, 0)))
end

--- The quotient towards minus infinity.
function M.floor_divide(x, y)
  local a, b = numbers("floor_divide", x, y)
  local t = dtype_of(a)
  local shape = args.broadcast_shapes("floor_divide",
                                      {core.shape_of(a), core.shape_of(b)})
  if config.numpy and not types.is_float(t) then -- by 0 it is 0 there
    local is_zero = lax.eq(b, like(b, 0))
    a = lax.select_n(args.filled(is_zero, shape), args.filled(a, shape),
                     args.filled(like(a, 0), shape))
    b = lax.select_n(is_zero, b, args.filled(like(b, 1), core.shape_of(b)))
  end
  if t:sub(1, 1) == "u" then return lax.div(a, b) end
  local q, r = lax.div(a, b), lax.rem(a, b)
  if not types.is_float(t) then
    return lax.select_n(differ_in_sign(r, b), q, lax.sub(q, like(q, 1)))
  end
  local is_zero = args.filled(lax.eq(b, like(b, 0)), shape)
  local x_full = args.filled(a, shape)
  q = lax.div(lax.select_n(is_zero, lax.sub(x_full, r), x_full), b)
  q = lax.select_n(differ_in_sign(r, b), q, lax.sub(q, like(q, 1)))
  return lax.round(q, 0)
end

--- The remainder with the divisor's sign.
function M.mod(x, y)
  local a, b = numbers("mod", x, y)
  if not is_float(a) then
    local shape = core.shape_of(b)
    local one = args.filled(like(b, 1), shape)
    b = lax.select_n(lax.eq(b, like(b, 0)), args.filled(b, shape), one)
  end
  local r = lax.rem(a, b)
  if dtype_of(r):sub(1, 1) == "u" then return r end
  local wrong = lax["and"](lax.ne(lax.lt(r, like(r, 0)), lax.lt(b, like(b, 0))),
                           lax.ne(r, like(r, 0)))
  return lax.select_n(wrong, r, lax.add(r, b))
end

--- The remainder with the dividend's sign.
function M.fmod(x, y)
  local a, b = numbers("fmod", x, y)
  if not is_float(a) then
    local shape = core.shape_of(b)
    local one = args.filled(like(b, 1), shape)
    b = lax.select_n(lax.eq(b, like(b, 0)), args.filled(b, shape), one)
  end
  return lax.rem(a, b)
end

-- A whole number that the program knows, also one in an array without axes:
-- x^n is then multiplications in x's own type, as in JAX.
local function exponent(y)
  if math.type(y) == "integer" then return y end
  if type(y) == "userdata" and use.is_array(y) and #core.shape_of(y) == 0 and
     types.is_integer(core.dtype_of(y)) then
    return math.tointeger(args.known(y, "power"):item())
  end
end

-- x^y of integer arrays by squaring, with the last six bits of y, as in JAX:
-- powers that are higher overflow but for 0, 1 and -1.
local function integer_power(x, y)
  local acc
  local zero, one = like(y, 0), like(y, 1)
  local ones = args.filled(like(x, 1), core.shape_of(x))
  acc = lax.select_n(lax["and"](lax.eq(x, like(x, 0)), lax.ne(y, zero)), ones,
                     lax.full_like(ones, 0))
  local steps = 6
  for step = 1, steps do
    local is_odd = lax.ne(lax["and"](y, one), zero)
    acc = lax.select_n(is_odd, acc, lax.mul(acc, x))
    if step < steps then
      x = lax.mul(x, x)
      y = lax.shift_right_logical(y, one)
    end
  end
  return acc
end

local function fail_negative(x, n)
  args.fail("power", "TypeError",
            "Integers cannot be raised to negative " ..
            "powers, got %s ** %d: x:astype(\"f32\") first",
            core.aval_text(core.aval_of(x)), n)
end

function M.power(x, y)
  local n = exponent(y)
  if n then
    x = value(x, "power")
    if is_bool(x) then x = args.as_type(x, "i32", false) end
    if not is_float(x) and n < 0 then fail_negative(x, n) end
    return lax.integer_pow(x, n)
  end
  local exponents = core.aval_of(value(y, "power"))
  local a, t = args.together("power", args.pair("power", x, y))
  if types.is_float(t) then
    -- Whole exponents keep their own kind: they decide that nothing is weak.
    local is_whole = not exponents.weak and not types.is_float(exponents.dtype)
    return lax.pow(a[1], is_whole and args.as_type(a[2], t, false) or a[2])
  end
  if t == "bool" then
    for i = 1, 2 do a[i] = args.as_type(a[i], "i32", false) end
  end
  local shape = args.broadcast_shapes("power", {core.shape_of(a[1]),
                                                core.shape_of(a[2])})
  local r = integer_power(args.filled(a[1], shape), args.filled(a[2], shape))
  return #shape > 0 and args.as_type(r, core.dtype_of(r)) or r
end

function M.float_power(x, y)
  local a = args.together_float("float_power", args.pair("float_power", x, y),
    function(t) return config.numpy and "f64" or types.inexact(t) end)
  return lax.pow(a[1], a[2])
end

-- Infinity counts as 0 in a difference, as in JAX.
local function without_inf(x)
  return lax.select_n(lax.eq(x, like(x, math.huge)), x, lax.full_like(x, 0))
end

--- log(exp(x) + exp(y)) without overflow. Each has its share of the slope, of
--- which |x - y| knows nothing where they are equal.
local function log_sum(name, exp, log1p)
  local function sum_of(x, y)
    local most, apart = lax.max(x, y), lax.sub(x, y)
    local sum = lax.add(most, log1p(exp(lax.neg(lax.abs(apart)))))
    -- Infinities of one sign: their difference is no number.
    return lax.select_n(lax.ne(apart, apart), sum, lax.add(x, y))
  end
  local sum
  local function with_derivative()
    sum = custom.custom_jvp(sum_of)
    sum.name = name
    sum:defjvp(function(primals, tangents)
      local out, total = sum(primals[1], primals[2]), nil
      local under = without_inf(out)
      for i = 1, 2 do
        local share = exp(lax.sub(without_inf(primals[i]), under))
        local t = lax.mul(tangents[i], share)
        total = total and lax.add(total, t) or t
      end
      return out, total
    end)
  end
  M[name] = function(x, y)
    local a, _, _, shape = args.together_float(name, args.pair(name, x, y),
                                               types.elementwise)
    if not sum then with_derivative() end
    return sum(args.filled(a[1], shape), args.filled(a[2], shape))
  end
end
log_sum("logaddexp", function(x) return lax.exp(x) end,
        function(x) return lax.log1p(x) end)
log_sum("logaddexp2", function(x) return lax.exp2(x) end, function(x)
  local r = lax.mul(lax.log1p(x), like(x, 1 / math.log(2)))
  return args.as_type(r, dtype_of(r), false) -- not weak, as in JAX
end)

--- sqrt(x^2 + y^2) without overflow.
function M.hypot(x, y)
  local a, _, _, shape = args.together_float("hypot", args.pair("hypot", x, y),
                                             types.elementwise)
  x, y = lax.abs(a[1]), lax.abs(a[2])
  local inf = math.huge
  local is_inf = lax["or"](lax.eq(x, like(x, inf)), lax.eq(y, like(y, inf)))
  local most, least = lax.max(x, y), lax.min(x, y)
  local is_zero = lax.eq(most, like(most, 0))
  -- Weak without axes alone, as in JAX; so is the result.
  local one = args.filled(core.literal(1.0, dtype_of(most), #shape == 0), shape)
  local ratio = lax.div(least, jnp.where(is_zero, one, most))
  local r = lax.mul(most, lax.sqrt(lax.add(like(x, 1), lax.square(ratio))))
  r = jnp.where(is_zero, most, r)
  return jnp.where(args.filled(is_inf, shape), inf, r)
end

--- 0 for x < 0, y for x = 0, 1 for x > 0.
function M.heaviside(x, y)
  local a, _, _, shape = args.together_float("heaviside",
                                             args.pair("heaviside", x, y),
                                             types.elementwise)
  x, y = args.filled(a[1], shape), a[2]
  local zero, one = like(x, 0), like(x, 1)
  local r = jnp.where(lax.gt(x, zero), one, x) -- NaN stays
  r = jnp.where(lax.lt(x, zero), zero, r)
  r = jnp.where(lax.eq(x, zero), y, r)
  return #core.shape_of(a[1]) > 0 and args.as_type(r, core.dtype_of(r)) or r
end

--- |x| with the sign of y.
function M.copysign(x, y)
  local a = args.together_float("copysign", args.pair("copysign", x, y),
                                types.elementwise)
  x = lax.abs(a[1])
  return jnp.where(M.signbit(a[2]), lax.neg(x), x)
end

--- x times 2^n.
function M.ldexp(x, n)
  x = elementwise(value(x, "ldexp"))
  n = value(n, "ldexp")
  refuse_floats("ldexp", n)
  local t = dtype_of(x)
  local wide = (t == "f16" or t == "bf16") and "f32" or t
  n = args.as_type(n, wide, true)
  -- In three steps, so that 2^n itself is never too big or small.
  local third = M.trunc(lax.div(n, like(n, 3.0)))
  local rest = lax.sub(lax.sub(n, third), third)
  local r = args.as_type(x, wide)
  for _, part in ipairs{third, third, rest} do
    r = M.multiply(r, lax.exp2(part))
  end
  return lax.convert_element_type(r, t, false)
end

--- The larger (smaller) one; a NaN loses. It is chosen, as in JAX, and so has
--- all of the slope: also of two that are equal, and beside infinity.
local function ignoring_nan(name, pick, compare)
  M[name] = function(x, y)
    local a, t, _, shape = args.together(name, args.pair(name, x, y))
    x, y = args.filled(a[1], shape), args.filled(a[2], shape)
    if not types.is_float(t) then return lax[pick](x, y) end
    local is_first = lax["or"](lax[compare](x, y), lax.ne(y, y))
    return lax.select_n(is_first, y, x)
  end
end
ignoring_nan("fmax", "max", "gt")
ignoring_nan("fmin", "min", "lt")

-- ---- Greatest common divisor ----

-- Euclid's steps, as many as the worst case (neighbours in Fibonacci's
-- sequence) of the type needs.
local steps = {[8] = 12, [16] = 24, [32] = 47, [64] = 92}

local function whole(name, x, y)
  local a, t, _, shape = args.together(name, args.pair(name, x, y))
  if t == "bool" or types.is_float(t) then
    args.fail(name, "ValueError",
              "Arguments to jax.numpy.%s must be integers, " ..
              "not %s", name, t)
  end
  x, y = args.filled(a[1], shape), args.filled(a[2], shape)
  if t:sub(1, 1) == "i" then x, y = lax.abs(x), lax.abs(y) end
  return x, y, t
end

function M.gcd(x, y)
  local t
  x, y, t = whole("gcd", x, y)
  local zero, one = lax.full_like(x, 0), lax.full_like(x, 1)
  for _ = 1, steps[tonumber(t:match("%d+"))] do
    local is_done = lax.eq(y, zero)
    local r = lax.rem(x, lax.select_n(is_done, y, one))
    x, y = lax.select_n(is_done, y, x), lax.select_n(is_done, r, zero)
  end
  return x
end

function M.lcm(x, y)
  local a, b = whole("lcm", x, y)
  local d = M.gcd(a, b)
  local zero, one = lax.full_like(a, 0), lax.full_like(a, 1)
  local is_zero = lax.eq(d, zero)
  local product = lax.mul(a, lax.div(b, lax.select_n(is_zero, d, one)))
  return lax.select_n(is_zero, product, zero)
end

-- ---- Choice ----

--- where(condition, x, y)
function M.where(condition, x, y)
  if y == nil and (x == nil or args.is_list(x)) then
    return use.jnp.nonzero(condition, x)
  elseif y == nil then
    args.fail("where", "ValueError", "it takes a condition and two values, " ..
              "or the condition alone (as jnp.nonzero)")
  end
  local which = as_truth(value(condition, "where"))
  local a = args.promoted("where", args.pair("where", x, y))
  local shape = args.broadcast_shapes("where", {
    core.shape_of(which), core.shape_of(a[1]), core.shape_of(a[2])})
  if #core.shape_of(which) > 0 then which = args.filled(which, shape) end
  return lax.select_n(which, args.filled(a[2], shape), args.filled(a[1], shape))
end

-- ---- Other names ----

for name, of in pairs{
  true_divide = "divide", remainder = "mod", pow = "power",
  bitwise_not = "invert", bitwise_invert = "invert",
  bitwise_left_shift = "left_shift", bitwise_right_shift = "right_shift",
  eq = "equal", ne = "not_equal", lt = "less", le = "less_equal",
  gt = "greater", ge = "greater_equal", asin = "arcsin", acos = "arccos",
  atan = "arctan", atan2 = "arctan2", asinh = "arcsinh", acosh = "arccosh",
  atanh = "arctanh", degrees = "rad2deg",
  radians = "deg2rad",
} do M[name] = M[of] end

function M.fabs(x) return lax.abs(elementwise(value(x, "fabs"))) end

return M
