-- SPDX-License-Identifier: Apache-2.0
-- A loop that runs a program a known number of times.
--
--   scan {jaxpr, length, reverse, num_consts, num_carry, unroll}
--
-- jaxpr: (consts..., carry..., x of this step...) -> (carry..., y of this
-- step...). The arguments are the consts, the first carry, and xs with the
-- steps along axis 0; the results are the last carry and ys.
local use = ...
local core = use("core/core")
local program = use("core/program")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")
local loops = use("compile/loops")
local np = use.np

local copy = program.copy_list

local function with(p, changes)
  for k, v in pairs(p) do
    if changes[k] == nil then changes[k] = v end
  end
  return changes
end

local function bind(p, args) return core.bind(core.prims.scan, p, args) end

-- Which of an input's or output's kinds number i is.
local function is_carry(p, i)
  return i > p.num_consts and i <= p.num_consts + p.num_carry
end

-- The flags of all inputs, where those of the carry grow until the outputs that
-- `spread(flags)` flags are among them.
local function settle(p, flags, spread)
  flags = copy(flags)
  while true do
    local out, is_stable = spread(flags), true
    for k = 1, p.num_carry do
      local i = p.num_consts + k
      if out[k] and not flags[i] then flags[i], is_stable = true, false end
    end
    if is_stable then return flags, out end
  end
end

-- ---- Host ----

local function eval(p, ...)
  local args, body = {...}, program.simple_of(p.jaxpr)
  local first = p.num_consts + p.num_carry
  local inputs, ys = table.move(args, 1, first, 1, {}), {}
  for k = p.num_carry + 1, #body.outputs do
    local a = p.jaxpr.outputs[k].aval
    ys[k] = np.zeros({p.length, table.unpack(a.shape)}, a.dtype)
  end
  for step = 0, p.length - 1 do
    local at = p.reverse and p.length - 1 - step or step
    for i = first + 1, #args do
      inputs[i] = np.asarray(args[i][at], args[i].dtype)
    end
    local results = loops.on_host(body, inputs)
    for k = 1, p.num_carry do inputs[p.num_consts + k] = results[k] end
    for k, y in pairs(ys) do y[at] = results[k] end
  end
  local out = table.move(inputs, p.num_consts + 1, first, 1, {})
  return table.move(ys, p.num_carry + 1, #body.outputs, p.num_carry + 1, out)
end

-- ---- Types ----

local function shape(p)
  local out = {}
  for k, a in ipairs(program.out_avals(p.jaxpr)) do
    out[k] = k <= p.num_carry and a or
             core.aval_like(a, {p.length, table.unpack(a.shape)})
  end
  return out
end

-- ---- Batches ----

local function batch_rule(p, size, values, dims)
  local new
  local flags = {}
  for i, d in ipairs(dims) do flags[i] = d and true or false end
  flags = settle(p, flags, function(now)
    local in_dims, forced = {}, {}
    for i = 1, #values do
      in_dims[i] = now[i] and (i <= p.num_consts and dims[i] or 0)
      if is_carry(p, i) then forced[i - p.num_consts] = now[i] end
    end
    new = batch.of_program(p.jaxpr, size, in_dims, forced)
    return new.dims
  end)
  local opened, args = program.open(new.program)
  args = copy(args)
  local extra = #args
  for i, x in ipairs(values) do
    if is_carry(p, i) and flags[i] then
      x = batch.at(x, dims[i], 0, size)
    elseif i > p.num_consts and dims[i] then
      x = batch.at(x, dims[i], 1, size)
    end
    args[extra + i] = x
  end
  local out_dims = {}
  for k, d in ipairs(new.dims) do
    out_dims[k] = d and (k > p.num_carry and 1 or 0)
  end
  return bind(with(p, {jaxpr = opened, num_consts = p.num_consts + extra}),
              args), out_dims
end

-- ---- Forward derivative ----

-- The body's jvp with its inputs and outputs in the order of a scan.
local function jvp_body(p, has, moves)
  local text = {"scan jvp", p.num_consts, p.num_carry}
  for i = 1, #p.jaxpr.inputs do text[#text + 1] = has[i] and 1 or 0 end
  return ad.remember(p.jaxpr, table.concat(text, " "), function()
    local new = ad.jvp_program(p.jaxpr, has)
    local old, opened, consts = p.jaxpr, program.open(new.program)
    local extra, n = #consts, #old.inputs
    local groups, at = {{}, {}, {}}, extra + n
    local inputs = table.move(opened.inputs, 1, extra, 1, {})
    local own = {{}, {}, {}}
    for i = 1, n do
      local g = i <= p.num_consts and 1 or is_carry(p, i) and 2 or 3
      table.insert(own[g], opened.inputs[extra + i])
      if has[i] then
        at = at + 1
        table.insert(groups[g], opened.inputs[at])
      end
    end
    for g = 1, 3 do
      inputs = ad.append(inputs, ad.append(own[g], groups[g]))
    end
    local carry, carry_t, y, y_t, of = {}, {}, {}, {}, {}
    for k = 1, #old.outputs do
      table.insert(k <= p.num_carry and carry or y, opened.outputs[k])
    end
    for j, k in ipairs(new.of) do
      local t = opened.outputs[#old.outputs + j]
      if k > p.num_carry and moves[k] then
        table.insert(y_t, t)
        of[#of + 1] = k
      elseif k <= p.num_carry and has[p.num_consts + k] then
        table.insert(carry_t, t)
      end
    end
    return {
      body = program.without_dead{
        inputs = inputs, consts = {}, const_values = {}, eqns = opened.eqns,
        outputs = ad.append(ad.append(carry, carry_t), ad.append(y, y_t))},
      consts = consts, num_consts = extra + #own[1] + #groups[1],
      num_carry = #carry + #carry_t, of = of}
  end)
end

local function jvp(p, values, tangents)
  local flags = {}
  for i, t in ipairs(tangents) do flags[i] = t and true or false end
  local has, moves = settle(p, flags, function(now)
    return program.depends(p.jaxpr, now)
  end)
  local new = jvp_body(p, has, moves)
  local args = copy(new.consts)
  local function add(from, to)
    for i = from, to do args[#args + 1] = values[i] end
    for i = from, to do
      if has[i] then
        args[#args + 1] = tangents[i] or ad.zeros_like(values[i])
      end
    end
  end
  local first = p.num_consts + p.num_carry
  add(1, p.num_consts)
  add(p.num_consts + 1, first)
  add(first + 1, #values)
  local all = bind(with(p, {jaxpr = new.body, num_consts = new.num_consts,
                            num_carry = new.num_carry}), args)
  local outputs, out_tangents = {}, {}
  for k = 1, p.num_carry do outputs[k] = all[k] end
  local at = p.num_carry
  for k = 1, p.num_carry do
    out_tangents[k] = false
    if has[p.num_consts + k] then
      at = at + 1
      out_tangents[k] = all[at]
    end
  end
  for k = p.num_carry + 1, #p.jaxpr.outputs do
    at = at + 1
    outputs[k], out_tangents[k] = all[at], false
  end
  for _, k in ipairs(new.of) do
    at = at + 1
    out_tangents[k] = all[at]
  end
  return out_tangents, outputs
end

-- ---- Backward derivative ----

-- The body forward and backward. What the way back needs of the way forward
-- (`saved`) is handed over as cheaply as it can be: an argument as it is
-- ("const", "xs"), what depends on the consts alone computed once ("fixed"),
-- the rest stacked as further ys.
local function halves(p, active)
  local key = {"scan vjp", p.num_consts, p.num_carry}
  for i = 1, #active do key[#key + 1] = active[i] and 1 or 0 end
  return ad.remember(p.jaxpr, table.concat(key, " "), function()
    local pair = ad.vjp_programs(p.jaxpr, active)
    local forward, consts = program.open(pair.forward)
    local extra, place = #consts, {}
    for i, var in ipairs(forward.inputs) do
      place[var] = i <= extra + p.num_consts and "const" or
                   i > extra + p.num_consts + p.num_carry and "xs" or nil
    end
    local is_late, number = {}, {}
    for i, var in ipairs(forward.inputs) do
      is_late[i] = i > extra + p.num_consts
      number[var] = i
    end
    local cut = program.split(forward, is_late)
    local outputs = table.move(forward.outputs, 1, #p.jaxpr.outputs, 1, {})
    local saved, fixed = {}, {}
    for i = #p.jaxpr.outputs + 1, #forward.outputs do
      local atom = forward.outputs[i]
      local kind = place[atom] or not cut.late[atom] and "fixed" or "ys"
      saved[#saved + 1] = {kind = kind, number = number[atom]}
      if kind == "fixed" then
        fixed[#fixed + 1] = atom
      elseif kind == "ys" then
        outputs[#outputs + 1] = atom
      end
    end
    local function part(eqns, outs)
      return program.without_dead{inputs = forward.inputs, consts = {},
        const_values = {}, eqns = eqns, outputs = outs}
    end
    return {pair = pair, consts = consts, saved = saved,
            forward = part(forward.eqns, outputs),
            fixed = #fixed > 0 and part(cut.first, fixed)}
  end)
end

local function forward(p, values, active)
  active = settle(p, active, function(now)
    return program.depends(p.jaxpr, now)
  end)
  local both = halves(p, active)
  local args = ad.append(both.consts, values)
  local extra = #both.consts
  local all = bind(with(p, {jaxpr = both.forward,
                            num_consts = p.num_consts + extra}), args)
  local fixed = both.fixed and program.eval(both.fixed, args)
  local saved, n, f = {both = both}, #p.jaxpr.outputs, 0
  for i, s in ipairs(both.saved) do
    if s.kind == "fixed" then
      f = f + 1
      saved[i] = fixed[f]
    elseif s.kind == "ys" then
      n = n + 1
      saved[i] = all[n]
    else
      saved[i] = args[s.number]
    end
  end
  return table.move(all, 1, #p.jaxpr.outputs, 1, {}), saved
end

-- The scan that goes back: its consts are what was saved once; its carry the
-- cotangents of the consts, which are summed, and of the carry; its xs what was
-- saved of each step and the cotangents of ys; its ys the cotangents of xs.
local function back_body(p, both, given)
  local key = {"scan back"}
  for i = 1, #p.jaxpr.outputs do key[i + 1] = given[i] and 1 or 0 end
  return ad.remember(both.forward, table.concat(key, " "), function()
    local pair = both.pair
    local groups, order = {{}, {}, {}}, {}
    local function input(group, aval, target)
      table.insert(groups[group], aval)
      order[#order + 1] = {group = group, at = #groups[group], target = target}
      return order[#order]
    end
    local saved, cts, const_cts, carry_of = {}, {}, {}, {}
    for i, s in ipairs(both.saved) do
      local once = s.kind == "const" or s.kind == "fixed"
      saved[i] = input(once and 1 or 3, pair.backward.inputs[i].aval)
    end
    for j, i in ipairs(pair.ins) do
      if i <= p.num_consts then
        const_cts[j] = input(2, p.jaxpr.inputs[i].aval)
      end
    end
    for _, i in ipairs(pair.ins) do
      if is_carry(p, i) then
        carry_of[i - p.num_consts] = input(2, p.jaxpr.inputs[i].aval)
      end
    end
    for j, k in ipairs(pair.outs) do
      if k <= p.num_carry then
        cts[j] = carry_of[k] or false
      else
        cts[j] = given[k] and input(3, p.jaxpr.outputs[k].aval) or false
      end
    end
    local avals = ad.append(ad.append(groups[1], groups[2]), groups[3])
    local from = {0, #groups[1], #groups[1] + #groups[2]}
    local body = program.trace(function(args)
      local function value(x) return args[from[x.group] + x.at] end
      local list = {}
      for _, x in ipairs(saved) do list[#list + 1] = value(x) end
      for j, k in ipairs(pair.outs) do
        list[#list + 1] = cts[j] and value(cts[j]) or
                          ad.zeros_like(p.jaxpr.outputs[k])
      end
      local grads = program.eval(pair.backward, list)
      local sums, carry, xs = {}, {}, {}
      for j, i in ipairs(pair.ins) do
        if i <= p.num_consts then
          sums[#sums + 1] = lax.add_any(value(const_cts[j]), grads[j])
        elseif is_carry(p, i) then
          carry[#carry + 1] = grads[j]
        else
          xs[#xs + 1] = grads[j]
        end
      end
      return ad.append(ad.append(sums, carry), xs)
    end, avals)
    local opened, consts = program.open(body)
    return {body = program.without_dead(opened), consts = consts,
            num_once = #groups[1], num_carry = #groups[2]}
  end)
end

local function vjp(p, cts, values, _, saved)
  local both = saved.both
  local pair, given = both.pair, {}
  for k = p.num_carry + 1, #p.jaxpr.outputs do
    given[k] = cts[k] and true or false
  end
  local new = back_body(p, both, given)
  local args, xs = copy(new.consts), {}
  for i, s in ipairs(both.saved) do
    if s.kind == "const" or s.kind == "fixed" then
      args[#args + 1] = saved[i]
    else
      xs[#xs + 1] = saved[i]
    end
  end
  for _, i in ipairs(pair.ins) do
    if i <= p.num_consts then args[#args + 1] = ad.zeros_like(values[i]) end
  end
  for _, i in ipairs(pair.ins) do
    if is_carry(p, i) then
      args[#args + 1] = cts[i - p.num_consts] or ad.zeros_like(values[i])
    end
  end
  for _, k in ipairs(pair.outs) do
    if given[k] then xs[#xs + 1] = cts[k] end
  end
  local all = bind(with(p, {
    jaxpr = new.body, reverse = not p.reverse, num_carry = new.num_carry,
    num_consts = #new.consts + new.num_once}), ad.append(args, xs))
  local back, at = {}, 0
  for i = 1, #values do back[i] = false end
  local function take(is_mine)
    for _, i in ipairs(pair.ins) do
      if is_mine(i) then
        at = at + 1
        back[i] = all[at]
      end
    end
  end
  take(function(i) return i <= p.num_consts end)
  take(function(i) return is_carry(p, i) end)
  take(function(i) return i > p.num_consts + p.num_carry end)
  return back
end

-- ---- Removing what nobody reads ----

-- The equation without ys that are not needed, carries that feed nothing
-- needed, and arguments that nothing reads.
local function prune(eqn, is_needed)
  local p = eqn.params
  local keep = {}
  for k, var in ipairs(eqn.outputs) do keep[k] = is_needed[var] or false end
  local reads
  while true do
    reads = program.reads(p.jaxpr, keep)
    local is_stable = true
    for k = 1, p.num_carry do
      if reads[p.num_consts + k] and not keep[k] then
        keep[k], is_stable = true, false
      end
    end
    if is_stable then break end
  end
  local count = {consts = 0, carry = 0}
  local body = {inputs = {}, consts = {}, const_values = {}, outputs = {}}
  local inputs, outputs = {}, {}
  for i, var in ipairs(p.jaxpr.inputs) do
    local stays = reads[i]
    if is_carry(p, i) then stays = keep[i - p.num_consts] end
    if stays then
      inputs[#inputs + 1] = eqn.inputs[i]
      body.inputs[#body.inputs + 1] = var
      if i <= p.num_consts then
        count.consts = count.consts + 1
      elseif is_carry(p, i) then
        count.carry = count.carry + 1
      end
    end
  end
  for k, atom in ipairs(p.jaxpr.outputs) do
    if keep[k] then
      outputs[#outputs + 1] = eqn.outputs[k]
      body.outputs[#body.outputs + 1] = atom
    end
  end
  if #inputs == #eqn.inputs and #outputs == #eqn.outputs then return eqn end
  body.eqns = p.jaxpr.eqns
  return {prim = eqn.prim, inputs = inputs, outputs = outputs,
          params = with(p, {jaxpr = program.without_dead(body),
                            num_consts = count.consts,
                            num_carry = count.carry})}
end

core.define{
  name = "scan",
  eval = eval,
  shape = shape,
  batch = batch_rule,
  diff = {gives_outputs = true, jvp = jvp, forward = forward, vjp = vjp},
  emit = {call = loops.emit_scan},
  prune = prune,
  print = function(p, show)
    return {{"jaxpr", show(p.jaxpr)}, {"length", tostring(p.length)},
            {"num_carry", tostring(p.num_carry)},
            {"num_consts", tostring(p.num_consts)},
            {"reverse", p.reverse and "True" or "False"},
            {"unroll", tostring(p.unroll)}}
  end,
}
