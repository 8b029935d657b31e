-- SPDX-License-Identifier: Apache-2.0
-- The kernels that make bench-vgpu times, on small inputs.
local t = ...
local m = t:module(assert(io.open("bench/vgpu/kernels.cu")):read("a"))

-- Sums and products of small whole numbers are exact in every order.
local n = 32
local a, b = t:ints(n * n, -8, 8, "f32"), t:ints(n * n, -8, 8, "f32")
local va, vb = t.values(a), t.values(b)

local y = b:copy()
m.saxpy[{9, 128}](2, a, y, n * n)
t:same("saxpy", y, t.fill(n * n, function(i) return 2 * va[i] + vb[i] end))

local product = t.fill(n * n, function(i)
  local s = 0.0
  for k = 0, n - 1 do s = s + va[i // n * n + k] * vb[k * n + i % n] end
  return s
end)
for _, name in ipairs{"naive", "tiled"} do
  local c = np.zeros(n * n, "f32")
  m[name][{{2, 2}, {16, 16}}](a, b, c, n)
  t:same(name, c, product)
end

local sums = np.zeros(4, "f32")
m.reduce[{4, 256}](a, sums, 1000)
t:same("reduce", sums, t.fill(4, function(block)
  local s = 0.0
  for i = block * 256, math.min(block * 256 + 255, 999) do s = s + va[i] end
  return s
end))

-- expf and logf: their last bits are open.
t:approximate(1e-4)
local count = 500
local s, x, years = t:floats(count, 5, 30), t:floats(count, 1, 100), t:floats(count, 0.25, 10)
local call, put = np.zeros(count, "f32"), np.zeros(count, "f32")
m.black_scholes[{4, 128}](s, x, years, call, put, count)
local vs, vk, vt = t.values(s), t.values(x), t.values(years)

-- The distribution function by the same polynomial, in double precision.
local function normal(d)
  local k = 1 / (1 + 0.2316419 * math.abs(d))
  local c = 0.39894228 * math.exp(-0.5 * d * d) * k * (0.31938153 + k * (-0.356563782
    + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  return d > 0 and 1 - c or c
end
local function prices(i)
  local q = math.sqrt(vt[i])
  local d1 = (math.log(vs[i] / vk[i]) + (0.02 + 0.5 * 0.09) * vt[i]) / (0.3 * q)
  local n1, n2, e = normal(d1), normal(d1 - 0.3 * q), math.exp(-0.02 * vt[i])
  return vs[i] * n1 - vk[i] * e * n2, vk[i] * e * (1 - n2) - vs[i] * (1 - n1)
end
t:close("call", call, t.fill(count, function(i) return (prices(i)) end), 1e-4)
t:close("put", put, t.fill(count, function(i) return (select(2, prices(i))) end), 1e-4)
