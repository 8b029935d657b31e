-- SPDX-License-Identifier: Apache-2.0
-- jnp: NumPy's functions in terms of the primitives, with JAX's types. This
-- file only joins the parts, which are cut by theme.
local use = ...
local M = {}

local function add(part)
  for name, f in pairs(part) do
    if M[name] ~= nil then error("jnp has two functions " .. name) end
    M[name] = f
  end
end

add(use("jnp/create"))
add(use("jnp/math"))
add(use("jnp/special"))
add(use("jnp/shape"))
add(use("jnp/join"))
add(use("jnp/reduce"))
add(use("jnp/product"))
add(use("jnp/apply"))
add(use("jnp/search"))
add(use("jnp/sets"))
add(use("jnp/put"))
add(use("jnp/policy"))

use.np_core.common(use.jnp, M)

return M
