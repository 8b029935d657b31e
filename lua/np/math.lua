-- SPDX-License-Identifier: Apache-2.0
-- Mathematical functions that are a few operations on whole arrays.
local np, fail, method, core = ...

local function define(name, names, f) core.define(np, name, names, f) end

-- Numbers come back as numbers.
local function like(x, result)
  if type(x) == "number" and type(result) == "userdata" then
    return result:item()
  end
  return result
end

function np.divmod(x, y)
  return np.floor_divide(x, y), np.mod(x, y)
end

--- `decimals` digits behind the point, halves to even; whole numbers stay.
define("round", {"x", "decimals"}, function(x, decimals)
  if type(x) ~= "number" then x = np.asarray(x) end
  decimals = decimals or 0
  local is_float = math.type(x) == "float"
    or type(x) ~= "number" and x.dtype:find("f", 1, true)
  if decimals == 0 then
    if is_float then return np.rint(x) end
    return type(x) == "number" and x or x:copy()
  end
  if not is_float and decimals > 0 then
    return type(x) == "number" and x or x:copy()
  end
  local scale = 10.0 ^ math.abs(decimals)
  local r
  if decimals > 0 then
    r = np.divide(np.rint(np.multiply(x, scale)), scale)
    -- What overflows has no digits there.
    r = np.where(np.isfinite(r), r, x)
  else
    r = np.multiply(np.rint(np.divide(x, scale)), scale)
  end
  if not is_float then
    return type(x) == "number" and math.tointeger(r) or r:astype(x.dtype)
  end
  return like(x, r)
end)
np.around = np.round

-- A whole number beyond all that an integer array holds is no bound.
local function bound(x, v, is_beyond)
  if math.type(v) ~= "integer" or type(x) ~= "userdata" or
     not x.dtype:find("^[iu]") then
    return v
  end
  local info = np.iinfo(x.dtype)
  if is_beyond(v, info) then return nil end
  return v
end

local function is_below(v, info) return v <= info.min end
local function is_above(v, info) return v >= info.max end

local clip_names = {"a", "a_min", "a_max", "out", "min", "max"}
define("clip", clip_names, function(x, a_min, a_max, out, min, max)
  if out ~= nil then fail("clip: there is no `out` here") end
  min, max = a_min == nil and min or a_min, a_max == nil and max or a_max
  if type(x) == "table" and not getmetatable(x) then x = np.asarray(x) end
  local both = core.clip(x, min, max) -- in one pass
  if both then return both end
  min, max = bound(x, min, is_below), bound(x, max, is_above)
  if min ~= nil then x = np.maximum(x, min) end
  if max ~= nil then x = np.minimum(x, max) end
  if min == nil and max == nil then x = np.positive(x) end
  return x
end)

define("nan_to_num", {"x", "nan", "posinf", "neginf"},
  function(x, nan, posinf, neginf)
    local a = np.asarray(x)
    if not a.dtype:find("f", 1, true) then return like(x, a:copy()) end
    local info = np.finfo(a.dtype)
    a = np.where(np.isnan(a), nan or 0.0, a)
    a = np.where(np.equal(a, np.inf), posinf or info.max, a)
    return like(x, np.where(np.equal(a, -np.inf), neginf or info.min, a))
  end)

function np.fix(x) return np.trunc(x) end
function np.isposinf(x) return np.equal(x, np.inf) end
function np.isneginf(x) return np.equal(x, -np.inf) end

--- |a - b| <= atol + rtol |b|; infinities must be equal.
local names = {"a", "b", "rtol", "atol", "equal_nan"}
define("isclose", names, function(a, b, rtol, atol, equal_nan)
  a, b = np.asarray(a, "f64"), np.asarray(b, "f64")
  local near = np.less_equal(np.abs(a - b),
    (atol or 1e-8) + (rtol or 1e-5) * np.abs(b))
  near = np.logical_and(near, np.isfinite(b))
  local ok = np.logical_or(near, np.equal(a, b))
  if equal_nan then
    ok = np.logical_or(ok, np.logical_and(np.isnan(a), np.isnan(b)))
  end
  return ok.ndim == 0 and ok:item() or ok.ndim > 0 and ok
end)

define("allclose", names, function(a, b, rtol, atol, equal_nan)
  return np.all(np.isclose(a, b, rtol, atol, equal_nan))
end)

-- ---- Types ----

local floats = {
  f16 = {bits = 16, nmant = 10, nexp = 5},
  bf16 = {bits = 16, nmant = 7, nexp = 8},
  f32 = {bits = 32, nmant = 23, nexp = 8},
  f64 = {bits = 64, nmant = 52, nexp = 11},
}

local function dtype_of(t)
  if type(t) == "string" then return np.promote_types(t, t) end
  return np.asarray(t).dtype
end

function np.finfo(t)
  local name = dtype_of(t)
  local f = floats[name]
  if not f then
    fail(("finfo: %s is no float type; np.iinfo knows integers"):format(name))
  end
  local maxexp = 1 << (f.nexp - 1)
  local max = (2.0 - 2.0 ^ -f.nmant) * 2.0 ^ (maxexp - 1)
  local normal = 2.0 ^ (2 - maxexp)
  return {
    dtype = name, bits = f.bits, nmant = f.nmant, nexp = f.nexp,
    maxexp = maxexp, minexp = 2 - maxexp, machep = -f.nmant,
    precision = math.floor(f.nmant * math.log(2, 10)),
    eps = 2.0 ^ -f.nmant, epsneg = 2.0 ^ -(f.nmant + 1), max = max, min = -max,
    tiny = normal, smallest_normal = normal,
    smallest_subnormal = normal * 2.0 ^ -f.nmant,
    resolution = 10.0 ^ -math.floor(f.nmant * math.log(2, 10)),
  }
end

function np.iinfo(t)
  local name = dtype_of(t)
  local bits = tonumber(name:match("^[iu](%d+)$"))
  if not bits then
    fail(("iinfo: %s is no integer type; np.finfo knows floats"):format(name))
  end
  local info = {dtype = name, bits = bits, kind = name:sub(1, 1)}
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

--- Of arrays, dtypes and numbers; numbers give way to the others.
function np.result_type(...)
  local t, weak
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if type(v) == "number" or type(v) == "boolean" then
      local is_whole = math.type(v) == "integer"
      local w = type(v) == "boolean" and 1 or is_whole and 2 or 3
      weak = math.max(weak or 1, w)
    else
      local u = dtype_of(v)
      t = t and np.promote_types(t, u) or u
    end
  end
  if not t and not weak then
    fail("result_type: at least one array, dtype or number is needed")
  end
  if not t then return ({"bool", "i64", "f64"})[weak] end
  local rank = t == "bool" and 1 or t:find("f", 1, true) and 3 or 2
  if not weak or weak <= rank then return t end
  return weak == 2 and "i64" or "f64"
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

define("can_cast", {"from_", "to", "casting"}, function(from, to, casting)
  casting = casting or "safe"
  from, to = dtype_of(from), dtype_of(to)
  if casting == "unsafe" then return true end
  if casting == "no" or casting == "equiv" then return from == to end
  if casting == "safe" then return is_safe(from, to) end
  if casting ~= "same_kind" then
    fail(("can_cast: casting is one of no, equiv, safe, same_kind, unsafe; "
      .. "not %s"):format(tostring(casting)))
  end
  local order = {b = 1, u = 2, i = 3, f = 4}
  local function rank(t)
    return order[t == "bool" and "b" or t == "bf16" and "f" or t:sub(1, 1)]
  end
  return is_safe(from, to) or rank(from) <= rank(to)
end)

-- ---- Numbers as text ----

local function whole(v)
  local n = type(v) == "number" and math.tointeger(v)
  return n or fail(("binary_repr: %s is not a whole number"):format(tostring(v)))
end

--- The bits of a whole number as text; of one below 0 with `width`, as two's
--- complement has them.
define("binary_repr", {"num", "width"}, function(num, width)
  local n = whole(num)
  width = width ~= nil and whole(width)
  local sign, fill = "", n < 0 and "1" or "0"
  if n < 0 and not width then sign, n = "-", -n end
  local rest, digits = width and n < 0 and ~n or n, ""
  while rest ~= 0 do
    digits = (n >> #digits & 1) .. digits
    rest = rest >> 1
  end
  if n == 0 then return ("0"):rep(math.max(width or 1, 1)) end
  if not width then return sign .. digits end
  if n < 0 then digits = "1" .. digits end
  if width < #digits then
    fail(("binary_repr: %d has %d bits, more than the width %d"):format(n,
      #digits, width))
  end
  return fill:rep(width - #digits) .. digits
end)

method("round")
method("clip")
