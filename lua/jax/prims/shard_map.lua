-- SPDX-License-Identifier: Apache-2.0
-- A program that each device of a mesh runs on its own parts of the arguments.
--
--   shard_map {jaxpr, mesh, in_specs, out_specs, check_vma}
--
-- jaxpr is of the parts; in_specs and out_specs say of each argument and result
-- how it is cut. Its derivative backward is another such program: what the way
-- back needs stays on each device, as parts along a further axis.
local use = ...
local core = use("core/core")
local program = use("core/program")
local arrays = use("core/arrays")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")
local meshes = use("mesh/mesh")
local shards = use("mesh/shards")
local run = use("mesh/run")

-- What is traced for p's devices.
local function within(p, f, ...)
  return core.with_manual({mesh = p.mesh, check = p.check_vma}, f, ...)
end

-- The opened program with these specs behind those of its constants, which each
-- device has whole.
local function bind(p, new, in_specs, out_specs, args)
  local opened, consts = program.open(new)
  local specs = {}
  for i = 1, #consts do specs[i] = meshes.PartitionSpec() end
  return core.bind(core.prims.shard_map, {
    jaxpr = program.shared(opened), mesh = p.mesh, check_vma = p.check_vma,
    in_specs = ad.append(specs, in_specs), out_specs = out_specs,
  }, ad.append(consts, args))
end

-- ---- Computing ----

local function global_avals(p)
  local out = {}
  for i, a in ipairs(program.out_avals(p.jaxpr)) do
    out[i] = core.aval(meshes.global_shape(p.mesh, p.out_specs[i], a.shape),
                       a.dtype, a.weak)
  end
  return out
end

local function compute(p, args)
  local lists, results = {}, {}
  for r = 1, p.mesh.size do lists[r] = {} end
  for i, x in ipairs(args) do
    for r, part in ipairs(shards.parts(x, p.mesh, p.in_specs[i])) do
      lists[r][i] = part
    end
  end
  local made = run.on_mesh(p.jaxpr, p.mesh, lists)
  for i, a in ipairs(global_avals(p)) do
    local parts = {}
    for r, list in ipairs(made) do parts[r] = list[i] end
    results[i] = shards.whole(parts, p.mesh, p.out_specs[i], a)
  end
  return results
end

local function eval(p, ...)
  local args = {...}
  for i, x in ipairs(args) do args[i] = use.mark(x) end
  local results = compute(p, args)
  for i, x in ipairs(results) do results[i] = arrays.on_host(x) end
  return results
end

-- ---- Batches ----

local function batch_rule(p, size, values, dims)
  local new = within(p, batch.of_program, p.jaxpr, size, dims)
  local in_specs, out_specs = {}, {}
  for i, spec in ipairs(p.in_specs) do
    in_specs[i] = dims[i] and meshes.with_axis(spec, dims[i]) or spec
  end
  for i, spec in ipairs(p.out_specs) do
    out_specs[i] = new.dims[i] and meshes.with_axis(spec, 0) or spec
  end
  return bind(p, new.program, in_specs, out_specs, values), new.dims
end

-- ---- Derivatives ----

local function jvp(p, values, tangents)
  local has, args = {}, table.move(values, 1, #values, 1, {})
  local in_specs = table.move(p.in_specs, 1, #values, 1, {})
  for i, t in ipairs(tangents) do
    has[i] = t and true
    if t then
      args[#args + 1] = t
      in_specs[#in_specs + 1] = p.in_specs[i]
    end
  end
  local new = within(p, ad.jvp_program, p.jaxpr, has)
  local n, out_tangents = #p.out_specs, {}
  local out_specs = table.move(p.out_specs, 1, n, 1, {})
  for k, i in ipairs(new.of) do out_specs[n + k] = p.out_specs[i] end
  local all = bind(p, new.program, in_specs, out_specs, args)
  for i = 1, n do out_tangents[i] = false end
  for k, i in ipairs(new.of) do out_tangents[i] = all[n + k] end
  return out_tangents, table.move(all, 1, n, 1, {})
end

-- The axes that a spec does not name: along them a device's part is the same
-- as others'.
local function other_axes(p, spec)
  local named, list, count = meshes.axes_of(spec, p.mesh), {}, 1
  for _, name in ipairs(p.mesh.axis_names) do
    if not named[name] then
      list[#list + 1] = name
      count = count * p.mesh.shape[name]
    end
  end
  return list, count
end

-- Each device keeps its own of what was saved, as a part along a new axis; what
-- is the same on all stays as it is.
local function saved_spec(p, aval)
  local names = {}
  for _, name in ipairs(p.mesh.axis_names) do
    if not p.check_vma or (aval.varying or {})[name] then
      names[#names + 1] = name
    end
  end
  return names[1] and meshes.PartitionSpec(names) or meshes.PartitionSpec()
end

local function forward_program(p, pair, specs)
  local n = #p.jaxpr.outputs
  return program.trace(function(args)
    local all = program.eval(pair.forward, args)
    for i = n + 1, #all do
      specs[i - n] = saved_spec(p, core.aval_of(all[i]))
      if specs[i - n].count > 0 then all[i] = lax.expand_dims(all[i], {0}) end
    end
    return all
  end, program.in_avals(p.jaxpr))
end

-- With check_vma types say what is summed where. Without, a result that is the
-- same on several devices has its cotangent shared out among them, and the
-- cotangents of an argument that several devices have are summed.
local function cotangent_in(p, ct, spec)
  local _, count = other_axes(p, spec)
  if p.check_vma or count == 1 then return ct end
  return lax.div(ct, count + 0.0)
end

local function cotangent_out(p, ct, spec)
  local others = other_axes(p, spec)
  if p.check_vma then
    local _, names = meshes.axes_of(spec, p.mesh)
    return core.bind(core.prims.pvary, {axes = names}, {arrays.array_of(ct)})[1]
  elseif #others == 0 then
    return ct
  end
  return core.bind(core.prims.psum, {axes = others}, {ct})[1]
end

local function backward_program(p, pair, saved, specs)
  local avals, n = table.move(saved, 1, #saved, 1, {}), #saved
  for _, i in ipairs(pair.outs) do
    local a = p.jaxpr.outputs[i].aval
    a = core.aval(a.shape, a.dtype, a.weak)
    local named = meshes.axes_of(p.out_specs[i], p.mesh)
    if p.check_vma and next(named) then a.varying = named end
    avals[#avals + 1] = a
  end
  return program.trace(function(args)
    for i, spec in ipairs(specs) do
      if spec.count > 0 then args[i] = lax.squeeze(args[i], {0}) end
    end
    for k, i in ipairs(pair.outs) do
      args[n + k] = cotangent_in(p, args[n + k], p.out_specs[i])
    end
    local grads = program.eval(pair.backward, args)
    for k, i in ipairs(pair.ins) do
      grads[k] = cotangent_out(p, grads[k], p.in_specs[i])
    end
    return grads
  end, avals)
end

local function specs_text(specs)
  local parts = {}
  for i, spec in ipairs(specs) do parts[i] = tostring(spec) end
  return "(" .. table.concat(parts, ", ") .. (#parts == 1 and "," or "") .. ")"
end

local function halves(p)
  local key = ("shard_map %s %s %s %s"):format(
    tostring(p.mesh), tostring(p.check_vma), specs_text(p.in_specs),
    specs_text(p.out_specs))
  return ad.remember(p.jaxpr, key, function()
    return within(p, function()
      local pair, saved, specs = ad.vjp_programs(p.jaxpr), {}, {}
      local forward = forward_program(p, pair, specs)
      for i = #p.jaxpr.outputs + 1, #forward.outputs do
        saved[#saved + 1] = forward.outputs[i].aval
      end
      return {forward = forward, specs = specs, outs = pair.outs,
              ins = pair.ins,
              backward = backward_program(p, pair, saved, specs)}
    end)
  end)
end

local function forward(p, values)
  local both, n = halves(p), #p.out_specs
  local all = bind(p, both.forward, p.in_specs,
                   ad.append(p.out_specs, both.specs), values)
  return table.move(all, 1, n, 1, {}), table.move(all, n + 1, #all, 1, {})
end

local function vjp(p, cts, values, outputs, saved)
  local both = halves(p)
  local args = table.move(saved, 1, #saved, 1, {})
  local in_specs, out_specs = table.move(both.specs, 1, #saved, 1, {}), {}
  for _, i in ipairs(both.outs) do
    args[#args + 1] = cts[i] or ad.zeros_like(outputs[i])
    in_specs[#in_specs + 1] = p.out_specs[i]
  end
  for k, i in ipairs(both.ins) do out_specs[k] = p.in_specs[i] end
  local grads, back = bind(p, both.backward, in_specs, out_specs, args), {}
  for i = 1, #values do back[i] = false end
  for k, i in ipairs(both.ins) do back[i] = grads[k] end
  return back
end

-- ---- The row ----

core.define{
  name = "shard_map",
  eval = eval, shape = global_avals, batch = batch_rule,
  diff = {gives_outputs = true, jvp = jvp, forward = forward, vjp = vjp},
  emit = {run = function(eqn)
    return function(args) return compute(eqn.params, args) end
  end},
  compute = compute,
  -- The program `new` of the parts, with p's mesh and specs.
  bind = function(p, new, args)
    return bind(p, new, p.in_specs, p.out_specs, args)
  end,
  print = function(p, show)
    return {
      {"check_vma", p.check_vma and "True" or "False"},
      {"in_specs", specs_text(p.in_specs)}, {"jaxpr", show(p.jaxpr)},
      {"mesh", tostring(p.mesh)},
      {"newly_manual_axes", "frozenset({'" ..
                            table.concat(p.mesh.axis_names, "', '") .. "'})"},
      {"out_specs", specs_text(p.out_specs)},
    }
  end,
}
