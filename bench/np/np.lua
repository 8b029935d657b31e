-- SPDX-License-Identifier: Apache-2.0
-- Array operations on the host, timed: `name microseconds` a line. np.py has
-- the same rows under the same names. Time is the processor's, of this process.
local N = 1000000

local function best(f, repeats)
  f()
  local least = math.huge
  for _ = 1, 5 do
    local from = os.clock()
    for _ = 1, repeats do f() end
    least = math.min(least, (os.clock() - from) / repeats)
  end
  return least * 1e6
end

local function row(name, f, repeats)
  print(("%s\t%.4f"):format(name, best(f, repeats or 4)))
end

local step = np.arange(N)
for _, t in ipairs {"f32", "f64"} do
  local x = (step * (20 / N) - 10):astype(t)
  local y = (step * (1 / N) + 0.5):astype(t)
  row("exp " .. t, function() return np.exp(x) end)
  row("log " .. t, function() return np.log(y) end)
  row("sin " .. t, function() return np.sin(x) end)
  row("cos " .. t, function() return np.cos(x) end)
  row("tanh " .. t, function() return np.tanh(x) end)
  row("power " .. t, function() return np.power(y, x) end)
  row("add " .. t, function() return x + y end)
  row("multiply by 2 " .. t, function() return x * 2 end)
  row("divide " .. t, function() return x / y end)
  row("sqrt " .. t, function() return np.sqrt(y) end)
  row("maximum " .. t, function() return np.maximum(x, y) end)
  row("less " .. t, function() return np.less(x, y) end)
  local m = np.less(x, y)
  row("where " .. t, function() return np.where(m, x, y) end)
  row("sum " .. t, function() return np.sum(x) end)
  row("sum of columns " .. t, function()
    return x:reshape(1000, 1000):sum(0)
  end)
  row("max " .. t, function() return np.max(x) end)
  row("x * 2 + y " .. t, function() return x * 2 + y end)
end

local i32, f32, f64 = step:astype("i32"), step:astype("f32"), step:astype("f64")
row("add i32", function() return i32 + i32 end)
row("f32 to f64", function() return f32:astype("f64") end)
row("f64 to f32", function() return f64:astype("f32") end)
row("f64 to i32", function() return f64:astype("i32") end)
row("i32 to f32", function() return i32:astype("f32") end)
local square = f32:reshape(1000, 1000)
row("add a row", function() return square + square[1] end)
row("add the transposed", function() return square + square.T end)
row("copy of the transposed", function() return square.T:copy() end)

local c = np.sin(np.arange(1 << 16))
row("fft of 2^16", function() return np.fft.fft(c) end)
row("rfft of 2^16", function() return np.fft.rfft(c) end)
local lines = np.sin(np.arange(256 * 1024)):reshape(256, 1024)
row("fft of 256 x 1024", function() return np.fft.fft(lines) end)
local short = np.sin(np.arange(256))
row("fft of 256", function() return np.fft.fft(short) end, 200)

local at = (step * 7919) % N
local mask = np.equal(step % 3, 0)
row("x[positions]", function() return f64[at] end)
row("take", function() return np.take(f64, at) end)
row("x[mask]", function() return f64[mask] end)
row("rows by position", function() return square[at[{"0:1000"}] % 1000] end)
row("x[positions] = 1", function() f64[at] = 1 end)
row("x[mask] = 1", function() f64[mask] = 1 end)

local a, b = np.arange(10, "f64"), np.arange(10, "f64") + 1
local few = 20000
row("10: x + y", function() return a + b end, few)
row("10: x * 2", function() return a * 2 end, few)
row("10: np.exp(x)", function() return np.exp(a) end, few)
row("10: np.sum(x)", function() return np.sum(a) end, few)
row("10: x:sum()", function() return a:sum() end, few)
row("10: np.less(x, y)", function() return np.less(a, b) end, few)
row("10: np.where", function() return np.where(a, a, b) end, few)
row("10: x[2]", function() return a[2] end, few)
row("10: reshape", function() return a:reshape(2, 5) end, few)
row("10: np.zeros", function() return np.zeros(10) end, few)
