-- SPDX-License-Identifier: Apache-2.0
-- Arrays in parts on several devices. An array of jax is whole, on the device
-- in use; one that was laid over a mesh has besides it a part on each device,
-- which programs over that mesh take as they are.
local use = ...
local core = use("core/core")
local arrays = use("core/arrays")
local devices = use("mesh/devices")
local meshes = use("mesh/mesh")
local np, cuda = use.np, use.cuda
local M = {}

-- array -> {sharding, parts}: part r is rank r - 1's.
local laid = setmetatable({}, {__mode = "k"})

local function index_text(from, to)
  local parts = {}
  for i in ipairs(from) do parts[i] = ("%d:%d"):format(from[i], to[i]) end
  return table.concat(parts, ", ")
end

local function is_real(name) return name:find("^cuda:") ~= nil end

-- Do these bounds take in all of an array, or whole rows of it?
local function are_all(from, to, shape)
  for i, n in ipairs(shape) do
    if from[i] ~= 0 or to[i] ~= n then return false end
  end
  return true
end
local function are_rows(from, to, shape)
  for i = 2, #shape do
    if from[i] ~= 0 or to[i] ~= shape[i] then return false end
  end
  return #shape > 0
end

-- The elements of an array on a real GPU that lie there, as a jax array on the
-- device `name`: from one memory into the other, where GPUs reach each other.
-- Nil: they are no rows.
local function piece_on(x, name, from, to, weak)
  local plain = use.unmark(x)
  if not are_all(from, to, x.shape) then
    if not are_rows(from, to, x.shape) then return nil end
    plain = plain[("%d:%d"):format(from[1], to[1])]
    if name == x.device then plain = plain:copy() end
  end
  return use.mark(name == x.device and plain or plain:to(name), weak)
end

-- The elements of a host array that lie there, as an array of its own.
local function piece(host, from, to)
  if #from == 0 then return host end
  return host[index_text(from, to)]:copy()
end

-- A host array as a jax array on the device of a rank.
local function place(mesh, rank, host, weak)
  local d = mesh.flat[rank + 1]
  if d.platform == "cpu" then return use.mark(host, weak) end
  return arrays.on_device(d.name, function()
    return use.mark(use.to_device(host), weak)
  end)
end
M.place = place

--- The parts of the array or literal x, one for each rank of the mesh.
function M.parts(x, mesh, spec)
  local known = not core.is_literal(x) and laid[x]
  if known and known.sharding == meshes.NamedSharding(mesh, spec) then
    return known.parts
  end
  local a, host, parts = core.aval_of(x), nil, {}
  local is_near = not core.is_literal(x) and is_real(x.device)
  for rank = 0, mesh.size - 1 do
    local from, to = meshes.bounds(mesh, spec, a.shape, rank)
    local name = mesh.flat[rank + 1].name
    local part = is_near and is_real(name) and
                 piece_on(x, name, from, to, a.weak)
    if not part then
      host = host or arrays.on_host(x)
      part = place(mesh, rank, piece(host, from, to), a.weak)
    end
    parts[rank + 1] = part
  end
  return parts
end

local function note(x, mesh, spec, parts)
  laid[x] = {sharding = meshes.NamedSharding(mesh, spec), parts = parts}
  return x
end

-- Each part's rows into the device array `whole`.
local function gather(whole, parts, mesh, spec, a)
  local is_done = {}
  for rank = 0, mesh.size - 1 do
    local from, to = meshes.bounds(mesh, spec, a.shape, rank)
    if not are_rows(from, to, a.shape) then return nil end
    local rows = ("%d:%d"):format(from[1], to[1])
    if not is_done[rows] and to[1] > from[1] then
      whole[rows]:copy_from(use.unmark(parts[rank + 1]))
    end
    is_done[rows] = true
  end
  return whole
end

-- The same where all are real GPUs: without the host, if parts are whole rows.
-- What the device in use holds is not copied.
local function whole_of_near(parts, mesh, spec, a)
  for _, x in ipairs(parts) do
    if not is_real(x.device) then return nil end
  end
  local here, first = cuda.device().id, use.unmark(parts[1])
  local from, to = meshes.bounds(mesh, spec, a.shape, 0)
  if are_all(from, to, a.shape) then
    return use.mark(first.device == here and first or first:to(here), a.weak)
  end
  local whole = cuda.device_array(a.shape, a.dtype)
  return gather(whole, parts, mesh, spec, a) and use.mark(whole, a.weak)
end

--- The array of this abstract value that has these parts. Of those that hold
--- the same the first rank's counts.
function M.whole(parts, mesh, spec, a)
  local near = whole_of_near(parts, mesh, spec, a)
  if near then return note(near, mesh, spec, parts) end
  local host, is_done = np.zeros(a.shape, a.dtype), {}
  for rank = 0, mesh.size - 1 do
    local from, to = meshes.bounds(mesh, spec, a.shape, rank)
    local key = index_text(from, to)
    if not is_done[key] then
      is_done[key] = true
      local own = arrays.on_host(parts[rank + 1])
      if #from == 0 then host = own else host[key] = own end
    end
  end
  return note(arrays.device_put(host, a.weak), mesh, spec, parts)
end

local function check_whole(sharding)
  if not (meshes.is_spec(sharding) or meshes.is_mesh(sharding)) then return end
  core.fail("argument", "TypeError", "device_put takes jax.sharding." ..
            "NamedSharding(mesh, jax.P(...)): a mesh or a PartitionSpec " ..
            "alone is half of it")
end

--- x laid over the sharding's mesh.
function M.put(x, sharding)
  check_whole(sharding)
  if meshes.is_single(sharding) then return devices.put(x, sharding.device) end
  if not meshes.is_sharding(sharding) then return devices.put(x, sharding) end
  sharding:check(core.shape_of(x))
  x = arrays.array_of(x)
  local mesh, spec = sharding.mesh, sharding.spec
  local parts = M.parts(x, mesh, spec)
  local weak = use.is_weak(x)
  return note(use.mark(x, weak), mesh, spec, parts)
end

--- The sharding of an array of jax.
function M.sharding_of(x)
  local known = laid[x]
  if known then return known.sharding end
  return meshes.SingleDeviceSharding(devices.of(x))
end

-- ---- x.addressable_shards ----

local Shard = {__name = "jax.Shard"}
Shard.__index = Shard
function Shard.__tostring(s)
  return ("Shard(device=%s, index=%q, replica_id=%d, data=%s)"):format(
    tostring(s.device), s.index, s.replica_id,
    core.aval_text(core.aval_of(s.data)))
end

--- A list of {device, index, replica_id, data}: x[shard.index] is what
--- shard.data holds.
function M.shards_of(x)
  local known, list, copies = laid[x], {}, {}
  local shape = x.shape
  if not known then
    local from = {}
    for i in ipairs(shape) do from[i] = 0 end
    return {setmetatable({device = devices.of(x), replica_id = 0, data = x,
                          index = index_text(from, shape)}, Shard)}
  end
  local s = known.sharding
  for rank = 0, s.mesh.size - 1 do
    local index = index_text(meshes.bounds(s.mesh, s.spec, shape, rank))
    copies[index] = (copies[index] or -1) + 1
    list[rank + 1] = setmetatable({device = s.mesh.flat[rank + 1],
                                   index = index, replica_id = copies[index],
                                   data = known.parts[rank + 1]}, Shard)
  end
  return list
end

return M
