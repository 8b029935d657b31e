-- SPDX-License-Identifier: Apache-2.0
-- A loop that goes on for as long as a predicate holds.
--
--   while {cond_jaxpr, body_jaxpr, cond_nconsts, body_nconsts, is_masked}
--
-- is_masked: it is a batch of loops, each of which its body leaves alone once
-- its own predicate no longer holds.
-- The arguments are the consts of the predicate, those of the body, and the
-- first carry, as in JAX's text; both programs take (consts..., carry...).
local use = ...
local core = use("core/core")
local program = use("core/program")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")
local loops = use("compile/loops")

local copy = program.copy_list

local function bind(p, args) return core.bind(core.prims["while"], p, args) end

-- Of a list of arguments: those of the predicate, those of the body, the carry.
local function parts(p, args)
  local c, b = p.cond_nconsts, p.body_nconsts
  return table.move(args, 1, c, 1, {}), table.move(args, c + 1, c + b, 1, {}),
         table.move(args, c + b + 1, #args, 1, {})
end

local function eval(p, ...)
  local tests, inputs, carry = parts(p, {...})
  local test = program.simple_of(p.cond_jaxpr)
  local body = program.simple_of(p.body_jaxpr)
  while true do
    if not loops.on_host(test, ad.append(tests, carry))[1]:item() then
      return carry
    end
    carry = loops.on_host(body, ad.append(inputs, carry))
  end
end

-- ---- Batches ----

-- The predicate of a batch: whether any still holds.
local function any_holds(test)
  local avals = program.in_avals(test)
  return program.trace(function(args)
    return {lax.reduce_or(program.eval(test, args)[1], {0})}
  end, avals)
end

-- The body of a batch: what no longer holds stays as it is.
local function where_holds(test, body, size, nt, nb)
  local n = #body.outputs
  local avals = program.in_avals(test)
  avals = table.move(avals, 1, nt, 1, {})
  for _, a in ipairs(program.in_avals(body)) do avals[#avals + 1] = a end
  return program.trace(function(args)
    local own = table.move(args, nt + 1, #args, 1, {})
    local carry = table.move(own, nb + 1, #own, 1, {})
    local tests = ad.append(table.move(args, 1, nt, 1, {}), carry)
    local holds, new = program.eval(test, tests)[1], program.eval(body, own)
    for k = 1, n do
      local shape = core.shape_of(carry[k])
      local flags = lax.broadcast_in_dim(holds, shape, {0})
      new[k] = lax.select_n(flags, carry[k],
                            batch.at(new[k], #core.shape_of(new[k]) ==
                                     #shape and 0, 0, size))
    end
    return new
  end, avals)
end

local function flags_of(dims)
  local flags = {}
  for i, d in ipairs(dims) do flags[i] = d and true or false end
  return flags
end

local function batch_rule(p, size, values, dims)
  local test_dims, body_dims, carry_dims = parts(p, dims)
  local tests, consts, carry = parts(p, values)
  local flags = flags_of(carry_dims)
  local new
  local function of(jaxpr, own)
    local list = copy(own)
    for k in ipairs(carry) do list[#own + k] = flags[k] and 0 end
    return list, jaxpr
  end
  while true do
    local is_stable = true
    local test = batch.of_program(p.cond_jaxpr, size,
                                  (of(p.cond_jaxpr, test_dims)))
    -- A predicate of each: then all of the carry is of each.
    if test.dims[1] then
      for k in ipairs(carry) do
        is_stable = is_stable and flags[k]
        flags[k] = true
      end
    end
    local forced = copy(flags)
    local body = batch.of_program(p.body_jaxpr, size,
                                  (of(p.body_jaxpr, body_dims)), forced)
    for k in ipairs(carry) do
      if body.dims[k] and not flags[k] then
        flags[k], is_stable = true, false
      end
    end
    new = {test = test, body = body}
    if is_stable then break end
  end
  local is_masked = new.test.dims[1] and true or nil
  local test, test_extra = program.open(new.test.program)
  local body, body_extra = program.open(new.body.program)
  tests, consts = ad.append(test_extra, tests), ad.append(body_extra, consts)
  if is_masked then
    local nt = #tests
    body = program.open(where_holds(test, body, size, nt, #consts))
    test = program.open(any_holds(test))
    consts = ad.append(tests, consts)
  end
  local out_dims = {}
  for k, x in ipairs(carry) do
    if flags[k] then carry[k] = batch.at(x, carry_dims[k], 0, size) end
    out_dims[k] = flags[k] and 0
  end
  return bind({cond_jaxpr = test, body_jaxpr = body, cond_nconsts = #tests,
               body_nconsts = #consts, is_masked = is_masked},
              ad.append(ad.append(tests, consts), carry)), out_dims
end

-- ---- Forward derivative ----

local function jvp_programs(p, has, body_flags)
  local key = {"while jvp", p.body_nconsts}
  for i in ipairs(p.body_jaxpr.inputs) do
    key[i + 2] = body_flags[i] and 1 or 0
  end
  return ad.remember(p.body_jaxpr, table.concat(key, " "), function()
    local new = ad.jvp_program(p.body_jaxpr, body_flags)
    local opened, extra = program.open(new.program)
    local n, nb = #p.body_jaxpr.inputs, p.body_nconsts
    local inputs = table.move(opened.inputs, 1, #extra + nb, 1, {})
    local tangents, at = {}, #extra + n
    for i = 1, n do
      if body_flags[i] then
        at = at + 1
        table.insert(i <= nb and inputs or tangents, opened.inputs[at])
      end
    end
    local num_consts = #inputs
    inputs = ad.append(inputs, table.move(opened.inputs, #extra + nb + 1,
                                          #extra + n, 1, {}))
    local outputs = table.move(opened.outputs, 1, n - nb, 1, {})
    for j, k in ipairs(new.of) do
      if has[k] then outputs[#outputs + 1] = opened.outputs[n - nb + j] end
    end
    return {extra = extra, num_consts = num_consts, body = program.without_dead{
      inputs = ad.append(inputs, tangents), consts = {}, const_values = {},
      eqns = opened.eqns, outputs = outputs}}
  end)
end

local function jvp(p, values, tangents)
  local tests, consts, carry = parts(p, values)
  local _, const_ts, carry_ts = parts(p, tangents)
  local has = flags_of(carry_ts)
  local flags
  while true do
    local is_stable = true
    flags = ad.append(flags_of(const_ts), has)
    for k, moves in ipairs(program.depends(p.body_jaxpr, flags)) do
      if moves and not has[k] then has[k], is_stable = true, false end
    end
    if is_stable then break end
  end
  local new = jvp_programs(p, has, flags)
  local body_args = ad.append(new.extra, consts)
  for _, t in ipairs(const_ts) do
    if t then body_args[#body_args + 1] = t end
  end
  local all, test_inputs = copy(carry), copy(p.cond_jaxpr.inputs)
  for k, x in ipairs(carry) do
    if has[k] then
      all[#all + 1] = carry_ts[k] or ad.zeros_like(x)
      test_inputs[#test_inputs + 1] =
        program.new_var(p.body_jaxpr.outputs[k].aval)
    end
  end
  local test = {inputs = test_inputs, consts = {}, const_values = {},
                eqns = p.cond_jaxpr.eqns, outputs = p.cond_jaxpr.outputs}
  local results = bind({cond_jaxpr = test, body_jaxpr = new.body,
                        cond_nconsts = p.cond_nconsts,
                        body_nconsts = new.num_consts},
                       ad.append(ad.append(tests, body_args), all))
  local out_tangents, at = {}, #carry
  for k in ipairs(carry) do
    out_tangents[k] = false
    if has[k] then
      at = at + 1
      out_tangents[k] = results[at]
    end
  end
  return out_tangents, table.move(results, 1, #carry, 1, {})
end

local function refuse()
  core.fail("argument", "ValueError", "Reverse-mode differentiation does " ..
            "not work for lax.while_loop or lax.fori_loop with dynamic " ..
            "start/stop values: how many steps must be kept is not known " ..
            "before. Use lax.scan, or lax.fori_loop with numbers as start " ..
            "and stop; or jax.jvp and jax.jacfwd, which need nothing kept")
end

core.define{
  name = "while",
  eval = eval,
  shape = function(p) return program.out_avals(p.body_jaxpr) end,
  batch = batch_rule,
  diff = {
    gives_outputs = true,
    jvp = jvp,
    forward = function(p, values, active)
      local _, consts, carry = parts(p, active)
      for _, moves in ipairs(program.depends(p.body_jaxpr,
                                             ad.append(consts, carry))) do
        if moves then refuse() end
      end
      return bind(p, values), {}
    end,
    vjp = function(_, _, values)
      -- A carry that no step changes smoothly: its cotangent goes nowhere.
      local back = {}
      for i = 1, #values do back[i] = false end
      return back
    end,
  },
  emit = {call = loops.emit_while},
  print = function(p, show)
    return {{"body_jaxpr", show(p.body_jaxpr)},
            {"body_nconsts", tostring(p.body_nconsts)},
            {"cond_jaxpr", show(p.cond_jaxpr)},
            {"cond_nconsts", tostring(p.cond_nconsts)}}
  end,
}
