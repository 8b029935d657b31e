-- SPDX-License-Identifier: Apache-2.0
-- cuda.comm between real GPUs: warpshop run --device cuda:0 bench/comm/comm.lua
-- [RANKS [MIB]]. Prints rows of name, value and unit; comm.py prints the same.
local count = tonumber(arg[1]) or cuda.device_count()
local mib = tonumber(arg[2]) or 1024
local how = arg[3] -- "host", to see what that costs
local ids = {}
for r = 1, count do ids[r] = ("cuda:%d"):format(r - 1) end
local start = cuda.clock()
local comm = cuda.comm(ids, {transport = how})
local function row(name, value, unit)
  print(("%s\t%.4g\t%s"):format(name, value, unit))
end
print(("# %s, %d ranks"):format(comm.transport, count))
row("joining", cuda.clock() - start, "s")

local function settle(list)
  for _, x in ipairs(list) do x:block_until_ready() end
end

-- Seconds of one of `calls` calls, all waited for at the end: the best of 5.
local function seconds(f, calls)
  local best = math.huge
  for _ = 1, 5 do
    local from = cuda.clock()
    local y
    for _ = 1, calls do y = f() end
    settle(y)
    best = math.min(best, (cuda.clock() - from) / calls)
  end
  return best
end

-- On each rank: x of so many floats.
local function bring(n)
  local list = {}
  for r, id in ipairs(ids) do
    cuda.select(id)
    list[r] = cuda.device_array(n, "f32")
    list[r]:fill(r)
  end
  settle(list)
  return list
end

local small, out = bring(2), bring(2)
local function reduce_small() return comm:all_reduce(small, {out = out}) end
settle(reduce_small())
row("all_reduce_8B", seconds(reduce_small, 1) * 1e6, "us, each waited for")
row("all_reduce_8B_row", seconds(reduce_small, 200) * 1e6, "us, 200 in a row")
row("all_reduce_8B_new", seconds(function()
  return comm:all_reduce(small)
end, 1) * 1e6, "us, into new arrays")

local bytes = mib << 20
local large = bring(bytes // 4)
local function reduce_large() return comm:all_reduce(large, {out = large}) end
settle(reduce_large())
local s = seconds(reduce_large, 5)
row("all_reduce", s * 1e3, "ms")
row("all_reduce_bus", 2 * (count - 1) / count * bytes / s / 1e9, "GB/s")

-- Into a new array, or one that is there.
local function send_row(name, into, unit)
  local function send()
    comm[0]:send(large[1], 1)
    return {comm[1]:recv(into, 0)}
  end
  settle(send())
  row(name, bytes / seconds(send, 5) / 1e9, unit)
end
send_row("send", nil, "GB/s")
send_row("send_into", bring(bytes // 4)[2],
  "GB/s, and copied into another array")
