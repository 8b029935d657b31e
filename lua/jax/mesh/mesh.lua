-- SPDX-License-Identifier: Apache-2.0
-- Meshes of devices, and how arrays are laid over them: jax.make_mesh,
-- jax.sharding.Mesh, PartitionSpec, NamedSharding. The devices of a mesh are
-- its ranks, counted from 0 in row-major order.
local use = ...
local core = use("core/core")
local options_of = use("core/options")
local devices = use("mesh/devices")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- Meshes ----

local Mesh = {__name = "jax.sharding.Mesh"}

--- Whether x is a mesh.
function M.is_mesh(x) return getmetatable(x) == Mesh end

-- The leaves of nested lists in their order, and the lengths of each level.
local function flatten(list, out, sizes, level)
  for i, x in ipairs(list) do
    if type(x) == "table" and not getmetatable(x) then
      sizes[level + 1] = sizes[level + 1] or #x
      if #x ~= sizes[level + 1] then
        fail("ValueError", "Mesh: the lists of devices on level %d have " ..
             "%d and %d entries: all must be as long", level + 1,
             sizes[level + 1], #x)
      end
      flatten(x, out, sizes, level + 1)
    elseif devices.is_device(x) then
      out[#out + 1] = x
    else
      fail("TypeError", "Mesh: device %d is %s; jax.devices() has devices",
           i, core.kind_text(x))
    end
  end
end

local function names_list(what, names)
  if type(names) == "string" then names = {names} end
  if type(names) ~= "table" or getmetatable(names) then
    fail("TypeError", "%s: axis_names is a list of texts, {\"x\", \"y\"}, " ..
         "not %s", what, core.kind_text(names))
  end
  local known, out = {}, {}
  for i, name in ipairs(names) do
    if type(name) ~= "string" then
      fail("TypeError", "%s: the name of axis %d is %s; it must be a text",
           what, i - 1, core.kind_text(name))
    elseif known[name] then
      fail("ValueError", "Mesh axis names should be unique, and %s is twice " ..
           "among them", name)
    end
    known[name], out[i] = i, name
  end
  return out, known
end

-- JAX's meshes are Explicit unless told; these are Auto, and know no other.
local function check_axis_types(what, types)
  if types == nil then return end
  if type(types) ~= "table" then types = {types} end
  for _, t in ipairs(types) do
    if t ~= "Auto" then
      core.fail("unsupported", "NotImplementedError", "%s: axis type %s; " ..
        "all axes are Auto here (JAX's are Explicit unless told): the " ..
        "shardings of results are found, not declared. Leave axis_types out",
        what, tostring(t))
    end
  end
end

local function new_mesh(what, flat, sizes, axis_names, options)
  check_axis_types(what, options.axis_types)
  local names, numbers = names_list(what, axis_names)
  if #names ~= #sizes then
    fail("ValueError", "Mesh requires the ndim of its first argument " ..
         "(`devices`) to equal the length of its second argument " ..
         "(`axis_names`), but got devices.ndim == %d and len(axis_names) " ..
         "== %d", #sizes, #names)
  end
  local mesh = {axis_names = names, axis_sizes = sizes, shape = {},
                size = #flat, flat = flat, numbers = numbers, axis_types = {}}
  for i, name in ipairs(names) do
    mesh.shape[name], mesh.axis_types[i] = sizes[i], "Auto"
  end
  return setmetatable(mesh, Mesh)
end

--- A mesh of these devices, in nested lists, with a name for each level.
function M.Mesh(list, axis_names, ...)
  local options = options_of("Mesh", ...)
  if type(list) ~= "table" or getmetatable(list) then
    fail("TypeError", "Mesh takes lists of devices, such as jax.devices(), " ..
         "not %s", core.kind_text(list))
  end
  local flat, sizes = {}, {#list}
  flatten(list, flat, sizes, 1)
  local count = 1
  for _, n in ipairs(sizes) do count = count * n end
  if count ~= #flat or count == 0 then
    fail("ValueError", "Mesh: the devices stand in lists of one depth, and " ..
         "there is at least one")
  end
  return new_mesh("Mesh", flat, sizes, axis_names, options)
end

-- All devices by their numbers, wherever arrays live meanwhile.
local function all_devices()
  local list = devices.devices()
  table.sort(list, function(a, b) return a.id < b.id end)
  return list
end

--- A mesh of the first devices: make_mesh({4, 2}, {"x", "y"}).
function M.make_mesh(axis_shapes, axis_names, ...)
  local options = options_of("make_mesh", ...)
  local sizes, count = axis_shapes, 1
  if math.type(sizes) == "integer" then sizes = {sizes} end
  if type(sizes) ~= "table" or getmetatable(sizes) then
    fail("TypeError", "make_mesh takes the length of each axis, {4, 2}, not %s",
         core.kind_text(sizes))
  end
  for i, n in ipairs(sizes) do
    if math.type(n) ~= "integer" or n < 1 then
      fail("ValueError", "make_mesh: the length of axis %d is %s; it must " ..
           "be a whole number from 1", i - 1, tostring(n))
    end
    count = count * n
  end
  if options.devices then devices.check_list("make_mesh", options.devices) end
  local list = options.devices or all_devices()
  if #list < count then
    fail("ValueError", "Number of devices %d must be >= the product of " ..
         "mesh_shape (%s). %s", #list, table.concat(sizes, ", "),
         devices.how_to_have(count))
  end
  return new_mesh("make_mesh", table.move(list, 1, count, 1, {}),
                  table.move(sizes, 1, #sizes, 1, {}), axis_names, options)
end

-- devices: nested as the axes are.
local function nested(mesh, level, at)
  if level > #mesh.axis_sizes then return mesh.flat[at + 1] end
  local list = {}
  for i = 1, mesh.axis_sizes[level] do
    list[i] = nested(mesh, level + 1, at * mesh.axis_sizes[level] + i - 1)
  end
  return list
end

function Mesh.__index(mesh, key)
  if key == "devices" then return nested(mesh, 1, 0) end
  return Mesh[key]
end

function Mesh.__eq(a, b)
  if a.size ~= b.size or #a.axis_names ~= #b.axis_names then return false end
  for i, name in ipairs(a.axis_names) do
    if name ~= b.axis_names[i] or a.axis_sizes[i] ~= b.axis_sizes[i] then
      return false
    end
  end
  for i, d in ipairs(a.flat) do
    if d ~= b.flat[i] then return false end
  end
  return true
end

function Mesh.__tostring(mesh)
  local parts, types = {}, {}
  for i, name in ipairs(mesh.axis_names) do
    parts[i] = ("'%s': %d"):format(name, mesh.axis_sizes[i])
    types[i] = "Auto"
  end
  return ("Mesh(%s, axis_types=(%s%s))"):format(
    table.concat(parts, ", "), table.concat(types, ", "),
    #types == 1 and "," or "")
end

--- Where a rank is along an axis of this number (from 1).
function M.coordinate(mesh, rank, number)
  for i = #mesh.axis_sizes, number + 1, -1 do
    rank = rank // mesh.axis_sizes[i]
  end
  return rank % mesh.axis_sizes[number]
end

--- Which part a rank has of what is cut along these axes, and of how many.
function M.part(mesh, rank, names)
  local at, count = 0, 1
  for _, name in ipairs(names) do
    local n = mesh.shape[name]
    at = at * n + M.coordinate(mesh, rank, mesh.numbers[name])
    count = count * n
  end
  return at, count
end

--- The ranks that differ along these axes alone, as lists; in each, they are in
--- the order of the axes.
function M.groups(mesh, names)
  local rest, groups, at = {}, {}, {}
  for _, name in ipairs(mesh.axis_names) do
    local is_named = false
    for _, n in ipairs(names) do is_named = is_named or n == name end
    if not is_named then rest[#rest + 1] = name end
  end
  for rank = 0, mesh.size - 1 do
    local key = M.part(mesh, rank, rest)
    if not at[key] then
      groups[#groups + 1] = {}
      at[key] = groups[#groups]
    end
    at[key][M.part(mesh, rank, names) + 1] = rank
  end
  return groups
end

-- ---- PartitionSpec ----

local Spec = {__name = "jax.sharding.PartitionSpec"}
Spec.__index = Spec

--- Whether x is a PartitionSpec.
function M.is_spec(x) return getmetatable(x) == Spec end

-- false, or the names of the mesh axes that an axis is cut along.
local function entry(x, i)
  if x == nil or x == false then return false end
  if type(x) == "string" then return {x} end
  if type(x) ~= "table" or getmetatable(x) then
    fail("TypeError", "PartitionSpec: axis %d has %s; it takes the name of " ..
         "a mesh axis, a list of them, or false", i - 1, core.kind_text(x))
  end
  local list = {}
  for k, name in ipairs(x) do
    if type(name) ~= "string" then
      fail("TypeError", "PartitionSpec: axis %d has %s among its names",
           i - 1, core.kind_text(name))
    end
    list[k] = name
  end
  return list[1] and list or false
end

--- For each axis of an array the mesh axis that it is cut along, several in a
--- list, or false (nil): P("x", nil), P({"x", "y"}).
function M.PartitionSpec(...)
  local spec = {count = select("#", ...)}
  for i = 1, spec.count do spec[i] = entry((select(i, ...)), i) end
  return setmetatable(spec, Spec)
end

function Spec.__len(spec) return spec.count end

function Spec.__tostring(spec)
  local parts = {}
  for i = 1, spec.count do
    local names = spec[i]
    if not names then
      parts[i] = "None"
    elseif #names == 1 then
      parts[i] = "'" .. names[1] .. "'"
    else
      parts[i] = "('" .. table.concat(names, "', '") .. "')"
    end
  end
  return "P(" .. table.concat(parts, ", ") .. (#parts == 1 and "," or "") .. ")"
end

function Spec.__eq(a, b) return tostring(a) == tostring(b) end

--- The mesh axes that a spec names, as a set, and in the mesh's order.
function M.axes_of(spec, mesh)
  local set, list = {}, {}
  for i = 1, spec.count do
    for _, name in ipairs(spec[i] or {}) do set[name] = true end
  end
  for _, name in ipairs(mesh.axis_names) do
    if set[name] then list[#list + 1] = name end
  end
  return set, list
end

--- The spec with false for a further axis at `at`, counted from 0.
function M.with_axis(spec, at)
  if at >= spec.count then return spec end
  local new = {count = spec.count + 1}
  for i = 1, spec.count do new[i <= at and i or i + 1] = spec[i] end
  new[at + 1] = false
  return setmetatable(new, Spec)
end

--- What is doubly named in a spec, or nil.
function M.repeated(spec)
  local seen = {}
  for i = 1, spec.count do
    for _, name in ipairs(spec[i] or {}) do
      if seen[name] then return name end
      seen[name] = true
    end
  end
end

--- How many parts axis `i` (from 0) of an array is cut into, and along what.
function M.cuts(mesh, spec, i)
  local names, count = spec[i + 1] or {}, 1
  for _, name in ipairs(names) do count = count * mesh.shape[name] end
  return count, names
end

--- The shape of a rank's part of an array.
function M.shard_shape(mesh, spec, shape)
  local out = {}
  for i, n in ipairs(shape) do out[i] = n // M.cuts(mesh, spec, i - 1) end
  return out
end

--- The shape of the array whose parts have this one.
function M.global_shape(mesh, spec, shape)
  local out = {}
  for i, n in ipairs(shape) do out[i] = n * M.cuts(mesh, spec, i - 1) end
  return out
end

--- Where a rank's part begins, and where it ends, along each axis.
function M.bounds(mesh, spec, shape, rank)
  local from, to = {}, {}
  for i, n in ipairs(shape) do
    local _, names = M.cuts(mesh, spec, i - 1)
    local at, count = M.part(mesh, rank, names)
    from[i], to[i] = at * (n // count), (at + 1) * (n // count)
  end
  return from, to
end

-- ---- Shardings ----

local Sharding = {__name = "jax.sharding.NamedSharding"}

--- Whether x is a NamedSharding.
function M.is_sharding(x) return getmetatable(x) == Sharding end

--- Where an array's parts are: on which mesh, and how it is cut.
function M.NamedSharding(mesh, spec)
  if not M.is_mesh(mesh) then
    fail("TypeError", "NamedSharding takes a mesh first, " ..
         "jax.make_mesh({8}, {\"i\"}), not %s", core.kind_text(mesh))
  elseif not M.is_spec(spec) then
    fail("TypeError", "NamedSharding takes a PartitionSpec behind the mesh, " ..
         "jax.P(\"%s\"), not %s", mesh.axis_names[1], core.kind_text(spec))
  end
  for i = 1, spec.count do
    for _, name in ipairs(spec[i] or {}) do
      if not mesh.shape[name] then
        fail("ValueError", "Resource axis: %s of %s is not found in mesh: " ..
             "('%s'%s).", name, tostring(spec),
             table.concat(mesh.axis_names, "', '"),
             #mesh.axis_names == 1 and "," or "")
      end
    end
  end
  local twice = M.repeated(spec)
  if twice then
    fail("DuplicateSpecError", "A single NamedSharding spec specification " ..
         "can map every mesh axis to at most one positional dimension, but " ..
         "%s has duplicate entries for `%s`", tostring(spec), twice)
  end
  return setmetatable({mesh = mesh, spec = spec}, Sharding)
end

function Sharding.__tostring(s)
  return ("NamedSharding(mesh=%s, spec=%s)"):format(tostring(s.mesh),
                                                    tostring(s.spec))
end

-- Whether two are the same cuts: P("x") and P("x", nil) are.
function Sharding.__eq(a, b)
  if a.mesh ~= b.mesh then return false end
  for i = 1, math.max(a.spec.count, b.spec.count) do
    if table.concat(a.spec[i] or {}, " ") ~=
       table.concat(b.spec[i] or {}, " ") then
      return false
    end
  end
  return true
end

--- Raises what JAX does where the sharding does not fit an array of this shape.
function Sharding:check(shape)
  local tiles = {}
  if self.spec.count > #shape then
    fail("ValueError", "Sharding %s is only valid for values of rank at " ..
         "least %d, but was applied to a value of rank %d", tostring(self),
         self.spec.count, #shape)
  end
  for i = 1, #shape do tiles[i] = M.cuts(self.mesh, self.spec, i - 1) end
  for i, n in ipairs(shape) do
    if n % tiles[i] ~= 0 then
      fail("IndivisibleError", "Sharding %s implies that array axis %d is " ..
           "partitioned %d times, but the dimension size is %d (full shape: " ..
           "%s, per-dimension tiling factors: [%s] should evenly divide the " ..
           "shape)", tostring(self), i - 1, tiles[i], n,
           core.shape_text(shape), table.concat(tiles, ", "))
    end
  end
end

--- The shape of each part of an array of this shape.
function Sharding:shard_shape(shape)
  self:check(shape)
  return M.shard_shape(self.mesh, self.spec, shape)
end

function Sharding.__index(s, key)
  if key == "is_fully_replicated" then
    return next((M.axes_of(s.spec, s.mesh))) == nil or s.mesh.size == 1
  elseif key == "device_set" then
    return table.move(s.mesh.flat, 1, s.mesh.size, 1, {})
  end
  return Sharding[key]
end

local Single = {__name = "jax.sharding.SingleDeviceSharding"}
Single.__index = Single

--- Whether x is a SingleDeviceSharding.
function M.is_single(x) return getmetatable(x) == Single end

--- All of an array on one device.
function M.SingleDeviceSharding(device)
  if not devices.is_device(device) then
    fail("TypeError", "SingleDeviceSharding takes a device, " ..
         "jax.devices()[1], not %s", core.kind_text(device))
  end
  return setmetatable({device = device, device_set = {device},
                       is_fully_replicated = true}, Single)
end

function Single.__eq(a, b) return a.device == b.device end
function Single.__tostring(s)
  return ("SingleDeviceSharding(device=%s)"):format(tostring(s.device))
end

return M
