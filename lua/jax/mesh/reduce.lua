-- SPDX-License-Identifier: Apache-2.0
-- One array of several ranks, in the order of the ranks: the same bits on every
-- run, and on however many devices the ranks are.
local use = ...
local np = use.np
local M = {}

local folds = {sum = np.add, prod = np.multiply, min = np.minimum,
               max = np.maximum}

--- What `op` may be, in NCCL's words.
M.names = {"sum", "prod", "min", "max", "avg"}

--- The host arrays `list`, of one shape and type, folded from the first on; the
--- type stays. `avg` of whole numbers rounds down.
function M.in_order(op, list)
  local fold, mine = folds[op] or np.add, list[1]
  for k = 2, #list do mine = np.asarray(fold(mine, list[k]), list[1].dtype) end
  if op ~= "avg" then return mine end
  local is_float = mine.dtype:find("^b?f") ~= nil
  return np.asarray(is_float and mine / #list or mine // #list, mine.dtype)
end

return M
