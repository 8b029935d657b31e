-- SPDX-License-Identifier: Apache-2.0
-- Compares what two devices wrote (run.lua --record): bit for bit, or within
-- the bound that a program states for its approximate functions.
--   warpshop run tests/programs/compare.lua FILE FILE
local tap = dofile("tests/lua/tap.lua")
local first, second = ...

local function read(path)
  local rows, order = {}, {}
  for line in assert(io.lines(path)) do
    local program, name, dtype, bound, values = line:match("^(.-)\t(.-)\t(.-)\t(.-)\t(.*)$")
    local key = program .. ": " .. name
    assert(not rows[key], key .. " stands twice in " .. path)
    rows[key] = {dtype = dtype, bound = tonumber(bound), values = values}
    order[#order + 1] = key
  end
  return rows, order
end

-- How many values, how many with the same bits, the largest relative error.
local function agreement(a, b)
  local n, equal, worst = 0, 0, 0.0
  local next_b = b:gmatch("%S+")
  for x in a:gmatch("%S+") do
    local y = next_b()
    n = n + 1
    if x == y then
      equal = equal + 1
    else
      local u, v = tonumber(x), tonumber(y)
      local e = u and v and math.abs(u - v) / math.max(1, math.abs(v)) or math.huge
      worst = math.max(worst, e == e and e or math.huge)
    end
  end
  assert(not next_b(), "the second device wrote more values")
  return n, equal, worst
end

local a, order = read(first)
local b, also = read(second)
local outputs, bitwise, values = 0, 0, 0
print(("# %-44s %-5s %8s %8s %10s %8s"):format("output", "type", "values",
  "equal", "error", "bound"))
for _, key in ipairs(order) do
  tap.test(key, function()
    local x, y = a[key], b[key]
    assert(y, "missing in " .. second)
    local n, equal, worst = agreement(x.values, y.values)
    print(("# %-44s %-5s %8d %8d %10.2e %8.0e"):format(key, x.dtype, n, equal, worst, x.bound))
    assert(equal == n or worst <= x.bound,
      ("%d of %d values differ, by up to %g"):format(n - equal, n, worst))
    outputs, values = outputs + 1, values + n
    bitwise = bitwise + (equal == n and 1 or 0)
  end)
end
tap.equal(#also, #order, "outputs of the second device")
print(("# %d outputs agree, %d of them in every bit; %d values"):format(outputs, bitwise, values))
tap.done()
