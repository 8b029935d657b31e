-- SPDX-License-Identifier: Apache-2.0
-- What the ladders (lombscargle/, ladders/) share: how their rungs are timed
-- and compared. A rung is a table with `run`, which queues its work once; a
-- timed one has ms, low and high: the median of its rounds and their quartiles.
local M = {}

M.ROUNDS = 9
local SPAN_MS = 20 -- of runs in a row that are timed together

--- Is the device in use a GPU? The virtual one tries a ladder out, without
--- times.
M.is_real = cuda.device().id:find("cuda", 1, true) == 1

--- The text of a file of the project.
function M.text(path)
  local file = assert(io.open(path), "run this in the project's root")
  local text = file:read("a")
  file:close()
  return text
end

--- Milliseconds of one of `runs` runs in a row, by the device's events.
local function ms_of(run, runs)
  local from, to = cuda.event(), cuda.event()
  from:record()
  for _ = 1, runs do run() end
  to:record()
  to:synchronize()
  return from:elapsed(to) / runs
end

--- The rungs of all sizes: what with_size(n) gives, one after the other.
function M.climb(sizes, with_size)
  local all = {}
  for _, n in ipairs(sizes) do
    local rungs = with_size(n)
    table.move(rungs, 1, #rungs, #all + 1, all)
    collectgarbage()
  end
  return all
end

--- Asks a rung's error, before it is timed. One that raises or is over the
--- bound is wrong: it is printed and not timed, and the others go on.
function M.check(rung, bound, error_of)
  local ok, result = pcall(error_of)
  rung.error, rung.failure = ok and result, not ok and tostring(result)
  local is_right = ok and result <= bound -- NaN is not
  rung.is_wrong = not is_right
  return not rung.is_wrong
end

--- A rung's error for its row.
function M.error_cell(rung)
  local text = rung.error and ("%.1e"):format(rung.error) or
    "failed: " .. rung.failure:gsub("%s+", " ")
  return rung.is_wrong and "WRONG, " .. text or text
end

local function summarise(rung, times)
  table.sort(times)
  rung.ms = times[(#times + 1) // 2]
  rung.low, rung.high = times[#times // 4 + 1], times[#times - #times // 4]
end

--- Times the rungs that are not wrong, which take turns in each round, so that
--- clocks and neighbours hit all alike.
function M.time(all)
  if not M.is_real then return end
  local times, rungs = {}, {}
  for _, rung in ipairs(all) do
    if not rung.is_wrong then table.insert(rungs, rung) end
  end
  for k, rung in ipairs(rungs) do
    ms_of(rung.run, 1)
    rung.runs = math.max(1, SPAN_MS // ms_of(rung.run, 2)) // 1
    times[k] = {}
  end
  for _ = 1, M.ROUNDS do
    for k, rung in ipairs(rungs) do
      collectgarbage() -- what a run before has left does not cost this one
      table.insert(times[k], ms_of(rung.run, rung.runs))
    end
  end
  for k, rung in ipairs(rungs) do summarise(rung, times[k]) end
end

--- "ms | low..high" of a rung, dashes of one that was not timed.
function M.cells(rung)
  return rung.ms and ("%.4f | %.4f..%.4f"):format(rung.ms, rung.low, rung.high)
    or "- | -"
end

--- The first line of a ladder's results: the machine and the day.
function M.headline(what)
  print(("# %s, %s · %s · medians of %d rounds"):format(cuda.device().name,
    os.date("!%F"), what, M.ROUNDS))
end

--- Runs CuPy's side of a ladder, if there is a GPU.
function M.peer(path)
  io.stdout:flush()
  if M.is_real then os.execute("${PYTHON:-python3} " .. path) end
end

return M
