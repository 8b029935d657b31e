-- SPDX-License-Identifier: Apache-2.0
-- The ladders of bench/: on the virtual GPU every rung but wgmma's gives the
-- right result, with small sizes; on a real one they are timed as well.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

-- Calls f without what it prints; gives its result.
local function quietly(f, ...)
  local say = print
  _G.print = function() end
  local results = table.pack(pcall(f, ...))
  _G.print = say
  assert(results[1], results[2])
  return results[2]
end

local function climbs(name, least)
  test("every rung of the ladder is right: " .. name, function()
    local rungs = quietly(function()
      return dofile("bench/ladders/" .. name .. ".lua").run(true)
    end)
    local wrong, checked = {}, 0
    for _, rung in ipairs(rungs) do
      if rung.is_wrong then table.insert(wrong, rung.name) end
      if rung.error then checked = checked + 1 end
    end
    equal(table.concat(wrong, ", "), "")
    assert(checked >= least, checked .. " rungs were checked")
  end)
end

climbs("reduction", 10)
climbs("radix", 3)
climbs("matrix", 11)

test("a rung that is wrong is named and not timed", function()
  local ladder = dofile("bench/ladder.lua")
  for _, wrong in ipairs{function() return 0.2 end, function() return 0 / 0 end,
                         function() error("no such kernel") end} do
    local rung = {name = "r", run = function() error("it was timed") end}
    assert(not ladder.check(rung, 0.1, wrong))
    ladder.time{rung}
    assert(ladder.error_cell(rung):find("^WRONG, "))
  end
  local rung = {name = "r"}
  assert(ladder.check(rung, 0.1, function() return 0.1 end))
  equal(ladder.error_cell(rung), "1.0e-01")
end)

test("a size that is no multiple of a tile is refused", function()
  local matrix = dofile("bench/ladders/matrix.lua")
  assert(#matrix.rungs(256) >= 5)
  local ok, why = pcall(matrix.rungs, 192)
  equal(ok, false)
  assert(tostring(why):find("takes multiples of 128 x 128, not 192", 1, true))
end)

test("the script runs those that are named", function()
  quietly(assert(loadfile("bench/ladders/run.lua")), "--small", "reduction")
end)

tap.done()
