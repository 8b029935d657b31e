-- SPDX-License-Identifier: Apache-2.0
-- Elementwise primitives of two arguments, and what the family shares
-- (functions of one argument: math.lua; types and choice: convert.lua). A row:
--
--   name, kind, NumPy function, CUDA C, partial derivatives
--
-- kind: what it takes. 'n' numbers, 'f' floats, 'i' integers and bool,
-- 'w' integers, 'a' all; with '?' behind it, the result is bool.
-- CUDA C: $1, $2 are the arguments; F(name) is the C library's function of the
-- type (expf, exp); where integers need another text it stands second, and
-- where 16-bit floats do, fourth (third: bool). f16 and bf16 are computed in
-- f32 and rounded.
-- Derivatives: one for each argument, of (output, arguments...); a number is
-- a constant factor, `false` is zero.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local emit = use("compile/emit")

local kinds = {
  n = {text = "numbers", is = function(t) return t ~= "bool" end},
  f = {text = "floats", is = function(t) return t:find("^b?f") ~= nil end},
  i = {text = "integers or bool",
       is = function(t) return not t:find("^b?f") end},
  w = {text = "integers", is = function(t) return t:find("^[iu]") ~= nil end},
  a = {text = "anything", is = function() return true end},
}

-- Equal shapes and types; a literal's shape () goes with all.
local function shape_rule(name, kind)
  local takes, is_predicate = kinds[kind:sub(1, 1)], kind:sub(2, 2) == "?"
  return function(_, ...)
    local args, first = {...}, nil
    for _, a in ipairs(args) do
      if #a.shape > 0 or not first then
        if first and #first.shape > 0 and
           not core.same_shape(first.shape, a.shape) then
          core.fail("argument", "TypeError",
                    "%s: shapes must be equal: %s and %s",
                    name, core.shape_text(first.shape),
                      core.shape_text(a.shape))
        end
        first = a
      end
      if a.dtype ~= args[1].dtype then
        core.fail("argument", "TypeError", "%s: types must be equal: %s and %s",
                  name, args[1].dtype, a.dtype)
      end
    end
    if not takes.is(first.dtype) then
      core.fail("argument", "TypeError", "%s takes %s, not %s", name,
                takes.text, first.dtype)
    end
    local weak = true
    for _, a in ipairs(args) do weak = weak and a.weak end
    return core.aval(first.shape, is_predicate and "bool" or first.dtype,
                     weak and not is_predicate)
  end
end

local function times(d, t)
  if d == 1 then return t end
  if d == -1 then return lax.neg(t) end
  return lax.mul(d, t)
end

local function derivative(d, out, values)
  if type(d) == "function" then return d(out, table.unpack(values)) end
  return d
end

-- A scalar goes with every shape: its tangent is stretched to the result's, and
-- its cotangent is the sum of the result's.
local function stretched(t, like)
  local shape = core.shape_of(like)
  if not t or core.same_shape(core.shape_of(t), shape) then return t end
  return lax.broadcast_in_dim(t, shape, {})
end

local function gathered(ct, like)
  local shape, own = core.shape_of(ct), core.shape_of(like)
  if #own == #shape then return ct end
  local axes = {}
  for d = 1, #shape do axes[d] = d - 1 end
  return lax.reduce_sum(ct, axes)
end

-- The same factors go forward and backward.
local function diff_rules(partials)
  if not partials then return false end
  return {
    jvp = function(_, values, tangents, outputs)
      local total = false
      for i, t in ipairs(tangents) do
        local d = t and derivative(partials[i], outputs[1], values)
        local part = d and times(d, t)
        total = total and part and lax.add_any(total, part) or total or part
      end
      return {stretched(total, outputs[1])}
    end,
    vjp = function(_, cts, values, outputs)
      local back = {}
      for i = 1, #values do
        local d = not core.is_literal(values[i]) and
          derivative(partials[i], outputs[1], values)
        back[i] = d and cts[1] and gathered(times(d, cts[1]), values[i])
      end
      return back
    end,
  }
end

--- A NumPy function that takes arrays, or the name of one in kernels/lax.def.
local function on_host(eval)
  if type(eval) == "function" then return eval end
  return function(...) return use.elementwise(eval, ...) end
end

local function define(name, kind, eval, code, partials)
  eval = on_host(eval)
  core.define{
    name = name,
    eval = function(_, ...) return eval(...) end,
    shape = shape_rule(name, kind),
    batch = batch.elementwise(name),
    diff = diff_rules(partials),
    emit = {map = type(code) == "table" and code or {code, code}},
  }
  lax.elementwise(name)
end

local np = use.np
local function zero(x)
  return lax.full(core.shape_of(x), 0, core.dtype_of(x))
end
local function half(x) return lax.mul(x, 0.5) end

-- ---- Two arguments ----

local function by(other)
  return function(_, x, y) return other == 1 and x or y end
end

define("add", "n", np.add, {"$1 + $2", "(T)((U)$1 + (U)$2)"}, {1, 1})
-- Cotangents meet: as `add`, under JAX's name for it.
define("add_any", "n", np.add, {"$1 + $2", "(T)((U)$1 + (U)$2)"}, {1, 1})
define("sub", "n", np.subtract, {"$1 - $2", "(T)((U)$1 - (U)$2)"}, {1, -1})
define("mul", "n", np.multiply, {"$1 * $2", "(T)((U)$1 * (U)$2)"},
       {by(2), by(1)})
-- Integers are divided towards zero, as in C and XLA.
define("div", "n", function(x, y)
  if x.dtype:find("^b?f") then return np.divide(x, y) end
  return use.elementwise("div", x, y)
end, {"$1 / $2",
      "($2 == 0 ? (T)-1 : (T)-1 < (T)0 && $2 == (T)-1 ? (T)(0 - (U)$1) : " ..
       "(T)($1 / $2))"},
       {function(_, _, y) return lax.div(1, y) end,
        function(out, _, y) return lax.neg(lax.div(out, y)) end})
-- As XLA: what remains of an integer divided by 0 is the integer.
define("rem", "n", "rem",
       {"F(fmod)($1, $2)", "($2 == 0 ? $1 : (T)-1 < (T)0 && $2 == (T)-1 ? " ..
                         "(T)0 : (T)($1 % $2))"},
       {1, function(_, x, y)
         local q = lax.div(x, y)
         return lax.neg(lax.mul(lax.sign(q), lax.floor(lax.abs(q))))
       end})
define("pow", "f", np.power, "F(pow)($1, $2)",
       {function(_, x, y)
         return lax.mul(y, lax.pow(x, lax.sub(y, 1)))
       end,
       function(out, x)
         local safe = lax.select_n(lax.eq(x, 0), x, lax.full_like(x, 1))
         return lax.mul(out, lax.log(safe))
       end})
define("atan2", "f", np.arctan2, "F(atan2)($1, $2)",
       {function(_, x, y)
         return lax.div(y, lax.add(lax.mul(x, x), lax.mul(y, y)))
       end,
       function(_, x, y)
         return lax.neg(lax.div(x, lax.add(lax.mul(x, x), lax.mul(y, y))))
       end})

-- Where both are equal, each gets half.
local function chosen(compare, mine)
  return function(_, x, y)
    local a, b = x, y
    if mine == 2 then a, b = y, x end
    local which = compare(a, b) -- of the full shape: one may be a literal
    local one = lax.full(core.shape_of(which), 1, core.dtype_of(x))
    local none = zero(one)
    return lax.select_n(which,
                        lax.select_n(lax.eq(a, b), none, half(one)), one)
  end
end
define("max", "a", np.maximum, "($1 > $2 || $1 != $1 ? $1 : $2)",
       {chosen(function(a, b) return lax.gt(a, b) end, 1),
        chosen(function(a, b) return lax.gt(a, b) end, 2)})
define("min", "a", np.minimum, "($1 < $2 || $1 != $1 ? $1 : $2)",
       {chosen(function(a, b) return lax.lt(a, b) end, 1),
        chosen(function(a, b) return lax.lt(a, b) end, 2)})

define("and", "i", np.bitwise_and, "(T)($1 & $2)", false)
define("or", "i", np.bitwise_or, "(T)($1 | $2)", false)
define("xor", "i", np.bitwise_xor, "(T)($1 ^ $2)", false)
for _, name in ipairs{"and", "or", "xor"} do
  lax["bitwise_" .. name] = lax[name]
end
define("shift_left", "w", np.left_shift,
       "((U)$2 < BITS ? (T)((U)$1 << $2) : (T)0)", false)
-- The highest bit counts as a sign, of types without one as well.
define("shift_right_arithmetic", "w", function(x, y)
  local t = x.dtype
  if t:sub(1, 1) ~= "u" then return np.right_shift(x, y) end
  local signed = t:sub(2)
  y = np.minimum(y, np.array(8 * x.itemsize - 1, t)):view("i" .. signed)
  return np.right_shift(x:view("i" .. signed), y):view(t)
end, "(T)((long long)((unsigned long long)$1 << (64 - BITS)) >> " ..
     "((U)$2 < BITS ? 64 - BITS + (int)$2 : 63))", false)
define("shift_right_logical", "w", "shift_right_logical",
       "((U)$2 < BITS ? (T)((U)$1 >> $2) : (T)0)", false)
-- Of 16 bits, patterns of one sign are ordered as the numbers are.
define("nextafter", "f", "nextafter",
       {"F(nextafter)($1, $2)", false, false, "next_16<S>($1, $2)"}, false)
emit.add_helper("next_16<", [[
template <class S> __device__ float next_16(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  const S from = (S)x;
  unsigned short bits;
  memcpy(&bits, &from, sizeof bits);
  if (x == 0)
    bits = y < 0 ? 0x8001 : 1;
  else
    bits += (x < y) == (x > 0) ? 1 : -1;
  S to;
  memcpy(&to, &bits, sizeof to);
  return (float)to;
}]])
for name, row in pairs{eq = {"equal", "=="}, ne = {"not_equal", "!="},
                       lt = {"less", "<"}, le = {"less_equal", "<="},
                       gt = {"greater", ">"}, ge = {"greater_equal", ">="}} do
  define(name, "a?", np[row[1]], "($1 " .. row[2] .. " $2)", false)
end
return {define = define, shape_rule = shape_rule, times = times,
        on_host = on_host}
