-- SPDX-License-Identifier: Apache-2.0
-- jax.devices and its kin. A virtual GPU is a device of the platform "gpu".
local use = ...
local core = use("core/core")
local config = use("core/config")
local arrays = use("core/arrays")
local cuda = use.cuda
local M = {}

local Device = {__name = "jax.Device"}
Device.__index = Device
function Device.__tostring(d)
  return ("%s(id=%d)"):format(d.class, d.id)
end
function Device.__eq(a, b) return a.name == b.name end

local function new_device(name)
  if name == "cpu" then
    return setmetatable({name = name, class = "CpuDevice", id = 0,
                         platform = "cpu", device_kind = "cpu",
                         process_index = 0}, Device)
  end
  local kind, number = name:match("^(%a+):(%d+)$")
  return setmetatable({
    name = name, class = kind == "cuda" and "CudaDevice" or "VirtualDevice",
    id = tonumber(number), platform = "gpu", process_index = 0,
    device_kind = kind == "cuda" and cuda.device(name).name or "virtual GPU",
  }, Device)
end

--- "gpu" (a real or a virtual one) or "cpu".
function M.default_backend() return config.is_on_host and "cpu" or "gpu" end

--- The devices of the platform in use, or of `backend`; the first is where
--- arrays live.
function M.devices(backend)
  backend = backend or M.default_backend()
  if backend == "cpu" then return {new_device("cpu")} end
  if backend ~= "gpu" and backend ~= "cuda" then
    core.fail("argument", "RuntimeError", "Unknown backend %s: there are " ..
                                          "cpu and gpu", tostring(backend))
  end
  local current = cuda.device().id
  local list, kind = {new_device(current)}, current:match("^%a+")
  for _, d in ipairs(cuda.devices()) do
    local id = type(d) == "string" and d or d.id
    if id ~= current and id:match("^%a+") == kind then
      list[#list + 1] = new_device(id)
    end
  end
  return list
end

--- Whether x is one of jax.devices().
function M.is_device(x) return getmetatable(x) == Device end

--- What to do where `count` devices are wanted, and fewer are there.
function M.how_to_have(count)
  if M.default_backend() == "cpu" then
    return "The host is one device, and plays several where a list of them " ..
           "names it several times: jax.sharding.Mesh({cpu, cpu}, names), " ..
           "pmap(f, {devices = {cpu, cpu}}), with cpu = jax.devices()[1]"
  end
  return ("WARPSHOP_VIRTUAL_DEVICES=%d in the environment makes as many " ..
          "virtual ones"):format(count)
end

--- Raises where the option `devices` of `what` is no list of devices.
function M.check_list(what, list)
  local is_list = type(list) == "table" and not getmetatable(list)
  for _, d in ipairs(is_list and list or {}) do
    is_list = is_list and M.is_device(d)
  end
  if is_list then return end
  core.fail("argument", "TypeError", "%s: devices is a list of devices, such"
            .. " as jax.devices()", what)
end

--- The device that an array of jax lies on.
function M.of(x)
  return new_device(x.device == "host" and "cpu" or x.device)
end

--- The array or number x as a jax array on `device`, one of jax.devices().
function M.put(x, device)
  if not M.is_device(device) then
    core.fail("argument", "TypeError", "device_put takes a device behind " ..
              "the arrays, jax.devices()[2], or a sharding, not %s",
              core.kind_text(device))
  end
  local weak = core.aval_of(x).weak
  if device.platform == "cpu" then
    return use.mark(arrays.on_host(x):copy(), weak)
  elseif not core.is_literal(x) and x.device == device.name then
    return x
  end
  local host = arrays.on_host(x)
  return arrays.on_device(device.name, function()
    return use.mark(use.to_device(host), weak)
  end)
end

M.local_devices = M.devices
function M.device_count(backend) return #M.devices(backend) end
M.local_device_count = M.device_count
function M.process_index() return 0 end
function M.process_count() return 1 end

return M
