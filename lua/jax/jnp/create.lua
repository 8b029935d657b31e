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

return M
