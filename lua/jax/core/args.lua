-- SPDX-License-Identifier: Apache-2.0
-- What functions do with their arguments: values, names, axes, types,
-- broadcasting and promotion. Nothing here is seen by a learner.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local types = use("core/types")
local config = use("core/config")
local arrays = use("core/arrays")
local np = use.np
local M = {}

function M.fail(name, kind, text, ...)
  core.fail("argument", kind, "%s: " .. text, name, ...)
end
local fail = M.fail

-- ---- Values ----

local function is_list(x)
  return type(x) == "table" and getmetatable(x) == nil
end
M.is_list = is_list

--- A number, array or tracer as a value of the primitives. `name` is the
--- function's that was called.
function M.value(x, name)
  local t = type(x)
  if t == "number" then
    local is_int = math.type(x) == "integer"
    return core.literal(x, is_int and config.int() or config.float(), true)
  elseif t == "boolean" then
    return core.literal(x, "bool")
  elseif t == "table" and (core.is_tracer(x) or core.is_literal(x)) then
    return x
  elseif t == "userdata" and use.is_array(x) then
    return use.is_jax(x) and x or arrays.device_put(x)
  elseif is_list(x) then
    fail(name, "TypeError", "it takes arrays and numbers, not a table: " ..
         "jnp.array(t) makes an array of one")
  end
  fail(name, "TypeError", "it takes arrays and numbers, not %s",
       x == nil and "nil (is the variable's name right?)" or "a " .. t)
end

--- Two of them; both must be given.
function M.pair(name, x, y) return {M.value(x, name), M.value(y, name)} end

--- The same, but never a literal: what has a shape of its own.
function M.array(x, name)
  return arrays.array_of(M.value(x, name))
end

--- The same, of a table of numbers as well.
function M.array_or_table(x, name)
  return M.array(is_list(x) and np.array(x) or x, name)
end

--- The elements of an array, known now, as an array on the host. `why` says to
--- whom traces one what to do.
function M.known(x, name, why)
  x = M.array_or_table(x, name)
  if core.is_tracer(x) then fail(name, "ConcretizationTypeError", why) end
  x = use.unmark(x)
  return x.device == "host" and x or x:copy_to_host()
end

--- Indices as i32.
function M.indices(x, name)
  x = M.array_or_table(x, name)
  if not types.is_integer(core.dtype_of(x)) then
    fail(name, "TypeError", "indices are integers, not %s", core.dtype_of(x))
  end
  return lax.convert_element_type(x, "i32")
end

--- Indices into n places, those below 0 counted from the end.
function M.from_front(i, n)
  return lax.select_n(lax.lt(i, 0), i, lax.add(i, n))
end

--- A list of such values.
function M.arrays(list, name)
  if core.is_tracer(list) or type(list) == "userdata" then
    local x, out = M.array(list, name), {}
    if #core.shape_of(x) == 0 then
      fail(name, "TypeError", "it takes a table of arrays")
    end
    for i = 1, core.shape_of(x)[1] do
      out[i] = lax.squeeze(lax.slice_in_dim(x, i - 1, i, 1, 0), {0})
    end
    list = out
  end
  if not is_list(list) then
    fail(name, "TypeError", "it takes a table of arrays, not a %s", type(list))
  end
  if #list == 0 then
    fail(name, "ValueError", "it needs at least one array")
  end
  local out = {}
  for i, x in ipairs(list) do out[i] = M.value(x, name) end
  return out
end

--- A result: what a learner can hold.
function M.done(x)
  if core.is_literal(x) and not core.is_tracing() then
    return arrays.array_of(x)
  end
  return x
end

-- ---- Arguments by name ----

local function is_keywords(x)
  return is_list(x) and #x == 0 and type(next(x)) == "string"
end
M.is_keywords = is_keywords

-- An empty table is the shape of one number where a shape is due, else a table
-- without names, as for np's functions.
local function is_last_table(x, argument)
  if next(x) == nil then
    return argument ~= "shape" and argument ~= "new_shape"
  end
  return is_keywords(x)
end

--- The arguments after the arrays, by their names: first those in order, then
--- those of a trailing table {axis = 0}.
function M.named(name, names, ...)
  local out, n = {}, select("#", ...)
  for i = 1, n do
    local x = select(i, ...)
    if i == n and is_list(x) and is_last_table(x, names[i]) then
      local list = use.np_core.read_named(names, {...}, n, function(text)
        fail(name, "TypeError", "%s", text)
      end)
      for k, argument in ipairs(names) do out[argument] = list[k] end
    elseif i > #names then
      if x ~= nil then
        fail(name, "TypeError", "too many arguments: after the array come %s",
             table.concat(names, ", "))
      end
    else
      out[names[i]] = x
    end
  end
  return out
end

--- Lets the fixed arguments of functions be named: rows[name] has the names of
--- those after the first.
function M.let_be_named(into, rows)
  for name, names in pairs(rows) do
    local f = into[name]
    into[name] = function(x, ...)
      local n = select("#", ...)
      if n == 0 or not is_keywords((select(n, ...))) then return f(x, ...) end
      local o, list = M.named(name, names, ...), {}
      for i, argument in ipairs(names) do list[i] = o[argument] end
      return f(x, table.unpack(list, 1, #names))
    end
  end
end

-- ---- Shapes and axes ----

-- Shapes are part of the program: a value of it comes too late.
local function unknown_size(x, name)
  fail(name, "TypeError", "Shapes must be 1D sequences of concrete values " ..
       "of integer type, and %s is not known while the function is traced. " ..
       "x.shape, #x and Lua's numbers are; an argument that is a size is " ..
       "named in static_argnums of jax.jit", tostring(x))
end

--- Sizes as a list: from a number, or a table. -1 is one only where `guesses`.
function M.shape(x, name, guesses)
  if type(x) == "number" then x = {x} end
  if core.is_tracer(x) then unknown_size(x, name) end
  if not is_list(x) then
    fail(name, "TypeError", "a shape is a number or a table such as {3, 4}, " ..
         "not %s", core.kind_text(x))
  end
  local out = {}
  for i, given in ipairs(x) do
    if core.is_tracer(given) then unknown_size(given, name) end
    local n = math.tointeger(given)
    if not n then
      fail(name, "TypeError", "item %d of the shape is %s, not a whole number",
           i, core.kind_text(given))
    end
    if n < (guesses and -1 or 0) then
      fail(name, "ValueError",
           "item %d of the shape is %d: sizes are at least 0",
           i, n)
    end
    out[i] = n
  end
  return out
end

--- An axis as one of 0 ... rank - 1.
function M.axis(axis, rank, name)
  local d = math.tointeger(axis)
  if not d then
    fail(name, "TypeError", "the axis is a whole number, not %s",
         axis ~= axis and "nan" or type(axis) == "number" and tostring(axis) or
         core.kind_text(axis))
  end
  if d < -rank or d >= rank then
    fail(name, "ValueError",
         "axis %d is out of bounds for array of dimension %d",
         d, rank)
  end
  return d < 0 and d + rank or d
end

--- x and an axis of it; all elements in a row where the axis is nil or false.
function M.flat_or_axis(x, axis, name)
  local shape = core.shape_of(x)
  if axis then return x, M.axis(axis, #shape, name) end
  return lax.reshape(x, {core.size(shape)}), 0
end

--- Several axes, sorted; nil: all of them.
function M.axes(axis, rank, name)
  local out, seen = {}, {}
  if axis == nil then
    for d = 0, rank - 1 do out[d + 1] = d end
    return out
  end
  if is_keywords(axis) then
    fail(name, "TypeError", "the axis is a number or a list, and %s = ... " ..
         "is an argument by name, which this function does not take here",
         (next(axis)))
  end
  for i, a in ipairs(is_list(axis) and axis or {axis}) do
    local d = M.axis(a, rank, name)
    if seen[d] then
      fail(name, "ValueError", "duplicate value in 'axis': %d", a)
    end
    seen[d] = true
    out[i] = d
  end
  table.sort(out)
  return out
end

function M.copy(list) return table.move(list, 1, #list, 1, {}) end

-- ---- Types ----

local warned = {}

--- A type by any of its names, of the width that is made; nil stays nil.
function M.dtype(dtype, name)
  if dtype == nil then return nil end
  local t = types.named(dtype)
  if not t then
    fail(name, "TypeError", "there is no dtype %s%s", tostring(dtype),
         use.dtype_advice(tostring(dtype)))
  end
  local made = config.width(t)
  if made ~= t and not warned[name .. t] then
    warned[name .. t] = true
    use.warn(("%s: dtype %s is not available, and will be truncated to %s: " ..
              "jax.config.update(\"jax_enable_x64\", true) enables it")
             :format(name, t, made))
  end
  return made
end

local bits = {i8 = 8, i16 = 16, i32 = 32, i64 = 64,
              u8 = 8, u16 = 16, u32 = 32, u64 = 64}

--- The least and the greatest number of an integer type. Those of u64 are as
--- Lua holds 64 bits: -1 is the greatest.
function M.limits(t)
  local n, is_signed = bits[t], t:sub(1, 1) == "i"
  if n == 64 then
    if is_signed then return math.mininteger, math.maxinteger end
    return 0, -1
  end
  if is_signed then return -(1 << n - 1), (1 << n - 1) - 1 end
  return 0, (1 << n) - 1
end

-- A whole number as one of the type: it wraps.
local function wrapped(v, t)
  local n = bits[t]
  if n == 64 then return v end
  v = v & (1 << n) - 1
  return t:sub(1, 1) == "i" and v >= 1 << n - 1 and v - (1 << n) or v
end

-- A float as a whole number: what does not fit becomes the nearest that does.
local function truncated(v, t)
  local low, high = M.limits(t)
  if v ~= v then return 0 end
  v = v < 0 and math.ceil(v) or math.floor(v)
  if t == "u64" then
    return v < 0 and 0 or v >= 2.0^64 and -1 or
           v >= 2.0^63 and math.tointeger(v - 2.0^64) or math.tointeger(v)
  end
  return v <= low and low or v >= high and high or math.tointeger(v)
end

local function literal_as(x, dtype, weak)
  local v = x.value
  if dtype == "bool" then
    v = v and v ~= 0 or false
  elseif types.is_float(dtype) then
    v = v == true and 1.0 or v == false and 0.0 or v + 0.0
  elseif type(v) == "boolean" then
    v = v and 1 or 0
  else
    v = math.type(v) == "float" and truncated(v, dtype) or wrapped(v, dtype)
  end
  return core.literal(v, dtype, weak)
end

--- x of this type; literals stay literals.
function M.as_type(x, dtype, weak)
  if core.is_literal(x) then return literal_as(x, dtype, weak) end
  return lax.convert_element_type(x, dtype, weak)
end

--- x as floats: integers become what they are in means and quotients, or by
--- `rule`: types.elementwise.
function M.as_float(x, rule)
  local a = core.aval_of(x)
  if types.is_float(a.dtype) then return x end
  return M.as_type(x, (rule or types.inexact)(a.dtype), a.weak)
end

-- ---- Broadcasting and promotion ----

function M.broadcast_shapes(name, shapes)
  return core.broadcast_shapes(shapes) or
         fail(name, "TypeError", "incompatible shapes for broadcasting: %s",
              core.shapes_text(shapes))
end

--- x stretched to the shape, by trailing axes; literals go with every shape.
function M.stretch(x, shape)
  local own = core.shape_of(x)
  if core.is_literal(x) or core.same_shape(own, shape) then return x end
  local dims, squeezed = {}, {}
  for d, n in ipairs(own) do
    local at = #shape - #own + d
    if n == 1 and shape[at] ~= 1 then
      squeezed[#squeezed + 1] = d - 1
    else
      dims[#dims + 1] = at - 1
    end
  end
  return lax.broadcast_in_dim(lax.squeeze(x, squeezed), shape, dims)
end

--- x stretched to the shape, and no literal.
function M.filled(x, shape)
  if core.is_literal(x) then
    return lax.full(shape, x.value, x.aval.dtype, x.aval.weak)
  end
  return M.stretch(x, shape)
end

--- The arguments as values of one type, a float by a rule (types.inexact);
--- gives the type and weakness, too. Integers become floats at once: a common
--- type may not hold them (u32 and i8 give i32).
function M.promoted(name, args, rule)
  local avals = {}
  for i = 1, #args do
    args[i] = M.value(args[i], name)
    avals[i] = core.aval_of(args[i])
  end
  local dtype, weak = types.result_type(avals)
  if rule then dtype = rule(dtype) end
  for i = 1, #args do args[i] = M.as_type(args[i], dtype, weak) end
  return args, dtype, weak
end

--- Each value stretched to the shape of all; gives the shape too.
function M.stretched(name, args)
  local shapes = {}
  for i = 1, #args do shapes[i] = core.shape_of(args[i]) end
  local shape = M.broadcast_shapes(name, shapes)
  for i = 1, #args do args[i] = M.stretch(args[i], shape) end
  return args, shape
end

--- The arguments as values of one shape and one type.
function M.together(name, args)
  local _, dtype, weak = M.promoted(name, args)
  local _, shape = M.stretched(name, args)
  return args, dtype, weak, shape
end

--- The same, as floats.
function M.together_float(name, args, rule)
  local _, dtype, weak = M.promoted(name, args, rule or types.inexact)
  local _, shape = M.stretched(name, args)
  return args, dtype, weak, shape
end

--- lax.dot_general; products and sums of bool are bool: any of all.
function M.contract(x, y, numbers)
  local t = core.dtype_of(x)
  if t ~= "bool" then return lax.dot_general(x, y, numbers) end
  local out = lax.dot_general(lax.convert_element_type(x, "i32"),
                              lax.convert_element_type(y, "i32"), numbers)
  return lax.ne(out, lax.full_like(out, 0))
end

return M
