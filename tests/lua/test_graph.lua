-- SPDX-License-Identifier: Apache-2.0
-- Graphs: what a capture takes, what it refuses and how it ends, what a launch
-- of the graph does, and what keeps its arrays. The same on a real GPU.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local step = cuda.kernel[==[
__global__ void step(float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * x[i] + 1;
}]==]
local N <const> = 1000

local function on(s) return step{grid = 8, block = 128, stream = s} end

local function ones() return cuda.to_device(np.ones(N, "f32")) end

-- The graph of what f(s) asks of a captured stream.
local function captured(f)
  local s = cuda.stream()
  s:begin_capture()
  f(s)
  return s:end_capture(), s
end

test("a capture runs nothing, a launch runs all", function()
  local x = ones()
  local g, s = captured(function(c)
    equal(c:is_capturing(), true)
    on(c)(x, 2, N)
    on(c)(x, 2, N)
  end)
  equal(s:is_capturing(), false)
  equal(x:copy_to_host()[0], 1)
  g:launch(s)
  s:synchronize()
  equal(x:copy_to_host()[999], 7)
  g:upload()
  g:launch() -- on the default stream, and twice in a row
  g:launch()
  equal(x:copy_to_host()[0], ((7 * 4 + 3) * 4) + 3)
end)

test("kernels, copies and fills are nodes", function()
  local x, y = ones(), cuda.device_array(N, "f32")
  local from, out = cuda.pinned_array(N, "f32"), cuda.pinned_array(N, "f32")
  from:fill(3)
  local g = captured(function(s)
    x:copy_from(from, s)
    on(s)(x, 2, N)
    y:copy_from(x, s)
    x:fill(9, s)
    y:copy_to_host(out, s)
  end)
  equal(#g, 5)
  equal(tostring(g), "graph of 5 nodes: 1 kernel, 3 memcpy, 1 memset")
  local kinds = {}
  for i, node in ipairs(g:nodes()) do kinds[i] = node.kind end
  equal(kinds, {"memcpy", "kernel", "memcpy", "memset", "memcpy"})
  equal(g:nodes()[2].kernel, "step")
  equal(g:nodes()[2].grid, {8, 1, 1})
  equal(g:nodes()[3].bytes, 4 * N)
  g:launch()
  cuda.synchronize()
  equal(out[999], 7)
  equal(x:copy_to_host()[0], 9)
  from:fill(5) -- each launch copies what is there then
  g:launch()
  cuda.synchronize()
  equal(out[0], 11)
end)

test("a fill of a device array takes a stream", function()
  local x, s = ones(), cuda.stream()
  x:fill(4, s)
  s:synchronize()
  equal(x:copy_to_host()[0], 4)
end)

test("one launch, whatever is in it", function()
  local x = ones()
  local g, s = captured(function(c)
    for _ = 1, 100 do on(c)(x, 1, N) end
    x:copy_from(x, c)
  end)
  local asked = cuda.calls(function()
    g:launch(s)
    g:launch(s)
    s:synchronize()
  end)
  equal(asked.graph_launches, 2)
  equal(asked.launches, 0)
  equal(asked.copies, 2)
  equal(asked.bytes_on_device, 2 * 4 * N)
  equal(x:copy_to_host()[0], 201)
  asked = cuda.calls(function()
    captured(function(c) on(c)(x, 1, N) end)
  end)
  equal(asked.launches, 0)
  equal(asked.graphs, 1)
  equal(x:copy_to_host()[0], 201)
end)

test("an event takes another stream in, and brings it back", function()
  local x, y = ones(), ones()
  local t, fork, join = cuda.stream(), cuda.event(), cuda.event()
  local g = captured(function(s)
    on(s)(x, 2, N)
    fork:record(s)
    t:wait(fork)
    equal(t:is_capturing(), true)
    on(t)(y, 5, N)
    on(s)(x, 1, N)
    join:record(t)
    s:wait(join)
    y:copy_from(x, s)
    on(s)(y, 10, N)
  end)
  equal(#g, 5)
  equal(t:is_capturing(), false)
  g:launch()
  equal(y:copy_to_host()[0], 41)
  raises("argument", "recorded in a capture", function() fork:synchronize() end)
  raises("argument", "recorded in a capture", function() t:wait(join) end)
  fork:record(t)
  fork:synchronize()
end)

local function refused(what, f, way)
  local x, s = ones(), cuda.stream()
  s:begin_capture()
  on(s)(x, 2, N)
  local e = raises("argument", what .. " in a capture: ",
    function() f(s, x) end)
  equal(e.message:find(way, 1, true) ~= nil, true, e.message)
  equal(s:is_capturing(), false)
  raises("argument", "nothing is being captured",
    function() s:end_capture() end)
  on(s)(x, 2, N) -- and all is as before
  s:synchronize()
  equal(x:copy_to_host()[0], 3)
end

test("what a capture does not bear ends it", function()
  local event = cuda.event():record()
  refused("cuda.synchronize()", function() cuda.synchronize() end,
    "graph:launch(stream)")
  refused("s:synchronize()", function(s) s:synchronize() end, "graph:launch")
  refused("s:query()", function(s) s:query() end, "graph:launch")
  refused("e:synchronize()", function() event:synchronize() end, "graph:launch")
  refused("e:elapsed()", function() event:elapsed(event) end, "graph:launch")
  refused("memory for an array", function() cuda.device_array(N) end,
    "before the capture")
  refused("copy_to_host, or a look at an element,",
    function(_, x) x:copy_to_host() end, "graph:launch")
  refused("step", function(_, x) step[{8, 128}](x, 2, N) end,
    "give it the stream that is captured")
  refused("step", function(_, x) on(cuda.stream())(x, 2, N) end,
    "stream:wait(event)")
  local h = np.ones(N, "f32")
  refused("step", function(s) on(s)(h, 2, N) end, "make d = cuda.to_device(h)")
  refused("fill", function(_, x) x:fill(1) end, "give it the stream")
  refused("copy_from", function(s, x)
    x:copy_from(np.ones({N, 2}, "f32")[":, 0"], s)
  end, "x:copy()")
  refused("e:record()", function() event:record() end, "give it the stream")
  refused("s:wait(e) on the captured stream", function(s) s:wait(event) end,
    "wait before the capture begins")
  refused("s:begin_capture()", function(s) s:begin_capture() end,
    "stream:end_capture()")
  refused("s:end_capture()", function() cuda.stream():end_capture() end,
    "which has to end it")
  local g = captured(function() end)
  equal(#g, 0)
  refused("g:launch()", function(s) g:launch(s) end, "one behind the other")
  refused("s:end_capture()", function(s, x)
    local t, e = cuda.stream(), cuda.event()
    e:record(s)
    t:wait(e)
    on(t)(x, 1, N)
    s:end_capture()
  end, "captured:wait(event)")
end)

test("jax makes new arrays, which a capture does not bear", function()
  local x = jnp.ones(8)
  refused("memory for an array", function()
    return (x + 1):block_until_ready()
  end, "before")
end)

test("arrays of a graph live as long as it does", function()
  local x = ones()
  local out = cuda.pinned_array(N, "f32")
  local g = captured(function(s)
    on(s)(x, 2, N)
    x:copy_to_host(out, s)
  end)
  x = nil
  collectgarbage()
  collectgarbage()
  local other = ones() -- would take its place
  g:launch()
  cuda.synchronize()
  equal(out[0], 3)
  equal(other:copy_to_host()[0], 1)
end)

test("an array that was freed is named", function()
  local gone = ones()
  local g = captured(function(s) on(s)(gone, 2, N) end)
  gone:free()
  raises("use-after-free", "gone was freed with :free()",
    function() g:launch() end)
  gone = ones()
  local s = cuda.stream()
  s:begin_capture()
  on(s)(gone, 2, N)
  gone:free()
  raises("use-after-free", "gone was freed", function() s:end_capture() end)
  equal(s:is_capturing(), false)
end)

test("a kernel's node takes other arguments", function()
  local x, y = ones(), ones()
  local g = captured(function(s)
    on(s)(x, 2, N)
    x:fill(1, s)
    on(s)(x, 2, N)
  end)
  g:kernel_node_set_params(3, y, 10, N)
  g:launch()
  equal(x:copy_to_host()[0], 1)
  equal(y:copy_to_host()[0], 11)
  raises("argument", "node 2 is no kernel",
    function() g:kernel_node_set_params(2, y, 10, N) end)
  -- The graph's variable may have any name: none is said for it.
  local _, e = pcall(g.kernel_node_set_params, g, 2, y, 10, N)
  equal(e.message:match("^[^;]*;"),
    "kernel_node_set_params: node 2 is no kernel;")
  raises("argument", "on the host", function()
    g:kernel_node_set_params(1, np.ones(N, "f32"), 10, N)
  end)
  y = nil
  collectgarbage()
  g:launch()
  cuda.synchronize()
end)

test("a graph whose arguments were set knows its arrays", function()
  local x = ones()
  local g = captured(function(s) on(s)(x, 2, N) end)
  g:kernel_node_set_params(1, x, 2, N) -- the same again
  g:launch()
  equal(x:copy_to_host()[0], 3)
  x:free()
  raises("use-after-free", "was freed", function() g:launch() end)
end)

test("each kernel of a graph is counted", function()
  local x = ones()
  local g = captured(function(s)
    for _ = 1, 3 do on(s)(x, 1, N) end
  end)
  local counts = cuda.profile(function() g:launch() end)
  equal(counts.launches, 3)
  equal(x:copy_to_host()[0], 4)
end)

local over = cuda.kernel[==[
__global__ void over(float *x) {
  x[(blockIdx.x * blockDim.x + threadIdx.x) << 20] = 1;
}]==]

test("a fault in a graph names its node, and all goes on", function()
  local x = ones()
  local g = captured(function(s)
    for _ = 1, 70 do on(s)(x, 2, N) end -- more than are remembered
    over{grid = 8, block = 128, stream = s}(x)
  end)
  local e = raises("out-of-bounds", "in node 71 of the graph, kernel over",
    function()
      g:launch()
      cuda.synchronize()
    end)
  equal(e.diagnostics[1]["function"], "over")
  local y = ones()
  local good, s = captured(function(c) on(c)(y, 2, N) end)
  good:launch(s)
  s:synchronize()
  equal(y:copy_to_host()[0], 3)
end)

local wide = cuda.kernel[==[
__global__ void wide(float *x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}]==]

test("launches after a capture are told apart", function()
  local x = ones()
  captured(function(s) wide{grid = 7, block = 128, stream = s}(x) end)
  raises("out-of-bounds", "The grid has 1024 threads", function()
    wide[{8, 128}](x)
    wide[{7, 128}](x)
    cuda.synchronize()
  end)
end)

test("cuda.time names a graph's kernel", function()
  local x = ones()
  local g = captured(function(s)
    on(s)(x, 2, N)
    x:fill(9, s)
  end)
  local t = cuda.time(function() g:launch() end, {r = 2})
  equal(t.kernel, "step")
  equal(t.kernel_us > 0, true)
end)

test("a graph outlives a reset of its device", function()
  local id = cuda.device().id
  cuda.select("virtual:1", {schedule_seed = 0})
  local h, hundred = np.ones(N, "f32"), np.full(N, 100, "f32")
  local first = cuda.device_array(N, "f32") -- is lost: kept lies elsewhere then
  local kept = cuda.to_device(h)
  local g, s = captured(function(c) on(c)(kept, 2, N) end)
  local never = captured(function(c) kept:copy_from(hundred, c) end)
  equal(#never, 1)
  cuda.select("virtual:1", {schedule_seed = 3})
  equal(kept:copy_to_host()[0], 1) -- from its host copy
  raises("device-lost", "", function() first:copy_to_host() end)
  g:launch(s)
  s:synchronize()
  equal(kept:copy_to_host()[0], 3)
  cuda.select("virtual:1", {schedule_seed = 0}) -- now it is lost
  raises("device-lost", "kept was lost", function() g:launch(s) end)
  cuda.select(id)
end)

test("two graphs that use one array on two streams are unordered", function()
  local id = cuda.device().id
  cuda.select("virtual:0")
  local x = ones()
  local g, s = captured(function(c) on(c)(x, 2, N) end)
  local t, e = cuda.stream(), cuda.event()
  cuda.synchronize()
  cuda.unordered()
  g:launch(s)
  on(t)(x, 1, N)
  equal(#cuda.unordered(), 1)
  cuda.synchronize()
  g:launch(s)
  e:record(s)
  t:wait(e)
  on(t)(x, 1, N)
  equal(#cuda.unordered(), 0)
  cuda.synchronize()
  cuda.select(id)
end)

tap.done()
