-- SPDX-License-Identifier: Apache-2.0
-- The ladders of lessons 22, 26 and 27 on the device in use: every rung is
-- checked, then timed, and stands in a table beside what it is measured by.
--   warpshop run --device cuda:0 bench/ladders/run.lua [--small] [NAME...]
-- A few minutes; NAME is reduction, radix or matrix. --small, which the virtual
-- GPU always takes, tries the ladders out. A rung that is wrong is named and
-- not timed, and the run fails. peer.py prints CuPy's own behind them.
local ladder = dofile("bench/ladder.lua")

local chosen, is_small = {}, not ladder.is_real
for _, word in ipairs{...} do
  if word == "--small" then
    is_small = true
  else
    table.insert(chosen, word)
  end
end
if #chosen == 0 then chosen = {"reduction", "radix", "matrix"} end
cuda.set_deadline(0)

-- One ladder; what stops it does not stop the others.
local function climb(name)
  local ok, result = pcall(function()
    return dofile("bench/ladders/" .. name .. ".lua").run(is_small)
  end)
  print(ok and "" or ("# %s stopped: %s\n"):format(name, tostring(result)))
  io.stdout:flush()
  return ok and result
end

local wrong = {}
for _, name in ipairs(chosen) do
  local rungs = climb(name)
  if not rungs then table.insert(wrong, name) end
  for _, rung in ipairs(rungs or {}) do
    if rung.is_wrong then table.insert(wrong, name .. " " .. rung.name) end
  end
end
if not is_small then ladder.peer("bench/ladders/peer.py") end
if #wrong > 0 then error("wrong: " .. table.concat(wrong, "; "), 0) end
