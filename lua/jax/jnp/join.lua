-- SPDX-License-Identifier: Apache-2.0
-- jnp: arrays joined.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local jnp = use.jnp
local M = {}

local function array(x, name) return args.array(x, name) end
local function shape_of(x) return core.shape_of(x) end

-- ---- Joining ----

--- concatenate(arrays, axis): axis 0 without one.
function M.concatenate(arrays, ...)
  if type((...)) == "userdata" or core.is_tracer((...)) then
    args.fail("concatenate", "TypeError", "the arrays stand in a table: " ..
              "jnp.concatenate({x, y})")
  end
  local o = args.named("concatenate", {"axis", "dtype"}, ...)
  local list = args.arrays(arrays, "concatenate")
  for i, x in ipairs(list) do list[i] = array(x, "concatenate") end
  if o.dtype then
    for i, x in ipairs(list) do list[i] = jnp.astype(x, o.dtype) end
  end
  list = args.promoted("concatenate", list)
  if o.axis == "None" then
    for i, x in ipairs(list) do list[i] = jnp.ravel(x) end
    o.axis = 0
  end
  local rank = #shape_of(list[1])
  if rank == 0 then
    args.fail("concatenate", "ValueError",
              "Zero-dimensional arrays cannot be " ..
              "concatenated: jnp.stack joins them")
  end
  return lax.concatenate(list, args.axis(o.axis or 0, rank, "concatenate"))
end

return M
