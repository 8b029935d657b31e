-- SPDX-License-Identifier: Apache-2.0
-- jnp: NumPy's functions in terms of the primitives, with JAX's types.
local use = ...
local core = use("core")
local lax = use("lax")
local api = use("api")
local types = use("types")
local M = {}

local function value(x) return api.as_value(x, "an argument") end

-- ---- Broadcasting and promotion ----

local function broadcast_shapes(name, shapes)
  local rank, out = 0, {}
  for _, s in ipairs(shapes) do rank = math.max(rank, #s) end
  for d = 1, rank do
    out[d] = 1
    for _, s in ipairs(shapes) do
      local n = s[d - rank + #s] or 1
      if n ~= 1 and out[d] ~= 1 and n ~= out[d] then
        local text = {}
        for i, shape in ipairs(shapes) do text[i] = core.shape_text(shape) end
        core.fail("argument", "TypeError", "%s: shapes do not go together: %s",
                  name, table.concat(text, ", "))
      end
      if n ~= 1 then out[d] = n end
    end
  end
  return out
end
M.broadcast_shapes = function(...) return broadcast_shapes("broadcast_shapes", {...}) end

-- x of this type; literals stay literals.
local function as_type(x, dtype, weak)
  if core.is_literal(x) then
    local v = x.value
    if types.is_float(dtype) then
      v = v == true and 1.0 or v == false and 0.0 or v + 0.0
    end
    return core.literal(v, dtype, weak)
  end
  return lax.convert_element_type(x, dtype, weak)
end

-- x stretched to the shape, by trailing axes; literals go with every shape.
local function stretch(x, shape)
  local own = core.shape_of(x)
  if core.is_literal(x) or core.same_shape(own, shape) then return x end
  local dims, kept, squeezed = {}, {}, {}
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

-- The arguments as values of one shape and, unless keep_types, one type.
local function together(name, args, keep_types)
  local avals, shapes = {}, {}
  for i = 1, #args do
    args[i] = value(args[i])
    avals[i] = core.aval_of(args[i])
    shapes[i] = avals[i].shape
  end
  local shape = broadcast_shapes(name, shapes)
  local dtype, weak = types.result_type(avals)
  for i = 1, #args do
    if not keep_types then args[i] = as_type(args[i], dtype, weak) end
    args[i] = stretch(args[i], shape)
  end
  return args, dtype, shape
end

local function binary(name, prim)
  M[name] = function(x, y)
    local args = together(name, {x, y})
    return lax[prim](args[1], args[2])
  end
end
binary("add", "add") binary("subtract", "sub") binary("multiply", "mul")
binary("divide", "div") binary("power", "pow")
for name, prim in pairs{exp = "exp", sin = "sin", cos = "cos", tanh = "tanh",
                        negative = "neg", log = "log"} do
  M[name] = function(x) return lax[prim](value(x)) end
end
function M.sum(x)
  x = value(x)
  local axes = {}
  for d = 1, #core.shape_of(x) do axes[d] = d - 1 end
  return lax.reduce_sum(x, axes)
end
function M.array(x, dtype)
  return use("exec").device_put(use.np.array(x, dtype))
end
return M
