-- SPDX-License-Identifier: Apache-2.0
-- jnp: arrays as sets, numbers of elements, and choosing by them. How many
-- elements a set has depends on values, so these need known arrays, as JAX's do
-- without `size`.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local jnp = use.jnp
local M = {}

local array = args.array_or_table

--- argpartition(a, kth, axis): the order of a sorted array is one of those
--- that NumPy allows.
function M.argpartition(a, kth, ...)
  local o = args.named("argpartition", {"axis"}, ...)
  local x = array(a, "argpartition")
  local axis = o.axis == nil and -1 or o.axis
  local rows, d = args.flat_or_axis(x, axis, "argpartition")
  local n = core.shape_of(rows)[d + 1]
  if math.type(kth) ~= "integer" or kth < -n or kth >= n then
    args.fail("argpartition", "ValueError", "kth = %s of an axis of %d",
              tostring(kth), n)
  end
  return args.as_type(jnp.argsort(x, axis), "i32")
end

for _, name in ipairs{"cummax", "cummin"} do
  --- name(a, axis): the largest (smallest) so far.
  M[name] = function(a, ...)
    local o = args.named(name, {"axis"}, ...)
    return lax[name](args.flat_or_axis(array(a, name), o.axis, name))
  end
end

return M
