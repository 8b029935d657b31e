-- SPDX-License-Identifier: Apache-2.0
-- One row of scale's side of run: growth.lua KIND N [FILE] prints
-- "milliseconds<tab>MB<tab>a number that both sides must have".
local kind, n, path = arg[1], math.tointeger(tonumber(arg[2])), arg[3]
local ELEMENTS = 1000000
local kinds = {}

-- Rows of a file that is read by chunks.
function kinds.array()
  local x = scale.from_npy(path, {chunks = {100000, -1}})
  return (x + 1):mean(0):sum():compute()
end

function kinds.frame()
  local df = scale.frame.read_csv(path)
  return df:groupby("name").balance:mean():compute():sum()
end

-- The same array in more and more chunks.
function kinds.chunks()
  local x = scale.array(np.arange(ELEMENTS, "f64"),
    {chunks = (ELEMENTS + n - 1) // n})
  return (x * 2 + 1):sum():compute()
end

-- On n devices: real ones where they are, else virtual.
function kinds.gpus()
  local rows = tonumber(path)
  local x = np.arange(rows * 8, "f32"):reshape(rows, 8) / rows
  return function()
    local y = scale.array(x, {chunks = {(rows + 7) // 8, -1}})
    return (y + 1):mean(0):sum():compute()
  end
end

-- ---- Time and memory ----

-- Processor time of this process; where devices are others, the clock's.
local function now()
  if kind ~= "gpus" then return os.clock() end
  return io.open("/proc/uptime"):read("n")
end

local function peak_kb(pid)
  local file = io.open(("/proc/%s/status"):format(pid))
  local text = file and file:read("a") or ""
  return tonumber(text:match("VmHWM:%s*(%d+)")) or 0
end

local function peak_mb()
  local kb, parent = peak_kb("self"), io.open("/proc/self/stat"):read("n")
  local file = io.open(("/proc/self/task/%d/children"):format(parent))
  for pid in (kind == "gpus" and file:read("a") or ""):gmatch("%d+") do
    kb = kb + peak_kb(pid)
  end
  return kb / 1024
end

local work = kinds[kind]
if kind == "gpus" then
  scale.Client{devices = n}
  work = work()
  work() -- kernels are compiled
end
-- The clock has hundredths of a second: calls of a second together are timed.
local least, result = math.huge, nil
for _ = 1, 3 do
  collectgarbage()
  local begin, calls = now(), 0
  repeat
    result, calls = work(), calls + 1
  until kind ~= "gpus" or now() - begin >= 1
  least = math.min(least, (now() - begin) * 1000 / calls)
end
print(("%.4g\t%.0f\t%.6g"):format(least, peak_mb(), result))
