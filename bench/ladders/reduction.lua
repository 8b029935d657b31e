-- SPDX-License-Identifier: Apache-2.0
-- The reduction ladder (lesson 22): the sum of n floats, every step of
-- reduction.cu beside a copy on the device (its bytes counted twice, read and
-- written) and a kernel that only reads.
local ladder = dofile("bench/ladder.lua")

local STEPS = {
  {"step1", "1 neighbours", 256}, {"step2", "2 close ranks", 256},
  {"step3", "3 side by side", 256}, {"step4", "4 add on the way in", 512},
  {"step5", "5 the last warp alone", 512}, {"step6", "6 shuffles", 512},
}

-- Step 8 over `count` floats of `from`. A second block_sum of a block may only
-- write its cells once the first is read: the ticket's barrier is in between.
local function finisher(kernels, blocks, from, count, data)
  local launch = kernels.step8[{blocks, 512}]
  return function() launch(from, data.parts8, data.out, data.done, count) end
end

local function rungs_of(kernels, data, n)
  local processors = cuda.device().attributes.multiprocessor_count
  local rungs = {}
  local function add(name, first, partials)
    local last = partials and
      finisher(kernels, math.max(1, math.min(processors, partials // 4096)),
               data.parts, partials, data)
    table.insert(rungs, {name = name, run = function()
      first()
      if last then last() end
    end})
  end
  for _, s in ipairs(STEPS) do
    local launch = kernels[s[1]][{n // s[3], 256}]
    add(s[2], function() launch(data.x, data.parts) end, n // s[3])
  end
  local many = 16 * processors
  local launch = kernels.step7[{many, 256}]
  add("7 many elements a thread", function()
    launch(data.x, data.parts, n)
  end, many)
  for _, blocks in ipairs{2, 4, 8} do
    add(("8 four at a time, %d blocks each"):format(blocks),
        finisher(kernels, blocks * processors, data.x, n, data))
  end
  return rungs
end

local function bounds_of(kernels, data, n)
  local processors = cuda.device().attributes.multiprocessor_count
  local launch = kernels.read[{4 * processors, 512}]
  return {
    {name = "copy on the device", bytes = 8 * n, is_bound = true,
     run = function() data.other:copy_from(data.x) end},
    {name = "read and forget", is_bound = true, is_peer = true,
     run = function() launch(data.x, data.out, n) end},
  }
end

local function make_data(kernels, n)
  local data = {x = cuda.device_array(n, "f32"),
                other = cuda.device_array(n, "f32"),
                parts = cuda.device_array(math.max(n // 256, 4096), "f32"),
                parts8 = cuda.device_array(8192, "f32"),
                out = cuda.device_array(1, "f32"),
                done = cuda.to_device(np.zeros(1, "u32"))}
  kernels.fill[{1024, 256}](data.x, n)
  return data
end

-- No partial sum is rounded, so any distance from the sum is a mistake.
local function error_of(rung, data, want)
  data.out:fill(0 / 0)
  data.parts:fill(0 / 0)
  rung.run()
  return math.abs(data.out:copy_to_host()[0] - want)
end

local function exact_sum(kernels, data, n)
  local sum = cuda.to_device(np.zeros(1, "i32"))
  kernels.exact[{256, 256}](data.x, sum, n)
  return sum:copy_to_host()[0]
end

local function print_rungs(rungs, n, copy)
  for _, rung in ipairs(rungs) do
    local bytes = rung.bytes or 4 * n
    local rate = rung.ms and bytes / rung.ms / 1e6
    local most = copy.ms and copy.bytes / copy.ms / 1e6
    print(("| 2^%d | %s | %s | %s | %s |"):format(math.log(n, 2) // 1,
      rung.name, ladder.cells(rung), rate and ("%.0f | %.1f %%"):format(rate,
        100 * rate / most) or "- | -",
      rung.is_bound and "" or ladder.error_cell(rung)))
  end
end

local function summary(rungs, copy, n)
  local best
  for _, rung in ipairs(rungs) do
    if rung.ms and not rung.is_bound and (not best or rung.ms < best.ms) then
      best = rung
    end
  end
  if not best or not copy.ms then return end
  local share = (4 * n / best.ms) / (copy.bytes / copy.ms)
  print(("# n = 2^%d: %s is at %.1f %% of the copy's rate, %s"):format(
    math.log(n, 2) // 1, best.name, 100 * share,
    share >= 0.9 and "90 or more" or "less than 90"))
end

local function with_size(kernels, n)
  local data = make_data(kernels, n)
  local want = exact_sum(kernels, data, n)
  local rungs = rungs_of(kernels, data, n)
  for _, rung in ipairs(rungs) do
    ladder.check(rung, 0, function()
      return error_of(rung, data, want)
    end)
  end
  local bounds = bounds_of(kernels, data, n)
  for _, bound in ipairs(bounds) do table.insert(rungs, bound) end
  ladder.time(rungs)
  print_rungs(rungs, n, bounds[1])
  summary(rungs, bounds[1], n)
  return rungs
end

local M = {}

--- Checks and times the ladder, prints it, gives its rungs.
function M.run(is_small)
  ladder.headline("the sum of n floats")
  print("| n | rung | ms | quartiles | GB/s | of the copy | error |")
  print("|---|---|---|---|---|---|---|")
  local kernels = cuda.module(ladder.text("bench/ladders/reduction.cu"),
                              {file = "reduction.cu"})
  local sizes = is_small and {1 << 20} or {1 << 26, 1 << 28}
  return ladder.climb(sizes, function(n) return with_size(kernels, n) end)
end

return M
