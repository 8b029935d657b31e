-- SPDX-License-Identifier: Apache-2.0
-- Why our counters and Nsight Compute's differ. We count PTX, it counts the
-- SASS that ptxas makes of it: so the SASS is looked at, and a difference is
-- explained only where its instructions give the number that ncu shows.
local sass = dofile("tests/gpu/counters/sass.lua")
local M = {}

-- Rounds of a loop where threads make different numbers of them: at most.
M.rounds = {divergent_loop = 31}

local function is_near(a, b)
  return math.abs(a - b) <= 0.0051 + 1e-6 * math.abs(b)
end

-- ---- Instructions ----

-- How often the kernel's loop ran, least and most. One loop that all warps run
-- alike: the count of all instructions tells, and must give a whole number.
local function rounds(c)
  if c.sass.loops == 0 then return 0, 0 end
  if M.rounds[c.kernel] then return 0, M.rounds[c.kernel] end
  local once, each = c.sass.once.all.most, c.sass.loop.all.most
  local n = (c.theirs["smsp__inst_executed.sum"] / c.warps - once) / each
  if c.sass.loops > 1 or n ~= math.floor(n) or n < 1 then return end
  n = math.floor(n)
  return n, n
end

local function say(c, low, high, least, most)
  if least > 0 and least == most then
    return ("SASS: %d instructions%s in %d rounds"):format(high,
      low < high and " at most" or "", most)
  end
  return low == high and ("SASS: %d instructions"):format(high)
    or ("SASS: %d to %d instructions%s"):format(low, high,
      c.sass.once.call and ", with its functions" or "")
end

-- Each of `count` warps or threads ran the instructions of those kinds.
local function executed(kinds, count)
  return function(c)
    if not c.sass then return end
    local least, most = rounds(c)
    if not least then return end
    local low, high = sass.count(c.sass, kinds, least, most)
    if c.value < low * c[count] or c.value > high * c[count] then return end
    return say(c, low, high, least, most)
  end
end

-- The number must follow from others that ncu gave.
local function follows(compute)
  return function(c)
    local value = compute(function(name) return c.theirs[name] end)
    return value and is_near(c.value, value) and "follows from the others"
  end
end

local function per(a, b)
  return follows(function(v) return v(a) and v(b) and v(a) / v(b) end)
end

-- No more than the branches that there are.
local function diverged(c)
  local branches = c.theirs["smsp__sass_branch_targets.sum"]
  if not c.sass or not branches or c.value > branches then return end
  return ("of %d branches in SASS"):format(branches)
end

local function uniform(v)
  local all = v("smsp__sass_branch_targets.sum")
  local parted = v("smsp__sass_branch_targets_threads_divergent.sum")
  return all and parted and (all == 0 and 0 or 100 * (all - parted) / all)
end

-- ---- Shared memory ----

-- Loads side by side become one of 8 or 16 bytes.
local function merged(c)
  local loads = c.sass and c.sass.loads
  if not loads or not (loads[2] or loads[4]) then return end
  local one, two, four = loads[1] or 0, loads[2] or 0, loads[4] or 0
  return one + two + four, one + 2 * two + 4 * four
end

local function merged_loads(c)
  local now, before = merged(c)
  if now and c.value * before == c.ours * now then
    return ("SASS: %d loads were merged into %d"):format(before, now)
  end
end

-- Each takes a pass for 16 lanes (8 for 16 bytes), half where lanes agree in
-- pairs: never more than the loads it stands for.
local function merged_passes(c)
  local now, before = merged(c)
  if now and c.value <= c.ours and c.value * before >= c.ours * now then
    return ("SASS: %d loads were merged into %d"):format(before, now)
  end
end

-- ---- The launch ----

local function registers(c)
  return c.ours > 0 and c.ours < 16 and c.value == 16 and
    "a launch gives each thread 16 at least"
end

-- L1 and shared memory share their place; the driver draws the line at one of
-- these sizes (CUDA C++ Programming Guide, compute capability 9.0, in KB), and
-- a block takes 1 KB more than it asks for.
local CARVE_OUTS = {8, 16, 32, 64, 100, 132, 164, 196, 228}

local function limit_shared(c)
  local most = CARVE_OUTS[#CARVE_OUTS]
  for _, size in ipairs(CARVE_OUTS) do
    -- The same block, which fits c.ours times into all of it.
    local low, high = most / (c.ours + 1), most / c.ours
    if math.floor(size / high) <= c.value and c.value <= size / low then
      return ("the driver left %d KB of L1 to shared memory"):format(size)
    end
  end
end

-- Ours supposes that all blocks take equally long.
local function achieved(c)
  return c.value <= c.ours * 1.01 and c.value >= c.ours / 2 and
    "blocks start and end one after the other"
end

-- ---- All ----

local function operation(name)
  return "smsp__sass_thread_inst_executed_op_" .. name .. "_pred_on.sum"
end

M.by_metric = {
  ["smsp__inst_executed.sum"] = executed({"all"}, "warps"),
  ["smsp__thread_inst_executed.sum"] = executed({"all"}, "threads"),
  ["smsp__thread_inst_executed_pred_on.sum"] = executed({"all"}, "threads"),
  ["smsp__sass_branch_targets.sum"] = executed({"branch"}, "warps"),
  ["smsp__sass_branch_targets_threads_divergent.sum"] = diverged,
  ["smsp__inst_executed_pipe_xu.sum"] =
    executed({"special", "slow_conversion"}, "warps"),
  ["smsp__inst_executed_pipe_tensor.sum"] = executed({"tensor_hfma"}, "warps"),
  [operation("integer")] = executed({"integer"}, "threads"),
  [operation("conversion")] =
    executed({"conversion", "slow_conversion"}, "threads"),
  [operation("fp64")] = executed({"dadd", "dmul", "dfma", "double"}, "threads"),
  [operation("hfma")] = executed({"hfma", "tensor_hfma"}, "threads"),
  ["smsp__thread_inst_executed_per_inst_executed.ratio"] =
    per("smsp__thread_inst_executed.sum", "smsp__inst_executed.sum"),
  ["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] =
    per("smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed.sum"),
  ["smsp__sass_average_branch_targets_threads_uniform.pct"] = follows(uniform),
  ["smsp__sass_inst_executed_op_shared_ld.sum"] = merged_loads,
  ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = merged_passes,
  ["launch__registers_per_thread"] = registers,
  ["launch__occupancy_limit_shared_mem"] = limit_shared,
  ["sm__warps_active.avg.pct_of_peak_sustained_active"] = achieved,
}
for _, name in ipairs{"fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd",
  "hmul"} do
  M.by_metric[operation(name)] = executed({name}, "threads")
end

--- Why ncu's number of that kernel's metric is not ours; nil when it is not
--- known. `kernels` is what sass.read gave, `ours` and `theirs` hold all values
--- of the kernel.
function M.explain(kernel, metric, kernels, ours, theirs)
  local rule = M.by_metric[metric]
  local c = {
    kernel = kernel, ours = ours[metric], value = theirs[metric],
    theirs = theirs, sass = kernels and kernels[kernel],
    warps = ours["smsp__warps_launched.sum"] or 0,
    threads = (ours["launch__grid_size"] or 0) *
      (ours["launch__block_size"] or 0),
  }
  return rule and rule(c) or nil
end

return M
