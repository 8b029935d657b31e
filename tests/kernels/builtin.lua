-- SPDX-License-Identifier: Apache-2.0
-- The built-in kernels, which the judge's references stand for.
local t = ...

local function read(name)
  return assert(io.open("kernels/" .. name .. ".cu")):read("a")
end

local n = 1009
local x, y = t:floats(n, -8, 8), t:floats(n, -8, 8)
local vx, vy = t.values(x), t.values(y)

local out = np.zeros(n, "f32")
t:module(read("vector_add")).add[{8, 128}](x, y, out, n)
t:same("vector_add", out, t.fill(n, function(i) return vx[i] + vy[i] end))

t:module(read("saxpy")).saxpy[{8, 128}](0.5, x, y, n)
t:same("saxpy", y, t.fill(n, function(i) return 0.5 * vx[i] + vy[i] end))

-- Sixty-fourths: every order of adding gives the same float.
local sums = np.zeros(4, "f32")
t:module(read("block_sum")).block_sum[{4, 256}](x, sums, n)
t:same("block_sum", sums, t.fill(4, function(b)
  local s = 0.0
  for i = b * 256, math.min(b * 256 + 255, n - 1) do s = s + vx[i] end
  return s
end))
