-- SPDX-License-Identifier: Apache-2.0
-- What writes in NumPy and gives a new array here: its options, and the new
-- array.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local indexing = use("jnp/indexing")
local jnp = use.jnp
local M = {}

--- into[name] is name(arr, ..., {inplace = false}), whose other arguments have
--- these names.
function M.define(into, name, names, f)
  names = args.copy(names)
  names[#names + 1] = "inplace"
  into[name] = function(a, ...)
    local o = args.named(name, names, ...)
    if o.inplace ~= false then
      args.fail(name, "ValueError", "it cannot modify arrays in-place, " ..
                "because JAX arrays are immutable: {inplace = false} gives " ..
                "an updated array")
    end
    local x = args.array(a, name)
    return f(x, o, core.shape_of(x))
  end
end

--- x with the values at these places of all its elements.
function M.put_flat(x, shape, at, values)
  values = jnp.astype(values, core.dtype_of(x))
  local flat = lax.reshape(x, {core.size(shape)})
  return lax.reshape(indexing.update(flat, at, "set", values), shape)
end

--- The values at places 0, 1, 2 ..., again and again.
function M.cycled(values, at)
  values = jnp.ravel(args.is_list(values) and jnp.array(values) or values)
  return jnp.take(values, jnp.remainder(at, core.shape_of(values)[1]),
                  {mode = "clip"})
end

return M
