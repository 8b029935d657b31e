-- SPDX-License-Identifier: Apache-2.0
-- What a jitted function is called. Lua's functions have no names; a variable
-- that holds one does.
local use = ...
local M = {}

M.NONE = "<lambda>" -- JAX's word

-- The global that holds x.
local function global_of(x)
  for name, value in next, _G do
    if rawequal(value, x) and type(name) == "string" then return name end
  end
end

--- The name of the function, or of what jax.jit made of it: that of a global
--- variable, or of the one by which it is called now.
function M.of(jitted)
  return global_of(jitted.f) or global_of(jitted) or use.called_as(jitted) or
         M.NONE
end

--- What the names of a function's kernels begin with.
function M.prefix(name)
  name = name and name:match("^_*(%a[%w_]*)$")
  return name and #name <= 40 and name .. "_" or ""
end

return M
