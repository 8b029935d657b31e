-- SPDX-License-Identifier: Apache-2.0
-- Who runs tasks: this process on the host, this process on devices, or
-- workers.
local use = ...
local mistakes = use("shared/mistakes")
local dask, executor, places = use("dask"), use("executor"), use("places")
local cuda, scale = use.cuda, use.scale
local fail = mistakes.fail
local M = {}

local MOST_WORKERS, MOST_TASKS = 64, 65536

local Client = {__name = "scale.Client", help_name = "scale.Client"}
local methods = {}

local current

--- scale.memory, or what it is to be.
local function memory()
  local n = rawget(scale, "memory")
  if type(n) ~= "number" or n ~= n or n <= 0 then
    fail("scale.memory is how many bytes of chunks may be in memory, such as"
      .. " scale.memory = 2e9, not %s", use.value_text(n))
  end
  return n
end

local function started_with(runner)
  local self = setmetatable({executor = runner}, Client)
  if current then current.executor:close() end
  current = self
  return self
end

local function started(list) return started_with(executor.new(list, memory)) end

-- ---- Which places ----

local function device_names(devices)
  local out = {}
  if math.type(devices) == "integer" and devices >= 1 then
    local there = cuda.device_count()
    if devices > there then
      fail("Client: there %s %d device%s; WARPSHOP_VIRTUAL_DEVICES=%d in the"
        .. " environment makes as many virtual ones", there == 1 and "is"
        or "are", there, there == 1 and "" or "s", devices)
    end
    for i = 1, devices do out[i] = cuda.gpus[i - 1].id end
    return out
  elseif type(devices) ~= "table" or getmetatable(devices) or #devices == 0 then
    fail("Client: devices is how many, or a list of their names, not %s",
      use.value_text(devices))
  end
  for i, name in ipairs(devices) do
    if type(name) ~= "string" or not name:find("^%a+:%d+$") then
      fail('Client: device %d is %s; names are such as "virtual:0"'
        .. " (cuda.devices() lists them)", i, use.value_text(name))
    end
    out[i] = name
  end
  return out
end

local function worker_places(n)
  if math.type(n) ~= "integer" or n < 1 or n > MOST_WORKERS then
    fail("Client: n_workers is a number of processes, 1 to %d, not %s",
      MOST_WORKERS, type(n) == "number" and n or use.value_text(n))
  end
  local out = {}
  for i = 1, n do out[i] = places.worker(i - 1) end
  return out
end

--- As documented in help/scale.lua.
function M.Client(options)
  local o = mistakes.options("Client", options, {"n_workers", "devices"})
  if o.n_workers ~= nil and o.devices ~= nil then
    fail("Client: n_workers are processes, which compute on the host, and"
      .. " devices are this process's: one of both")
  elseif o.n_workers ~= nil then
    return started(worker_places(o.n_workers))
  elseif o.devices ~= nil then
    local out = {}
    for i, name in ipairs(device_names(o.devices)) do
      out[i] = places.here(name)
    end
    return started(out)
  end
  return started{places.here("host")}
end

--- As documented in help/scale.lua.
function M.connect(address)
  if type(address) ~= "string" or not address:find("^%a+://[^/]+") then
    fail('connect: the scheduler\'s address comes first, such as'
      .. ' "tcp://localhost:8786", not %s', type(address) == "string"
      and ('"%s"'):format(address) or use.value_text(address))
  end
  return started_with(dask.connect(address))
end

-- What a user asks of Slurm, as cluster/slurm_wish.def lists it.
local wishes = {"time", "gpu", "partition", "account", "qos", "mem",
  "constraint", "reservation", "nodelist", "exclude"}

--- As documented in help/scale.lua.
function M.cluster(options)
  local o = mistakes.options("cluster", options,
    {"n_workers", "gpus", "protocol", table.unpack(wishes)})
  local n, protocol, wish = o.gpus or o.n_workers or 1, o.protocol or "tcp", {}
  if o.gpus ~= nil and (o.n_workers or n) ~= n then
    fail("cluster: gpus are so many workers with one each, and n_workers says"
      .. " another number")
  elseif o.gpus ~= nil and o.gpu ~= nil then
    fail("cluster: gpus = %s gives each worker a GPU, and gpu asks for a node's"
      .. " without: one of both", tostring(n))
  elseif o.gpus ~= nil and (math.type(n) ~= "integer" or n < 1) then
    fail("cluster: gpus is a number of GPUs, not %s", tostring(n))
  elseif math.type(n) ~= "integer" or n < 1 or n > MOST_TASKS then
    fail("cluster: n_workers is a number of processes, 1 to %d, not %s",
      MOST_TASKS, type(n) == "number" and n or use.value_text(n))
  elseif protocol ~= "tcp" and protocol ~= "ucx" then
    fail('cluster: protocol is "tcp" or "ucx", not %s', type(protocol)
      == "string" and ('"%s"'):format(protocol) or use.value_text(protocol))
  end
  for _, name in ipairs(wishes) do
    local value = o[name]
    if type(value) == "string" and value:find(",", 1, true) then
      fail('cluster: %s is "%s", and behind a comma stands what else is asked'
        .. " of Slurm%s", name, value, (name == "nodelist" or name == "exclude")
        and "; nodes in a row are n[1-4]" or "")
    elseif value ~= nil then
      wish[#wish + 1] = ("%s=%s"):format(name, tostring(value))
    end
  end
  local is_virtual = os.getenv("WARPSHOP_VIRTUAL_DEVICES")
  return started_with(dask.cluster(n, table.concat(wish, ","), protocol,
    o.gpus and (is_virtual and "virtual" or "gpu")))
end

-- ---- The one in use ----

--- The client in use; this process on the host where nobody asked for another.
function M.current() return current or M.Client() end

function M.executor() return M.current().executor end

function methods.close(self)
  if current == self then current = nil end
  self.executor:close()
end

--- A list of {name =, pid =}.
function methods.workers(self)
  if self.executor.workers then return self.executor:workers() end
  local out = {}
  for i, place in ipairs(self.executor.places) do
    out[i] = {name = place.name,
              pid = place.channel and place.channel:pid() or nil}
  end
  return out
end

--- What was done so far.
function methods.counts(self)
  local c, out = self.executor.counts, {}
  for key, value in pairs(c) do out[key] = value end
  out.held = self.executor.held
  return out
end

Client.__index = methods

function Client.__complete(_, is_method) return is_method and methods or {} end

function Client.__tostring(self)
  local names = {}
  for i, place in ipairs(self.executor.places) do names[i] = place.name end
  return ("scale.Client: %s%s"):format(mistakes.list(names),
    self == current and "" or ", closed")
end

return M
