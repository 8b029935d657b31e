-- SPDX-License-Identifier: Apache-2.0
-- Kills one of scale's four workers with SIGKILL at random moments of a
-- computation, one a round: no result may change, and no worker be missing.
-- Speaks TAP. Usage: warpshop run tests/load/scale_kill.lua [ROUNDS [SEED]]
local rounds = tonumber(arg[1]) or 100
local seed = tonumber(arg[2]) or os.time()
print(("# seed %d"):format(seed))
local r = np.random.default_rng(seed)
local a, b = r:random{120, 120}, r:random{120, 120}

-- Of all kinds: element by element, transposed, sums, products, rechunked.
local function result()
  local x = scale.array(a, {chunks = {15, 30}})
  local y = scale.array(b, {chunks = {40, 24}})
  local z = (x + x.T - x:mean(0)):map_blocks(function(c)
    local s = 0
    for i = 1, 40000 do s = s + i end
    return c * (s / s)
  end)
  return np.asarray(scale.matmul(z, y):rechunk(50):compute()),
    (z * 2):sum():compute()
end
local want, sum = result()

local c = scale.Client{n_workers = 4}
local function seconds_of(f)
  local begin = tonumber(io.open("/proc/uptime"):read("n"))
  f()
  return tonumber(io.open("/proc/uptime"):read("n")) - begin
end
result() -- workers have started
local longest = math.max(seconds_of(result), 0.05)
local wrong, during, before = 0, 0, c:counts().deaths
for round = 1, rounds do
  local deaths = c:counts().deaths
  local pid = c:workers()[r:integers(1, 5)].pid
  os.execute(("(sleep %.4f; kill -9 %d) 2>/dev/null &"):format(
    r:random() * longest, pid))
  local got, got_sum = result()
  if not np.array_equal(got, want) or got_sum ~= sum then
    wrong = wrong + 1
    print(("# round %d: another result"):format(round))
  end
  if c:counts().deaths > deaths then during = during + 1 end
  -- It is killed a moment later where the result was there first.
  repeat
    local stat = io.open(("/proc/%d/stat"):format(pid))
    local state = stat and stat:read("a"):match("%) (%a)")
    if stat then stat:close() end
  until not state or state == "Z"
  while c:counts().deaths == deaths do -- a dead one is found by who waits
    scale.gather(scale.map(function(n) return n end, {1, 2, 3, 4}))
  end
end
local deaths = c:counts().deaths - before
print(("# %d kills, %d during the computation, %d tasks again"):format(deaths,
  during, c:counts().again))
print((wrong == 0 and "ok" or "not ok") .. " 1 - every result is the same")
local is_whole = deaths == rounds and #c:workers() == 4
print((is_whole and "ok" or "not ok") .. " 2 - each killed worker was replaced")
print("1..2")
os.exit(wrong == 0 and is_whole)
