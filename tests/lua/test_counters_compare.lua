-- SPDX-License-Identifier: Apache-2.0
-- What tests/gpu/counters/compare.lua makes of Nsight Compute's CSV.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal
local compare = dofile("tests/gpu/counters/compare.lua")

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

test("a report", function()
  local ours, order = compare.parse_ours(OURS)
  equal(order, {"coalesced", "gather"})
  local kinds = compare.kinds(cuda.counters())
  local rows, absent = compare.compare(ours, order, compare.parse_ncu(LONG),
    kinds)
  equal(#rows, 3)
  equal(absent, {["smsp__warps_launched.sum"] = 1})
  local lines = {}
  local unexplained = compare.report(rows, absent, kinds, function(line)
    lines[#lines + 1] = line
  end)
  local text = table.concat(lines, "\n")
  equal(unexplained, 1) -- sectors have no excuse
  assert(text:find("gather .* 36803 +36804  UNEXPLAINED"))
  assert(text:find("smsp__inst_executed.sum +0/ 1  1.36..1.36 +ptxas"))
  assert(text:find("launch__grid_size +1/ 1"))
  assert(text:find("not given by ncu for 1 kernels: smsp__warps_launched.sum",
    1, true))
  assert(text:find("3 values compared, 1 differences without", 1, true))
end)

test("exact counters need no reason, close ones have one", function()
  for _, c in ipairs(compare.kinds(cuda.counters())) do
    if c.kind == "close" then
      assert(compare.reason("any", c.nsight) or c.nsight:find("tensor"),
        c.nsight)
    end
  end
end)

tap.done()
