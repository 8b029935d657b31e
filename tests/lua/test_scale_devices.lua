-- SPDX-License-Identifier: Apache-2.0
-- Arrays in chunks on devices. Needs four: WARPSHOP_VIRTUAL_DEVICES=4.
local tap = dofile("tests/lua/tap.lua")
local programs = dofile("tests/lua/scale_programs.lua")
local test = tap.test

local function run(first, last)
  for seed = first, last do
    local p = programs.make(seed, {on_host = false, types = {"f64", "f32"}})
    local got = programs.run(p, function(node)
      return scale.array(node.value,
        {chunks = programs.random_chunks(p.random, node.shape)})
    end):compute()
    local want = programs.run(p, function(node) return node.value end)
    programs.compare(p, seed, got, want)
  end
end

for _, count in ipairs{1, 2, 4} do
  test(("34 programs on %d devices"):format(count), function()
    local c = scale.Client{devices = count}
    run(1000 * count + 1, 1000 * count + 34)
    c:close()
  end)
end

tap.done()
