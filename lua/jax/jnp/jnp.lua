-- SPDX-License-Identifier: Apache-2.0
-- jnp: NumPy's functions in terms of the primitives, with JAX's types. This
-- file only joins the parts, which are cut by theme.
local use = ...
local M = {}

for _, part in ipairs{"create", "math", "special", "shape", "join", "reduce",
                      "product", "einsum", "apply", "search", "sets", "put"} do
  for name, f in pairs(use("jnp/" .. part)) do
    if M[name] ~= nil then error("jnp has two functions " .. name) end
    M[name] = f
  end
end

use.np_core.common(use.jnp, M)

return M
