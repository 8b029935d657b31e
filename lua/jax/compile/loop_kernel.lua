-- SPDX-License-Identifier: Apache-2.0
-- Loops as one kernel: where a body computes each element of its carry from the
-- same element (and from scalars, consts and the step's x), a thread keeps the
-- carry of its element in registers and goes through all steps alone.
--
-- The text is made by asking for the body's results at element i. A body that
-- asks for another element of the carry, or that has an operation with a kernel
-- of its own, cannot be had this way: then nothing is added to the plan.
local use = ...
local core = use("core/core")
local program = use("core/program")
local emit = use("compile/emit")
local M = {}

local BLOCK = 128

local NOT_POSSIBLE = {}

local function give_up() error(NOT_POSSIBLE, 0) end

-- Calls f; false where it gave up.
local function try(f)
  local ok, e = pcall(f)
  if ok then return true end
  if e == NOT_POSSIBLE then return false end
  error(e, 0)
end

local function is_expression(eqn)
  local e = eqn.prim.emit
  return e and not (e.call or e.run or e.reduce or e.program) and
         not eqn.prim.has_effect
end

-- The equations of a program by what they make.
local function add_made(made, p)
  if #p.consts > 0 then give_up() end
  for _, eqn in ipairs(p.eqns) do
    for _, var in ipairs(eqn.outputs) do made[var] = eqn end
  end
end

-- The one shape of all that are no scalars.
local function shape_of(avals)
  local shape
  for _, a in ipairs(avals) do
    if #a.shape > 0 then
      if shape and not core.same_shape(shape, a.shape) then give_up() end
      shape = a.shape
    end
  end
  return shape or {}
end

-- ---- The text ----

local Loop = {}
Loop.__index = Loop

local function new_loop(plan, name, shape)
  local loop = setmetatable({
    kernel = plan:new_kernel(name), shape = shape, size = core.size(shape),
    made = {}, source = {}, lines = {}, registers = {}}, Loop)
  loop.code = emit.new_code(loop.made, function(atom, key)
    local source = loop.source[atom]
    if not source then
      if not is_expression(loop.made[atom]) then give_up() end
      return nil
    end
    return source(key)
  end)
  loop.code.depth = 3
  return loop
end

function Loop:add(text, ...)
  self.lines[#self.lines + 1] = text:format(...)
end

-- Of an atom of the program around: its element, by pointer or as a text.
function Loop:outer(atom)
  if core.is_literal(atom) then
    return emit.constant(atom.value, atom.aval.dtype), true
  end
  local name, is_value = self.kernel:read(atom)
  if is_value then return emit.loaded(atom.aval.dtype, name), true end
  return name, false
end

-- A variable of the body that is the same in all steps.
function Loop:const(var, atom)
  self.source[var] = function() return self:outer(atom) end
end

-- One that is row t of an array.
function Loop:row(var, atom)
  self.source[var] = function()
    return ("(%s + (long long)t * %d)"):format((self:outer(atom)),
                                               core.size(var.aval.shape))
  end
end

local function index_of(aval) return #aval.shape == 0 and "0" or "i" end

-- A carry: `vars` stand for it, atom is its first value.
function Loop:carry(vars, atom)
  local aval = vars[1].aval
  local name, own = "c" .. #self.registers, index_of(aval)
  local text, is_text = self:outer(atom)
  if not is_text then
    text = emit.loaded(aval.dtype, ("%s[%s]"):format(text, own))
  end
  self:add("    %s %s = %s;", emit.compute_type(aval.dtype), name, text)
  table.insert(self.registers, {name = name, aval = aval})
  for _, var in ipairs(vars) do
    self.source[var] = function(key)
      if key ~= own then give_up() end
      return name, true
    end
  end
end

function Loop:element(atom) return self.code:element(atom, {flat = "i"}) end

-- The body's results become the carry, all at once.
function Loop:next_carry(atoms)
  local texts = {}
  for k, r in ipairs(self.registers) do
    texts[k] = self:element(atoms[k])
    self.code:add("const %s n%d = %s;", emit.compute_type(r.aval.dtype), k,
                  texts[k])
  end
  for k, r in ipairs(self.registers) do
    self.code:add("%s = n%d;", r.name, k)
  end
end

-- Stores a text as element `at` of a place; scalars by the first thread.
function Loop:store(add, place, aval, at, text)
  local name = self.kernel:write(place)
  local guard = #aval.shape == 0 and self.size > 1 and "if (i == 0) " or ""
  add(("%s%s[%s] = %s;"):format(guard, name, at, emit.stored(aval.dtype, text)))
end

function Loop:done(head, places)
  for _, line in ipairs(head) do self:add("    %s", line) end
  for _, line in ipairs(self.code.lines) do
    self.lines[#self.lines + 1] = line
  end
  self:add("    }")
  for k, r in ipairs(self.registers) do
    self:store(function(text) self.lines[#self.lines + 1] = "    " .. text end,
               places[k], r.aval, index_of(r.aval), r.name)
  end
  local blocks = (self.size + BLOCK - 1) // BLOCK
  local t = self.size < 1 << 30 and "int" or "long long"
  table.insert(self.lines, 1, ("  for (%s i = blockIdx.x * (%s)blockDim.x + " ..
    "threadIdx.x; i < %d; i += gridDim.x * (%s)blockDim.x) {"):format(
    t, t, self.size, t))
  self:add("  }")
  local most = self.kernel.plan.most_blocks
  self.kernel:done(self.lines, math.min(blocks, most),
                   math.min(BLOCK, (self.size + 31) // 32 * 32))
end

-- ---- scan ----

--- Adds a scan to the plan as one kernel; false where that cannot be.
function M.scan(eqn, plan)
  local p, body = eqn.params, program.simple_of(eqn.params.jaxpr)
  local count, first = plan.kernel_count, p.num_consts + p.num_carry
  local is_done = try(function()
    local loop = new_loop(plan, "scan", shape_of(program.out_avals(body)))
    if loop.size == 0 then give_up() end
    add_made(loop.made, body)
    for i, var in ipairs(body.inputs) do
      local atom = eqn.inputs[i]
      if i <= p.num_consts then
        loop:const(var, atom)
      elseif i > first then
        loop:row(var, atom)
      else
        loop:carry({var}, atom)
      end
    end
    for k = p.num_carry + 1, #body.outputs do
      local aval = body.outputs[k].aval
      local at = #aval.shape == 0 and "t" or
                 ("(long long)t * %d + i"):format(loop.size)
      loop:store(function(text) loop.code:add("%s", text) end,
                 plan.places[eqn.outputs[k]], aval, at,
                 loop:element(body.outputs[k]))
    end
    loop:next_carry(body.outputs)
    local places = {}
    for k = 1, p.num_carry do places[k] = plan.places[eqn.outputs[k]] end
    local head = p.reverse and "for (int t = %d; t >= 0; t--) {" or
                 "for (int t = 0; t < %d; t++) {"
    loop:done({head:format(p.reverse and p.length - 1 or p.length)}, places)
  end)
  if not is_done then plan.kernel_count = count end
  return is_done
end

-- ---- while ----

-- The predicate that each thread asks for: a scalar, or its own element of what
-- a batch's predicate is made of.
local function predicate(loop, p, test)
  local atom = test.outputs[1]
  local eqn = loop.made[atom]
  if p.is_masked and eqn and eqn.prim.name == "reduce_or" and
     core.same_shape(eqn.inputs[1].aval.shape, loop.shape) then
    return eqn.inputs[1]
  end
  return atom
end

--- Adds a while to the plan as one kernel; false where that cannot be.
function M.repeat_while(eqn, plan)
  local p = eqn.params
  local test = program.simple_of(p.cond_jaxpr)
  local body = program.simple_of(p.body_jaxpr)
  local count, nt, nb = plan.kernel_count, p.cond_nconsts, p.body_nconsts
  local is_done = try(function()
    local loop = new_loop(plan, "while", shape_of(program.out_avals(body)))
    if loop.size == 0 then give_up() end
    add_made(loop.made, test)
    add_made(loop.made, body)
    for i = 1, nt do loop:const(test.inputs[i], eqn.inputs[i]) end
    for i = 1, nb do loop:const(body.inputs[i], eqn.inputs[nt + i]) end
    local places = {}
    for k in ipairs(body.outputs) do
      loop:carry({body.inputs[nb + k], test.inputs[nt + k]},
                 eqn.inputs[nt + nb + k])
      places[k] = plan.places[eqn.outputs[k]]
    end
    local holds = loop:element(predicate(loop, p, test))
    loop.code:add("if (!%s) break;", holds)
    loop:next_carry(body.outputs)
    loop:done({"for (;;) {"}, places)
  end)
  if not is_done then plan.kernel_count = count end
  return is_done
end

return M
