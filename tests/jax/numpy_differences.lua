-- SPDX-License-Identifier: Apache-2.0
-- The differences from NumPy and JAX that docs/coverage.md lists, each with its
-- reason there: numpy_programs.lua counts them and prints all others.
local list = {}

--- The reason of a known difference, or nil.
return function(class, row, text)
  for _, known in ipairs(list) do
    if known.classes[class] and known.is(row, text) then return known.reason end
  end
end
