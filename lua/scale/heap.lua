-- SPDX-License-Identifier: Apache-2.0
-- A queue from which the task comes first whose `order` is least.
local M = {}
M.__index = M

function M.new() return setmetatable({}, M) end

function M:push(t)
  local i = #self + 1
  while i > 1 and self[i // 2].order > t.order do
    self[i] = self[i // 2]
    i = i // 2
  end
  self[i] = t
end

-- Lets t sink from the top.
local function sink(self, t)
  local i, n = 1, #self
  while 2 * i <= n do
    local child = 2 * i
    if child < n and self[child + 1].order < self[child].order then
      child = child + 1
    end
    if self[child].order >= t.order then break end
    self[i] = self[child]
    i = child
  end
  self[i] = t
end

--- The first, or nil.
function M:pop()
  local first, last = self[1], self[#self]
  self[#self] = nil
  if #self > 0 then sink(self, last) end
  return first
end

return M
