-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: reductions that are made of others.
local _, _, _, core = ...

local function counting(lib, define)
  local xp = lib.xp
  for new, old in pairs{amax = "max", amin = "min"} do
    define(new, nil, function(...) return xp[old](...) end)
  end
  define("count_nonzero", {"a", "axis", "keepdims"},
         function(a, axis, keepdims)
    a = lib.array(a, "count_nonzero")
    local mask = a.dtype == "bool" and a or xp.not_equal(a, 0)
    return xp.sum(mask, {axis = axis, keepdims = keepdims})
  end)
  define("ptp", {"a", "axis", "keepdims"}, function(a, axis, keepdims)
    a = lib.array(a, "ptp")
    return lib.plain(xp.subtract(lib.reduced("max", a, axis, keepdims),
                                 lib.reduced("min", a, axis, keepdims)))
  end)
end

core.family(function(lib)
  counting(lib, lib.define)
end)
