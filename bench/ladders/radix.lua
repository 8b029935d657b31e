-- SPDX-License-Identifier: Apache-2.0
-- The sort ladder (lesson 27): n keys of 32 bits by the radix sorts of
-- radix.cu. peer.py sorts as many by CuPy. A result that is not in order, or of
-- other keys, is a failure.
local ladder = dofile("bench/ladder.lua")

local TILE, DIGITS = 8192, 256 -- radix.cu's

local function ceil_div(a, b) return (a + b - 1) // b end

-- `passes` passes from data.keys to data.two, by way of one and two in turns.
local function sort_by(data, passes, pass)
  local from = data.keys
  for k = 0, passes - 1 do
    local to = k % 2 == 0 and data.one or data.two
    pass(from, to, k)
    from = to
  end
end

local function lesson_rung(kernels, data, n)
  local blocks = ceil_div(n, 128)
  local counts = cuda.device_array(16 * blocks, "u32")
  local count = kernels.count4[{blocks, 128}]
  local place = kernels.place4[{blocks, 128}]
  local starts = kernels.starts4[{1, 32}]
  return {name = "1 4 bits, blocks of 128, 24 launches", run = function()
    sort_by(data, 8, function(from, to, k)
      count(from, counts, n, 4 * k)
      starts(counts, 16 * blocks)
      place(from, counts, to, n, 4 * k)
    end)
  end}
end

local function tiles_rung(kernels, data, n)
  local tiles = ceil_div(n, TILE)
  local counts = cuda.device_array(DIGITS * tiles, "u32")
  local totals = cuda.device_array(DIGITS, "u32")
  local count = kernels.count8[{tiles, 512}]
  local place = kernels.place8[{tiles, 512}]
  local starts = kernels.starts8[{DIGITS, DIGITS}]
  return {name = "2 8 bits, tiles in order, 12 launches", run = function()
    sort_by(data, 4, function(from, to, k)
      count(from, counts, n, 8 * k)
      starts(counts, totals, tiles)
      place(from, counts, totals, to, n, 8 * k)
    end)
  end}
end

local function sweep_rung(kernels, data, n)
  local tiles = ceil_div(n, TILE)
  local function zeros(count) return cuda.to_device(np.zeros(count, "u32")) end
  local counts, tickets = zeros(4 * DIGITS), zeros(4)
  local starts = cuda.device_array({4, DIGITS}, "u32")
  local states = cuda.device_array({4, tiles * DIGITS}, "u32")
  local processors = cuda.device().attributes.multiprocessor_count
  local blocks = math.min(4 * processors, ceil_div(n, 2048))
  local count_all = kernels.count_all[{blocks, 512}]
  local starts_all = kernels.starts_all[{4, DIGITS}]
  local sweep = kernels.sweep[{tiles, 512}]
  local own = {}
  for k = 0, 3 do
    own[k] = {starts[k], states[k], tickets[("%d:%d"):format(k, k + 1)]}
  end
  return {name = "3 8 bits, one launch a pass, 6 launches", run = function()
    count_all(data.keys, counts, states, tickets, n, 4 * tiles * DIGITS)
    starts_all(counts, starts)
    sort_by(data, 4, function(from, to, k)
      sweep(from, to, own[k][1], own[k][2], own[k][3], n, 8 * k)
    end)
  end}
end

-- How many keys are out of order, and a number that the same keys have in any
-- order.
local function look_at(kernels, keys, n)
  local out = cuda.to_device(np.zeros(2, "u64"))
  kernels.look[{256, 256}](keys, out, n)
  local host = out:copy_to_host()
  return host[0], host[1]
end

-- Keys of all kinds, and some of which most digits are the same.
local MASKS = {0x00000301, 0xffff0000, 0xffffffff}

local function error_of(rung, kernels, data, n)
  local worst = 0
  for _, mask in ipairs(MASKS) do
    kernels.fill[{256, 256}](data.keys, mask, n)
    data.two:fill(0)
    rung.run()
    local _, before = look_at(kernels, data.keys, n)
    local wrong, after = look_at(kernels, data.two, n)
    worst = math.max(worst, wrong)
    if before ~= after then error("the keys are others than before", 0) end
  end
  return worst
end

local function print_rungs(rungs, n)
  for _, rung in ipairs(rungs) do
    local rate = rung.ms and ("%.2f | %.1f x"):format(n / rung.ms / 1e6,
      rungs[1].ms and rungs[1].ms / rung.ms or 0 / 0) or "- | -"
    print(("| %d | %s | %s | %s | %s |"):format(n, rung.name,
      ladder.cells(rung), rate, ladder.error_cell(rung)))
  end
end

local function with_size(kernels, n)
  local data = {}
  for _, name in ipairs{"keys", "one", "two"} do
    data[name] = cuda.device_array(n, "u32")
  end
  local rungs = {lesson_rung(kernels, data, n), tiles_rung(kernels, data, n),
                 sweep_rung(kernels, data, n)}
  for _, rung in ipairs(rungs) do
    ladder.check(rung, 0, function()
      return error_of(rung, kernels, data, n)
    end)
  end
  ladder.time(rungs)
  print_rungs(rungs, n)
  return rungs
end

local M = {}

--- Checks and times the ladder, prints it, gives its rungs.
function M.run(is_small)
  ladder.headline("n random u32 sorted; error: keys above the next")
  print("| n | rung | ms | quartiles | 10^9 keys/s | to rung 1 | error |")
  print("|---|---|---|---|---|---|---|")
  local kernels = cuda.module(ladder.text("bench/ladders/radix.cu"),
                              {file = "radix.cu"})
  -- 20,003: two tiles and a half, and no multiple of anything.
  local sizes = is_small and {20003} or {1 << 20, 1 << 24, 1 << 26}
  return ladder.climb(sizes, function(n) return with_size(kernels, n) end)
end

return M
