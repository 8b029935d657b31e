-- SPDX-License-Identifier: Apache-2.0
-- "; did you mean sum?" behind a name that no jax array has, or nothing.
local use = ...

local properties = {"shape", "dtype", "ndim", "size", "itemsize", "nbytes",
                    "weak_type", "T", "at", "device"}

return function(name)
  local names = {table.unpack(properties)}
  for key, value in pairs(use.jnp) do
    if type(value) == "function" then names[#names + 1] = key end
  end
  local near = use.nearest(name, names)
  return near and ("; did you mean %s?"):format(near) or ""
end
