-- SPDX-License-Identifier: Apache-2.0
-- Loops and choices as blocks of steps: the body's kernels belong to the
-- program around, and l_jax_block.c queues them round after round, without Lua.
-- A step {loop, lists, places, written}: see exec.lua.
--
-- What a round reads and writes lies at places that move: a row of xs or ys,
-- and the carry, which goes to and fro between two places.
local use = ...
local core = use("core/core")
local program = use("core/program")
local emit = use("compile/emit")
local M = {}

local copy_prim

local function bytes_of(aval)
  return core.size(aval.shape) * emit.bytes[aval.dtype]
end

local function moving(aval) return {kind = "moving", aval = aval} end

-- ---- A program made ready to be a list of steps ----

local Body = {}
Body.__index = Body

local function new_body(p)
  copy_prim = copy_prim or core.prims.copy
  return setmetatable({program = p, is = {}, places = {}, before = {}}, Body)
end

-- An input is an atom of the program around.
function Body:same(var, atom) self.is[var] = atom end

-- An input lies at a place.
function Body:at(var, place) self.places[var] = place end

-- Copies an atom to a place.
local function copying(atom, aval)
  local var = program.new_var(aval)
  return {prim = copy_prim, params = {}, inputs = {atom}, outputs = {var}}, var
end

-- An input is a row of an array. Kernels read whole words, where a row may
-- not begin: then it is copied first.
function Body:row(var, place, plan)
  if not place.is_loose then return self:at(var, place) end
  local eqn, own = copying(var, var.aval)
  self.places[var], self.places[own] = place, plan:new_temp(var.aval)
  self.before[#self.before + 1] = eqn
  self.is[var] = own
end

-- The steps that leave the results at these places; nil where one of them is a
-- function.
function Body:planned(plan, results)
  local p, eqns = self.program, program.copy_list(self.before)
  local made, is_taken, outputs = {}, {}, {}
  local function now(atom) return self.is[atom] or atom end
  for _, eqn in ipairs(p.eqns) do
    local inputs = {}
    for i, atom in ipairs(eqn.inputs) do inputs[i] = now(atom) end
    for _, var in ipairs(eqn.outputs) do made[var] = true end
    eqns[#eqns + 1] = {prim = eqn.prim, params = eqn.params, inputs = inputs,
                       outputs = eqn.outputs}
  end
  for k, place in pairs(results) do
    local atom = now(p.outputs[k])
    if not made[atom] or is_taken[atom] or place.is_loose then
      local eqn, var = copying(atom, p.outputs[k].aval)
      eqns[#eqns + 1], atom = eqn, var
    end
    is_taken[atom] = true
    self.places[atom] = place
    outputs[#outputs + 1] = atom
  end
  local inner = plan:inner({inputs = {}, consts = {}, const_values = {},
                            eqns = eqns, outputs = outputs}, self.places)
  for _, step in ipairs(inner.steps) do
    if step.run then return nil end
  end
  return inner.steps
end

-- ---- Blocks ----

-- Makes a plan's steps by f, or leaves the plan as it was where f gives nil.
local function attempt(plan, f)
  local texts, kernels, steps = #plan.texts, plan.kernel_count, #plan.steps
  local packs = plan.has_packs
  local result = f()
  if not result then
    for i = #plan.texts, texts + 1, -1 do plan.texts[i] = nil end
    for i = #plan.steps, steps + 1, -1 do plan.steps[i] = nil end
    plan.kernel_count, plan.has_packs = kernels, packs
  end
  return result or false
end

-- The places that the steps of a block use and that do not move with it.
local function add_step(plan, block, lists, extra)
  local step = {loop = block, lists = lists, places = {}, written = {},
                name = block.name}
  local number, own = {}, {}
  for _, r in ipairs(block.rows) do own[r.place] = true end
  for _, c in ipairs(block.carries) do
    own[c.input], own[c.output] = true, true
  end
  local function add(place, is_written)
    if own[place] then return end
    if not number[place] then
      number[place] = #step.places + 1
      step.places[number[place]] = place
    end
    step.written[number[place]] = step.written[number[place]] or is_written
  end
  for _, list in ipairs(lists) do
    for _, one in ipairs(list) do
      for i, place in ipairs(one.places) do add(place, one.written[i]) end
    end
  end
  for _, r in ipairs(block.rows) do add(r.of, r.is_written) end
  for _, c in ipairs(block.carries) do
    add(c.first)
    add(c.last, true)
    add(c.other, true)
  end
  for _, place in ipairs(extra or {}) do add(place) end
  table.insert(plan.steps, step)
  return true
end

-- The place of an atom in memory; numbers are written there first.
local function in_memory(plan, atom, aval)
  local place = not core.is_literal(atom) and plan.places[atom]
  if place and not place.is_value then return place end
  local var = program.new_var(aval)
  plan.places[var] = plan:new_temp(aval)
  plan:copy(var, atom)
  return plan.places[var]
end

local function new_carry(plan, aval, atom, last)
  return {input = moving(aval), output = moving(aval), last = last,
          first = in_memory(plan, atom, aval), other = plan:new_temp(aval),
          bytes = bytes_of(aval)}
end

local function new_row(aval, of, is_written)
  local place, bytes = moving(aval), bytes_of(aval)
  place.is_loose = bytes % 16 ~= 0 and core.size(aval.shape) > 1
  return {place = place, of = of, bytes = bytes, is_written = is_written}
end

--- Adds a scan to the plan; false where its body has steps that are functions.
function M.scan(eqn, plan)
  local p, body = eqn.params, program.simple_of(eqn.params.jaxpr)
  if p.length == 0 or #body.consts > 0 then return false end
  return attempt(plan, function()
    local own, first = new_body(body), p.num_consts + p.num_carry
    local block = {kind = "count", name = "scan", count = p.length,
                   is_reversed = p.reverse, rows = {}, carries = {}}
    local results, still = {}, {}
    for i = 1, p.num_consts do own:same(body.inputs[i], eqn.inputs[i]) end
    for k = 1, p.num_carry do
      local var, atom = body.inputs[p.num_consts + k],
                        eqn.inputs[p.num_consts + k]
      if body.outputs[k] == var then -- it stays what it is
        own:same(var, atom)
        still[k] = atom
      else
        local c = new_carry(plan, var.aval, atom, plan.places[eqn.outputs[k]])
        own:at(var, c.input)
        results[k] = c.output
        table.insert(block.carries, c)
      end
    end
    for i = first + 1, #body.inputs do
      local r = new_row(body.inputs[i].aval, plan.places[eqn.inputs[i]])
      own:row(body.inputs[i], r.place, plan)
      table.insert(block.rows, r)
    end
    for k = p.num_carry + 1, #body.outputs do
      local r = new_row(body.outputs[k].aval, plan.places[eqn.outputs[k]], true)
      results[k] = r.place
      table.insert(block.rows, r)
    end
    local steps = own:planned(plan, results)
    if not steps then return nil end
    for k, atom in pairs(still) do plan:copy(eqn.outputs[k], atom) end
    return add_step(plan, block, {steps})
  end)
end

--- Adds a while to the plan; false where a program of it has steps that are
--- functions.
function M.repeat_while(eqn, plan)
  local p = eqn.params
  local test = program.simple_of(p.cond_jaxpr)
  local body = program.simple_of(p.body_jaxpr)
  if #test.consts > 0 or #body.consts > 0 then return false end
  return attempt(plan, function()
    local nt, nb = p.cond_nconsts, p.body_nconsts
    local question, own = new_body(test), new_body(body)
    local flag = plan:new_temp(core.aval({}, "bool"))
    local block = {kind = "while", name = "while", rows = {}, carries = {},
                   watched = flag}
    local results = {}
    for i = 1, nt do question:same(test.inputs[i], eqn.inputs[i]) end
    for i = 1, nb do own:same(body.inputs[i], eqn.inputs[nt + i]) end
    for k in ipairs(body.outputs) do
      local var = body.inputs[nb + k]
      local c = new_carry(plan, var.aval, eqn.inputs[nt + nb + k],
                          plan.places[eqn.outputs[k]])
      own:at(var, c.input)
      question:at(test.inputs[nt + k], c.input)
      results[k] = c.output
      table.insert(block.carries, c)
    end
    local tests = question:planned(plan, {flag})
    local steps = tests and own:planned(plan, results)
    return steps and add_step(plan, block, {tests, steps}, {flag})
  end)
end

--- Adds a cond to the plan; false where a branch has steps that are functions.
function M.choose(eqn, plan)
  local lists, results = {}, {}
  for k, var in ipairs(eqn.outputs) do results[k] = plan.places[var] end
  return attempt(plan, function()
    local index = in_memory(plan, eqn.inputs[1], core.aval({}, "i32"))
    for n, branch in ipairs(eqn.params.branches) do
      local simple = program.simple_of(branch)
      if #simple.consts > 0 then return nil end
      local own = new_body(simple)
      for i, var in ipairs(simple.inputs) do
        own:same(var, eqn.inputs[i + 1])
      end
      lists[n] = own:planned(plan, results)
      if not lists[n] then return nil end
    end
    return add_step(plan, {kind = "choice", name = "cond", rows = {},
                           carries = {}, watched = index}, lists, {index})
  end)
end

return M
