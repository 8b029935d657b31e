-- SPDX-License-Identifier: Apache-2.0
-- What the devices of a mesh do together, inside of a shard_map: psum and its
-- like. Besides the five rules each has
--
--   exchange(params, mesh, values) -> list: what each rank gets (mesh/run.lua)
--   on_devices(...): the same without the host, where it can (mesh/direct.lua)
--   varying(params, in, mesh)      -> along which mesh axes the result differs
--
-- A value differs between devices along some axes of the mesh (JAX's varying
-- manual axes): `varying` of its abstract value is a set of their names. Where
-- values meet that differ along other axes, `pvary` stands between, whose
-- derivative backward is the sum over the devices.
local use = ...
local core = use("core/core")
local arrays = use("core/arrays")
local batch = use("transforms/batch")
local meshes = use("mesh/mesh")
local reduce = use("mesh/reduce")
local run = use("mesh/run")
local param_text = use("core/print").param_text
local np = use.np

-- ---- Which axes a value differs along ----

local NONE <const> = {}

local function varying_of(x) return core.aval_of(x).varying or NONE end

local function missing(from, all)
  local list = {}
  for _, name in ipairs(core.manual.mesh.axis_names) do
    if all[name] and not from[name] then list[#list + 1] = name end
  end
  return list
end

-- All axes along which one of these abstract values differs; and whether each
-- of them differs along all of them.
local function union(avals)
  local all, is_same = NONE, true
  for i, a in ipairs(avals) do
    local own = a.varying or NONE
    for name in pairs(own) do
      if not all[name] then
        all = all == NONE and {} or all
        all[name], is_same = true, is_same and i == 1
      end
    end
    for name in pairs(all) do is_same = is_same and own[name] ~= nil end
  end
  return all, is_same
end

local function avals_of(args)
  local avals = {}
  for i, x in ipairs(args) do avals[i] = core.aval_of(x) end
  return avals
end

local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

-- x as a value that differs along these axes, too.
local function pvary(x, names)
  if #names == 0 or core.is_literal(x) then return x end
  return core.bind(core.prims.pvary, {axes = names}, {x})[1]
end

--- x, which differs along the axes that this abstract value does, too.
function core.vary_like(x, aval)
  if not (core.manual and core.manual.check) then return x end
  return pvary(x, missing(varying_of(x), aval.varying))
end

-- Before an operation in a shard_map with check_vma: its arguments, all of
-- which differ along the same axes; or its results, where it is none.
function core.align(prim, args, params)
  if prim.keeps_varying then return args end
  if prim.name == "pvary" then
    local axes = missing(varying_of(args[1]), set_of(params.axes))
    if #axes == 0 then return nil, args end
    return args, nil, {axes = axes}
  end
  local all, is_same = union(avals_of(args))
  if prim.needs_varying then
    local both = set_of(params.axes)
    for name in pairs(all) do both[name] = true end
    all, is_same = both, false
  end
  if is_same then return args end
  local out = {}
  for i, x in ipairs(args) do
    local axes = missing(varying_of(x), all)
    if core.is_literal(x) and prim.needs_varying then x = arrays.array_of(x) end
    out[i] = pvary(x, axes)
  end
  return out
end

--- The abstract values of an operation's results, with what they differ along.
function core.with_varying(prim, params, out, avals)
  local sets = prim.varying and prim.varying(params, avals)
  local all = sets or union(avals)
  local new = {}
  for i, a in ipairs(out) do
    local own = prim.varying_each and prim.varying_each(params, avals, i) or all
    new[i] = core.aval(a.shape, a.dtype, a.weak)
    new[i].varying = next(own) ~= nil and own or nil
  end
  return new
end

-- Programs inside of operations say themselves what their results differ along.
local function from_program(name, varying)
  local prim = core.prims[name]
  prim.keeps_varying, prim.varying_each = true, varying
end

from_program("jit", function(p, _, i)
  return p.jaxpr.outputs[i].aval.varying or NONE
end)
from_program("scan", function(p, _, i)
  return p.jaxpr.outputs[i].aval.varying or NONE
end)
from_program("while", function(p, _, i)
  return (union{p.body_jaxpr.outputs[i].aval, p.cond_jaxpr.outputs[1].aval})
end)
from_program("cond", function(p, avals, i)
  local list = {avals[1]}
  for n, branch in ipairs(p.branches) do
    list[n + 1] = branch.outputs[i].aval
  end
  return (union(list))
end)

-- ---- Shared ----

-- x with its batch axis last: the numbers of the others stay.
local function batch_last(name)
  return function(params, size, values, dims)
    local last = #core.shape_of(values[1]) - 1
    local x = batch.at(values[1], dims[1], last, size)
    local out = core.bind(core.prims[name], params, {x})[1]
    return {out}, {#core.shape_of(out) - 1}
  end
end

local function batch_same(name)
  return function(params, _, values, dims)
    return core.bind(core.prims[name], params, values), {dims[1]}
  end
end

local function meet(name)
  return function(params, x)
    return run.meet(core.prims[name], params, x)
  end
end

-- Parameters as JAX prints them: under `names`, with axes as a tuple unless
-- `is_plain`, and with what there is not here, groups of devices.
local function printer(names, has_groups, is_plain, more)
  return function(p)
    local list = has_groups and {{"axis_index_groups", "None"}} or {}
    table.insert(list, more)
    for key, value in pairs(p) do
      local text = param_text(value, key)
      if key == "axes" then
        text = "('" .. table.concat(value, "', '") .. "'" ..
               (#value == 1 and "," or "") .. ")"
        if is_plain and #value == 1 then text = value[1] end
      end
      if names[key] ~= false then
        list[#list + 1] = {names[key] or key, text}
      end
    end
    table.sort(list, function(x, y) return x[1] < y[1] end)
    return list
  end
end

local function define(row)
  local name = row.name
  row.eval = row.eval or meet(name)
  row.emit = {run = function(eqn)
    return function(args)
      local y = run.meet(eqn.prim, eqn.params, args[1])
      return {arrays.device_put(y, eqn.outputs[1].aval.weak)}
    end
  end}
  return core.define(row)
end

local function same_shape(_, a) return core.aval(a.shape, a.dtype, a.weak) end

-- What each group of ranks gets: f(list of their values) for all of it alike.
local function each_group(f)
  return function(params, mesh, values)
    local out = {}
    for _, group in ipairs(meshes.groups(mesh, params.axes)) do
      local list = {}
      for k, rank in ipairs(group) do list[k] = values[rank + 1] end
      local results = f(list, params)
      for k, rank in ipairs(group) do out[rank + 1] = results[k] end
    end
    return out
  end
end

local function alike(f)
  return each_group(function(list, params)
    local y, out = f(list, params), {}
    for k = 1, #list do out[k] = y end
    return out
  end)
end

-- ---- Without the host ----

-- Do the axes take in all ranks, in their order?
local function are_all(params, mesh)
  local groups = meshes.groups(mesh, params.axes)
  if #groups > 1 then return false end
  for k, rank in ipairs(groups[1]) do
    if rank ~= k - 1 then return false end
  end
  return true
end

-- A new array of each rank, as on_devices makes them.
local function new_arrays(group, mesh, dtype, shape)
  local out = {}
  for r = 1, mesh.size do out[r] = group:array(r - 1, dtype, shape, true) end
  return out
end

-- One of NCCL's operations on all ranks; shape_of(params, x) is each result's.
local function by_nccl(kind, op, shape_of)
  return function(group, params, mesh, values)
    local x = values[1]
    local shape = shape_of(params, x, mesh)
    if not shape or not are_all(params, mesh) then return nil end
    local out = new_arrays(group, mesh, x.dtype, shape)
    return group:queue(kind, op, 0, values, out) and out
  end
end

local function shape_of(_, x) return x.shape end

-- The array x of a rank with its axis `at` before all others, or with its first
-- axis there: packed, on its own device.
local function moved(mesh, r, x, at, is_back)
  if at == 0 then return x end
  local axes = {}
  for i = 0, #x.shape - 1 do
    if is_back then
      axes[i + 1] = i < at and i + 1 or i > at and i or 0
    else
      axes[i + 1] = i == 0 and at or i <= at and i - 1 or i
    end
  end
  return arrays.on_device(mesh.flat[r].name, function()
    return arrays.packed(x:transpose(table.unpack(axes)))
  end)
end

-- A shape whose axis `at` has so many parts, as an axis of its own before it.
local function with_parts(shape, at, parts)
  local out = table.move(shape, 1, #shape, 1, {})
  out[at + 1] = out[at + 1] // parts
  table.insert(out, at + 1, parts)
  return out
end

local MOST_BYTES <const> = 8 -- of an element that can be packed

local function gather_on(group, p, mesh, values)
  local x = values[1]
  if not are_all(p, mesh) or p.dimension > 0 and x.itemsize > MOST_BYTES then
    return nil
  end
  local shape = table.move(x.shape, 1, #x.shape, 2, {mesh.size})
  local out = new_arrays(group, mesh, x.dtype, shape)
  if not group:queue("all_gather", nil, 0, values, out) then return nil end
  for r, y in ipairs(out) do
    out[r] = moved(mesh, r, y, p.dimension, true)
    if p.tiled then
      local joined = table.move(x.shape, 1, #x.shape, 1, {})
      joined[p.dimension + 1] = joined[p.dimension + 1] * mesh.size
      out[r] = out[r]:reshape(joined)
    end
  end
  return out
end

local function scatter_on(group, p, mesh, values)
  local x, brought = values[1], {}
  if not are_all(p, mesh) or p.dimension > 0 and x.itemsize > MOST_BYTES then
    return nil
  end
  local shape = with_parts(x.shape, p.dimension, mesh.size)
  for r, y in ipairs(values) do
    brought[r] = moved(mesh, r, use.unmark(y):reshape(shape), p.dimension)
  end
  table.remove(shape, p.dimension + 1)
  if not p.tiled then table.remove(shape, p.dimension + 1) end
  local out = new_arrays(group, mesh, x.dtype, shape)
  return group:queue("reduce_scatter", "sum", 0, brought, out) and out
end

-- The derivative of an operation that is linear in its one argument.
local function linear(name, transpose)
  return {
    jvp = function(params, _, tangents)
      return core.bind(core.prims[name], params, tangents)
    end,
    vjp = function(params, cts) return {transpose(params, cts[1])} end,
  }
end

local function bind1(name, params, x)
  return core.bind(core.prims[name], params, {x})[1]
end

-- ---- pvary, psum, pmax, pmin ----

core.define{
  name = "pvary", print = printer{},
  eval = function(_, x) return x end,
  shape = same_shape,
  batch = batch_same("pvary"),
  diff = linear("pvary", function(params, ct)
    return bind1("psum_invariant", params, arrays.array_of(ct))
  end),
  emit = {expand = function(_, avals)
    local var = {aval = avals[1]}
    return {inputs = {var}, consts = {}, const_values = {}, eqns = {},
            outputs = {var}}
  end},
  varying = function(params, avals)
    local all = set_of(params.axes)
    for name in pairs(avals[1].varying or NONE) do all[name] = true end
    return all
  end,
}

local function without_axes(params, avals)
  local out = {}
  for name in pairs(avals[1].varying or NONE) do out[name] = true end
  for _, name in ipairs(params.axes) do out[name] = nil end
  return out
end

local sum = alike(function(list) return reduce.in_order("sum", list) end)

-- Of values that differ along the axes, to one that does not.
define{
  name = "psum_invariant", needs_varying = true, shape = same_shape,
  print = printer{},
  batch = batch_same("psum_invariant"), varying = without_axes, exchange = sum,
  on_devices = by_nccl("all_reduce", "sum", shape_of),
  diff = linear("psum_invariant", function(params, ct)
    return pvary(ct, params.axes)
  end),
}

-- Without check_vma, where nobody knows what differs along what.
define{
  name = "psum", shape = same_shape, batch = batch_same("psum"),
  print = printer({}, true),
  exchange = sum, on_devices = by_nccl("all_reduce", "sum", shape_of),
  diff = linear("psum", function(params, ct)
    return bind1("psum", params, arrays.array_of(ct))
  end),
}

for name, op in pairs{pmax = "max", pmin = "min"} do
  local function refuse()
    core.fail("unsupported", "NotImplementedError",
              "Differentiation rule for '%s' not implemented", name)
  end
  define{
    name = name, needs_varying = true, shape = same_shape,
    print = printer({}, true),
    batch = batch_same(name), varying = without_axes,
    exchange = alike(function(list) return reduce.in_order(op, list) end),
    on_devices = by_nccl("all_reduce", op, shape_of),
    diff = {jvp = refuse, vjp = refuse, forward = refuse},
  }
end

-- ---- all_gather, reduce_scatter, all_to_all, ppermute ----

local function size_of(params) return params.axis_size end

local function rows(x, axis, from, to)
  local parts = {}
  for i = 1, #x.shape do parts[i] = ":" end
  parts[axis + 1] = from .. ":" .. to
  return x[table.concat(parts, ", ")]:copy()
end

define{
  name = "all_gather", needs_varying = true,
  print = printer({axes = "axis_name", dimension = "all_gather_dimension"},
                  true),
  shape = function(p, a)
    local shape = table.move(a.shape, 1, #a.shape, 1, {})
    local at = p.dimension + 1
    if p.tiled then
      shape[at] = shape[at] * size_of(p)
    else
      table.insert(shape, at, size_of(p))
    end
    return core.aval(shape, a.dtype, a.weak)
  end,
  batch = batch_last("all_gather"),
  exchange = alike(function(list, p)
    return p.tiled and np.concatenate(list, p.dimension) or
           np.stack(list, p.dimension)
  end),
  on_devices = gather_on,
  diff = linear("all_gather", function(p, ct)
    return bind1("reduce_scatter", p, ct)
  end),
}

define{
  name = "reduce_scatter", needs_varying = true,
  print = printer({axes = "axis_name", dimension = "scatter_dimension"}, true),
  shape = function(p, a)
    local shape, at = table.move(a.shape, 1, #a.shape, 1, {}), p.dimension + 1
    if p.tiled then
      shape[at] = shape[at] // size_of(p)
    else
      table.remove(shape, at)
    end
    return core.aval(shape, a.dtype, a.weak)
  end,
  batch = batch_last("reduce_scatter"),
  exchange = each_group(function(list, p)
    local whole, out = reduce.in_order("sum", list), {}
    local part = whole.shape[p.dimension + 1] // #list
    for k = 1, #list do
      local x = rows(whole, p.dimension, (k - 1) * part, k * part)
      if not p.tiled then
        local shape = x.shape
        table.remove(shape, p.dimension + 1)
        x = x:reshape(shape)
      end
      out[k] = x
    end
    return out
  end),
  on_devices = scatter_on,
  diff = linear("reduce_scatter", function(p, ct)
    return bind1("all_gather", p, ct)
  end),
}

-- Rows of the array itself, no copy: the k-th part of so many.
local function part_of(x, k, part)
  return use.unmark(x)[("%d:%d"):format((k - 1) * part, k * part)]
end

-- Rank k gets the k-th part along split_axis of all, along concat_axis.
define{
  name = "all_to_all", needs_varying = true,
  print = printer({axes = "axis_name", axis_size = false}, true, true,
                  {"tiled", "True"}),
  shape = function(p, a)
    local shape = table.move(a.shape, 1, #a.shape, 1, {})
    shape[p.split_axis + 1] = shape[p.split_axis + 1] // size_of(p)
    shape[p.concat_axis + 1] = shape[p.concat_axis + 1] * size_of(p)
    return core.aval(shape, a.dtype, a.weak)
  end,
  batch = batch_last("all_to_all"),
  exchange = each_group(function(list, p)
    local part, out = list[1].shape[p.split_axis + 1] // #list, {}
    for k = 1, #list do
      local parts = {}
      for i, x in ipairs(list) do
        parts[i] = rows(x, p.split_axis, (k - 1) * part, k * part)
      end
      out[k] = np.concatenate(parts, p.concat_axis)
    end
    return out
  end),
  -- Parts that lie one behind the other, before and afterwards.
  on_devices = function(group, p, mesh, values)
    if p.split_axis ~= 0 or p.concat_axis ~= 0 then return nil end
    local x = values[1]
    local out, list = new_arrays(group, mesh, x.dtype, x.shape), {}
    for _, ranks in ipairs(meshes.groups(mesh, p.axes)) do
      local part = x.shape[1] // #ranks
      for k, from in ipairs(ranks) do
        for m, to in ipairs(ranks) do
          list[#list + 1] = {from, part_of(values[from + 1], m, part), to,
                             part_of(out[to + 1], k, part)}
        end
      end
    end
    return group:pairs(list) and out
  end,
  diff = linear("all_to_all", function(p, ct)
    return bind1("all_to_all", {axes = p.axes, axis_size = p.axis_size,
                                split_axis = p.concat_axis,
                                concat_axis = p.split_axis}, ct)
  end),
}

-- perm: {{from, to}, ...}; who gets nothing has zeros.
define{
  name = "ppermute", needs_varying = true, shape = same_shape,
  print = printer{axes = "axis_name"},
  batch = batch_same("ppermute"),
  exchange = each_group(function(list, p)
    local out = {}
    for _, pair in ipairs(p.perm) do out[pair[2] + 1] = list[pair[1] + 1] end
    for k, x in ipairs(list) do
      out[k] = out[k] or np.zeros(x.shape, x.dtype)
    end
    return out
  end),
  on_devices = function(group, p, mesh, values)
    local x, list, is_sent = values[1], {}, {}
    local out = new_arrays(group, mesh, x.dtype, x.shape)
    for _, ranks in ipairs(meshes.groups(mesh, p.axes)) do
      for _, pair in ipairs(p.perm) do
        local from, to = ranks[pair[1] + 1], ranks[pair[2] + 1]
        list[#list + 1] = {from, values[from + 1], to, out[to + 1]}
        is_sent[to] = true
      end
    end
    for rank = 0, mesh.size - 1 do
      if not is_sent[rank] then out[rank + 1]:fill(0) end
    end
    return group:pairs(list) and out
  end,
  diff = linear("ppermute", function(p, ct)
    local back = {}
    for i, pair in ipairs(p.perm) do back[i] = {pair[2], pair[1]} end
    return bind1("ppermute", {axes = p.axes, perm = back}, ct)
  end),
}

-- ---- axis_index ----

local function index_here(params)
  local mesh, rank = run.here()
  return (meshes.part(mesh, rank, params.axes))
end

core.define{
  name = "axis_index", print = printer({axes = "axis_name"}, false, true),
  eval = function(params) return np.asarray(index_here(params), "i32") end,
  shape = function() return core.aval({}, "i32") end,
  batch = false, diff = false,
  emit = {run = function(eqn)
    return function()
      return {arrays.device_put(np.asarray(index_here(eqn.params), "i32"))}
    end
  end},
  varying = function(params) return set_of(params.axes) end,
}
