-- SPDX-License-Identifier: Apache-2.0
-- Differentiation, forward (jvp) and backward (vjp). A primitive's rules are
-- in its row:
--
--   diff.jvp(params, values, tangents, outputs) -> tangents of the outputs
--   diff.vjp(params, cotangents, values, outputs, saved)
--                                               -> cotangents of the inputs
--   diff.forward(params, values, active) -> outputs, saved     (optional: with
--                  vjp; `active` marks the values whose cotangents are wanted)
--
-- all as lists. In them `false` stands for zero. `diff = false`: the outputs do
-- not depend on the inputs in a way that has a derivative. Where
-- diff.gives_outputs is set, jvp gets no outputs and gives them as a second
-- result.
local use = ...
local core = use("core/core")
local program = use("core/program")
local lax = use("core/lax")
local M = {}

local function is_float(x)
  return core.dtype_of(x):find("^b?f") ~= nil
end
M.is_float = is_float

local function sum(a, b)
  if not a then return b end
  if not b then return a end
  return lax.add_any(a, b)
end

--- Zeros like x, a value or an abstract one.
function M.zeros_like(x)
  local is_aval = type(x) == "table" and not x.aval
  local a = is_aval and x or core.aval_of(x)
  local zeros = lax.full(a.shape, 0, a.dtype, a.weak)
  return a.varying and core.vary_like(zeros, a) or zeros
end

--- The cotangent of x, or zeros where it is false: as weak as x is.
function M.as_cotangent(ct, x)
  if not ct then return M.zeros_like(x) end
  local a = core.aval_of(x)
  if core.aval_of(ct).weak == a.weak then return ct end
  return lax.convert_element_type(ct, a.dtype, a.weak)
end

local function without_rule(prim, way)
  core.fail("unsupported", nil,
            "%s cannot be differentiated %s", prim.name, way)
end

-- ---- Forward ----

local Forward = {}

function Forward:lift(x)
  return core.new_tracer(self, core.aval_of(x), {value = x, tangent = false})
end

function Forward:process(prim, params, tracers)
  local values, tangents, any = {}, {}, false
  for i, t in ipairs(tracers) do
    values[i], tangents[i] = t.value, t.tangent
    any = any or t.tangent
  end
  local outputs, out_tangents
  if not any or not prim.diff then
    outputs, out_tangents = core.bind(prim, params, values), {}
  elseif not prim.diff.jvp then
    without_rule(prim, "forward (jvp); grad and vjp can")
  else
    if not prim.diff.gives_outputs then
      outputs = core.bind(prim, params, values)
    end
    local own
    out_tangents, own = prim.diff.jvp(params, values, tangents, outputs)
    outputs = own or outputs
  end
  local results = {}
  for i, x in ipairs(outputs) do
    results[i] = core.new_tracer(self, core.aval_of(x), {
      value = x, tangent = out_tangents[i] or false})
  end
  return results
end

--- f(values) -> list and the tangents of it, for these tangents (or false).
function M.jvp(f, values, tangents)
  return core.with_trace(Forward, {}, function(trace)
    local args = {}
    for i, x in ipairs(values) do
      args[i] = core.new_tracer(trace, core.aval_of(x),
                                {value = x, tangent = tangents[i]})
    end
    local outputs, out_tangents = {}, {}
    for i, x in ipairs((f(args))) do
      local mine = core.is_tracer(x) and x.trace == trace
      outputs[i] = mine and x.value or x
      out_tangents[i] = mine and x.tangent or false
    end
    return outputs, out_tangents
  end)
end

-- ---- Backward ----

-- A tracer's `node` tells how it was computed, `slot` which result it is; a
-- node without `prim` is an input.
local Backward = {}

function Backward:lift(x)
  return core.new_tracer(self, core.aval_of(x), {value = x, node = false})
end

function Backward:process(prim, params, tracers)
  local values, any = {}, false
  for i, t in ipairs(tracers) do
    values[i] = t.value
    any = any or t.node
  end
  local outputs, saved
  any = any and prim.diff
  if any and prim.diff.forward then
    local active = {}
    for i, t in ipairs(tracers) do active[i] = t.node and true or false end
    outputs, saved = prim.diff.forward(params, values, active)
  else
    outputs = core.bind(prim, params, values)
  end
  if any and not prim.diff.vjp then
    without_rule(prim, "backward (grad, vjp); jvp and jacfwd can")
  end
  local node = false
  if any then
    node = {prim = prim, params = params, tracers = tracers, values = values,
            outputs = outputs, saved = saved}
    table.insert(self.nodes, node)
  end
  local results = {}
  for i, x in ipairs(outputs) do
    local is_active = node and is_float(x)
    results[i] = core.new_tracer(self, core.aval_of(x),
                                 {value = x, node = is_active and node,
                                  slot = i})
  end
  return results
end

local function walk_back(nodes, cotangents)
  local function give(tracer, ct)
    if not ct or not tracer.node then return end
    local at = cotangents[tracer.node]
    if not at then
      at = {}
      cotangents[tracer.node] = at
    end
    at[tracer.slot] = sum(at[tracer.slot], ct)
  end
  for n = #nodes, 1, -1 do
    local node = nodes[n]
    local at = cotangents[node]
    if at then
      local cts = {}
      for i = 1, #node.outputs do cts[i] = at[i] or false end
      local back = node.prim.diff.vjp(node.params, cts, node.values,
                                      node.outputs, node.saved)
      for i, tracer in ipairs(node.tracers) do
        give(tracer, tracer.node and back[i])
      end
      cotangents[node] = nil -- lets go of what it holds
    end
  end
end

--- f(values) -> list, and the function that takes cotangents of it (or false)
--- to those of the values (false: zero). It can be called once for each list
--- of cotangents. `active`, where given, marks the values that count.
function M.vjp(f, values, active)
  local nodes, leaves, trace, tracers = {}, {}, nil, nil
  local outputs, extra = core.with_trace(Backward, {nodes = nodes},
                                         function(t)
    local args = {}
    trace = t
    for i, x in ipairs(values) do
      leaves[i] = {}
      args[i] = core.new_tracer(t, core.aval_of(x),
                                {value = x, slot = 1,
                                 node = is_float(x) and
                                        (not active or active[i]) and
                                        leaves[i]})
    end
    local results, more = f(args)
    local plain = {}
    tracers = results
    for i, x in ipairs(results) do
      plain[i] = core.is_tracer(x) and x.trace == t and x.value or x
    end
    return plain, more
  end)
  local function pull(cts)
    local cotangents = {}
    for i, x in ipairs(tracers) do
      if core.is_tracer(x) and x.trace == trace and x.node and cts[i] then
        local at = cotangents[x.node] or {}
        at[x.slot] = sum(at[x.slot], cts[i])
        cotangents[x.node] = at
      end
    end
    walk_back(nodes, cotangents)
    local back = {}
    for i = 1, #values do
      local at = cotangents[leaves[i]]
      back[i] = at and at[1] or false
    end
    return back
  end
  return outputs, pull, extra
end

--- The value of a tracer of the innermost vjp or jvp that x belongs to.
function M.value_of(x)
  return core.is_tracer(x) and x.value or x
end

-- ---- Of programs: for jit, scan and cond ----

local derived = setmetatable({}, {__mode = "k"})

--- What was made from a program under a key; made once.
local function remember(p, key, make)
  local known = derived[p]
  if not known then
    known = {}
    derived[p] = known
  end
  if not known[key] then known[key] = make() end
  return known[key]
end

M.remember = remember

local function flags_text(flags, n)
  local text = {}
  for i = 1, n do text[i] = flags[i] and "1" or "0" end
  return table.concat(text)
end

local function append(a, b)
  local all = table.move(a, 1, #a, 1, {})
  return table.move(b, 1, #b, #all + 1, all)
end
M.append = append

--- A program (inputs..., tangents of those that `has` marks) -> (outputs...,
--- tangents of the float outputs), whose numbers are `of`.
function M.jvp_program(p, has)
  return remember(p, "jvp" .. flags_text(has, #p.inputs), function()
    local avals, n = program.in_avals(p), #p.inputs
    for i = 1, n do
      if has[i] then avals[#avals + 1] = avals[i] end
    end
    local of = {}
    local new = program.trace(function(args)
      local values, tangents, at = {}, {}, n
      for i = 1, n do
        values[i] = args[i]
        tangents[i] = false
        if has[i] then
          at = at + 1
          tangents[i] = args[at]
        end
      end
      local outputs, out_tangents = M.jvp(function(x)
        return program.eval(p, x)
      end, values, tangents)
      local results = table.move(outputs, 1, #outputs, 1, {})
      for i, x in ipairs(outputs) do
        if is_float(x) then
          of[#of + 1] = i
          results[#results + 1] = out_tangents[i] or M.zeros_like(x)
        end
      end
      return results
    end, avals)
    return {program = new, of = of}
  end)
end

--- Two programs: forward(inputs...) -> (outputs..., saved...), and
--- backward(saved..., cotangents of the float outputs...) -> cotangents of the
--- float inputs, or of those that `active` marks. `outs` and `ins` are those
--- outputs' and inputs' numbers.
function M.vjp_programs(p, active)
  local key = active and flags_text(active, #p.inputs) or ""
  return remember(p, "vjp" .. key, function()
    local n, outs, ins = #p.inputs, {}, {}
    local avals = program.in_avals(p)
    for i, var in ipairs(p.inputs) do
      if is_float(var) and (not active or active[i]) then ins[#ins + 1] = i end
    end
    for i, atom in ipairs(p.outputs) do
      if is_float(atom) then
        outs[#outs + 1] = i
        avals[#avals + 1] = atom.aval
      end
    end
    local joint = program.trace(function(args)
      local outputs, pull = M.vjp(function(x)
        return program.eval(p, x)
      end, table.move(args, 1, n, 1, {}), active)
      local cts = {}
      for i = 1, #outputs do cts[i] = false end
      for k, i in ipairs(outs) do cts[i] = args[n + k] end
      local back, results = pull(cts), table.move(outputs, 1, #outputs, 1, {})
      for _, i in ipairs(ins) do
        results[#results + 1] = back[i] or M.zeros_like(p.inputs[i])
      end
      return results
    end, avals)
    joint = program.without_dead(program.without_repeats(joint))
    local is_late = {}
    for i = n + 1, #joint.inputs do is_late[i] = true end
    local cut = program.split(joint, is_late)
    for i = #p.outputs + 1, #joint.outputs do cut.carry(joint.outputs[i]) end
    local early = table.move(joint.outputs, 1, #p.outputs, 1, {})
    local late = table.move(joint.outputs, #p.outputs + 1, #joint.outputs, 1,
                            {})
    local cotangents = table.move(joint.inputs, n + 1, #joint.inputs, 1, {})
    return {
      forward = {inputs = table.move(joint.inputs, 1, n, 1, {}),
                 consts = joint.consts, const_values = joint.const_values,
                 eqns = cut.first, outputs = append(early, cut.carried)},
      backward = {inputs = append(cut.carried, cotangents),
                  consts = {}, const_values = {}, eqns = cut.second,
                  outputs = late},
      outs = outs, ins = ins, saved = #cut.carried,
    }
  end)
end

return M
