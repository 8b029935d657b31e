-- SPDX-License-Identifier: Apache-2.0
-- jax.shard_map: a function that runs on each device of a mesh, on its own
-- parts of the arguments.
local use = ...
local core = use("core/core")
local program = use("core/program")
local tree = use("core/tree")
local options_of = use("core/options")
local api = use("transforms/api")
local meshes = use("mesh/mesh")
local devices = use("mesh/devices")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- Options ----

-- axis_names, a list or a set, has all axes of the mesh.
local function check_axis_names(mesh, names)
  if type(names) == "string" then names = {names} end
  if type(names) ~= "table" or getmetatable(names) then
    fail("TypeError", "shard_map: axis_names is a list of the names of the " ..
         "mesh's axes, not %s", core.kind_text(names))
  end
  local count = 0
  for key, value in pairs(names) do
    local name = type(key) == "number" and value or key
    if not mesh.shape[name] then
      fail("ValueError", "shard_map: axis_names has %s, which the mesh has " ..
           "not", tostring(name))
    end
    count = count + 1
  end
  if count < #mesh.axis_names then
    core.fail("unsupported", "NotImplementedError", "shard_map: axis_names " ..
              "leaves axes of the mesh out; all are mapped here")
  end
end

local function check_mesh(o)
  if o.mesh == nil then
    fail("ValueError", "shard_map needs a mesh: {mesh = jax.make_mesh({%d}, " ..
         "{\"i\"}), ...}", devices.device_count())
  elseif not meshes.is_mesh(o.mesh) then
    fail("TypeError", "shard_map requires a mesh of jax.make_mesh, not %s",
         core.kind_text(o.mesh))
  end
  if o.axis_names ~= nil then check_axis_names(o.mesh, o.axis_names) end
end

local function check_spec(what, spec, mesh)
  if not meshes.is_spec(spec) then
    fail("TypeError", "shard_map: %s has %s where a PartitionSpec is to be, " ..
         "jax.P(...)", what, core.kind_text(spec))
  end
  for i = 1, spec.count do
    for _, name in ipairs(spec[i] or {}) do
      if not mesh.shape[name] then
        fail("ValueError", "shard_map %s argument must refer to an axis " ..
             "marked as manual (frozenset({'%s'})), but %s refers to '%s'. " ..
             "Check the %s values passed to shard_map", what,
             table.concat(mesh.axis_names, "', '"), what, name, what)
      end
    end
  end
  local twice = meshes.repeated(spec)
  if twice then
    fail("ValueError", "shard_map: %s in %s names the axis %s twice",
         tostring(spec), what, twice)
  end
end

local function check_specs(what, specs, mesh)
  if specs == nil then
    fail("TypeError", "shard_map needs %s: a PartitionSpec such as " ..
         "jax.P(\"%s\") for all, or a list with one for each", what,
         mesh.axis_names[1])
  end
  for _, spec in ipairs(tree.leaves(specs)) do check_spec(what, spec, mesh) end
end

-- One spec for each leaf of x, from a tree that may end earlier.
local function specs_for(what, specs, x, out, path)
  if meshes.is_spec(specs) then
    for _ = 1, #tree.leaves(x) do out[#out + 1] = specs end
    return out
  end
  if not tree.is_branch(x) then
    fail("ValueError", "shard_map: %s%s is a table where %s an array", what,
         path, what == "in_specs" and "the argument is" or
         "the function gave")
  end
  if rawlen(specs) ~= rawlen(x) then
    fail("ValueError", "pytree structure error: different lengths of tuple " ..
         "at key path shard_map %s%s. There the prefix pytree has a list of " ..
         "length %d, but the full pytree one of length %d: %s", what, path,
         rawlen(specs), rawlen(x), what == "in_specs" and
         "in_specs has a spec for each argument" or
         "out_specs has a spec for each result")
  end
  local keys = {}
  for i = 1, rawlen(x) do keys[i] = i end
  local names = {}
  for k in pairs(x) do
    if type(k) == "string" then names[#names + 1] = k end
  end
  table.sort(names)
  for k in pairs(specs) do
    if type(k) == "string" and x[k] == nil then
      fail("ValueError", "shard_map: %s%s has a field %s that is not there",
           what, path, k)
    end
  end
  for _, k in ipairs(table.move(names, 1, #names, #keys + 1, keys)) do
    local step = path .. (type(k) == "number" and "[" .. k .. "]" or "." .. k)
    if specs[k] == nil then
      fail("ValueError", "shard_map: %s%s is missing", what, step)
    end
    specs_for(what, specs[k], x[k], out, step)
  end
  return out
end

-- ---- Arguments and results ----

local function check_rank(what, spec, shape, text)
  if spec.count <= #shape then return end
  fail("ValueError", "shard_map was given an %s entry which is too long to " ..
       "be compatible with the corresponding %s: %s is %s which has length " ..
       "%d, but %s has shape %s, which has rank %d (and %d < %d)%s", what,
       what == "in_specs" and "input value" or "output value", what,
       tostring(spec), spec.count, text, core.shape_text(shape), #shape,
       #shape, spec.count, what == "out_specs" and #shape == 0 and
       ". For rank 0 outputs that differ between devices, add an axis to " ..
       "them (jnp.reshape(y, {1})) so that they can be put one behind the " ..
       "other" or "")
end

local function check_divides(mesh, spec, shape, path)
  for i, n in ipairs(shape) do
    local count, names = meshes.cuts(mesh, spec, i - 1)
    if n % count ~= 0 then
      fail("ValueError", "shard_map was given argument arrays with axis " ..
           "sizes that are not evenly divisible by the corresponding mesh " ..
           "axis sizes: %s of shape %s corresponds to in_specs of value %s, " ..
           "which maps array axis %d (of size %d) to mesh axis '%s' (of " ..
           "size %d), but %d does not evenly divide %d", path,
           core.shape_text(shape), tostring(spec), i - 1, n,
           table.concat(names, "', '"), count, count, n)
    end
  end
end

-- What the function sees of an argument.
local function part_of(x, mesh, spec, is_checked)
  local a = core.aval_of(x)
  local part = core.aval(meshes.shard_shape(mesh, spec, a.shape), a.dtype,
                         a.weak)
  local named = meshes.axes_of(spec, mesh)
  if is_checked and next(named) then part.varying = named end
  return part
end

-- A result that is to be the same along the axes that its spec leaves out.
local function check_same(x, mesh, spec)
  local named, others = meshes.axes_of(spec, mesh), {}
  for name in pairs(core.aval_of(x).varying or {}) do
    if not named[name] then others[#others + 1] = name end
  end
  if #others == 0 then return end
  table.sort(others)
  fail("ValueError", "shard_map was given out_specs which " ..
       "require replication which can't be statically inferred given the " ..
       "mesh: out_specs is %s which implies that the corresponding output " ..
       "value is replicated across mesh axis '%s', but it may differ along " ..
       "it. Sum it up (jax.lax.psum(y, \"%s\")), or revise out_specs; " ..
       "check_vma = false disables the check", tostring(spec),
       table.concat(others, "', '"), others[1])
end

local function fit_results(leaves, p, out)
  local specs = specs_for("out_specs", p.out_tree,
                          tree.unflatten(out.structure, leaves), {}, "")
  for i, x in ipairs(leaves) do
    check_rank("out_specs", specs[i], core.shape_of(x), "a result")
    if p.check_vma then
      check_same(x, p.mesh, specs[i])
      local _, names = meshes.axes_of(specs[i], p.mesh)
      leaves[i] = core.is_literal(x) and x or
                  core.bind(core.prims.pvary, {axes = names}, {x})[1]
    end
  end
  p.out_specs = specs
  return leaves
end

-- ---- shard_map ----

--- What flat(list of parts) -> list gives of these leaves on p's devices: `p`
--- is {mesh, check_vma, in_specs}, and flat sets p.out_specs.
function M.over(p, flat, leaves, paths)
  if core.manual then
    core.fail("unsupported", "NotImplementedError",
              "a shard_map or pmap inside of another")
  end
  local avals = {}
  for i, x in ipairs(leaves) do
    local shape = core.shape_of(x)
    check_rank("in_specs", p.in_specs[i], shape, paths[i])
    check_divides(p.mesh, p.in_specs[i], shape, paths[i])
    avals[i] = part_of(x, p.mesh, p.in_specs[i], p.check_vma)
  end
  local new = core.with_manual({mesh = p.mesh, check = p.check_vma},
                               program.trace, flat, avals)
  return core.prims.shard_map.bind(p, new, leaves)
end

local function call(f, o, args)
  local p, out = {mesh = o.mesh, check_vma = o.check_vma ~= false,
                  out_tree = o.out_specs}, {}
  local leaves, structure, paths = api.named_values(f, args)
  p.in_specs = specs_for("in_specs", o.in_specs, args, {}, "")
  local flat = api.flat_function(f, structure, out)
  return api.give_back(out, M.over(p, function(list)
    return fit_results(flat(list), p, out)
  end, leaves, paths))
end

--- The arguments of a call as a list, none of them nil.
function M.list_of(what, ...)
  local args = {...}
  for i = 1, select("#", ...) do
    if args[i] == nil then fail("TypeError", "%s: an argument is nil", what) end
  end
  return args
end

--- f on each device of a mesh, on its own parts of the arguments.
function M.shard_map(f, ...)
  api.need_function("shard_map", f)
  local o = options_of("shard_map", ...)
  check_mesh(o)
  check_specs("in_specs", o.in_specs, o.mesh)
  check_specs("out_specs", o.out_specs, o.mesh)
  return function(...) return call(f, o, M.list_of("shard_map", ...)) end
end

return M
