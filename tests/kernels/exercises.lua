-- SPDX-License-Identifier: Apache-2.0
-- The solutions of all exercises, and their starters: a starter does too
-- little, but nothing that is a mistake of memory.
local t = ...

local function cut(text, solution)
  local lines, inside = {}, false
  for line in text:gmatch("(.-)\n") do
    local starter = line:match("^%s*// STARTER: ?(.*)")
    if line:find("// BEGIN SOLUTION", 1, true) then inside = true
    elseif line:find("// END SOLUTION", 1, true) then inside = false
    elseif starter then lines[#lines + 1] = solution and "" or starter
    elseif solution or not inside then lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

local n = 1009
local x, y = t:floats(n, -8, 8), t:floats(n, -8, 8)
local vx, vy = t.values(x), t.values(y)

-- Exercise: its launch, giving the result; the result's elements.
local launches = {
  ["vector-add"] = {function(m)
    local out = np.zeros(n, "f32")
    m.add[{8, 128}](x, y, out, n)
    return out
  end, t.fill(n, function(i) return vx[i] + vy[i] end)},
  saxpy = {function(m)
    local out = y:copy()
    m.saxpy[{2, 96}](2, x, out, n)
    return out
  end, t.fill(n, function(i) return 2 * vx[i] + vy[i] end),
    t.fill(n, function(i) return i < 192 and 2 * vx[i] + vy[i] or vy[i] end)},
  ["block-sum"] = {function(m)
    local out = np.zeros(4, "f32")
    m.block_sum[{4, 256}](x, out, n)
    return out
  end, t.fill(4, function(b)
    local s = 0.0
    for i = b * 256, math.min(b * 256 + 255, n - 1) do s = s + vx[i] end
    return s
  end)},
  skeleton = {function(m)
    local out = np.zeros(n, "f32")
    m.twice[{8, 128}](x, out, n)
    return out
  end, t.fill(n, function(i) return 2 * vx[i] end)},
}

local names = {"skeleton"}
for line in io.lines("exercises/index") do
  local name = line:match("^([%w-]+)")
  if name then names[#names + 1] = name end
end
for _, name in ipairs(names) do
  local launch = assert(launches[name], "no launch for the exercise " .. name)
  local text = assert(io.open("exercises/" .. name .. "/solution.cu")):read("a")
  local wanted = launch[2]
  t:same(name, launch[1](t:module(cut(text, true))), wanted)
  local start = launch[3] or t.fill(name == "block-sum" and 4 or n, 0)
  t:same(name .. ", starter", launch[1](t:module(cut(text, false))), start)
end
