-- SPDX-License-Identifier: Apache-2.0
-- Random programs of arrays in chunks, in this process and by workers, give
-- what the same programs of np's arrays give: the same bits where nothing is
-- summed.
local tap = dofile("tests/lua/tap.lua")
local programs = dofile("tests/lua/scale_programs.lua")
local test = tap.test

local function run(first, last)
  for seed = first, last do
    local p = programs.make(seed, {on_host = true})
    local got = programs.run(p, function(node)
      return scale.array(node.value,
        {chunks = programs.random_chunks(p.random, node.shape)})
    end):compute()
    local want = programs.run(p, function(node) return node.value end)
    programs.compare(p, seed, got, want)
  end
end

test("500 programs in this process", function() run(1, 500) end)

test("100 programs in a memory of 200 bytes", function()
  local before = scale.memory
  scale.memory = 200
  run(501, 600)
  scale.memory = before
end)

test("100 programs by three workers", function()
  local c = scale.Client{n_workers = 3}
  run(601, 700)
  c:close()
end)

test("50 programs by two workers in a memory of 200 bytes", function()
  local before = scale.memory
  scale.memory = 200
  local c = scale.Client{n_workers = 2}
  run(701, 750)
  c:close()
  scale.memory = before
end)

tap.done()
