-- SPDX-License-Identifier: Apache-2.0
-- Every kernel that a cell of a lesson defines.
local t = ...

local function cells(path)
  local found, lines = {}, nil
  for line in io.lines(path) do
    if line:match("^```cuda run") then lines = {}
    elseif lines and line:match("^```") then
      found[#found + 1] = table.concat(lines, "\n")
      lines = nil
    elseif lines then lines[#lines + 1] = line
    end
  end
  return found
end

local n = 4096
local x, y = t:floats(n, -8, 8), t:floats(n, -8, 8)
local vx, vy = t.values(x), t.values(y)

local launches = {}

function launches.twice(k)
  local a = x:copy()
  k[{1, 64}](a)
  t:same("twice", a, t.fill(n, function(i) return i < 64 and 2 * vx[i] or vx[i] end))
end

function launches.square(k)
  local a = np.zeros(64, "f32")
  k[{1, 64}](x, a)
  t:same("square", a, t.fill(64, function(i) return t.f32(vx[i] * vx[i]) end))
end

function launches.positions(k)
  local thread, block, all = np.zeros(96, "i32"), np.zeros(96, "i32"), np.zeros(96, "i32")
  k[{3, 32}](thread, block, all)
  t:same("positions: thread", thread, t.fill(96, function(i) return i % 32 end))
  t:same("positions: block", block, t.fill(96, function(i) return i // 32 end))
  t:same("positions: global", all, t.fill(96, function(i) return i end))
end

function launches.add_all(k)
  local out = np.zeros(n, "f32")
  k[{32, 128}](x, y, out)
  t:same("add_all", out, t.fill(n, function(i) return vx[i] + vy[i] end))
end

function launches.add(k)
  local out = np.zeros(n, "f32")
  k[{33, 128}](x, y, out, n)
  t:same("add", out, t.fill(n, function(i) return vx[i] + vy[i] end))
end

function launches.table_2d(k)
  local m = np.zeros({3, 5}, "i32")
  k[{{2, 2}, {4, 2}}](m, 3, 5)
  t:same("table_2d", m, t.fill(15, function(i) return i // 5 * 10 + i % 5 end))
end

local p = io.popen("ls lessons/*.md")
for path in p:lines() do
  for _, source in ipairs(cells(path)) do
    local name = assert(source:match("void%s+([%w_]+)%s*%("), path)
    local launch = assert(launches[name], "no launch for " .. name .. " of " .. path)
    launch(t:module(source)[name])
  end
end
p:close()
