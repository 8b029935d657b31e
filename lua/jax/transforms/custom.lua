-- SPDX-License-Identifier: Apache-2.0
-- Functions that bring their own derivatives (custom_jvp, custom_vjp), or
-- compute themselves again for them (checkpoint). Each is a program as one
-- operation, as `jit` leaves it, with another derivative.
local use = ...
local core = use("core/core")
local program = use("core/program")
local tree = use("core/tree")
local ad = use("transforms/ad")
local batch = use("transforms/batch")
local lax = use("core/lax")
local api = use("transforms/api")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- What the three share ----

-- Binds `prim` for f's arguments; rule(out, structure) gives the parameters
-- that hold the derivative.
local function call(prim, f, name, rule, ...)
  local leaves, structure = api.named_values(f, {...})
  local avals, out = {}, {}
  for i, x in ipairs(leaves) do avals[i] = core.aval_of(x) end
  local p = program.trace(api.flat_function(f, structure, out), avals)
  local opened, consts = program.open(p)
  local params = rule(out, structure)
  params.name, params.jaxpr, params.const_count = name, opened, #consts
  local results = core.bind(core.prims[prim], params, ad.append(consts, leaves))
  return api.give_back(out, results)
end

-- Numbers of a program as arrays: what the learner's rules compute with, and
-- what has a derivative.
local function as_arrays(list)
  local out = {}
  for i, x in ipairs(list) do
    out[i] = core.is_literal(x) and core.bind1("broadcast_in_dim", {
      shape = {}, broadcast_dimensions = {}}, x) or x
  end
  return out
end

local function eval(p, ...)
  return core.outside(program.eval, p.jaxpr, {...})
end

local function shape(p) return program.out_avals(p.jaxpr) end

-- A function of lists for a batch, all of whose results have the batch axis
-- first.
local function batched(f, size, dims)
  return function(...)
    local outputs, out_dims = batch.run(f, size, {...}, dims)
    for i, x in ipairs(outputs) do
      outputs[i] = batch.at(x, out_dims[i], 0, size)
    end
    return outputs
  end
end

-- The parameters for a batch: the program with all results batched.
local function batched_params(p, size, dims)
  local forced = {}
  for i = 1, #p.jaxpr.outputs do forced[i] = true end
  local new = batch.of_program(p.jaxpr, size, dims, forced)
  local opened, consts = program.open(new.program)
  return {name = p.name, jaxpr = opened, const_count = #consts + p.const_count},
         consts, new.dims
end

local function plain_print(p, show)
  return {{"name", p.name}, {"call_jaxpr", show(p.jaxpr)}}
end

-- The arguments after the constants.
local function behind(list, count)
  return table.move(list, count + 1, #list, 1, {})
end

local function check_same(what, list, avals)
  if #list ~= #avals then
    fail("TypeError", "%s: %d arrays, and there should be %d", what, #list,
         #avals)
  end
  for i, x in ipairs(list) do
    local a = core.aval_of(x)
    if core.is_literal(x) then
      list[i] = lax.full(avals[i].shape, x.value, avals[i].dtype)
    elseif not core.same_shape(a.shape, avals[i].shape) then
      fail("TypeError", "%s: array %d is %s, and should be %s", what, i,
           core.aval_text(a), core.aval_text(avals[i]))
    end
  end
  return list
end

-- ---- custom_jvp ----

-- Both lists may have `false` for a tangent that is zero.
local function tangents_of(p, values, tangents)
  local full = {}
  for i, t in ipairs(tangents) do full[i] = t or ad.zeros_like(values[i]) end
  return p.jvp(behind(values, p.const_count), behind(full, p.const_count))
end

core.define{
  name = "custom_jvp_call", is_call = true,
  eval = eval, shape = shape,
  batch = function(p, size, values, dims)
    local new, consts, out_dims = batched_params(p, size, dims)
    local n = #values - p.const_count
    local own = behind(dims, p.const_count)
    new.jvp = function(primals, tangents)
      local out_count
      local both = batched(function(args)
        local outputs, derivatives = p.jvp(table.move(args, 1, n, 1, {}),
                                           behind(args, n))
        out_count = #outputs
        return ad.append(outputs, derivatives)
      end, size, ad.append(own, own))(table.unpack(ad.append(primals,
                                                              tangents)))
      return table.move(both, 1, out_count, 1, {}), behind(both, out_count)
    end
    return core.bind(core.prims.custom_jvp_call, new,
                     ad.append(consts, values)), out_dims
  end,
  diff = {
    gives_outputs = true,
    jvp = function(p, values, tangents)
      local outputs, derivatives = tangents_of(p, values, tangents)
      return derivatives, outputs
    end,
    -- The derivative is linear in the tangents: its transpose is its vjp. The
    -- value is the rule's own, as it is forward.
    forward = function(p, values)
      local zeros, outputs = {}, nil
      local own = behind(values, p.const_count)
      for i, x in ipairs(own) do zeros[i] = ad.zeros_like(x) end
      local _, pull = ad.vjp(function(t)
        local derivatives
        outputs, derivatives = p.jvp(own, t)
        return derivatives
      end, as_arrays(zeros))
      return outputs, pull
    end,
    vjp = function(p, cts, _, outputs, pull)
      local back = {}
      for i, x in ipairs(outputs) do cts[i] = cts[i] or ad.zeros_like(x) end
      for i = 1, p.const_count do back[i] = false end
      return ad.append(back, pull(cts))
    end,
  },
  emit = {program = true},
  print = plain_print,
}

local Jvp = {__name = "jax.custom_jvp"}
Jvp.__index = Jvp

--- rule(primals, tangents) -> result, its tangent
function Jvp:defjvp(rule)
  self.rule = rule
  return rule
end

--- One function for each argument: (tangent, result, arguments...) -> tangent
function Jvp:defjvps(...)
  local rules = table.pack(...)
  self.rule = function(primals, tangents)
    local out, total = self.f(table.unpack(primals)), nil
    for i = 1, rules.n do
      if rules[i] then
        local t = rules[i](tangents[i], out, table.unpack(primals))
        total = total and total + t or t
      end
    end
    return out, total or out * 0
  end
end

function Jvp:__call(...)
  local rule = self.rule
  if not rule then
    fail("AttributeError", "No JVP defined for custom_jvp function %s using " ..
         "defjvp: f:defjvp(function(primals, tangents) return y, y_dot end)",
         self.name)
  end
  return call("custom_jvp_call", self.f, self.name, function(out, structure)
    return {jvp = function(primals, tangents)
      local y, y_dot = core.call(
        rule, tree.unflatten(structure, as_arrays(primals)),
                                 tree.unflatten(structure, as_arrays(tangents)))
      local values = api.values_of(y, "the value of the jvp rule")
      local avals = {}
      for i, x in ipairs(values) do avals[i] = core.aval_of(x) end
      return values, check_same("the tangent of the jvp rule", api.values_of(
        y_dot, "the tangent of the jvp rule"), avals), out
    end}
  end, ...)
end

--- f with a derivative of its own: f:defjvp(rule).
function M.custom_jvp(f)
  return setmetatable({f = f, name = "<lambda>"}, Jvp)
end

-- ---- custom_vjp ----

core.define{
  name = "custom_vjp_call", is_call = true,
  eval = eval, shape = shape,
  batch = function(p, size, values, dims)
    local new, consts, out_dims = batched_params(p, size, dims)
    local own, counts = behind(dims, p.const_count), {}
    new.fwd = function(args)
      local all = batched(function(list)
        local outputs, saved = p.fwd(list)
        counts.outputs, counts.saved = #outputs, #saved
        return ad.append(outputs, saved)
      end, size, own)(table.unpack(args))
      return table.move(all, 1, counts.outputs, 1, {}),
             behind(all, counts.outputs)
    end
    new.bwd = function(saved, cts)
      local zero = {}
      for i = 1, #saved + #cts do zero[i] = 0 end
      local back = batched(function(list)
        return p.bwd(table.move(list, 1, #saved, 1, {}), behind(list, #saved))
      end, size, zero)(table.unpack(ad.append(saved, cts)))
      for i, x in ipairs(back) do
        back[i] = own[i] and batch.at(x, 0, own[i], size) or
                  lax.reduce_sum(x, {0})
      end
      return back
    end
    return core.bind(core.prims.custom_vjp_call, new,
                     ad.append(consts, values)), out_dims
  end,
  diff = {
    jvp = false,
    forward = function(p, values)
      return p.fwd(behind(values, p.const_count))
    end,
    vjp = function(p, cts, _, outputs, saved)
      local back = {}
      for i, x in ipairs(outputs) do cts[i] = cts[i] or ad.zeros_like(x) end
      for i = 1, p.const_count do back[i] = false end
      return ad.append(back, p.bwd(saved, cts))
    end,
  },
  emit = {program = true},
  print = plain_print,
}

local Vjp = {__name = "jax.custom_vjp"}
Vjp.__index = Vjp

--- fwd(arguments...) -> result, residuals; bwd(residuals, cotangent) -> the
--- cotangents of the arguments, each a result.
function Vjp:defvjp(fwd, bwd)
  self.fwd, self.bwd = fwd, bwd
end

-- The cotangents of a tree, in the order of its leaves, of which each takes its
-- abstract value from `next`: nil is zero for all that lies below.
local function add_cotangents(structure, ct, where, next, list)
  if structure == true then
    local aval = next()
    if ct == nil then
      list[#list + 1] = ad.zeros_like(aval)
      return
    end
    local given = api.values_of({ct}, where)
    if tree.is_branch(ct) then
      fail("TypeError", "%s is a table, and the argument is none", where)
    end
    list[#list + 1] = check_same(where, given, {aval})[1]
    return
  end
  if ct ~= nil and not tree.is_branch(ct) then
    fail("TypeError", "%s must be a table with the fields of the argument, " ..
         "not %s", where, core.kind_text(ct))
  end
  local is_known = {}
  for i, child in ipairs(structure.children) do
    local key = i <= structure.count and i or
                structure.names[i - structure.count]
    is_known[key] = true
    local own = ct and rawget(ct, key)
    if own == nil or own == false then own = nil end
    add_cotangents(child, own, ("%s[%s]"):format(where, key), next, list)
  end
  for key in pairs(ct or {}) do
    if not is_known[key] then
      fail("TypeError", "%s has a field %s, and the argument has none", where,
           tostring(key))
    end
  end
end

local function vjp_rules(self, out, structure)
  local saved_structure
  local avals = {}
  local function fwd(leaves)
    for i, x in ipairs(leaves) do avals[i] = core.aval_of(x) end
    local y, saved = core.call(self.fwd, table.unpack(
      tree.unflatten(structure, as_arrays(leaves))))
    local list
    list, saved_structure = api.values_of(saved, "the residuals of fwd")
    return api.values_of(y, "the result of fwd"), list
  end
  local function bwd(saved, cts)
    local ct = tree.unflatten(out.structure, as_arrays(cts))
    local grads = table.pack(core.call(self.bwd, tree.unflatten(
      saved_structure, as_arrays(saved)), ct))
    if grads.n ~= structure.count then
      fail("TypeError", "custom_vjp: bwd gave %d cotangents, and the " ..
                        "function has %d arguments: return one for each",
           grads.n, structure.count)
    end
    local list, at = {}, 0
    local function next()
      at = at + 1
      return avals[at]
    end
    for i, child in ipairs(structure.children) do
      add_cotangents(child, grads[i], "custom_vjp: cotangent " .. i ..
                     " of bwd", next, list)
    end
    return list
  end
  return {fwd = fwd, bwd = bwd}
end

function Vjp:__call(...)
  if not self.fwd then
    fail("AttributeError", "No VJP defined for custom_vjp function %s using " ..
         "defvjp: f:defvjp(fwd, bwd)", self.name)
  end
  return call("custom_vjp_call", self.f, self.name, function(out, structure)
    return vjp_rules(self, out, structure)
  end, ...)
end

--- f with a backward derivative of its own: f:defvjp(fwd, bwd).
function M.custom_vjp(f)
  return setmetatable({f = f, name = "<lambda>"}, Vjp)
end

-- ---- checkpoint ----

local jit = core.prims.jit

core.define{
  name = "checkpoint", is_call = true,
  eval = eval, shape = shape,
  batch = function(p, size, values, dims)
    local new, consts, out_dims = batched_params(p, size, dims)
    return core.bind(core.prims.checkpoint, new, ad.append(consts, values)),
           out_dims
  end,
  diff = {
    gives_outputs = true,
    jvp = jit.diff.jvp,
    -- Nothing is kept but the arguments.
    vjp = function(p, cts, values, outputs)
      local _, pull = ad.vjp(function(x)
        return program.eval(p.jaxpr, x)
      end, values)
      for i, x in ipairs(outputs) do cts[i] = cts[i] or ad.zeros_like(x) end
      return pull(cts)
    end,
  },
  emit = {program = true},
  print = function(p, show) return {{"jaxpr", show(p.jaxpr)}} end,
}

--- f, which for its gradient is computed again instead of keeping what it
--- computed meanwhile.
function M.checkpoint(f)
  return function(...)
    return call("checkpoint", f, "checkpoint", function() return {} end, ...)
  end
end

return M
