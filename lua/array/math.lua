-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: of numbers, element by element; choosing; nearness; types.
local _, _, _, core = ...

-- ---- Elementwise ----

local function rounding(lib, define)
  define("divmod", nil, function(x, y)
    return lib.xp.floor_divide(x, y), lib.xp.mod(x, y)
  end)
  -- `decimals` digits behind the point, halves to even; whole numbers stay.
  define("round", {"x", "decimals"}, function(x, decimals)
    x, decimals = lib.value(x, "round"), decimals or 0
    if not lib.is_float(x) then
      if decimals < 0 then return lib.round_whole(x, decimals) end
      return lib.unchanged(x)
    end
    if decimals == 0 then return lib.xp.rint(x) end
    return lib.round_at(x, decimals)
  end)
  define("around", nil, function(...) return lib.xp.round(...) end)
  define("fix", nil, function(x) return lib.xp.trunc(lib.value(x, "fix")) end)
end

-- Names of clip's arguments: NumPy's old ones come first.
local function clip_names(lib)
  return lib.either({"a", "a_min", "a_max", "out", "min", "max"},
                    {"x", "min", "max"})
end

local function limits(lib, define)
  local xp = lib.xp
  define("clip", clip_names(lib), function(x, a_min, a_max, out, min, max)
    if out ~= nil then lib.fail("clip", nil, "there is no `out` here") end
    min, max = a_min == nil and min or a_min, a_max == nil and max or a_max
    local both = type(x) == "userdata" and lib.clip(x, min, max)
    if both then return both end -- in one pass
    x = lib.value(x, "clip")
    min, max = lib.bounds(x, min, max)
    if min ~= nil then x = xp.maximum(lib.in_order(x, min)) end
    if max ~= nil then x = xp.minimum(lib.in_order(x, max)) end
    return min == nil and max == nil and lib.unchanged(x) or x
  end)
  local function nan_to_num(x, nan, posinf, neginf)
    x = lib.value(x, "nan_to_num")
    if not lib.is_float(x) then return lib.unchanged(x) end
    local a = lib.strong(x)
    local info = xp.finfo(a.dtype)
    a = xp.where(xp.isnan(a), nan or 0.0, a)
    a = xp.where(xp.equal(a, math.huge), posinf or info.max, a)
    return lib.like(x, xp.where(xp.equal(a, -math.huge), neginf or info.min,
                                a))
  end
  define("nan_to_num", lib.either({"x", "nan", "posinf", "neginf"},
                                  {"x", "copy", "nan", "posinf", "neginf"}),
         function(x, ...)
    return nan_to_num(x, select(lib.either(1, 2), ...))
  end)
  for name, inf in pairs{isposinf = math.huge, isneginf = -math.huge} do
    define(name, nil, function(x)
      x = lib.value(x, name)
      return lib.is_float(x) and xp.equal(x, inf) or xp.isinf(x)
    end)
  end
end

-- ---- Choosing ----

local function choosing(lib, define)
  -- The first choice whose condition holds, for each element.
  define("select", {"condlist", "choicelist", "default"},
         function(conditions, choices, default)
    local n = #conditions
    if n ~= #choices or n == 0 then
      lib.fail("select", "ValueError", lib.either(
        n == 0 and #choices == 0 and "there is no condition" or
        "there are %d conditions and %d choices",
        "as many conditions as choices: %d and %d"), n, #choices)
    end
    local r = default or 0
    for k = n, 1, -1 do
      r = lib.xp.where(lib.condition("select", conditions[k], k), choices[k],
                       r)
    end
    return r
  end, 2)
end

-- ---- Nearness ----

local function nearness(lib, define)
  local xp = lib.xp
  local names = {"a", "b", "rtol", "atol", "equal_nan"}
  -- |a - b| <= atol + rtol |b|; infinities must be equal.
  define("isclose", names, function(a, b, rtol, atol, equal_nan)
    a, b = lib.comparable("isclose", a, b)
    local room = xp.add(atol or 1e-8, xp.multiply(rtol or 1e-5, xp.abs(b)))
    local near = xp.less_equal(xp.abs(xp.subtract(a, b)), room)
    near = xp.logical_and(near, xp.isfinite(b))
    local ok = xp.logical_or(near, xp.equal(a, b))
    if equal_nan then
      ok = xp.logical_or(ok, xp.logical_and(xp.isnan(a), xp.isnan(b)))
    end
    return lib.plain(ok)
  end, 2)
  define("allclose", names, function(...) return xp.all(xp.isclose(...)) end,
         2)
  define("array_equal", {"a1", "a2", "equal_nan"}, function(a, b, equal_nan)
    a, b = lib.array(a, "array_equal"), lib.array(b, "array_equal")
    if not core.same_shape(a.shape, b.shape) then return lib.no() end
    local same = xp.equal(a, b)
    if equal_nan then
      same = xp.logical_or(same, xp.logical_and(xp.isnan(a), xp.isnan(b)))
    end
    return xp.all(same)
  end, 2)
  define("array_equiv", {"a1", "a2"}, function(a, b)
    a, b = lib.array(a, "array_equiv"), lib.array(b, "array_equiv")
    if not core.broadcast_shapes{a.shape, b.shape} then return lib.no() end
    return xp.all(xp.equal(a, b))
  end, 2)
end

-- ---- Types ----

-- Bits, of the exponent, of the mantissa.
local floats = {
  f16 = {16, 5, 10}, bf16 = {16, 8, 7}, f32 = {32, 8, 23}, f64 = {64, 11, 52},
}

-- What is known of a type of floats.
local function float_info(t)
  local bits, exponent, mantissa = table.unpack(floats[t])
  local top = 1 << exponent - 1
  local max = (2.0 - 2.0 ^ -mantissa) * 2.0 ^ (top - 1)
  local normal = 2.0 ^ (2 - top)
  local digits = math.floor(mantissa * math.log(2, 10))
  return {
    dtype = t, bits = bits, nmant = mantissa, nexp = exponent, maxexp = top,
    minexp = 2 - top, machep = -mantissa, precision = digits,
    eps = 2.0 ^ -mantissa, epsneg = 2.0 ^ -(mantissa + 1), max = max,
    min = -max, tiny = normal, smallest_normal = normal,
    smallest_subnormal = normal * 2.0 ^ -mantissa,
    resolution = 10.0 ^ -digits,
  }
end

local function integer_info(t)
  local bits = tonumber(t:match("%d+"))
  local info = {dtype = t, bits = bits, kind = t:sub(1, 1)}
  if info.kind == "i" then
    info.max = (1 << (bits - 1)) - 1
    info.min = -info.max - 1
  else
    info.min = 0
    -- Lua has no integer 2^64 - 1: the nearest float.
    info.max = bits == 64 and 2.0 ^ 64 or (1 << bits) - 1
  end
  return info
end

-- What NumPy holds safe: every value of `from` is one of `to` (and an i64 an
-- f64, whose range takes it).
local function is_safe(from, to)
  if from == to or from == "bool" then return true end
  local fk, fb = from:match("^(%a+)(%d+)$")
  local tk, tb = to:match("^(%a+)(%d+)$")
  if not fk or not tk then return false end
  fb, tb = tonumber(fb), tonumber(tb)
  local digits = {f16 = 8, bf16 = 8, f32 = 16, f64 = 64}
  if tk:find("f") then
    if fk:find("f") then return tb > fb end
    if to == "bf16" then return fb == 8 end
    return fb <= digits[to]
  end
  if fk == tk then return tb >= fb end
  return fk == "u" and tk == "i" and tb > fb
end

local order = {b = 1, u = 2, i = 3, f = 4}
local function rank(t)
  return order[t == "bool" and "b" or t == "bf16" and "f" or t:sub(1, 1)]
end

local function type_to_cast(lib, x)
  local t = lib.type_of("can_cast", x)
  if not t then
    lib.fail("can_cast", "TypeError", "%s is no type", tostring(x))
  end
  return t
end

local function types(lib, define)
  define("finfo", nil, function(x)
    local t = lib.type_of("finfo", x)
    if not floats[t] then
      lib.fail("finfo", "ValueError", lib.either(
        "%s is no float type; np.iinfo knows integers",
        "%s is not a floating type"), tostring(t or x))
    end
    return float_info(t)
  end)
  define("iinfo", nil, function(x)
    local t = lib.type_of("iinfo", x)
    if not t or not t:find("^[iu]%d") then
      lib.fail("iinfo", "ValueError", lib.either(
        "%s is no integer type; np.finfo knows floats",
        "%s is not an integer type"), tostring(t or x))
    end
    return integer_info(t)
  end)
  define("can_cast", {"from_", "to", "casting"}, function(from, to, casting)
    casting = casting or "safe"
    from, to = type_to_cast(lib, from), type_to_cast(lib, to)
    if casting == "unsafe" then return true end
    if casting == "no" or casting == "equiv" then return from == to end
    if casting == "safe" then return is_safe(from, to) end
    if casting ~= "same_kind" then
      lib.fail("can_cast", "ValueError", "casting is one of no, equiv, " ..
               "safe, same_kind, unsafe; not %s", tostring(casting))
    end
    return is_safe(from, to) or rank(from) <= rank(to)
  end, 0)
  -- Of arrays, dtypes and numbers; numbers give way to the others.
  define("result_type", nil, function(...)
    local list = {}
    for i = 1, select("#", ...) do
      local v = select(i, ...)
      local is_number = type(v) == "number" or type(v) == "boolean"
      list[i] = is_number and v or lib.operand_type("result_type", v)
    end
    return lib.common_type(list)
  end)
  define("isscalar", {"element"}, function(x)
    return type(x) == "number" or type(x) == "boolean" or lib.is_scalar(x)
  end)
  define("shape", {"a"}, function(a) return lib.shape_of(a, "shape") end)
  define("ndim", {"a"}, function(a) return #lib.shape_of(a, "ndim") end)
  define("size", {"a", "axis"}, function(a, axis)
    local shape = lib.shape_of(a, "size")
    if axis == nil then return core.size(shape) end
    return shape[lib.axis(axis, #shape, "size") + 1]
  end)
end

core.family(function(lib)
  local define = lib.define
  rounding(lib, define)
  limits(lib, define)
  choosing(lib, define)
  nearness(lib, define)
  types(lib, define)
end)
