-- SPDX-License-Identifier: Apache-2.0
-- Runs programs (README.md) with every launch under the debugger: built with
-- -G, stepped and taken back at its first line. Each must still give what its
-- reference gives, and nothing may be found.
--   warpshop --device virtual:0 run tests/programs/debug.lua PROGRAM.lua...
local tap = dofile("tests/lua/tap.lua")
local lib = dofile("tests/programs/lib.lua")

local walk = {"next 4", "locals", "warps", "step 5", "where", "shared", "back",
  "back-next"}

local function look_around(stop)
  assert(stop.line > 0, "the launch does not stop in the program's own lines")
  for _, command in ipairs(walk) do
    local _, why = stop.command(command)
    assert(not why, why)
    if stop.reason == "ended" or stop.reason == "finding" then break end
  end
end

for _, file in ipairs({...}) do
  local name = file:match("programs/(.*)%.lua$") or file
  tap.test(name, function()
    local program = lib.new(name, {fmad = true})
    local body = assert(loadfile(file))
    cuda.debug(function()
      body(program)
      cuda.synchronize()
    end, {on_stop = function(stop)
      if stop.reason == "step" then look_around(stop) end
      assert(stop.reason ~= "finding", stop.finding)
    end})
    assert(#program.outputs > 0, "the program checks no output")
  end)
end
tap.done()
