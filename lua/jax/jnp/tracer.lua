-- SPDX-License-Identifier: Apache-2.0
-- What a traced value looks like to the learner's code: an array whose elements
-- are not known. Operators and methods are jnp's functions.
local use = ...
local core = use("core/core")
local indexing = use("jnp/indexing")
local jnp = use.jnp
local Tracer = core.Tracer

Tracer.__name = "jax.Tracer"

for event, name in pairs{
  __add = "add", __sub = "subtract", __mul = "multiply", __div = "divide",
  __idiv = "floor_divide", __mod = "mod", __pow = "power",
  __band = "bitwise_and", __bor = "bitwise_or", __bxor = "bitwise_xor",
  __shl = "left_shift", __shr = "right_shift",
} do
  Tracer[event] = function(x, y) return jnp[name](x, y) end
end
function Tracer.__unm(x) return jnp.negative(x) end
function Tracer.__bnot(x) return jnp.invert(x) end

local bytes = use("compile/emit").bytes
local properties = {
  shape = function(x)
    return table.move(x.aval.shape, 1, #x.aval.shape, 1, {})
  end,
  dtype = function(x) return x.aval.dtype end,
  ndim = function(x) return #x.aval.shape end,
  size = function(x) return core.size(x.aval.shape) end,
  itemsize = function(x) return bytes[x.aval.dtype] end,
  nbytes = function(x)
    return bytes[x.aval.dtype] * core.size(x.aval.shape)
  end,
  weak_type = function(x) return x.aval.weak end,
  T = function(x) return jnp.transpose(x) end,
  mT = function(x) return jnp.matrix_transpose(x) end,
  at = function(x) return indexing.at(x) end,
}

local function method_of(x, name)
  local f = Tracer.methods[name] or rawget(jnp, name)
  if type(f) ~= "function" then return nil end
  local guarded = use.guard_method(x, name, f) -- no tail call: it counts frames
  return guarded
end

function Tracer.__index(x, name)
  if type(name) == "string" and name:find("^[%a_][%w_]*$") and
     name ~= "None" and name ~= "newaxis" then
    local property = properties[name]
    if property then return property(x) end
    -- The fields of a trace's own are nil where it has none.
    if rawget(x, "trace") == nil then return nil end
    return method_of(x, name)
  end
  return indexing.get(x, name)
end

-- A field of the trace's own, or the learner's x[0] = 1.
function Tracer.__newindex(x, name, value)
  if type(name) ~= "string" or not name:find("^%l+$") then
    indexing.refuse_assignment()
  end
  rawset(x, name, value)
end

function Tracer.__len(x)
  if #x.aval.shape == 0 then
    core.fail("argument", "TypeError", "an array without axes has no length")
  end
  return x.aval.shape[1]
end

function Tracer.__tostring(x)
  return "Traced<" .. core.aval_text(x.aval) .. ">"
end

-- A number that a function gave while tracing (jnp.reshape(2, {})) is used as
-- any traced value.
local Literal = core.Literal
for event, f in pairs(Tracer) do
  if type(event) == "string" and event:find("^__") then Literal[event] = f end
end
Literal.__newindex = nil
function Literal.__index(x, name)
  if type(name) ~= "string" or not name:find("^[%a_][%w_]*$") then
    return indexing.get(x, name)
  end
  local property = properties[name]
  if property then return property(x) end
  return method_of(x, name)
end
