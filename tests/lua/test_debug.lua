-- SPDX-License-Identifier: Apache-2.0
-- cuda.debug: stopping a launch, looking at it, stepping it, going back.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local scale = cuda.kernel[==[
#define TILE 8
const int ROWS = TILE / 2;
__device__ float twice(float v) {
  float r = v * 2;
  return r;
}
__global__ void scale(const float *x, float *out, int n) {
  __shared__ float tile[ROWS][TILE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x / TILE][threadIdx.x % TILE] = x[i];
  __syncthreads();
  float v = twice(tile[0][threadIdx.x % TILE]);
  if (i < n) out[i] = v;
}]==]

local function launch(out)
  local x = np.arange(64, "f32")
  return function() scale[{2, 32}](x, out or np.zeros(64, "f32"), 64) end
end

test("a breakpoint for one thread, with its variables", function()
  local seen
  local out = np.zeros(64, "f32")
  local stops = cuda.debug(launch(out), {
    break_at = {line = 13, block = {1, 0, 0}, thread = 5},
    on_stop = function(stop)
      if stop.reason ~= "ended" then
        assert(not seen)
        seen = {stop.reason, stop.line, stop.block, stop.thread, stop.func,
          stop.locals.i, stop.locals.v, stop.lanes}
      end
    end})
  equal(stops, 1)
  equal(seen, {"breakpoint", 13, {1, 0, 0}, {5, 0, 0}, "scale", 37, 74.0, 32})
  equal(out[37], 74.0) -- the launch has run to its end
end)

test("a condition", function()
  local threads = {}
  cuda.debug(launch(), {
    break_at = {{line = 12, condition = "i == 3 || i == 40"}},
    on_stop = function(stop)
      if stop.reason == "breakpoint" then
        threads[#threads + 1] = stop.locals.i
      end
    end})
  equal(threads, {3, 40})
end)

test("stepping into a function, and back", function()
  local lines = {}
  cuda.debug(launch(), {on_stop = function(stop)
    lines[#lines + 1] = stop.line
    if stop.line == 5 then
      equal(stop.func, "twice")
      equal(stop.depth, 1)
      equal(stop.eval("v * 2 + 1"), 1)
      assert(stop.command("where"):find("scale at"))
      return "back"
    end
    return #lines < 6 and "step" or "quit"
  end})
  equal(lines, {9, 10, 11, 12, 4, 5, 4})
end)

test("shared memory has its type from the source", function()
  cuda.debug(launch(), {
    break_at = 12,
    on_stop = function(stop)
      if stop.reason == "ended" then return end
      local tile = stop.eval("tile")
      equal(#tile, 4)
      equal(tile[4][8], 31)
      assert(stop.command("shared"):find("tile: float[4][8]", 1, true))
      return "quit"
    end})
end)

test("what was never written is said to be so", function()
  local k = cuda.kernel[==[
__global__ void part(float *out, int n) {
  float acc[3];
  acc[1] = n;
  out[0] = acc[n];
}]==]
  local seen
  cuda.debug(function() k[{1, 1}](np.zeros(1, "f32"), 1) end, {break_at = 4,
    on_stop = function(stop)
      seen = seen or stop.eval("acc")
    end})
  equal(seen, {"uninitialised", 1, "uninitialised"})
end)

test("a launch that is given up leaves no trace", function()
  local out = np.zeros(64, "f32")
  cuda.debug(launch(out), {
    break_at = {line = 10, block = 1},
    on_stop = function() return "quit" end})
  assert(np.all(np.equal(out, np.zeros(64, "f32"))))
end)

test("a mistake stops the launch where it is made", function()
  local found
  cuda.debug(function()
    scale[{3, 32}](np.arange(64, "f32"), np.zeros(64, "f32"), 64)
  end, {on_stop = function(stop)
    if stop.reason == "finding" then
      found = {tostring(stop.finding), stop.line, stop.locals.i}
      return "quit" -- a real GPU would run it afterwards
    end
  end})
  assert(found[1]:find("64 float", 1, true) or found[1]:find("x[64]", 1, true),
    found[1])
  equal(found[2], 10)
  equal(found[3], 64)
end)

test("a race between blocks stops at its second access", function()
  local k = cuda.kernel[==[
__global__ void last(int *out) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) out[0] = b;
}]==]
  local found
  cuda.debug(function() k[{2, 32}](np.zeros(1, "i32")) end, {
    on_stop = function(stop)
      if stop.reason == "finding" then
        found = {stop.finding.kind, stop.line, stop.block[1], stop.locals.b}
      end
    end})
  equal(found, {"race", 3, 1, 1})
end)

test("device arrays and results", function()
  local x = cuda.to_device(np.arange(64, "f32"))
  local out = cuda.to_device(np.zeros(64, "f32"))
  local n = cuda.debug(function() scale[{2, 32}](x, out, 64) end)
  equal(n, 1) -- at the first line
  equal(out:copy_to_host()[3], 6.0)
end)

test("module variables are those of the program", function()
  if not cuda.device().id:find("virtual") then return end -- docs/debug.md
  local k = cuda.kernel[==[
__device__ int total = 1;
__global__ void count(int *out) {
  out[0] = atomicAdd(&total, 10);
}]==]
  local out = np.zeros(1, "i32")
  k[{1, 1}](out)
  equal(out[0], 1)
  cuda.debug(function() k[{1, 1}](out) end, {on_stop = function(stop)
    if stop.reason == "step" then equal(stop.eval("total"), 11) end
  end})
  equal(out[0], 11)
  cuda.debug(function() k[{1, 1}](out) end, {break_at = 4,
    on_stop = function() return "quit" end})
  k[{1, 1}](out)
  equal(out[0], 21)
end)

test("a condition that makes no sense is refused where it is given", function()
  cuda.debug(launch(), {on_stop = function(stop)
    for text, why in pairs {
      ["i = 3"] = '"==" compares', ["i =="] = "ends too early",
      ["nowhere > 3"] = "no variable nowhere", ["i > 3 4"] = "left over"} do
      local answer, e = stop.command("break 12 if " .. text)
      assert(not answer and e:find(why, 1, true), e)
    end
    equal(stop.command("breakpoints"), "no breakpoints\n")
    assert(stop.command("break 13 if v > 3 && tile[0][1] / 0 == i"))
    local answer, e = stop.command("condition 1 nowhere")
    assert(not answer and e:find("no variable nowhere", 1, true), e)
    return "quit"
  end})
end)

test("a variable in all lanes, also of those that are masked off", function()
  local k = cuda.kernel[==[
__global__ void part(float *out, int n) {
  int i = threadIdx.x;
  if (i % 2)
    out[i] = i;
  else
    out[i] = -i;
}]==]
  local seen
  cuda.debug(function() k[{1, 10}](np.zeros(10, "f32"), 10) end, {break_at = 4,
    on_stop = function(stop)
      seen = seen or stop.command("lanes i * 10")
      assert(select(2, stop.command("lanes")):find("usage", 1, true))
      return "quit"
    end})
  local lines = {}
  for line in seen:gmatch("[^\n]+") do lines[#lines + 1] = line end
  equal(lines[1], "lanes  0-7    (0)   10 (20)   30 (40)   50 (60)   70")
  equal(lines[2], "lanes  8-9   (80)   90")
  equal(#lines, 3)
end)

test("back to the change of what is watched", function()
  local k = cuda.kernel[==[
__global__ void count(int *out) {
  for (int i = 1; i <= 3; i++)
    out[threadIdx.x] = i * 10;
}]==]
  local seen = {}
  local commands = {"watch out[2]", "continue", "continue", "continue",
    "back-continue", "back-continue", "back-continue", "back-continue"}
  cuda.debug(function() k[{1, 4}](np.zeros(4, "i32")) end, {
    on_stop = function(stop)
      for _, command in ipairs(commands) do
        stop.command(command)
        local text = stop.text:match("out%[2%] was (.-)\n")
        seen[#seen + 1] = text or stop.reason
        if command == "back-continue" and stop.reason == "watch" then
          equal(stop.line, 3) -- before the store
          assert(stop.ptx:find("^st%."), stop.ptx)
        end
      end
      return "quit"
    end})
  equal(seen, {"step", "0, is 10", "10, is 20", "20, is 30",
    "20, is 30", "10, is 20", "0, is 10", "beginning"})
end)

test("what is watched changes when it is discarded", function()
  local k = cuda.kernel[==[
__global__ void drop(int *out) {
  out[threadIdx.x] = 10;
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(out) : "memory");
  __syncthreads();
  out[threadIdx.x] = 20;
}]==]
  local seen = {}
  cuda.debug(function() k[{1, 32}](np.zeros(32, "i32")) end, {
    on_stop = function(stop)
      for _, command in ipairs{
        "watch out[2]", "continue", "continue", "continue",
      } do
        stop.command(command)
        seen[#seen + 1] = stop.text:match("out%[2%] was (.-)\n") or stop.reason
        if command ~= "continue" then seen[#seen] = nil end
      end
      return "quit"
    end})
  equal(seen, {"0, is 10", "10, is uninitialised", "uninitialised, is 20"})
end)

test("a thread that ends is said to, and another comes into focus", function()
  cuda.debug(launch(), {break_at = 14, on_stop = function(stop)
    if stop.reason ~= "breakpoint" then return "quit" end
    local text = stop.command("next")
    equal(text, "thread (0,0,0) of block (0,0,0) has ended\n")
    equal(stop.block, {1, 0, 0})
    return "quit"
  end})
end)

test("what is wrong is said", function()
  raises("not-found", "no code at line 99", function()
    cuda.debug(launch(), {break_at = 99})
  end)
  raises("argument", "cuda.debug inside", function()
    cuda.debug(function() cuda.debug(launch()) end)
  end)
  local kept
  cuda.debug(launch(), {on_stop = function(stop)
    local nothing, why = stop.eval("nowhere + 1")
    equal(nothing, nil)
    equal(why, "there is no variable nowhere here")
    kept = stop
    return "quit"
  end})
  raises("argument", "has ended", function() kept.command("locals") end)
  local ok, e = pcall(cuda.debug, launch(), {
    on_stop = function() error("oops") end})
  assert(not ok and tostring(e):find("oops"))
  launch()() -- and the device goes on
end)

tap.done()
