-- SPDX-License-Identifier: Apache-2.0
-- Names that Numba's and CuPy's users look for in `cuda`: cuda.gpus and
-- cuda.detect (Numba's cuda.gpus, cuda.detect), cuda.asarray, cuda.asnumpy and
-- cuda.random (CuPy's cupy.asarray, cupy.asnumpy, cupy.random).
local use = ...
local np, cuda = use.np, use.cuda
local M = {}

local function is_array(x) return type(x) == "userdata" and use.is_array(x) end

-- ---- Devices ----

-- The GPUs, counted from 0 as CUDA counts them: real ones, else virtual ones.
local function gpus()
  local real, virtual = {}, {}
  for _, d in ipairs(cuda.devices()) do
    table.insert(d.id:find("^cuda:") and real or virtual, d)
  end
  return real[1] and real or virtual
end

M.gpus = setmetatable({}, {
  __name = "cuda.gpus",
  __index = function(_, i)
    if i == "lst" then return gpus() end
    local d = math.type(i) == "integer" and gpus()[i + 1]
    if not d then
      error(("cuda.gpus[%s]: there are %d, counted from 0"):format(
        tostring(i), #gpus()), 2)
    end
    return d
  end,
  __len = function() return #gpus() end,
  __pairs = function()
    local list, i = gpus(), -1
    return function()
      i = i + 1
      if list[i + 1] then return i, list[i + 1] end
    end
  end,
  __tostring = function()
    local ids = {}
    for k, d in ipairs(gpus()) do ids[k] = d.id end
    return "<Managed Device " .. table.concat(ids, ", ") .. ">"
  end,
})

--- As documented in help/cuda.lua.
function M.detect()
  local list = gpus()
  print(("Found %d CUDA device%s"):format(#list, #list == 1 and "" or "s"))
  for k, d in ipairs(list) do
    local simulated = d.id:find("^virtual:") and
      "[SIMULATED on the CPU]" or "[SUPPORTED]"
    print(("id %d    %-24s %s"):format(k - 1, d.name, simulated))
  end
  return #list > 0
end

--- As documented in help/cuda.lua.
function M.device_count() return #gpus() end

-- ---- Arrays ----

--- As documented in help/cuda.lua.
function M.asarray(x, dtype)
  if is_array(x) and x.device ~= "host" and not use.is_jax(x) then
    return dtype and x.dtype ~= np.dtype(dtype) and x:astype(dtype) or x
  end
  return cuda.to_device(dtype and np.asarray(x, dtype) or np.asarray(x))
end

--- As documented in help/cuda.lua.
function M.asnumpy(x) return cuda.to_host(np.asarray(x)) end

-- np.random's functions, whose arrays are on the device.
M.random = setmetatable({}, {
  __name = "cuda.random",
  __index = function(t, name)
    local f = np.random[name] -- says which there are
    if type(f) ~= "function" then return f end
    local function on_device(...)
      local x = f(...)
      return is_array(x) and cuda.to_device(x) or x
    end
    rawset(t, name, on_device)
    return on_device
  end,
})

return M
