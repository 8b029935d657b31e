-- SPDX-License-Identifier: Apache-2.0
-- Computing programs on arrays: on the device in use by generated kernels, or
-- on the host by the primitives' `eval` rules
-- (jax.config.update("jax_platforms", "cpu"), or JAX_PLATFORMS=cpu in the
-- environment).
local use = ...
local core = use("core/core")
local program = use("core/program")
local plan = use("compile/plan")
local types = use("core/types")
local emit = use("compile/emit")
local config = use("core/config")
local arrays = use("core/arrays")
local np, cuda = use.np, use.cuda
local M = {}

-- ---- On the host ----

-- The results of a primitive's `eval` for host arrays, and what they are.
local function by_rule(prim, params, values, avals)
  local out = prim.shape(params, table.unpack(avals))
  local results = prim.eval(params, table.unpack(values))
  if out.dtype then out, results = {out}, {results} end
  for i, x in ipairs(results) do
    results[i] = np.asarray(arrays.on_host(x), out[i].dtype)
  end
  return results, out
end

local function eval_on_host(prim, params, args)
  local values, avals = {}, {}
  for i, x in ipairs(args) do
    avals[i] = core.aval_of(x)
    values[i] = arrays.on_host(x)
  end
  local results, out = by_rule(prim, params, values, avals)
  for i, x in ipairs(results) do results[i] = use.mark(x, out[i].weak) end
  return results
end

--- What a program computes from host arrays, as host arrays.
function M.eval_by_rules(p, args)
  local env = {}
  for i, var in ipairs(p.inputs) do env[var] = args[i] end
  for i, var in ipairs(p.consts) do
    env[var] = arrays.on_host(p.const_values[i])
  end
  local function read(atom)
    return core.is_literal(atom) and arrays.on_host(atom) or env[atom]
  end
  for _, eqn in ipairs(p.eqns) do
    local values, avals = {}, {}
    for i, atom in ipairs(eqn.inputs) do
      values[i], avals[i] = read(atom), atom.aval
    end
    local results = by_rule(eqn.prim, eqn.params, values, avals)
    for i, var in ipairs(eqn.outputs) do env[var] = results[i] end
  end
  local outputs = {}
  for i, atom in ipairs(p.outputs) do outputs[i] = read(atom) end
  return outputs
end

-- ---- On the device ----

local ALIGN = 256 -- bytes, of what shares a block

-- Places for what is needed only meanwhile: those that are not needed at the
-- same time may lie in the same bytes. Gives the bytes of the block.
local function lay_out(temps, steps)
  local first, last, total = {}, {}, 0
  for n, step in ipairs(steps) do
    for _, place in ipairs(step.places) do
      first[place] = first[place] or n
      last[place] = n
    end
  end
  local placed = {}
  for i, place in ipairs(temps) do
    local a = place.aval
    local bytes = math.max(core.size(a.shape) * emit.bytes[a.dtype], 1)
    local offset = 0
    table.sort(placed, function(p, q) return p.offset < q.offset end)
    for _, other in ipairs(placed) do
      if first[place] <= last[other.place] and
         first[other.place] <= last[place] and
         offset + bytes > other.offset then
        offset = math.max(offset, other.offset +
                          (other.bytes + ALIGN - 1) // ALIGN * ALIGN)
      end
    end
    local one = {place = place, offset = offset, bytes = bytes}
    placed[i], temps[i] = one, one
    total = math.max(total, offset + bytes)
  end
  return total
end

-- An executable of launches: from the places `inputs` to the places `made`,
-- which are its results unless `outputs` (places and literals) says otherwise.
local function assemble(e, steps, inputs, made, outputs)
  local spec = {arguments = {}, consts = {}, made = {}, temps = {},
                results = {}, steps = {}}
  local slots, count = {}, 0
  local function add(place)
    slots[place] = count
    count = count + 1
  end
  for i, place in ipairs(inputs) do
    spec.arguments[i] = place.is_value and place.aval.dtype or false
    add(place)
  end
  for i, place in ipairs(e.consts) do
    spec.consts[i] = e.program.const_values[i]
    add(place)
  end
  for _, atom in ipairs(outputs or {}) do
    if core.is_literal(atom) then
      table.insert(spec.consts, arrays.array_of(atom))
      add(atom)
    end
  end
  for i, place in ipairs(made) do
    local a = place.aval
    spec.made[i] = {dtype = a.dtype, shape = a.shape, weak = a.weak}
    add(place)
  end
  for _, step in ipairs(steps) do
    for _, place in ipairs(step.places) do
      if not slots[place] then
        table.insert(spec.temps, place)
        add(place)
      end
    end
  end
  spec.workspace = lay_out(spec.temps, steps)
  local fixed = count
  local slot_steps

  -- Places that move get slots when their block is met.
  local function slot_block(block, lists)
    local one = {kind = block.kind, count = block.count, rows = {},
                 is_reversed = block.is_reversed, carries = {}, lists = {}}
    for i, r in ipairs(block.rows) do
      add(r.place)
      one.rows[i] = {slot = slots[r.place], of = slots[r.of], bytes = r.bytes}
    end
    for i, c in ipairs(block.carries) do
      add(c.input)
      add(c.output)
      one.carries[i] = {input = slots[c.input], output = slots[c.output],
                        first = slots[c.first], last = slots[c.last],
                        other = slots[c.other], bytes = c.bytes}
    end
    one.watched = block.watched and slots[block.watched]
    for i, list in ipairs(lists) do one.lists[i] = slot_steps(list) end
    return one
  end

  function slot_steps(list)
    local out = {}
    for i, step in ipairs(list) do
      local one = {launch = step.launch, product = step.product, slots = {}}
      if step.lists then
        one.block = slot_block(step.loop, step.lists)
      else
        for k, place in ipairs(step.places) do one.slots[k] = slots[place] end
      end
      out[i] = one
    end
    return out
  end

  spec.steps = slot_steps(steps)
  spec.moving = count - fixed
  for i, place in ipairs(outputs or made) do spec.results[i] = slots[place] end
  return use.executable(spec)
end

-- Runs of launches between the steps that are functions: {steps} or {step}.
local function segments_of(steps)
  local segments = {}
  for _, step in ipairs(steps) do
    local last = segments[#segments]
    if step.run then
      table.insert(segments, {run = step})
    elseif last and last.steps then
      table.insert(last.steps, step)
    else
      table.insert(segments, {steps = {step}})
    end
  end
  return segments
end

-- What each segment takes and gives: it makes what later ones or the results
-- need, and is given what earlier ones made.
local function link(e, segments)
  local needed = {}
  for _, place in ipairs(e.outputs) do needed[place] = true end
  local maker = {}
  for n, segment in ipairs(segments) do
    for _, step in ipairs(segment.steps or {}) do
      for k, place in ipairs(step.places) do
        if step.written[k] and not maker[place] then maker[place] = n end
      end
    end
  end
  for n = #segments, 1, -1 do
    local segment = segments[n]
    if segment.run then
      for _, place in ipairs(segment.run.inputs) do needed[place] = true end
    else
      local inputs, made, seen = {}, {}, {}
      for _, step in ipairs(segment.steps) do
        for _, place in ipairs(step.places) do
          if not seen[place] and place.kind ~= "const" then
            seen[place] = true
            if maker[place] ~= n then
              table.insert(inputs, place)
            elseif needed[place] then
              table.insert(made, place)
            end
          end
        end
      end
      for _, place in ipairs(inputs) do needed[place] = true end
      segment.inputs, segment.made = inputs, made
      segment.call = assemble(e, segment.steps, inputs, made)
    end
  end
end

-- The results of a program with steps that are functions.
local function run_segments(e, ...)
  local at, args = {}, {...}
  for i, place in ipairs(e.inputs) do at[place] = args[i] end
  for i, place in ipairs(e.consts) do at[place] = e.program.const_values[i] end
  local function array_at(place)
    local a = place.aval
    if at[place] == nil and core.size(a.shape) == 0 then -- nothing writes it
      at[place] = arrays.device_put(np.zeros(a.shape, a.dtype), a.weak)
    end
    return at[place]
  end
  local function value_of(place)
    if core.is_literal(place) then return place end
    if place.is_value then
      return core.literal(at[place], place.aval.dtype, place.aval.weak)
    end
    return array_at(place)
  end
  for _, segment in ipairs(e.segments) do
    local results, outputs
    if segment.run then
      local values = {}
      for i, place in ipairs(segment.run.inputs) do
        values[i] = value_of(place)
      end
      results, outputs = segment.run.run(values), segment.run.outputs
    else
      local values = {}
      for i, place in ipairs(segment.inputs) do values[i] = array_at(place) end
      results, outputs = {segment.call(table.unpack(values, 1,
                                                    #segment.inputs))},
                         segment.made
    end
    for i, place in pairs(outputs) do at[place] = results[i] end
  end
  local results = {}
  for i, place in ipairs(e.outputs) do
    results[i] = arrays.array_of(value_of(place))
  end
  return table.unpack(results, 1, #e.outputs)
end

-- Numbers that are results need an array each call.
local function gives_number(e)
  for _, place in ipairs(e.outputs) do
    if place.is_value then return true end
  end
  return false
end

local LONG_SOURCE = 2000 -- bytes

-- Elementwise kernels only, without indexes that have to be computed.
local function is_plain(source)
  for name in source:gmatch("__launch_bounds__%(%d+%) (%a[%w_]*)%(") do
    if not name:find("^fused_%d+$") then return false end
  end
  return not source:find("%", 1, true)
end

-- A plain source loses nothing by a faster compile, a short one (plan.lua) less
-- than that takes. Two threads are faster from some length on.
local function options_for(source, is_short)
  local options = {"-fmad=false", "-w", "-minimal"}
  if is_short then
    options[4] = "-Ofc=mid"
    options[5] = #source > LONG_SOURCE and "--split-compile=2" or nil
  elseif is_plain(source) then
    options[4] = "-Ofc=min"
  end
  return options
end

--- A source of a plan, compiled. ptxas would find nothing in it that is wrong.
function M.module(source, is_short)
  local options = options_for(source, is_short)
  return cuda.module(source, {options = options, ptxas = false})
end

-- Compiles all kernels of a plan at once. `kernels` is for whoever looks.
local function load_kernels(e)
  e.kernels = {}
  local modules = {} -- by kernel
  for _, source in ipairs(e.sources) do
    local module = M.module(source, e.is_short)
    e.module = e.module or module
    for _, name in ipairs(module.kernels) do modules[name] = module end
  end
  local function load_steps(steps)
    for _, step in ipairs(steps) do
      for _, list in ipairs(step.lists or {}) do load_steps(list) end
      if step.kernel then
        local kernel = modules[step.kernel][step.kernel]
        step.launch = kernel{grid = step.grid, block = step.block}
        table.insert(e.kernels, {name = step.kernel, kernel = kernel,
                                 source = step.text, grid = step.grid,
                                 block = step.block, args = step.places})
      end
    end
  end
  load_steps(e.steps)
end

-- What a program became, by the kind of its inputs.
local compiled = setmetatable({}, {__mode = "k"})

--- A program for the device in use: {call, kernels, source, steps}. call(...)
--- takes jax arrays, and numbers where `is_value` says so, and gives the
--- results. `is_value` may be left out.
function M.compile(p, is_value)
  local key = {cuda.device().id}
  for i = 1, #p.inputs do
    key[i + 1] = is_value and is_value[i] and "1" or "0"
  end
  key = table.concat(key)
  local known = compiled[p]
  if not known then
    known = {}
    compiled[p] = known
  end
  if known[key] then return known[key] end
  local e = plan.make(program.simplified(p), {is_value = is_value,
                                           name = p.name})
  for i, x in ipairs(e.program.const_values) do
    e.program.const_values[i] = arrays.ready(x)
  end
  load_kernels(e)
  e.segments = segments_of(e.steps)
  if not gives_number(e) and
     (#e.segments == 0 or #e.segments == 1 and e.segments[1].steps) then
    local made, is_made = {}, {}
    for _, place in ipairs(e.outputs) do
      if place.kind == "out" and not is_made[place] then
        is_made[place] = true
        table.insert(made, place)
      end
    end
    e.call = assemble(e, e.steps, e.inputs, made, e.outputs)
  else
    link(e, e.segments)
    e.call = function(...) return run_segments(e, ...) end
  end
  known[key] = e
  return e
end

local singles = {} -- those of one primitive, by its name

--- Forgets all programs.
function M.clear()
  compiled = setmetatable({}, {__mode = "k"})
  singles = {}
end

--- The results of a program for arrays and literals; and what it compiled to,
--- where that was for the device in use.
function M.run(p, args)
  local elsewhere = not config.is_on_host and arrays.other_device(args)
  if elsewhere then return (arrays.on_device(elsewhere, M.run, p, args)) end
  local is_value, values = {}, {}
  for i, x in ipairs(args) do
    is_value[i] = core.is_literal(x)
    if is_value[i] then values[i] = x.value else values[i] = arrays.ready(x) end
  end
  local e = M.compile(p, is_value)
  return {e.call(table.unpack(values, 1, #args))}, e
end

-- ---- A primitive alone: a program of one equation ----

-- What is remembered of a primitive with its parameters and the types of its
-- literals; calling it with arrays and numbers finds the executable as a jitted
-- function does.
local Single = {}

-- The nodes of l_jax_call.c for a list of leaves.
local function nodes_of(args)
  local nodes = {}
  for i, x in ipairs(args) do
    local a = core.aval_of(x)
    nodes[i] = {kind = core.is_literal(x) and "number" or "array",
                dtype = a.dtype, shape = a.shape, weak = a.weak}
  end
  return nodes
end

local function results_of(count)
  local nodes = {}
  for i = 1, count do nodes[i] = {kind = "array"} end
  if count ~= 1 then
    table.insert(nodes, 1, {kind = "table", count = count, names = 0, ref = 2})
  end
  return nodes
end

local function call_single(self, ...)
  local args, avals = {...}, {}
  for i, x in ipairs(args) do
    local literal = self.literals[i]
    if literal then args[i] = core.literal(x, literal.dtype, literal.weak) end
    avals[i] = core.aval_of(args[i])
  end
  local p = program.trace(function(tracers)
    return core.bind(self.prim, self.params, tracers)
  end, avals)
  local results, e = M.run(p, args)
  if not e then return table.unpack(results) end
  self.calls:remember{args = #args, inputs = nodes_of(args),
                      config = core.config, outputs = results_of(#results),
                      count = #results,
                      values = {e.call}}
  return table.unpack(results)
end

Single.__call = use.jitted(function(...)
  local args = {...}
  return core.outside(function() return call_single(table.unpack(args)) end)
end)

-- Literals become numbers, and their types part of the key.
local function single_of(prim, params, args)
  local key, literals = prim, {}
  if next(params) ~= nil then key = prim.name .. program.key_of(params) end
  for i, x in ipairs(args) do
    if core.is_literal(x) then
      local a = x.aval
      local value = x.value
      if math.type(value) == "integer" and types.is_float(a.dtype) then
        value = value + 0.0
      end
      literals[i], args[i] = a, value
      key = (key == prim and prim.name or key) .. " " .. i .. a.dtype ..
            (a.weak and "*" or "")
    end
  end
  local known = singles[key]
  if not known then
    known = setmetatable({prim = prim, params = params, literals = literals,
                          calls = use.calls()}, Single)
    singles[key] = known
  end
  return known
end

function core.compute(prim, params, args)
  if prim.compute then return prim.compute(params, args) end
  if prim.host_only or config.is_on_host then
    return eval_on_host(prim, params, args)
  end
  if prim.is_call then return (M.run(params.jaxpr, args)) end
  local values = table.move(args, 1, #args, 1, {})
  local single = single_of(prim, params, values)
  return {single(table.unpack(values, 1, #args))}
end

return M
