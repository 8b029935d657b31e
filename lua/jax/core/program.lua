-- SPDX-License-Identifier: Apache-2.0
-- Typed programs (JAX's jaxprs): writing one down, computing it, and removing
-- what it does not need.
--
--   program  {inputs, consts, const_values, eqns, outputs}
--   equation {prim, params, inputs, outputs}
--   an input of an equation is a variable {aval} or a literal
local use = ...
local core = use("core/core")
local M = {}

-- ---- Writing down ----

local Writer = {is_dynamic = true}

local function new_var(aval) return {aval = aval} end
M.new_var = new_var

local function tracer_for(trace, atom)
  return core.new_tracer(trace, atom.aval, {atom = atom})
end

-- Values from outside become constants of the program: arrays, and tracers of
-- the traces around it.
function Writer:lift(x)
  if core.is_literal(x) then return tracer_for(self, x) end
  local known = self.known[x]
  if not known then
    local var = new_var(core.aval_of(x))
    known = tracer_for(self, var)
    self.known[x] = known
    table.insert(self.consts, var)
    table.insert(self.const_values, x)
  end
  return known
end

function Writer:process(prim, params, tracers)
  local inputs, avals = {}, {}
  for i = 1, #tracers do
    inputs[i] = tracers[i].atom
    avals[i] = tracers[i].aval
  end
  local out = prim.shape(params, table.unpack(avals))
  if out.dtype then out = {out} end
  if core.manual and core.manual.check then
    out = core.with_varying(prim, params, out, avals)
  end
  local outputs, results = {}, {}
  for i = 1, #out do
    outputs[i] = new_var(out[i])
    results[i] = tracer_for(self, outputs[i])
  end
  table.insert(self.eqns, {prim = prim, params = params, inputs = inputs,
                           outputs = outputs, where = use.where()})
  return results
end

--- Calls f with a list of tracers of these abstract values; f gives a list.
--- The program computes the same from arrays.
function M.trace(f, avals)
  local fields = {known = {}, consts = {}, const_values = {}, eqns = {}}
  return core.with_trace(Writer, fields, function(trace)
    local inputs, args = {}, {}
    for i, aval in ipairs(avals) do
      inputs[i] = new_var(aval)
      args[i] = tracer_for(trace, inputs[i])
    end
    local results, outputs = f(args), {}
    for i = 1, #results do
      local x = results[i]
      if not (core.is_tracer(x) and x.trace == trace) then x = trace:lift(x) end
      outputs[i] = x.atom
    end
    return {inputs = inputs, consts = trace.consts, eqns = trace.eqns,
            const_values = trace.const_values, outputs = outputs}
  end)
end

function M.out_avals(program)
  local avals = {}
  for i, atom in ipairs(program.outputs) do avals[i] = atom.aval end
  return avals
end

function M.in_avals(program)
  local avals = {}
  for i, var in ipairs(program.inputs) do avals[i] = var.aval end
  return avals
end

--- The same program with its constants as its first inputs, and their values.
function M.open(program)
  local inputs = {}
  table.move(program.consts, 1, #program.consts, 1, inputs)
  table.move(program.inputs, 1, #program.inputs, #inputs + 1, inputs)
  return {inputs = inputs, consts = {}, const_values = {}, eqns = program.eqns,
          outputs = program.outputs}, program.const_values
end

function M.copy_list(list) return table.move(list, 1, #list, 1, {}) end

-- ---- Computing ----

--- The results of the program for these values, each operation through `bind`.
function M.eval(program, args)
  local env = {}
  local function read(atom)
    if core.is_literal(atom) then return atom end
    return env[atom]
  end
  for i, var in ipairs(program.consts) do env[var] = program.const_values[i] end
  for i, var in ipairs(program.inputs) do env[var] = args[i] end
  for _, eqn in ipairs(program.eqns) do
    local values = {}
    for i, atom in ipairs(eqn.inputs) do values[i] = read(atom) end
    local results = core.bind(eqn.prim, eqn.params, values)
    for i, var in ipairs(eqn.outputs) do env[var] = results[i] end
  end
  local results = {}
  for i, atom in ipairs(program.outputs) do results[i] = read(atom) end
  return results
end

-- ---- Removing ----

--- Without equations whose results nobody reads. Effects stay.
function M.without_dead(program)
  local needed, kept = {}, {}
  for _, atom in ipairs(program.outputs) do needed[atom] = true end
  for i = #program.eqns, 1, -1 do
    local eqn = program.eqns[i]
    local is_live = eqn.prim.has_effect
    for _, var in ipairs(eqn.outputs) do is_live = is_live or needed[var] end
    if is_live then
      if eqn.prim.prune then eqn = eqn.prim.prune(eqn, needed) end
      table.insert(kept, 1, eqn)
      for _, atom in ipairs(eqn.inputs) do needed[atom] = true end
    end
  end
  local consts, values = {}, {}
  for i, var in ipairs(program.consts) do
    if needed[var] then
      consts[#consts + 1] = var
      values[#values + 1] = program.const_values[i]
    end
  end
  return {inputs = program.inputs, consts = consts, const_values = values,
          eqns = kept, outputs = program.outputs}
end

-- A text that is equal where parameters are. Programs and functions are equal
-- only to themselves.
local function key_of(x)
  if type(x) ~= "table" then
    return math.type(x) == "float" and ("%a"):format(x) or tostring(x)
  end
  if x.eqns or getmetatable(x) then return ("%p"):format(x) end
  local names, parts = {}, {}
  for k in pairs(x) do names[#names + 1] = k end
  table.sort(names, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == "number"
  end)
  for i, k in ipairs(names) do parts[i] = tostring(k) .. "=" .. key_of(x[k]) end
  return "{" .. table.concat(parts, ",") .. "}"
end
M.key_of = key_of

--- With each computation once: equations of the same primitive, parameters and
--- inputs have the same results.
function M.without_repeats(program)
  local same, seen, kept = {}, {}, {}
  local function now(atom) return same[atom] or atom end
  for _, eqn in ipairs(program.eqns) do
    local inputs, key = {}, {eqn.prim.name, key_of(eqn.params)}
    for i, atom in ipairs(eqn.inputs) do
      inputs[i] = now(atom)
      key[#key + 1] = core.is_literal(inputs[i]) and
        inputs[i].aval.dtype .. key_of(inputs[i].value) or
        ("%p"):format(inputs[i])
    end
    for _, var in ipairs(eqn.outputs) do -- equal, but for other types' sake
      key[#key + 1] = var.aval.weak and "weak" or "strong"
    end
    local text = table.concat(key, " ")
    local first = not eqn.prim.has_effect and seen[text]
    if first then
      for i, var in ipairs(eqn.outputs) do same[var] = first.outputs[i] end
    else
      local new = {prim = eqn.prim, params = eqn.params, inputs = inputs,
                   outputs = eqn.outputs, where = eqn.where}
      seen[text] = new
      kept[#kept + 1] = new
    end
  end
  local outputs = {}
  for i, atom in ipairs(program.outputs) do outputs[i] = now(atom) end
  return {inputs = program.inputs, consts = program.consts, eqns = kept,
          const_values = program.const_values, outputs = outputs}
end

-- Branches that are cheap elementwise expressions are all computed, and the
-- result chosen: this costs less than asking the device which one to run.
local MOST_EQUATIONS, MOST_ELEMENTS = 32, 1 << 20

local function is_cheap(branches)
  local count = 0
  for _, p in ipairs(branches) do
    count = count + #p.eqns
    if count > MOST_EQUATIONS or #p.consts > 0 then return false end
    for _, eqn in ipairs(p.eqns) do
      local e = eqn.prim.emit
      if not e or e.call or e.run or e.reduce or e.program or
         eqn.prim.has_effect then
        return false
      end
      for _, var in ipairs(eqn.outputs) do
        if core.size(var.aval.shape) > MOST_ELEMENTS then return false end
      end
    end
  end
  return true
end

-- The program that may stand in the place of an equation: a call's, or that
-- which its primitive is made of (emit.expand).
local function inner_of(eqn)
  if eqn.prim.is_call then return eqn.params.jaxpr end
  local expand = eqn.prim.emit and eqn.prim.emit.expand
  if not expand then return nil end
  local avals = {}
  for i, atom in ipairs(eqn.inputs) do avals[i] = atom.aval end
  local inner = expand(eqn.params, avals)
  for _, step in ipairs(inner.eqns) do step.where = eqn.where end
  return inner
end

--- With the programs of inner `jit` calls in their place, and those of cheap
--- choices.
function M.inlined(program)
  local eqns, same = {}, {}
  local add

  local function apply(name, params, inputs, aval)
    local var = new_var(aval)
    eqns[#eqns + 1] = {prim = core.prims[name], params = params,
                       inputs = inputs, outputs = {var}}
    return var
  end

  local function add_choice(eqn, inputs, rename)
    local chosen = {}
    for n, branch in ipairs(eqn.params.branches) do
      local map, is_mine = {}, nil
      for i, var in ipairs(branch.inputs) do map[var] = inputs[i + 1] end
      add(branch.eqns, map)
      if n > 1 then
        is_mine = apply("eq", {}, {inputs[1], core.literal(n - 1, "i32")},
                        core.aval({}, "bool"))
      end
      for k, atom in ipairs(branch.outputs) do
        local own = map[atom] or atom
        if n > 1 then
          own = apply("select_n", {}, {is_mine, chosen[k], own}, atom.aval)
        end
        chosen[k] = own
      end
    end
    for k, var in ipairs(eqn.outputs) do rename[var] = chosen[k] end
  end

  function add(list, rename)
    for _, eqn in ipairs(list) do
      local inputs = {}
      for i, atom in ipairs(eqn.inputs) do inputs[i] = rename[atom] or atom end
      local inner = inner_of(eqn)
      if inner then
        local map = {}
        for i, var in ipairs(inner.inputs) do map[var] = inputs[i] end
        for i, var in ipairs(inner.consts) do
          map[var] = var
          same[#same + 1] = {var, inner.const_values[i]}
        end
        add(inner.eqns, map)
        for i, var in ipairs(eqn.outputs) do
          rename[var] = map[inner.outputs[i]] or inner.outputs[i]
        end
      elseif eqn.prim.name == "cond" and is_cheap(eqn.params.branches) then
        add_choice(eqn, inputs, rename)
      else
        -- A program may stand in several places: its variables are renamed.
        local outputs = {}
        for i, var in ipairs(eqn.outputs) do
          outputs[i] = new_var(var.aval)
          outputs[i].origin = var.origin or var
          rename[var] = outputs[i]
        end
        eqns[#eqns + 1] = {prim = eqn.prim, params = eqn.params,
                           inputs = inputs, outputs = outputs,
                           where = eqn.where}
      end
    end
  end
  local rename = {}
  add(program.eqns, rename)
  local outputs, consts, values = {}, {}, {}
  for i, atom in ipairs(program.outputs) do
    outputs[i] = rename[atom] or atom
  end
  for i, var in ipairs(program.consts) do
    consts[i], values[i] = var, program.const_values[i]
  end
  for _, pair in ipairs(same) do
    consts[#consts + 1], values[#values + 1] = pair[1], pair[2]
  end
  return {inputs = program.inputs, consts = consts, const_values = values,
          eqns = eqns, outputs = outputs}
end

function M.simplified(program)
  return M.without_dead(M.without_repeats(M.inlined(program)))
end

local simple = setmetatable({}, {__mode = "k"})

--- The simplified program, made once for each.
function M.simple_of(program)
  if not simple[program] then simple[program] = M.simplified(program) end
  return simple[program]
end

-- ---- What depends on what ----

--- Which outputs change smoothly with the inputs that `flags` marks: those that
--- are floats and come from them by operations that have derivatives.
function M.depends(program, flags)
  local marked, out = {}, {}
  for i, var in ipairs(program.inputs) do
    marked[var] = flags[i] and var.aval.dtype:find("^b?f") ~= nil or nil
  end
  for _, eqn in ipairs(program.eqns) do
    local any = false
    for _, atom in ipairs(eqn.inputs) do any = any or marked[atom] end
    if any and eqn.prim.diff then
      for _, var in ipairs(eqn.outputs) do
        marked[var] = var.aval.dtype:find("^b?f") ~= nil or nil
      end
    end
  end
  for k, atom in ipairs(program.outputs) do out[k] = marked[atom] or false end
  return out
end

--- Which inputs the outputs that `keep` marks are computed from.
function M.reads(program, keep)
  local needed, flags = {}, {}
  for k, atom in ipairs(program.outputs) do
    if keep[k] then needed[atom] = true end
  end
  for i = #program.eqns, 1, -1 do
    local eqn = program.eqns[i]
    local is_live = eqn.prim.has_effect
    for _, var in ipairs(eqn.outputs) do is_live = is_live or needed[var] end
    if is_live then
      for _, atom in ipairs(eqn.inputs) do needed[atom] = true end
    end
  end
  for i, var in ipairs(program.inputs) do flags[i] = needed[var] or false end
  return flags
end

-- ---- Programs that are the same ----

local known = setmetatable({}, {__mode = "v"})

--- A program without constants: the one that was seen first of all that read
--- the same, so that it is differentiated and compiled once.
function M.shared(program)
  local number, parts = {count = 0}, {}
  local function text(atom)
    if core.is_literal(atom) then
      return ("%s:%s%s"):format(key_of(atom.value), atom.aval.dtype,
                                atom.aval.weak and "*" or "")
    end
    if not number[atom] then
      number.count = number.count + 1
      number[atom] = number.count
    end
    return ("%d:%s%s"):format(number[atom], core.aval_text(atom.aval),
                              atom.aval.weak and "*" or "")
  end
  local function add(list)
    for _, atom in ipairs(list) do parts[#parts + 1] = text(atom) end
    parts[#parts + 1] = ";"
  end
  add(program.inputs)
  for _, eqn in ipairs(program.eqns) do
    parts[#parts + 1] = eqn.prim.name .. key_of(eqn.params)
    add(eqn.inputs)
    add(eqn.outputs)
  end
  add(program.outputs)
  local key = table.concat(parts, " ")
  if not known[key] then known[key] = program end
  return known[key]
end

-- ---- Splitting ----

--- Cuts a program in two: what depends on the inputs that `is_late` marks, and
--- what does not. `first` gives the early outputs and what `second` reads of
--- its values: second(carried..., late inputs...).
function M.split(program, is_late)
  local late, first, second = {}, {}, {}
  for i, var in ipairs(program.inputs) do late[var] = is_late[i] end
  for _, eqn in ipairs(program.eqns) do
    local any = false
    for _, atom in ipairs(eqn.inputs) do any = any or late[atom] end
    table.insert(any and second or first, eqn)
    for _, var in ipairs(eqn.outputs) do late[var] = any end
  end
  local carried, is_carried = {}, {}
  local function carry(atom)
    if not core.is_literal(atom) and not late[atom] and
       not is_carried[atom] then
      is_carried[atom] = true
      carried[#carried + 1] = atom
    end
  end
  for _, eqn in ipairs(second) do
    for _, atom in ipairs(eqn.inputs) do carry(atom) end
  end
  return {first = first, second = second, carried = carried, late = late,
          carry = carry}
end

return M
