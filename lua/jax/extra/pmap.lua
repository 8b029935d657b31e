-- SPDX-License-Identifier: Apache-2.0
-- jax.pmap: a function on one device for each entry along an axis of its
-- arguments, by way of shard_map.
local use = ...
local core = use("core/core")
local tree = use("core/tree")
local options_of = use("core/options")
local api = use("transforms/api")
local meshes = use("mesh/mesh")
local devices = use("mesh/devices")
local jnp = use("jnp/jnp")
local shard_map = use("extra/shard_map")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- The size that all mapped axes have.
local function mapped_size(o, leaves, paths, axes)
  local size, first
  for i, x in ipairs(leaves) do
    if axes[i] then
      local shape = core.shape_of(x)
      local n = axes[i] >= 0 and shape[axes[i] + 1]
      if not n then
        fail("ValueError", "pmap was requested to map %s along axis %d, " ..
             "which it has not: its shape is %s, and axes count from 0",
             paths[i], axes[i], core.shape_text(shape))
      elseif size and n ~= size then
        fail("ValueError", "pmap got inconsistent sizes for array axes to " ..
             "be mapped: %s has %d, %s %d", first, size, paths[i], n)
      end
      size, first = n, first or paths[i]
    end
  end
  if not size then
    fail("ValueError",
         "pmap requires at least one argument with a mapped axis.")
  elseif o.axis_size and o.axis_size ~= size then
    fail("ValueError", "pmap: axis_size is %s, and the mapped axes have %d",
         tostring(o.axis_size), size)
  end
  return size
end

local function mesh_of(o, size)
  local list = o.devices or devices.devices()
  if #list < size then
    fail("ValueError", "compiling computation that requires %d logical " ..
         "devices, but only %d are available: pmap takes one for each entry " ..
         "along the mapped axis. %s", size, #list, devices.how_to_have(size))
  end
  return meshes.Mesh(table.move(list, 1, size, 1, {}), {o.axis_name or "pmap"})
end

local function spec_of(axis, name)
  if not axis then return meshes.PartitionSpec() end
  local entries = {}
  for i = 1, axis do entries[i] = false end
  entries[axis + 1] = name
  return meshes.PartitionSpec(table.unpack(entries))
end

local function check_axes(what, axes)
  for _, axis in ipairs(axes) do
    if axis and math.type(axis) ~= "integer" then
      fail("TypeError", "pmap: %s takes whole numbers and false, not %s", what,
           core.kind_text(axis))
    end
  end
  return axes
end

-- Each device's results, with the axis along which they stand side by side.
local function fit_results(p, results, o, structure)
  local axes = {}
  api.axes_for(o.out_axes == nil and 0 or o.out_axes,
               tree.unflatten(structure, results), axes)
  p.out_specs = {}
  for i, axis in ipairs(check_axes("out_axes", axes)) do
    p.out_specs[i] = spec_of(axis, p.mesh.axis_names[1])
    if axis then
      results[i] = jnp.expand_dims(jnp.asarray(results[i]), axis)
    end
  end
  return results
end

local function call(f, o, args)
  local leaves, structure, paths = api.named_values(f, args)
  local axes, out = {}, {}
  api.axes_for(o.in_axes == nil and 0 or o.in_axes, args, axes)
  local mesh = mesh_of(o, mapped_size(o, leaves, paths,
                                      check_axes("in_axes", axes)))
  local p = {mesh = mesh, check_vma = false, in_specs = {}}
  for i in ipairs(leaves) do
    p.in_specs[i] = spec_of(axes[i], mesh.axis_names[1])
  end
  local flat = api.flat_function(f, structure, out)
  return api.give_back(out, shard_map.over(p, function(list)
    for i, x in ipairs(list) do
      if axes[i] then list[i] = jnp.squeeze(x, axes[i]) end
    end
    return fit_results(p, flat(list), o, out.structure)
  end, leaves, paths))
end

--- f on one device for each entry along the mapped axes.
function M.pmap(f, options, ...)
  api.need_function("pmap", f)
  if type(options) == "string" then options = {axis_name = options} end
  local o = options_of("pmap", options, ...)
  if o.devices then devices.check_list("pmap", o.devices) end
  return function(...) return call(f, o, shard_map.list_of("pmap", ...)) end
end

return M
