-- SPDX-License-Identifier: Apache-2.0
-- jax.ShapeDtypeStruct: an array's shape and type without an array.
local use = ...
local core = use("core/core")
local print = use("core/print")
local M = {}

local Struct = {__name = "jax.ShapeDtypeStruct"}

function Struct.__index(x, name)
  local a = rawget(x, "aval")
  if name == "shape" then return table.move(a.shape, 1, #a.shape, 1, {}) end
  if name == "dtype" then return a.dtype end
  if name == "ndim" then return #a.shape end
  if name == "size" then return core.size(a.shape) end
end

function Struct.__tostring(x)
  return ("ShapeDtypeStruct(shape=%s, dtype=%s)"):format(
    core.shape_text(x.aval.shape), print.numpy_names[x.aval.dtype])
end

--- One of this abstract value.
function M.of(aval) return setmetatable({aval = aval}, Struct) end

--- One of this shape and type: jax.ShapeDtypeStruct.
function M.new(shape, dtype)
  if type(shape) ~= "table" then
    core.fail("argument", "TypeError",
              "ShapeDtypeStruct(shape, dtype): the shape is a table")
  end
  local short
  for own, name in pairs(print.numpy_names) do
    if dtype == own or dtype == name then short = own end
  end
  if not short then
    core.fail("argument", "TypeError",
              "ShapeDtypeStruct: there is no type %s", tostring(dtype))
  end
  return M.of(core.aval(table.move(shape, 1, #shape, 1, {}), short))
end

return M
