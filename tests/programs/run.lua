-- SPDX-License-Identifier: Apache-2.0
-- Runs programs (README.md) on the device in use: each must give what its
-- reference gives, and on the virtual GPU nothing may be found.
--   warpshop run tests/programs/run.lua [--record FILE] PROGRAM.lua...
-- With --record, kernels are compiled without fused multiply-adds and all
-- outputs are written to FILE, for compare.lua.
local tap = dofile("tests/lua/tap.lua")
local lib = dofile("tests/programs/lib.lua")

local files, record = {...}, nil
if files[1] == "--record" then
  record = assert(io.open(files[2], "w"))
  files = table.move(files, 3, #files, 1, {})
end

-- One line an output: program, name, type, bound, values. "%a" keeps all bits.
local function write_down(program)
  for _, o in ipairs(program.outputs) do
    local text = {}
    for i = 0, o.count - 1 do
      local v = o.values[i]
      text[i + 1] = math.type(v) == "float" and ("%a"):format(v) or tostring(v)
    end
    record:write(("%s\t%s\t%s\t%g\t%s\n"):format(program.name, o.name, o.dtype,
      o.bound, table.concat(text, " ")))
  end
end

local kernels = 0
for _, file in ipairs(files) do
  local name = file:match("tests/(.*)%.lua$"):gsub("^programs/", "")
  tap.test(name, function()
    local program = lib.new(name, {fmad = not record})
    assert(loadfile(file))(program)
    cuda.synchronize()
    assert(#program.outputs > 0, "the program checks no output")
    kernels = kernels + program.kernels
    if record then write_down(program) end
  end)
end
if record then record:close() end
print(("# %d programs, %d kernels"):format(#files, kernels))
tap.done()
