-- SPDX-License-Identifier: Apache-2.0
-- jnp: NumPy's functions in terms of the primitives, with JAX's types.
local use = ...
local core = use("core")
local lax = use("lax")
local api = use("api")
local M = {}

local function value(x) return api.as_value(x, "an argument") end

local function binary(name, prim)
  M[name] = function(x, y)
    x, y = value(x), value(y)
    return lax[prim](x, y)
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
