-- SPDX-License-Identifier: Apache-2.0
-- jnp: NumPy's functions that write into an array give a new one here, and want
-- to be told so, as JAX's do: {inplace = false}.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local writing = use("jnp/writing")
local jnp = use.jnp
local M = {}

local put_flat, cycled = writing.put_flat, writing.cycled
local function define(name, names, f) writing.define(M, name, names, f) end

define("put_along_axis", {"indices", "values", "axis"}, function(x, o, shape)
  local i = args.indices(o.indices, "put_along_axis")
  local whole = shape
  local axis
  x, axis = args.flat_or_axis(x, o.axis, "put_along_axis")
  shape = core.shape_of(x)
  local own = core.shape_of(i)
  if #own ~= #shape then
    args.fail("put_along_axis", "ValueError", "the array has %d axes, the " ..
              "indices %d", #shape, #own)
  end
  local at = args.from_front(i, shape[axis + 1])
  local full = args.copy(shape)
  full[axis + 1] = own[axis + 1]
  at = jnp.broadcast_to(at, full)
  local flat = lax.full(full, 0, "i32")
  for d = 0, #shape - 1 do
    local own_at = d == axis and at or lax.iota("i32", full, d)
    flat = lax.add(lax.mul(flat, shape[d + 1]), own_at)
  end
  return lax.reshape(put_flat(x, shape, jnp.ravel(flat), jnp.ravel(
    jnp.broadcast_to(o.values, full))), whole)
end)

define("put", {"ind", "v", "mode"}, function(x, o, shape)
  local i, n = jnp.ravel(args.indices(o.ind, "put")), core.size(shape)
  if o.mode == "wrap" then
    i = jnp.remainder(i, n)
  elseif o.mode == "clip" then
    i = jnp.clip(i, 0, n - 1)
  else
    i = args.from_front(i, n)
  end
  return put_flat(x, shape, i, cycled(o.v, jnp.arange(core.shape_of(i)[1])))
end)

return M
