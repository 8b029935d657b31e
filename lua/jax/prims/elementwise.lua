-- SPDX-License-Identifier: Apache-2.0
-- Elementwise primitives. A row of the tables below:
--
--   name, kind, NumPy function, CUDA C, partial derivatives
--
-- kind: what it takes. 'n' numbers, 'f' floats, 'i' integers and bool, 'a' all;
-- with '?' behind it, the result is bool.
-- CUDA C: $1, $2 are the arguments; F(name) is the C library's function of the
-- type (expf, exp); where integers need another text it stands second.
-- Derivatives: one for each argument, of (output, arguments...); a number is
-- a constant factor, `false` is zero.
local use = ...
local core = use("core")
local lax = use("lax")
local batch = use("batch")

local kinds = {
  n = {text = "numbers", is = function(t) return t ~= "bool" end},
  f = {text = "floats", is = function(t) return t:find("^b?f") ~= nil end},
  i = {text = "integers or bool", is = function(t) return not t:find("^b?f") end},
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
          core.fail("argument", "TypeError", "%s: shapes must be equal: %s and %s",
                    name, core.shape_text(first.shape), core.shape_text(a.shape))
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

-- The same factors go forward and backward.
local function diff_rules(name, partials)
  if not partials then return false end
  return {
    jvp = function(_, values, tangents, outputs)
      local total = false
      for i, t in ipairs(tangents) do
        local d = t and derivative(partials[i], outputs[1], values)
        local part = d and times(d, t)
        total = total and part and lax.add_any(total, part) or total or part
      end
      return {total}
    end,
    vjp = function(_, cts, values, outputs)
      local back = {}
      for i = 1, #values do
        local d = not core.is_literal(values[i]) and
          derivative(partials[i], outputs[1], values)
        back[i] = d and cts[1] and times(d, cts[1])
      end
      return back
    end,
  }
end

local function define(name, kind, eval, code, partials)
  core.define{
    name = name,
    eval = function(_, ...) return eval(...) end,
    shape = shape_rule(name, kind),
    batch = batch.elementwise(name),
    diff = diff_rules(name, partials),
    emit = {map = type(code) == "table" and code or {code, code}},
  }
  lax.elementwise(name)
end

local np = use.np
local function zero(x) return lax.full(core.shape_of(x), 0, core.dtype_of(x)) end
local function half(x) return lax.mul(x, 0.5) end

-- ---- One argument ----

define("neg", "n", np.negative, {"-$1", "(T)(0 - (U)$1)"}, {-1})
define("sign", "n", np.sign, {"($1 > 0 ? (T)1 : $1 < 0 ? (T)-1 : $1)",
                              "(T)(($1 > 0) - ($1 < 0))"}, {false})
define("abs", "n", np.abs, {"F(fabs)($1)", "($1 < 0 ? (T)(0 - (U)$1) : $1)"},
       {function(_, x) return lax.sign(x) end})
define("floor", "f", np.floor, "F(floor)($1)", {false})
define("ceil", "f", np.ceil, "F(ceil)($1)", {false})
define("round", "f", np.round, "F(rint)($1)", {false})
define("exp", "f", np.exp, "F(exp)($1)", {function(y) return y end})
define("exp2", "f", np.exp2, "F(exp2)($1)",
       {function(y) return lax.mul(y, math.log(2)) end})
define("expm1", "f", np.expm1, "F(expm1)($1)",
       {function(y) return lax.add(y, 1) end})
define("log", "f", np.log, "F(log)($1)",
       {function(_, x) return lax.div(1, x) end})
define("log1p", "f", np.log1p, "F(log1p)($1)",
       {function(_, x) return lax.div(1, lax.add(x, 1)) end})
define("sqrt", "f", np.sqrt, "F(sqrt)($1)",
       {function(y) return lax.div(0.5, y) end})
define("rsqrt", "f", function(x) return np.reciprocal(np.sqrt(x)) end,
       "F(rsqrt)($1)", {function(y, x) return lax.div(lax.mul(y, -0.5), x) end})
define("cbrt", "f", np.cbrt, "F(cbrt)($1)",
       {function(y, x) return lax.div(lax.mul(y, 1 / 3), x) end})
define("sin", "f", np.sin, "F(sin)($1)", {function(_, x) return lax.cos(x) end})
define("cos", "f", np.cos, "F(cos)($1)",
       {function(_, x) return lax.neg(lax.sin(x)) end})
define("tan", "f", np.tan, "F(tan)($1)",
       {function(y) return lax.add(lax.mul(y, y), 1) end})
define("asin", "f", np.arcsin, "F(asin)($1)",
       {function(_, x) return lax.rsqrt(lax.sub(1, lax.mul(x, x))) end})
define("acos", "f", np.arccos, "F(acos)($1)",
       {function(_, x)
         return lax.neg(lax.rsqrt(lax.sub(1, lax.mul(x, x))))
       end})
define("atan", "f", np.arctan, "F(atan)($1)",
       {function(_, x) return lax.div(1, lax.add(lax.mul(x, x), 1)) end})
define("sinh", "f", np.sinh, "F(sinh)($1)",
       {function(_, x) return lax.cosh(x) end})
define("cosh", "f", np.cosh, "F(cosh)($1)",
       {function(_, x) return lax.sinh(x) end})
define("tanh", "f", np.tanh, "F(tanh)($1)",
       {function(y) return lax.sub(1, lax.mul(y, y)) end})
define("logistic", "f",
       function(x) return np.reciprocal(1 + np.exp(-x)) end,
       "((T)1 / ((T)1 + F(exp)(-$1)))",
       {function(y) return lax.mul(y, lax.sub(1, y)) end})
define("is_finite", "f?", np.isfinite, "isfinite($1)", false)
define("not", "i", function(x)
  return x.dtype == "bool" and np.logical_not(x) or np.invert(x)
end, {"", "(T)~$1", "!$1"}, false)
define("stop_gradient", "a", function(x) return x end, "$1", {false})
define("copy", "a", function(x) return x:copy() end, "$1", {1})

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
  local q = np.floor_divide(np.abs(x), np.abs(y))
  return np.where(np.equal(np.sign(x), np.sign(y)), q, np.negative(q))
end, {"$1 / $2", "($2 == 0 ? (T)-1 : (T)-1 < (T)0 && $2 == (T)-1 ? (T)(0 - (U)$1) : " ..
       "(T)($1 / $2))"},
       {function(_, _, y) return lax.div(1, y) end,
        function(out, _, y) return lax.neg(lax.div(out, y)) end})
-- As XLA: what remains of an integer divided by 0 is the integer.
define("rem", "n", function(x, y)
  local r = np.fmod(x, y)
  return x.dtype:find("^b?f") and r or np.where(np.equal(y, 0), x, r)
end, {"F(fmod)($1, $2)", "($2 == 0 ? $1 : (T)-1 < (T)0 && $2 == (T)-1 ? " ..
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
    local one, none = lax.full_like(x, 1), zero(x)
    return lax.select_n(compare(a, b),
                        lax.select_n(lax.eq(a, b), none, half(one)), one)
  end
end
define("max", "n", np.maximum, "($1 > $2 || $1 != $1 ? $1 : $2)",
       {chosen(function(a, b) return lax.gt(a, b) end, 1),
        chosen(function(a, b) return lax.gt(a, b) end, 2)})
define("min", "n", np.minimum, "($1 < $2 || $1 != $1 ? $1 : $2)",
       {chosen(function(a, b) return lax.lt(a, b) end, 1),
        chosen(function(a, b) return lax.lt(a, b) end, 2)})

define("and", "i", np.bitwise_and, "(T)($1 & $2)", false)
define("or", "i", np.bitwise_or, "(T)($1 | $2)", false)
define("xor", "i", np.bitwise_xor, "(T)($1 ^ $2)", false)
for _, name in ipairs{"and", "or", "xor", "not"} do
  lax["bitwise_" .. name] = lax[name]
end
define("shift_left", "i", np.left_shift,
       "((U)$2 < BITS ? (T)((U)$1 << $2) : (T)0)", false)
define("shift_right_arithmetic", "i", np.right_shift,
       "((U)$2 < BITS ? (T)($1 >> $2) : (T)($1 < 0 ? -1 : 0))", false)
local unsigned = {i8 = "u8", i16 = "u16", i32 = "u32", i64 = "u64"}
define("shift_right_logical", "i", function(x, y)
  local t = x.dtype
  local u = unsigned[t] or t
  return np.right_shift(x:view(u), y:astype(u)):view(t)
end, "((U)$2 < BITS ? (T)((U)$1 >> $2) : (T)0)", false)

for name, row in pairs{eq = {"equal", "=="}, ne = {"not_equal", "!="},
                       lt = {"less", "<"}, le = {"less_equal", "<="},
                       gt = {"greater", ">"}, ge = {"greater_equal", ">="}} do
  define(name, "a?", np[row[1]], "($1 " .. row[2] .. " $2)", false)
end

-- ---- Choice ----

core.define{
  name = "select_n", -- (bool which, if false, if true)
  eval = function(_, which, no, yes) return np.where(which, yes, no) end,
  shape = function(_, which, no, yes)
    if which.dtype ~= "bool" then
      core.fail("argument", "TypeError", "select_n: the first argument is of " ..
                "type bool, not %s", which.dtype)
    end
    if not core.same_shape(no.shape, yes.shape) or no.dtype ~= yes.dtype then
      core.fail("argument", "TypeError", "select_n: both cases must have one " ..
                "shape and type: %s and %s", core.aval_text(no),
                core.aval_text(yes))
    end
    if #which.shape > 0 and not core.same_shape(which.shape, no.shape) then
      core.fail("argument", "TypeError", "select_n: the condition has the " ..
                "shape %s, the cases %s", core.shape_text(which.shape),
                core.shape_text(no.shape))
    end
    return core.aval(no.shape, no.dtype, no.weak and yes.weak)
  end,
  batch = function(params, size, values, dims)
    local to = dims[1] or dims[2] or dims[3]
    for i = 2, 3 do to = dims[i] or to end
    local moved = {}
    local which = values[1]
    -- A scalar condition for each of the batch: it is stretched.
    if dims[1] and #core.shape_of(which) == 1 and
       #core.shape_of(values[2]) + (dims[2] and 0 or 1) > 1 then
      local shape = {}
      for i, n in ipairs(core.shape_of(batch.at(values[2], dims[2], to, size))) do
        shape[i] = n
      end
      moved[1] = lax.broadcast_in_dim(which, shape, {to})
    elseif dims[1] or #core.shape_of(which) > 0 then
      moved[1] = batch.at(which, dims[1], to, size)
    else
      moved[1] = which
    end
    for i = 2, 3 do moved[i] = batch.at(values[i], dims[i], to, size) end
    return core.bind(core.prims.select_n, params, moved), {to}
  end,
  diff = {
    jvp = function(_, values, tangents)
      local no, yes = tangents[2], tangents[3]
      if not no and not yes then return {false} end
      return {lax.select_n(values[1], no or zero(values[2]),
                           yes or zero(values[3]))}
    end,
    vjp = function(_, cts, values)
      local ct = cts[1]
      if not ct then return {false, false, false} end
      local none = zero(ct)
      return {false, lax.select_n(values[1], ct, none),
              lax.select_n(values[1], none, ct)}
    end,
  },
  emit = {map = {"($1 ? $3 : $2)", "($1 ? $3 : $2)"}},
}
function lax.select_n(which, no, yes)
  return core.bind1("select_n", {}, which, no, yes)
end

-- ---- Types ----

core.define{
  name = "convert_element_type",
  eval = function(p, x) return x:astype(p.new_dtype) end,
  shape = function(p, x) return core.aval(x.shape, p.new_dtype, p.weak_type) end,
  batch = batch.elementwise("convert_element_type"),
  diff = {
    jvp = function(p, _, tangents)
      return {p.new_dtype:find("^b?f") and
              lax.convert_element_type(tangents[1], p.new_dtype)}
    end,
    vjp = function(_, cts, values)
      return {cts[1] and core.dtype_of(values[1]):find("^b?f") and
              lax.convert_element_type(cts[1], core.dtype_of(values[1]))}
    end,
  },
  emit = {convert = true},
}
function lax.convert_element_type(x, dtype, weak)
  if core.dtype_of(x) == dtype and core.aval_of(x).weak == (weak or false) then
    return x
  end
  return core.bind1("convert_element_type",
                    {new_dtype = dtype, weak_type = weak or false}, x)
end

core.define{
  name = "bitcast_convert_type",
  eval = function(p, x) return x:view(p.new_dtype) end,
  shape = function(p, x) return core.aval(x.shape, p.new_dtype) end,
  batch = batch.elementwise("bitcast_convert_type"),
  diff = false,
  emit = {bitcast = true},
}
function lax.bitcast_convert_type(x, dtype)
  return core.bind1("bitcast_convert_type", {new_dtype = dtype}, x)
end

core.define{
  name = "integer_pow",
  eval = function(p, x) return np.power(x, p.y) end,
  shape = shape_rule("integer_pow", "n"),
  batch = batch.elementwise("integer_pow"),
  diff = diff_rules("integer_pow", false),
  emit = {power = true},
}
do -- x^n by a constant integer; its derivative needs the parameter
  local function slope(p, x)
    if p.y == 0 then return false end
    if p.y == 1 then return 1 end
    return lax.mul(lax.integer_pow(x, p.y - 1), p.y)
  end
  core.prims.integer_pow.diff = {
    jvp = function(p, values, tangents)
      local d = slope(p, values[1])
      return {d and times(d, tangents[1])}
    end,
    vjp = function(p, cts, values)
      local d = slope(p, values[1])
      return {d and cts[1] and times(d, cts[1])}
    end,
  }
end
function lax.integer_pow(x, n)
  return core.bind1("integer_pow", {y = n}, x)
end
