-- SPDX-License-Identifier: Apache-2.0
-- What a value is.
local M = {}

--- "frame", "series" or "groups"; nil of anything else.
function M.kind(x)
  local metatable = type(x) == "table" and getmetatable(x)
  return metatable and metatable.frame_kind
end

--- A table of options, as it stands behind other arguments: {size = 3}.
function M.is_options(x)
  return type(x) == "table" and not getmetatable(x) and x[1] == nil
    and next(x) ~= nil
end

return M
