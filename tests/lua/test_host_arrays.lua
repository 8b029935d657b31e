-- SPDX-License-Identifier: Apache-2.0
-- Host arrays that are pinned, and those that kernels reach where they lie.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local scale = cuda.kernel[[
__global__ void scale(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}]]
local past = cuda.kernel[[
__global__ void past(float *x, int n) { x[n] = 1; }]]
local is_virtual = cuda.device().name == "virtual GPU"

local function mapped(n, value)
  local x = cuda.mapped_array(n, "f32")
  x[":"] = value
  return x
end

test("a launch copies nothing", function()
  local n = 100000
  local x, y = mapped(n, np.arange(n, "f32")), mapped(n, 0)
  scale[{(n + 127) // 128, 128}](x, y, 2, n)
  np.testing.assert_array_equal(y, np.arange(n, "f32") * 2)
  local last = cuda.last_launch()
  equal({last.bytes_in, last.bytes_out}, {0, 0})
  x[0] = 5
  scale[{(n + 127) // 128, 128}](x, y, 2, n) -- what the host wrote is seen
  equal(y[0], 10.0)
  equal(x.device, "host")
end)

test("beside plain host arrays, views and device arrays", function()
  local x, y = mapped(64, 3), np.zeros(64, "f32")
  scale[{1, 64}](x, y, 2, 64)
  equal(y:sum(), 384.0)
  local d = cuda.to_device(np.ones(64, "f32"))
  local z = mapped(64, 0)
  scale[{1, 32}](cuda.to_host(d), z["32:"], 7, 32)
  equal({z[0], z[31], z[32], z[63]}, {0.0, 0.0, 7.0, 7.0})
  local m = cuda.managed_array({4, 4}, "f32")
  m[":"] = 1
  scale[{1, 16}](m, m, 3, 16)
  equal(m:sum(), 48.0)
end)

test("pinned arrays are host arrays", function()
  local x = cuda.pinned_array({3, 5}, "f32")
  x[":"] = 2
  np.testing.assert_array_equal(cuda.to_device(x):copy_to_host(),
                                np.full({3, 5}, 2, "f32"))
  equal(cuda.pinned_array_like(x).shape, {3, 5})
  equal(cuda.mapped_array_like(x).dtype, "f32")
  equal(cuda.mapped_array(0, "f32").size, 0)
  raises("argument", "", function() cuda.mapped_array({-1}) end)
end)

test("many come and go", function()
  for i = 1, 300 do
    local x = mapped(16 * i, i)
    scale[{1, 16}](x, x, 2, 16)
    equal({x[0], x[15]}, {2.0 * i, 2.0 * i})
  end
  collectgarbage()
end)

if is_virtual then
  test("mistakes are seen as in all memory", function()
    local x = mapped(8, 0)
    local e = raises("out-of-bounds", "x[8]", function() past[{1, 1}](x, 8) end)
    equal(e.diagnostics[1].line, 1)
    equal(x:sum(), 0.0)
  end)

  test("the debugger goes back", function()
    local x, y = mapped(32, 1), mapped(32, 0)
    local lines = {}
    cuda.debug(function() scale[{1, 32}](x, y, 2, 32) end,
               {on_stop = function(stop)
      table.insert(lines, stop.line)
      if #lines == 4 then return "back" end
      return #lines < 8 and "step" or "continue"
    end})
    assert(#lines >= 8, #lines)
    equal(y:sum(), 64.0)
    scale[{1, 32}](x, y, 2, 32)
    equal(y:sum(), 64.0)
  end)
end

tap.done()
