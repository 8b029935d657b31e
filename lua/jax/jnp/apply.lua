-- SPDX-License-Identifier: Apache-2.0
-- jnp: functions of functions, membership, other views of the same bytes, and
-- files.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local arrays = use("core/arrays")
local jnp, np = use.jnp, use.np
local M = {}

local function shape_of(x) return core.shape_of(x) end

-- ---- Membership ----

--- isin(x, values): which elements are among the values.
function M.isin(x, values, ...)
  local o = args.named("isin", {"assume_unique", "invert"}, ...)
  x = args.array(x, "isin")
  values = jnp.ravel(args.array(values, "isin"))
  local found = jnp.any(jnp.equal(jnp.expand_dims(x, -1), values), -1)
  return o.invert and jnp.logical_not(found) or found
end

-- ---- Other views ----

local bytes = use("compile/emit").bytes

--- view(x, dtype): the same bytes as another type; the last axis gets longer or
--- shorter where the widths differ.
function M.view(x, dtype)
  x = args.array(x, "view")
  dtype = args.dtype(dtype, "view")
  if dtype == nil then return x end
  local shape = args.copy(shape_of(x))
  local own = core.dtype_of(x)
  if own == "bool" then own, x = "u8", lax.convert_element_type(x, "u8") end
  if dtype == "bool" then
    core.fail("unsupported", "NotImplementedError", "view: bool")
  end
  local rank, wide, narrow = #shape, bytes[own], bytes[dtype]
  if wide == narrow then return lax.bitcast_convert_type(x, dtype) end
  if rank == 0 then
    args.fail("view", "ValueError", "the width of a scalar cannot change")
  end
  if wide > narrow then
    shape[rank] = shape[rank] * (wide // narrow)
    return lax.reshape(lax.bitcast_convert_type(x, dtype), shape)
  end
  local n = narrow // wide
  if shape[rank] % n ~= 0 then
    args.fail("view", "ValueError", "the last axis, of size %d, must be " ..
              "divisible by %d", shape[rank], n)
  end
  shape[rank] = shape[rank] // n
  shape[rank + 1] = n
  return lax.bitcast_convert_type(lax.reshape(x, shape), dtype)
end

-- ---- Files ----

--- load(path): the array of a .npy file.
function M.load(...)
  local x = np.load(...)
  return use.is_array(x) and arrays.device_put(x) or x
end
function M.save(...) return np.save(...) end

return M
