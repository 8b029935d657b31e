-- SPDX-License-Identifier: Apache-2.0
-- Runs programs (README.md) built with -G and without, and compares what they
-- write: bit for bit, or within the bound that a program states for its
-- approximate functions. So that whole code of one kind, with a frame for each
-- variable and real calls, is known to mean the same as that of the other.
-- The project's own kernels come first.
--   warpshop run tests/programs/unoptimised.lua PROGRAM.lua...
local tap = dofile("tests/lua/tap.lua")
local lib = dofile("tests/programs/lib.lua")

local function outputs_of(name, body, debug)
  local program = lib.new(name, {fmad = false, debug = debug})
  body(program)
  cuda.synchronize()
  assert(#program.outputs > 0, "the program checks no output")
  return program.outputs
end

local function agrees(a, b, bound)
  if a == b or (a ~= a and b ~= b) then return true end
  return math.abs(a - b) <= bound * math.max(1, math.abs(b))
end

local values = 0

local function compare(name, body)
  tap.test(name, function()
    local plain, debug = outputs_of(name, body, false), outputs_of(name, body, true)
    tap.equal(#debug, #plain, "outputs")
    for k, a in ipairs(plain) do
      local b = debug[k]
      tap.equal(b.count, a.count, a.name)
      for i = 0, a.count - 1 do
        local x, y = a.values[i], b.values[i]
        assert(type(x) ~= "number" and x == y or agrees(x, y, a.bound),
          ("%s[%d] is %s, and %s when built with -G"):format(a.name, i, x, y))
      end
      values = values + a.count
    end
  end)
end

local function source_of(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- Sizes that fill no block, and more than one.
local sizes = {1, 31, 256, 1000, 4099}
local own = {
  add = function(t, k, n)
    local x, y, out = t:floats(n, -9, 9), t:floats(n, -9, 9), np.zeros(n, "f32")
    k[{(n + 255) // 256, 256}](x, y, out, n)
    t:same("out " .. n, out, lib.values(np.add(x, y)))
  end,
  saxpy = function(t, k, n)
    local x, y = t:floats(n, -9, 9), t:floats(n, -9, 9)
    local want = lib.values(np.add(np.multiply(x, 2.5), y))
    k[{3, 64}](2.5, x, y, n)
    t:same("y " .. n, y, want)
  end,
  block_sum = function(t, k, n)
    local blocks = (n + 255) // 256
    local x, out = t:floats(n, -9, 9), np.zeros(blocks, "f32")
    k[{blocks, 256}](x, out, n)
    local v, want = lib.values(x), lib.fill(blocks, 0)
    for i = 0, n - 1 do want[i // 256] = want[i // 256] + v[i] end
    t:close("out " .. n, out, want, 1e-4)
  end,
  twice = function(t, k, n)
    local x, out = t:floats(n, -9, 9), np.zeros(n, "f32")
    k[{(n + 127) // 128, 128}](x, out, n)
    t:same("out " .. n, out, lib.values(np.multiply(x, 2)))
  end,
}

for _, c in ipairs {
  {"kernels/vector_add.cu", "add"}, {"kernels/saxpy.cu", "saxpy"},
  {"kernels/block_sum.cu", "block_sum"}, {"exercises/vector-add/solution.cu", "add"},
  {"exercises/saxpy/solution.cu", "saxpy"},
  {"exercises/block-sum/solution.cu", "block_sum"},
  {"skeleton/exercises/cuda/solution.cu", "twice"}} do
  compare(c[1], function(t)
    local m = t:module(source_of(c[1]))
    for _, n in ipairs(sizes) do own[c[2]](t, m[c[2]], n) end
  end)
end

for _, file in ipairs({...}) do
  compare(file:match("programs/(.*)%.lua$") or file, assert(loadfile(file)))
end
print(("# %d values"):format(values))
tap.done()
