-- SPDX-License-Identifier: Apache-2.0
-- jnp: new arrays, types and constants.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local arrays = use("core/arrays")
local jnp, np = use.jnp, use.np
local M = {}

local done = args.done

-- ---- From values ----

local MAX_AXES <const> = 16 -- np.array says so of what is nested deeper

-- Whether a nested table holds jax arrays or tracers.
local function has_jax(x, depth)
  if not args.is_list(x) then return use.is_jax(x) or core.is_literal(x) end
  for _, item in ipairs(depth < MAX_AXES and x or {}) do
    if has_jax(item, depth + 1) then return true end
  end
  return false
end

local function stacked(x, name)
  if not args.is_list(x) then return args.value(x, name) end
  local parts = {}
  for i, item in ipairs(x) do parts[i] = stacked(item, name) end
  return jnp.stack(parts)
end

-- A table as a host array of JAX's widths; numbers that do not fit are refused.
local function from_table(x, dtype)
  if dtype then return np.array(x, dtype) end
  local a = np.array(x)
  local t = config.width(a.dtype)
  return t == a.dtype and a or np.array(x, t)
end

local function make(name, x, dtype)
  dtype = args.dtype(dtype, name)
  if args.is_list(x) and has_jax(x, 0) then
    x = stacked(x, name)
  elseif args.is_list(x) then
    return arrays.device_put(from_table(x, dtype))
  end
  x = args.value(x, name)
  if core.is_literal(x) and math.type(x.value) == "integer" then
    local low, high = args.limits(dtype and types.is_integer(dtype) and dtype or
                                  config.int())
    if (x.value < low or x.value > high and high > 0) and
       not (dtype and types.is_float(dtype)) then
      args.fail(name, "OverflowError", "%d does not fit into type %s", x.value,
                dtype or config.int())
    end
  end
  local own = core.aval_of(x)
  return done(args.as_type(x, dtype or own.dtype, not dtype and own.weak))
end

--- array(value, dtype): of nested tables, numbers, arrays of np or jax.
function M.array(x, ...)
  return make("array", x, args.named("array", {"dtype"}, ...).dtype)
end
function M.asarray(x, ...)
  return make("asarray", x, args.named("asarray", {"dtype"}, ...).dtype)
end

--- from_dlpack(x): the memory of a device array of np's, as a jax array. It
--- shares or fails: nothing is copied.
function M.from_dlpack(x)
  local function fail(text, ...)
    args.fail("from_dlpack", "BufferError", text, ...)
  end
  if type(x) ~= "userdata" or not use.is_array(x) then
    args.fail("from_dlpack", "TypeError", "takes an array on the device, " ..
              "not %s", core.kind_text(x))
  end
  if use.is_jax(x) then return x end
  if x.device == "host" then
    fail("this array is on the host, and host and device have no memory in " ..
         "common: jax.device_put(x) copies it")
  end
  local a = M.asarray(x)
  if a.dtype ~= x.dtype then
    fail("%s would have to be copied to %s: jnp.asarray(x) does so, and " ..
         "with jax_enable_x64 it stays as it is", x.dtype, a.dtype)
  end
  return a
end

function M.copy(x)
  x = args.array(x, "copy")
  return lax.copy(x)
end

-- What leaves the arrays needs their elements now.
local function concrete(x, name, what)
  if core.is_tracer(x) then
    args.fail(name, "ConcretizationTypeError",
              "a traced value has no elements " ..
              "yet, so there is no %s: return it, and take it from the result",
              what)
  end
  x = use.unmark(args.array(x, name))
  return x.device == "host" and x or x:copy_to_host()
end

--- x:item(): the only element as a Lua number or true, false.
function M.item(x) return concrete(x, "item", "Lua number"):item() end
--- x:tolist(): nested Lua tables.
function M.tolist(x) return concrete(x, "tolist", "Lua table"):tolist() end

function M.astype(x, ...)
  local dtype = args.named("astype", {"dtype"}, ...).dtype
  x = args.value(x, "astype")
  if dtype == nil then
    args.fail("astype", "TypeError", "the dtype is missing")
  end
  return done(args.as_type(x, args.dtype(dtype, "astype"), false))
end

-- ---- Full of one value ----

local function full(name, shape, value, dtype, weak)
  return done(lax.full(args.shape(shape, name), value, dtype, weak))
end

for name, v in pairs{zeros = 0, ones = 1, empty = 0} do
  M[name] = function(shape, ...)
    local o = args.named(name, {"dtype"}, ...)
    local t = args.dtype(o.dtype, name) or config.float()
    return full(name, shape, args.as_type(core.literal(v, "i32"), t).value, t)
  end
  local like = name .. "_like"
  M[like] = function(x, ...)
    local o = args.named(like, {"dtype", "shape"}, ...)
    x = args.value(x, like)
    local t = args.dtype(o.dtype, like) or core.dtype_of(x)
    local weak = not o.dtype and core.aval_of(x).weak
    return full(like, o.shape or core.shape_of(x),
                args.as_type(core.literal(v, "i32"), t).value, t, weak)
  end
end

local function full_of(name, shape, v, dtype, weak)
  local x = args.value(v, name)
  local own = core.aval_of(x)
  x = args.as_type(x, dtype or own.dtype, weak or not dtype and own.weak)
  return done(args.filled(x, args.shape(shape, name)))
end

function M.full(shape, ...)
  local o = args.named("full", {"fill_value", "dtype"}, ...)
  return full_of("full", shape, o.fill_value, args.dtype(o.dtype, "full"))
end

function M.full_like(x, ...)
  local o = args.named("full_like", {"fill_value", "dtype", "shape"}, ...)
  x = args.value(x, "full_like")
  return full_of("full_like", o.shape or core.shape_of(x), o.fill_value,
                 args.dtype(o.dtype, "full_like") or core.dtype_of(x),
                 not o.dtype and core.aval_of(x).weak)
end

-- ---- Ranges ----

local function is_number(x) return type(x) == "number" end

-- Host numbers, or an error that says why.
local function numbers(name, list)
  for _, x in pairs(list) do
    if core.is_tracer(x) then
      args.fail(name, "ConcretizationTypeError",
                "the size of the result would " ..
                "depend on a traced value: give numbers, or make the " ..
                "argument " ..
                "static (static_argnums)")
    elseif not is_number(x) then
      args.fail(name, "TypeError", "it takes numbers, not a %s", type(x))
    end
  end
end

--- arange([start,] stop [, step] [, dtype])
function M.arange(...)
  local given = table.pack(...)
  local dtype
  local last = given[given.n]
  if args.is_keywords(last) then
    local o = args.named("arange", {"start", "stop", "step", "dtype"}, last)
    dtype, given[given.n] = o.dtype, nil
    given = {given[1] or o.start, given[2] or o.stop, given[3] or o.step}
    if o.stop and not given[2] then given = {o.start or 0, o.stop, o.step} end
  elseif type(last) == "string" then
    dtype, given[given.n] = last, nil
  end
  given.n = nil
  numbers("arange", given)
  local start, stop, step = given[1], given[2], given[3] or 1
  if not stop then start, stop = 0, start end
  if not stop then args.fail("arange", "TypeError", "it needs a stop") end
  if step == 0 then args.fail("arange", "ValueError", "the step is 0") end
  local is_float = false
  for _, v in pairs(given) do is_float = is_float or math.type(v) == "float" end
  dtype = args.dtype(dtype, "arange") or is_float and config.float() or
          config.int()
  local count = math.max(0, math.ceil((stop - start) / step))
  if start == 0 and step == 1 then return lax.iota(dtype, {count}, 0) end
  if types.is_float(dtype) and math.type(step) == "float" then
    local r = np.arange(count, "f64") * step + start
    return arrays.device_put(r:astype(dtype))
  end
  local k = lax.iota(dtype, {count}, 0)
  local function constant(v)
    return args.as_type(args.value(v, "arange"), dtype)
  end
  k = lax.mul(k, constant(step))
  return lax.add(k, constant(start))
end

--- linspace(start, stop, num = 50): `num` numbers evenly spaced.
function M.linspace(start, stop, ...)
  local o = args.named("linspace",
                       {"num", "endpoint", "retstep", "dtype", "axis"}, ...)
  if type(o.endpoint) == "string" then o.endpoint, o.dtype = nil, o.endpoint end
  local n = o.num or 50
  numbers("linspace", {n})
  local has_end = o.endpoint ~= false
  local dtype = args.dtype(o.dtype, "linspace")
  local a, t = args.together_float("linspace",
                                   args.pair("linspace", start, stop))
  local shape = args.broadcast_shapes("linspace", {core.shape_of(a[1]),
                                                   core.shape_of(a[2])})
  local first, last = args.filled(a[1], shape), args.filled(a[2], shape)
  local pieces = has_end and n - 1 or n
  local dims = {}
  for d = 1, #shape do dims[d] = d end
  local wide = table.move(shape, 1, #shape, 2, {n})
  local function spread(x) return lax.broadcast_in_dim(x, wide, dims) end
  local k = lax.iota(t, wide, 0)
  local part = lax.div(k, core.literal(math.max(pieces, 1) + 0.0, t))
  local out = lax.add(lax.mul(spread(first),
                              lax.sub(core.literal(1.0, t), part)),
                      lax.mul(spread(last), part))
  if has_end and n > 1 then
    -- The last number is exact.
    local is_last = lax.eq(k, core.literal(n - 1.0, t))
    out = lax.select_n(is_last, out, spread(last))
  end
  if dtype and not types.is_float(dtype) then out = lax.floor(out) end
  if dtype then out = lax.convert_element_type(out, dtype) end
  local axis = args.axis(o.axis or 0, #wide, "linspace")
  if axis ~= 0 then out = lax.move_axis(out, 0, axis) end
  if o.retstep then
    local step = lax.div(lax.sub(first, last), core.literal(-pieces + 0.0, t))
    return out, step
  end
  return out
end

function M.logspace(start, stop, ...)
  local o = args.named("logspace", {"num", "endpoint", "base", "dtype"}, ...)
  local x = M.linspace(start, stop, {num = o.num, endpoint = o.endpoint})
  local out = jnp.power(o.base or 10.0, x)
  return o.dtype and M.astype(out, o.dtype) or out
end

function M.geomspace(start, stop, ...)
  local o = args.named("geomspace", {"num", "endpoint", "dtype"}, ...)
  local sign = jnp.sign(args.as_float(args.value(start, "geomspace")))
  local x = M.linspace(jnp.log(jnp.divide(start, sign)),
                       jnp.log(jnp.divide(stop, sign)),
                       {num = o.num, endpoint = o.endpoint})
  local out = jnp.multiply(jnp.exp(x), sign)
  return o.dtype and M.astype(out, o.dtype) or out
end

-- ---- Matrices ----

--- eye(n, m, k): ones on diagonal k.
function M.eye(n, ...)
  local o = args.named("eye", {"M", "k", "dtype"}, ...)
  if type(o.M) == "string" then o.M, o.dtype = nil, o.M end
  if type(o.k) == "string" then o.k, o.dtype = nil, o.k end
  local shape = args.shape({n, o.M or n}, "eye")
  local t = args.dtype(o.dtype, "eye") or config.float()
  local i, j = lax.iota("i32", shape, 0), lax.iota("i32", shape, 1)
  local on = lax.eq(lax.add(i, core.literal(o.k or 0, "i32")), j)
  return lax.convert_element_type(on, t)
end
function M.identity(n, ...)
  return M.eye(n, {dtype = args.named("identity", {"dtype"}, ...).dtype})
end

local function lower(shape, k)
  local r = #shape
  local i, j = lax.iota("i32", shape, r - 2), lax.iota("i32", shape, r - 1)
  return lax.ge(lax.add(i, core.literal(k, "i32")), j)
end

--- tri(n, m, k): ones at and below diagonal k.
function M.tri(n, ...)
  local o = args.named("tri", {"M", "k", "dtype"}, ...)
  local t = args.dtype(o.dtype, "tri") or config.numpy and config.float() or
            "f32"
  return lax.convert_element_type(lower(args.shape({n, o.M or n}, "tri"),
                                        o.k or 0), t)
end

local function triangle(name, is_lower)
  M[name] = function(x, ...)
    local k = args.named(name, {"k"}, ...).k or 0
    x = args.array(x, name)
    local shape = core.shape_of(x)
    if #shape < 2 then
      args.fail(name, "ValueError",
                "Argument to jax.numpy.%s must be at least " ..
                "2D", name)
    end
    local zeros = lax.full_like(x, core.dtype_of(x) == "bool" and false or 0)
    local mask = lower(shape, is_lower and k or k - 1)
    if is_lower then return lax.select_n(mask, zeros, x) end
    return lax.select_n(mask, x, zeros)
  end
end
triangle("tril", true)
triangle("triu", false)

--- meshgrid(x, y, ...): each spread over the others' axes.
function M.meshgrid(...)
  local given = table.pack(...)
  local o = {}
  if args.is_keywords(given[given.n]) then
    o = args.named("meshgrid", {"indexing", "sparse"}, given[given.n])
    given.n = given.n - 1
  end
  local list, shape, out = {}, {}, {}
  for i = 1, given.n do
    list[i] = args.array(given[i], "meshgrid")
    local own = core.shape_of(list[i])
    if #own > 1 then
      args.fail("meshgrid", "ValueError",
                "argument %d has %d axes, and needs " ..
                "one", i, #own)
    end
    shape[i] = own[1] or 1
  end
  local swaps = (o.indexing or "xy") == "xy" and given.n >= 2
  if swaps then shape[1], shape[2] = shape[2], shape[1] end
  for i, x in ipairs(list) do
    local at = swaps and (i == 1 and 1 or i == 2 and 0) or i - 1
    local own = shape
    if o.sparse then
      own = {}
      for d = 1, #shape do own[d] = d == at + 1 and shape[d] or 1 end
    end
    out[i] = lax.broadcast_in_dim(lax.reshape(x, {shape[at + 1]}), own, {at})
  end
  return table.unpack(out)
end

--- indices(dimensions): the index along each axis, one array for each.
function M.indices(dimensions, ...)
  local o = args.named("indices", {"dtype", "sparse"}, ...)
  local shape = args.shape(dimensions, "indices")
  local t = args.dtype(o.dtype, "indices") or config.int()
  local out = {}
  for d = 1, #shape do
    local own = shape
    if o.sparse then
      own = {}
      for k = 1, #shape do own[k] = k == d and shape[k] or 1 end
    end
    out[d] = lax.iota(t, own, d - 1)
  end
  if o.sparse then return table.unpack(out) end
  return jnp.stack(out)
end

--- fromfunction(f, shape): f of the index along each axis.
function M.fromfunction(f, shape, ...)
  local o = args.named("fromfunction", {"dtype"}, ...)
  shape = args.shape(shape, "fromfunction")
  local t = args.dtype(o.dtype, "fromfunction") or config.float()
  local list = {}
  for d = 1, #shape do list[d] = lax.iota(t, shape, d - 1) end
  return f(table.unpack(list))
end

-- ---- Types and constants ----

-- jnp.float32(x) makes an array, jnp.float32 is a text: by how it is looked up
-- (../bind/state/bind_names.c).
M.types = {}
local function define_type(name, t)
  M.types[name] = {t, function(...)
    if select("#", ...) ~= 1 then
      args.fail(name, "TypeError", "it takes one value")
    end
    local x = ...
    return jnp.array(x, t)
  end}
end

for name, t in pairs{
  float16 = "f16", bfloat16 = "bf16", float32 = "f32", float64 = "f64",
  int8 = "i8", int16 = "i16", int32 = "i32", int64 = "i64", uint8 = "u8",
  uint16 = "u16", uint32 = "u32", uint64 = "u64", bool_ = "bool",
  int_ = "int", float_ = "float", uint = "uint",
} do define_type(name, t) end
for _, t in ipairs{"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
                   "f16", "bf16", "f32", "f64"} do define_type(t, t) end

M.pi, M.e, M.inf, M.nan = math.pi, math.exp(1), math.huge, np.nan
M.euler_gamma = 0.577215664901532860606512090082402431
M.newaxis = "None"

-- {bits, exponent bits, mantissa bits}
local floats = {f16 = {16, 5, 10}, bf16 = {16, 8, 7}, f32 = {32, 8, 23},
                f64 = {64, 11, 52}}

--- finfo(dtype or array): eps, max, min, tiny, ...
function M.finfo(dtype)
  local t = type(dtype) == "string" and types.named(dtype) or
            type(dtype) ~= "string" and
              core.dtype_of(args.value(dtype, "finfo"))
  local row = floats[t]
  if not row then
    args.fail("finfo", "ValueError", "%s is not a floating type",
              tostring(t or dtype))
  end
  local bits, exponent, mantissa = table.unpack(row)
  local top = (1 << exponent - 1) - 1
  local max = 2.0^top * (2.0 - 2.0^-mantissa)
  return {bits = bits, eps = 2.0^-mantissa, epsneg = 2.0^(-mantissa - 1),
          max = max, min = -max, tiny = 2.0^(1 - top),
          smallest_normal = 2.0^(1 - top),
          smallest_subnormal = 2.0^(1 - top - mantissa), nexp = exponent,
          nmant = mantissa, minexp = 1 - top, maxexp = top + 1, dtype = t,
          precision = math.floor(mantissa * math.log(2, 10)),
          resolution = 10.0^-math.floor(mantissa * math.log(2, 10))}
end

--- iinfo(dtype or array): min, max, bits
function M.iinfo(dtype)
  local t = type(dtype) == "string" and types.named(dtype) or
            type(dtype) ~= "string" and
              core.dtype_of(args.value(dtype, "iinfo"))
  if not t or not types.is_integer(t) then
    args.fail("iinfo", "ValueError", "%s is not an integer type",
              tostring(t or dtype))
  end
  local low, high = args.limits(t)
  if t == "u64" then high = 2.0^64 end -- no Lua integer holds it
  return {bits = tonumber(t:match("%d+")), min = low, max = high, dtype = t}
end

local function aval_like(x, name)
  if type(x) == "string" then return core.aval({}, args.dtype(x, name)) end
  return core.aval_of(args.value(x, name))
end

--- result_type(...): the type in which arrays, numbers and types meet.
function M.result_type(...)
  local avals = {}
  for i = 1, select("#", ...) do
    avals[i] = aval_like(select(i, ...), "result_type")
  end
  return (types.result_type(avals))
end

function M.promote_types(a, b)
  local function strong(t)
    local named = args.dtype(t, "promote_types")
    return core.aval({}, named)
  end
  return (types.result_type{strong(a), strong(b)})
end

local kinds = {
  number = "^b?[iuf]", inexact = "^b?f", floating = "^b?f", integer = "^[iu]",
  signedinteger = "^i", unsignedinteger = "^u", bool = "^bool", generic = "",
}
for name in pairs(kinds) do M[name] = M[name] or name end

--- issubdtype(t, kind): kind is a type, or "floating", "integer", ...
function M.issubdtype(t, kind)
  local named = types.named(t)
  if named and kinds[kind] and not (named == "bool" and kind ~= "bool" and
                                    kind ~= "generic") then
    return named:find(kinds[kind]) ~= nil
  end
  return named ~= nil and named == types.named(kind)
end

function M.isscalar(x)
  return type(x) == "number" or type(x) == "boolean" or
         (use.is_jax(x) and #core.shape_of(x) == 0)
end

function M.ndim(x) return #core.shape_of(args.value(x, "ndim")) end
function M.shape(x) return args.copy(core.shape_of(args.value(x, "shape"))) end
function M.size(x, axis)
  local shape = core.shape_of(args.value(x, "size"))
  if axis == nil then return core.size(shape) end
  return shape[args.axis(axis, #shape, "size") + 1]
end

return M
