-- SPDX-License-Identifier: Apache-2.0
-- The primitives as functions (jax.lax). A Lua number among the arguments of an
-- elementwise one takes the type of the arrays; shapes must be equal. Families
-- with parameters add their functions in prims/.
local use = ...
local core = use("core/core")
local config = use("core/config")
local M = {}

--- A Lua number as a literal of the type of x.
function M.like(value, x)
  return core.literal(value, core.dtype_of(x))
end

local function with_literals(args)
  local first
  for i = 1, #args do
    local x = args[i]
    if type(x) ~= "number" and type(x) ~= "boolean" then first = first or x end
  end
  for i = 1, #args do
    local x = args[i]
    if type(x) == "number" or type(x) == "boolean" then
      args[i] = first and M.like(x, first) or
        core.literal(x, type(x) == "boolean" and "bool" or
                        math.type(x) == "integer" and config.int() or
                        config.float(), true)
    end
  end
  return args
end

M.elementwise_names = {}

--- Defines M[name] for an elementwise primitive.
function M.elementwise(name)
  table.insert(M.elementwise_names, name)
  local prim = core.prims[name]
  M[name] = function(...)
    return core.bind(prim, {}, with_literals{...})[1]
  end
end

return M
