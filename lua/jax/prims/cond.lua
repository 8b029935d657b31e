-- SPDX-License-Identifier: Apache-2.0
-- One of several programs.
--
--   cond {branches}
--
-- The arguments are the number of the branch (i32, within bounds) and what all
-- branches take.
local use = ...
local core = use("core/core")
local program = use("core/program")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")
local loops = use("compile/loops")

local function bind(branches, args)
  return core.bind(core.prims.cond, {branches = branches}, args)
end

local function rest(list) return table.move(list, 2, #list, 1, {}) end

-- Programs of the same inputs, each with its own constants: all take all.
local function opened(programs)
  local vars, values, known, out = {}, {}, {}, {}
  for _, p in ipairs(programs) do
    for i, x in ipairs(p.const_values) do
      if not known[x] then
        known[x] = #values + 1
        values[#values + 1] = x
        vars[#vars + 1] = p.consts[i].aval
      end
    end
  end
  for n, p in ipairs(programs) do
    local inputs = {}
    for i, aval in ipairs(vars) do inputs[i] = program.new_var(aval) end
    for i, x in ipairs(p.const_values) do inputs[known[x]] = p.consts[i] end
    out[n] = {inputs = ad.append(inputs, p.inputs), consts = {},
              const_values = {}, eqns = p.eqns, outputs = p.outputs}
  end
  return out, values
end
lax.open_branches = opened

local function batched_operands(p, size, values, dims)
  local branches, forced, out_dims = {}, {}, nil
  -- All branches give a batch where one does.
  for _ = 1, 2 do
    out_dims = {}
    for n, branch in ipairs(p.branches) do
      local new = batch.of_program(branch, size, rest(dims), forced)
      branches[n] = new.program
      for k, d in ipairs(new.dims) do out_dims[k] = out_dims[k] or d end
    end
    for k, d in ipairs(out_dims) do forced[k] = d and true end
  end
  local new, consts = opened(branches)
  return bind(new, ad.append({values[1]}, ad.append(consts, rest(values)))),
         out_dims
end

-- A number of the branch for each: all branches, and of each the one chosen.
local function batched_choice(p, size, values, dims)
  local index, results, forced = batch.at(values[1], dims[1], 0, size), nil, {}
  for k in ipairs(p.branches[1].outputs) do forced[k] = true end
  for n, branch in ipairs(p.branches) do
    local new = batch.of_program(branch, size, rest(dims), forced)
    local opened_one, consts = program.open(new.program)
    local outputs = core.bind(core.prims.jit,
                              {name = "branch", jaxpr = opened_one},
                              ad.append(consts, rest(values)))
    if not results then
      results = outputs
    else
      local is_mine = lax.eq(index, n - 1)
      for k, x in ipairs(outputs) do
        local shape = core.shape_of(x)
        results[k] = lax.select_n(lax.broadcast_in_dim(is_mine, shape, {0}),
                                  results[k], x)
      end
    end
  end
  local out_dims = {}
  for k in ipairs(results) do out_dims[k] = 0 end
  return results, out_dims
end

-- ---- Derivatives ----

local function jvp(p, values, tangents)
  local has, args, of = {}, rest(values), nil
  for i, t in ipairs(rest(tangents)) do
    has[i] = t and true
    if t then args[#args + 1] = t end
  end
  local branches = {}
  for n, branch in ipairs(p.branches) do
    local new = ad.jvp_program(branch, has)
    branches[n], of = new.program, new.of
  end
  local new, consts = opened(branches)
  local all = bind(new, ad.append({values[1]}, ad.append(consts, args)))
  local count, out_tangents = #p.branches[1].outputs, {}
  for k = 1, count do out_tangents[k] = false end
  for j, k in ipairs(of) do out_tangents[k] = all[count + j] end
  return out_tangents, table.move(all, 1, count, 1, {})
end

-- What the branches keep for the way back lies in slots that they share: the
-- n-th value of a shape and type that a branch keeps, in the n-th slot of its
-- kind. The others fill it with zeros.
local function halves(p, active)
  local key = {"cond vjp"}
  for i in ipairs(active) do key[i + 1] = active[i] and 1 or 0 end
  return ad.remember(p.branches, table.concat(key, " "), function()
    local pairs_of, slots, by_kind, uses = {}, {}, {}, {}
    local count = #p.branches[1].outputs
    for n, branch in ipairs(p.branches) do
      local pair, seen = ad.vjp_programs(branch, active), {}
      pairs_of[n], uses[n] = pair, {}
      for i = count + 1, #pair.forward.outputs do
        local aval = pair.forward.outputs[i].aval
        local kind = core.aval_text(aval)
        seen[kind] = (seen[kind] or 0) + 1
        by_kind[kind] = by_kind[kind] or {}
        local slot = by_kind[kind][seen[kind]]
        if not slot then
          slots[#slots + 1] = core.aval(aval.shape, aval.dtype)
          slot = #slots
          by_kind[kind][seen[kind]] = slot
        end
        uses[n][i - count] = slot
      end
    end
    local forwards, backwards = {}, {}
    for n, pair in ipairs(pairs_of) do
      forwards[n] = program.trace(function(args)
        local all = program.eval(pair.forward, args)
        local results = table.move(all, 1, count, 1, {})
        for s, aval in ipairs(slots) do
          results[count + s] = ad.zeros_like{aval = aval}
        end
        for i, s in ipairs(uses[n]) do results[count + s] = all[count + i] end
        return results
      end, program.in_avals(p.branches[n]))
      local avals = table.move(slots, 1, #slots, 1, {})
      for _, k in ipairs(pair.outs) do
        avals[#avals + 1] = p.branches[n].outputs[k].aval
      end
      backwards[n] = program.trace(function(args)
        local list = {}
        for i, s in ipairs(uses[n]) do list[i] = args[s] end
        table.move(args, #slots + 1, #args, #list + 1, list)
        return program.eval(pair.backward, list)
      end, avals)
    end
    local forward, forward_consts = opened(forwards)
    local backward, backward_consts = opened(backwards)
    return {forward = forward, forward_consts = forward_consts,
            backward = backward, backward_consts = backward_consts,
            outs = pairs_of[1].outs, ins = pairs_of[1].ins, count = count}
  end)
end

local function forward(p, values, active)
  local both = halves(p, rest(active))
  local all = bind(both.forward,
                   ad.append({values[1]}, ad.append(both.forward_consts,
                                                    rest(values))))
  return table.move(all, 1, both.count, 1, {}),
         {both = both, kept = table.move(all, both.count + 1, #all, 1, {})}
end

local function vjp(_, cts, values, outputs, saved)
  local both = saved.both
  local args = ad.append(both.backward_consts, saved.kept)
  for _, k in ipairs(both.outs) do
    args[#args + 1] = cts[k] or ad.zeros_like(outputs[k])
  end
  local grads, back = bind(both.backward, ad.append({values[1]}, args)), {}
  for i = 1, #values do back[i] = false end
  for j, i in ipairs(both.ins) do back[i + 1] = grads[j] end
  return back
end

-- Without results that are not needed and arguments that no branch reads.
local function prune(eqn, is_needed)
  local branches, keep, reads = eqn.params.branches, {}, {}
  for k, var in ipairs(eqn.outputs) do keep[k] = is_needed[var] or false end
  for _, branch in ipairs(branches) do
    for i, is_read in ipairs(program.reads(branch, keep)) do
      reads[i] = reads[i] or is_read
    end
  end
  local function chosen(list, flags)
    local out = {}
    for i, x in ipairs(list) do
      if flags[i] then out[#out + 1] = x end
    end
    return out
  end
  local inputs = chosen(rest(eqn.inputs), reads)
  local outputs = chosen(eqn.outputs, keep)
  if #inputs + 1 == #eqn.inputs and #outputs == #eqn.outputs then return eqn end
  local new = {}
  for n, branch in ipairs(branches) do
    new[n] = program.without_dead{
      inputs = chosen(branch.inputs, reads), consts = {}, const_values = {},
      eqns = branch.eqns, outputs = chosen(branch.outputs, keep)}
  end
  return {prim = eqn.prim, params = {branches = new}, outputs = outputs,
          inputs = ad.append({eqn.inputs[1]}, inputs)}
end

core.define{
  name = "cond",
  eval = function(p, index, ...)
    return loops.on_host(program.simple_of(p.branches[index:item() + 1]), {...})
  end,
  shape = function(p) return program.out_avals(p.branches[1]) end,
  batch = function(p, size, values, dims)
    if dims[1] then return batched_choice(p, size, values, dims) end
    return batched_operands(p, size, values, dims)
  end,
  diff = {gives_outputs = true, jvp = jvp, forward = forward, vjp = vjp},
  emit = {call = loops.emit_cond},
  prune = prune,
  print = function(p, show)
    local lines = {}
    for n, branch in ipairs(p.branches) do
      lines[n] = "\n  " .. show(branch):gsub("\n", "\n  ")
    end
    return {{"branches", "(" .. table.concat(lines) .. "\n)"}}
  end,
}
