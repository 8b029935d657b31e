-- SPDX-License-Identifier: Apache-2.0
-- frame's half: NAME<tab>milliseconds.
local path = ...

local function row(name, f)
  local start = os.clock()
  local x = f()
  print(("%s\t%.3f"):format(name, (os.clock() - start) * 1000))
  return x
end

local df = row("read_csv", function() return frame.read_csv(path) end)
local other = frame.read_csv(path .. ".right")
for _, one in ipairs(dofile("bench/frame/rows.lua")) do
  local _ = row(one[1], function() return one[2](df, other) end)
end
