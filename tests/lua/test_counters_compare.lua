-- SPDX-License-Identifier: Apache-2.0
-- What tests/gpu/counters/compare.lua makes of Nsight Compute's CSV.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal
local compare = dofile("tests/gpu/counters/compare.lua")
local reasons = dofile("tests/gpu/counters/reasons.lua")
local sass = dofile("tests/gpu/counters/sass.lua")

-- luacheck: push no max line length
local LONG = [==[
==PROF== Connected to process 4242 (/x/driver)
==PROF== Profiling "coalesced" - 0: 0%....50%....100% - 9 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4242","driver","127.0.0.1","coalesced","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","Command line profiler metrics","smsp__inst_executed.sum","inst","22,528"
"0","4242","driver","127.0.0.1","coalesced","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","Command line profiler metrics","smsp__sass_average_branch_targets_threads_uniform.pct","%","99.87"
"0","4242","driver","127.0.0.1","coalesced","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","Command line profiler metrics","smsp__warps_launched.sum","warp","n/a"
"1","4242","driver","127.0.0.1","gather(const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","A ""quoted"" section","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","36804"
==PROF== Disconnected from process 4242
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","4243","coalesced","launch__grid_size","","256"
]==]
-- luacheck: pop

local RAW = [==[
"ID","Kernel Name","smsp__inst_executed.sum","launch__grid_size"
"","","inst",""
"0","coalesced","22,528","256"
"1","gather","1e3",""
]==]

test("cells", function()
  equal(compare.csv_line('"a","1,024","say ""no""","",plain'),
    {"a", "1,024", 'say "no"', "", "plain"})
  equal(compare.csv_line('"one"'), {"one"})
end)

test("numbers", function()
  equal(compare.number("1,024"), 1024)
  equal(compare.number("12,345.50"), 12345.5)
  equal(compare.number("n/a"), nil)
  equal(compare.number(""), nil)
end)

test("a metric a row, of several runs", function()
  local t = compare.parse_ncu(LONG)
  equal(t.coalesced["smsp__inst_executed.sum"], 22528)
  equal(t.coalesced["smsp__sass_average_branch_targets_threads_uniform.pct"],
    99.87)
  equal(t.coalesced["smsp__warps_launched.sum"], nil)
  equal(t.coalesced["launch__grid_size"], 256)
  equal(t.gather["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 36804)
end)

test("a kernel a row", function()
  local t = compare.parse_ncu(RAW)
  equal(t.coalesced["smsp__inst_executed.sum"], 22528)
  equal(t.coalesced["launch__grid_size"], 256)
  equal(t.gather["smsp__inst_executed.sum"], 1000)
  equal(t.gather["launch__grid_size"], nil)
end)

test("what is equal", function()
  assert(compare.is_equal(4, 4) and not compare.is_equal(4, 5))
  assert(compare.is_equal(17.97021484375, 17.97))
  assert(not compare.is_equal(17.97, 17.99))
  assert(compare.is_equal(0, 0))
end)

local OURS = "coalesced\tsmsp__inst_executed.sum\t30720\n" ..
  "coalesced\tlaunch__grid_size\t256\n" ..
  "coalesced\tsmsp__warps_launched.sum\t2048\n" ..
  "gather\tl1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\t36803\n"

-- Two kernels, as sass.read would describe them.
local straight = {
  once = {all = {least = 14, most = 14}, integer = {least = 3, most = 3}},
  loop = {}, loads = {}, loops = 0,
}
local looping = {
  once = {all = {least = 20, most = 27}, integer = {least = 5, most = 7},
    shared_load = {least = 1, most = 1}},
  loop = {all = {least = 6, most = 7}, integer = {least = 4, most = 4}},
  loads = {[1] = 16, [4] = 4}, loops = 1,
}
local kernels = {coalesced = straight, conflicts = looping}
local INST = "smsp__inst_executed.sum"
local INTEGER = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"

-- 64 blocks of 256 threads.
local function why(kernel, metric, ours, theirs, others)
  local a = {["smsp__warps_launched.sum"] = 512, launch__grid_size = 64,
    launch__block_size = 256, [metric] = ours}
  local b = others or {}
  b[metric] = theirs
  return reasons.explain(kernel, metric, kernels, a, b)
end

test("a straight kernel's instructions are as many as SASS has", function()
  equal(why("coalesced", INST, 9999, 14 * 512), "SASS: 14 instructions")
  equal(why("coalesced", INST, 9999, 14 * 512 + 1), nil)
  equal(why("coalesced", INTEGER, 9999, 3 * 16384), "SASS: 3 instructions")
  equal(why("coalesced", INTEGER, 9999, 4 * 16384), nil)
  equal(why("unknown", INST, 9999, 14 * 512), nil)
end)

test("a loop's rounds are whole, and the same for every kind", function()
  equal(why("conflicts", INST, 1, (27 + 4 * 7) * 512),
    "SASS: 55 instructions at most in 4 rounds")
  equal(why("conflicts", INST, 1, (27 + 4 * 7 + 1) * 512), nil)
  local four = {[INST] = (27 + 4 * 7) * 512}
  assert(why("conflicts", INTEGER, 1, (7 + 4 * 4) * 16384, four))
  equal(why("conflicts", INTEGER, 1, (7 + 5 * 4) * 16384, four), nil)
  equal(why("conflicts", INTEGER, 1, (4 + 4 * 4) * 16384, four), nil)
end)

test("merged loads", function()
  local loads = "smsp__sass_inst_executed_op_shared_ld.sum"
  equal(why("conflicts", loads, 131072, 81920),
    "SASS: 32 loads were merged into 20")
  equal(why("conflicts", loads, 131072, 98304), nil)
  equal(why("coalesced", loads, 131072, 81920), nil) -- nothing is merged there
  local passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
  assert(why("conflicts", passes, 131072, 98304))
  equal(why("conflicts", passes, 131072, 131073), nil)
  equal(why("conflicts", passes, 131072, 65536), nil)
end)

test("the launch", function()
  local registers = "launch__registers_per_thread"
  assert(why("coalesced", registers, 10, 16))
  equal(why("coalesced", registers, 20, 16), nil)
  equal(why("coalesced", registers, 0, 18), nil)
  local shared = "launch__occupancy_limit_shared_mem"
  equal(why("coalesced", shared, 228, 32),
    "the driver left 32 KB of L1 to shared memory")
  equal(why("coalesced", shared, 45, 20),
    "the driver left 100 KB of L1 to shared memory")
  equal(why("coalesced", shared, 228, 57), nil)
  local achieved = "sm__warps_active.avg.pct_of_peak_sustained_active"
  assert(why("coalesced", achieved, 24, 21))
  equal(why("coalesced", achieved, 24, 30), nil)
  equal(why("coalesced", achieved, 24, 2), nil)
end)

test("ratios follow from ncu's own numbers", function()
  local uniform = "smsp__sass_average_branch_targets_threads_uniform.pct"
  local branches = {["smsp__sass_branch_targets.sum"] = 26588,
    ["smsp__sass_branch_targets_threads_divergent.sum"] = 21504}
  equal(why("coalesced", uniform, 61.79, 19.12, branches),
    "follows from the others")
  equal(why("coalesced", uniform, 61.79, 20, branches), nil)
  equal(why("coalesced", uniform, 61.79, 19.12), nil)
end)

test("a report", function()
  local ours, order = compare.parse_ours(OURS)
  equal(order, {"coalesced", "gather"})
  local kinds = compare.kinds(cuda.counters())
  local rows, absent = compare.compare(ours, order, compare.parse_ncu(LONG),
    kinds, {coalesced = {once = {all = {least = 11, most = 11}}, loop = {},
      loads = {}, loops = 0}})
  equal(#rows, 3)
  equal(absent, {["smsp__warps_launched.sum"] = 1})
  local lines = {}
  local unexplained = compare.report(rows, absent, kinds, function(line)
    lines[#lines + 1] = line
  end)
  local text = table.concat(lines, "\n")
  equal(unexplained, 1) -- sectors have no excuse
  assert(text:find("gather .* 36803 +36804  UNEXPLAINED"))
  assert(text:find("coalesced .* 30720 +22528  SASS: 11 instructions"))
  assert(text:find("smsp__inst_executed.sum +0/ 1 +1  1.36..1.36"))
  assert(text:find("launch__grid_size +1/ 1"))
  assert(text:find("not given by ncu for 1 kernels: smsp__warps_launched.sum",
    1, true))
  assert(text:find("3 values compared: 1 equal, 1 differ for a reason that was "
    .. "checked, 1 without a reason", 1, true))
end)

test("what must be the same has no reason", function()
  for _, c in ipairs(compare.kinds(cuda.counters())) do
    if c.nsight:find("sectors") or c.nsight:find("bank_conflicts") or
      c.nsight:find("data_bytes") or c.nsight:find("maximum_warps") then
      equal(reasons.by_metric[c.nsight], nil, c.nsight)
    end
  end
end)

-- ---- SASS ----

-- An ELF file with one kernel of these instructions.
local function cubin(words)
  local names = "\0.names\0.text.k\0"
  local code = {}
  for _, w in ipairs(words) do
    code[#code + 1] = string.pack("<I8I8", w[1], w[2] or 0)
  end
  code = table.concat(code)
  local function header(name, at, bytes)
    return string.pack("<I4I4I8I8I8I8I4I4I8I8", name, 1, 0, 0, at, bytes, 0, 0,
      1, 0)
  end
  local at = 64 + #names + #code
  return "\127ELF" .. ("\0"):rep(36) .. string.pack("<I8", at) ..
    ("\0"):rep(10) .. string.pack("<I2I2I2", 64, 3, 1) .. names .. code ..
    header(0, 0, 0) .. header(1, 64, #names) .. header(8, 64 + #names, #code)
end

local IADD, LDS, EXIT = 0x7210, 0x7984, 0x794d
local function branch(predicate, words) -- from the next instruction
  return 0x947 | predicate << 12 | (words & 0xff) << 16 | (words >> 8) << 34
end

test("SASS of a straight kernel", function()
  local k = sass.read(cubin{{IADD}, {LDS, 6 << 9}, {LDS, 4 << 9}, {EXIT},
    {branch(7, -4)}, {0x7918}}).k
  equal(k.loops, 0)
  equal({sass.count(k, {"all"}, 0, 0)}, {4, 4})
  equal({sass.count(k, {"integer", "shared_load"}, 0, 0)}, {3, 3})
  equal(k.loads, {[1] = 1, [4] = 1})
end)

test("SASS of a loop, a guard and what a branch leaves out", function()
  -- @P0 exit; loop: add, add, @!P0 bra loop; @P1 bra end; add; end: exit
  local k = sass.read(cubin{{0x094d}, {IADD}, {IADD}, {branch(8, -12)},
    {branch(1, 4)}, {IADD}, {EXIT}}).k
  equal(k.loops, 1)
  equal({sass.count(k, {"all"}, 5, 5)}, {0, 4 + 5 * 3})
  equal({sass.count(k, {"integer"}, 2, 3)}, {0, 1 + 3 * 2})
end)

test("what is no cubin", function()
  local ok, e = pcall(sass.read, "#!/bin/sh")
  assert(not ok and e:find("no cubin", 1, true))
end)

tap.done()
