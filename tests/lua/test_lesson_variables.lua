-- SPDX-License-Identifier: Apache-2.0
-- What is put back before a lesson's cell (lua/lesson_variables.lua), with
-- globals of its own in place of the prompt's.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local source = "__global__ void k(int *x) { x[0] = %d; }"

local function kind(x)
  if type(x) ~= "userdata" then return nil end
  local is_kernel = pcall(function() return x.attributes.registers end)
  if is_kernel then return "kernel" end
  return x.device == "host" and "host" or "device"
end

-- The globals of a session that is in a lesson, and the lesson's cells.
local function session()
  local globals = {np = np, cuda = cuda}
  local first = {np = np, cuda = cuda}
  local lesson = assert(loadfile("lua/lesson_variables.lua"))(globals, kind,
                                                              first)
  local function cell(f)
    lesson.before()
    f(globals)
    lesson.after()
  end
  return globals, cell, lesson
end

test("kinds of values", function()
  equal(kind(np.ones(2)), "host")
  equal(kind(cuda.device_array(2)), "device")
  equal(kind(cuda.kernel(source:format(1))), "kernel")
end)

test("what earlier cells set is as they left it", function()
  local g, cell = session()
  cell(function()
    g.n, g.x, g.t = 8, np.arange(3), {1, {2}, name = "t"}
    g.d = cuda.to_device(np.arange(3))
  end)
  cell(function() g.x[1] = 10 end) -- the lesson's own change stays
  local x, t, d = g.x, g.t, g.d
  g.n, g.own, g.np = "eight", 5, nil
  x[1], t[1], t.name, t.more = 55, nil, 7, true
  d:copy_from(np.array{7, 7, 7})
  g.x, g.d = nil, 3
  cell(function()
    equal(g.n, 8)
    equal(g.own, 5) -- the learner's
    equal(rawequal(g.np, np), true)
    equal(rawequal(g.x, x) and rawequal(g.t, t) and rawequal(g.d, d), true)
    equal(x:tolist(), {0, 10, 2})
    equal({t[1], t.name, t.more == nil}, {1, "t", true})
    equal(d:copy_to_host():tolist(), {0, 1, 2})
  end)
end)

test("a cell may take a library's name", function()
  local g, cell = session()
  local of_cell = cuda.kernel(source:format(2))
  local of_learner = cuda.kernel(source:format(3))
  cell(function() g.np = of_cell end)
  g.np = nil
  cell(function() equal(rawequal(g.np, of_cell), true) end)
  g.np = of_learner -- written in its place
  cell(function() equal(rawequal(g.np, of_learner), true) end)
end)

-- Else each cell's launch would copy them again, and a lesson says that it
-- does not.
test("an array that nobody changed is left alone", function()
  local g, cell = session()
  local read = cuda.kernel[==[
__global__ void read(const float *x, float *y) { y[0] = x[1]; }]==]
  cell(function()
    g.x, g.y = np.zeros(2, "f32"), cuda.device_array(1, "f32")
  end)
  cell(function() read[{1, 1}](g.x, g.y) end)
  equal(cuda.last_launch().bytes_in, 8)
  cell(function() read[{1, 1}](g.x, g.y) end)
  equal(cuda.last_launch().bytes_in, 0)
  g.x[1] = -0.0
  cell(function() equal(1 / g.x[1], math.huge) end)
end)

test("a kernel of the learner's stays", function()
  local g, cell = session()
  cell(function() g.k, g.f = cuda.kernel(source:format(1)), print end)
  local own = cuda.kernel(source:format(2))
  g.k = own
  cell(function() equal(rawequal(g.k, own), true) end)
  g.k = nil -- but not that there is none
  cell(function() equal(kind(g.k), "kernel") end)
  g.k, g.f = 5, own
  cell(function()
    equal(kind(g.k), "kernel")
    equal(g.f, print)
  end)
end)

test("what a cell takes away is gone, and so is another lesson", function()
  local g, cell, lesson = session()
  cell(function() g.x, g.y = 1, 2 end)
  cell(function() g.x = nil end)
  cell(function() equal(g.x, nil) end)
  lesson.forget()
  g.y = 3
  cell(function() equal(g.y, 3) end)
end)

tap.done()
