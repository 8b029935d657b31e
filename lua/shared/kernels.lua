-- SPDX-License-Identifier: Apache-2.0
-- The kernels of a library, compiled for a device when the first of them is
-- wanted there.
local use = ...
local cuda = use.cuda
local M = {}

local THREADS = 256

--- np's types, as C has them.
M.types = {f64 = "double", f32 = "float", i64 = "long long", i32 = "int",
           bool = "bool"}

local function instance(name, dtype)
  return ("%s<%s>"):format(name, M.types[dtype])
end

-- In one order always, so that what was compiled once is found again.
local function instances_of(templates)
  local out = {}
  for name, dtypes in pairs(templates) do
    for _, t in ipairs(dtypes) do out[#out + 1] = instance(name, t) end
  end
  table.sort(out)
  return out
end

--- kernel(name [, dtype]): the kernel of `source` on the device in use; of a
--- template the instance for that type. templates: name -> the types it is for.
function M.of(source, templates)
  local modules, wanted = {}, {instantiate = instances_of(templates)}
  return function(name, dtype)
    local id = cuda.device().id
    modules[id] = modules[id] or cuda.module(source, wanted)
    return modules[id][dtype and instance(name, dtype) or name]
  end
end

--- Runs a kernel with a thread for each of n elements.
function M.run(n, kernel, ...)
  if n > 0 then kernel[{(n + THREADS - 1) // THREADS, THREADS}](...) end
end

return M
