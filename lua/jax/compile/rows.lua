-- SPDX-License-Identifier: Apache-2.0
-- Softmax and its like in one kernel: reductions over the last axis, what is
-- computed of them, and what that makes of the rows again. A group of threads
-- has a row in its registers, so that memory is read and written once and
-- nothing is computed twice.
local use = ...
local core = use("core/core")
local emit = use("compile/emit")
local reduce = use("compile/reduce")
local M = {}

local MOST_ELEMENTS = 16   -- of a row in one thread
local MOST_REGISTERS = 64  -- for rows, of a thread
local MOST_COLUMNS = 16384
local FEWEST_ROWS = 32     -- or most of the device has nothing to do
local SMALL = 1 << 16      -- elements that one kernel is worth anyway
local MOST_RESULTS = 4
local MOST_PARAMETERS = 60 -- a launch takes 64

local function ceil_div(a, b) return (a + b - 1) // b end

-- ---- Which equations ----

local function is_last_axis(eqn)
  local axes = eqn.params.axes
  return #axes == 1 and axes[1] == #eqn.inputs[1].aval.shape - 1
end

-- (a, b) of (a, b, c), and (a, b, 1).
local function outer_of(shape)
  return table.move(shape, 1, #shape - 1, 1, {})
end
local function kept_of(shape)
  local kept = outer_of(shape)
  kept[#shape] = 1
  return kept
end

local function is_narrow(shape, group)
  return core.same_shape(shape, group.outer) or
         core.same_shape(shape, group.kept)
end

-- A view that takes each row's value, or element, to its own row.
local function is_plain_view(eqn, group)
  local name, from = eqn.prim.name, eqn.inputs[1].aval.shape
  local to = eqn.outputs[1].aval.shape
  if name == "reshape" or name == "squeeze" then
    return is_narrow(from, group) and is_narrow(to, group)
  end
  if name ~= "broadcast_in_dim" then return false end
  for i, d in ipairs(eqn.params.broadcast_dimensions) do
    if d ~= i - 1 then return false end
  end
  return core.same_shape(from, group.outer) and #from == #to - 1 and
         (core.same_shape(to, group.shape) or
          core.same_shape(to, group.kept)) or
         core.same_shape(from, group.kept) and core.same_shape(to, group.shape)
end

local function can_be_inside(plan, eqn, group)
  if #eqn.outputs ~= 1 then return false end
  local own = eqn.prim.emit
  local shape = eqn.outputs[1].aval.shape
  if own.reduce then
    return is_last_axis(eqn) and
           core.same_shape(eqn.inputs[1].aval.shape, group.shape)
  end
  if not plan.is_pulled(eqn) then return false end
  if own.view then return is_plain_view(eqn, group) end
  return core.same_shape(shape, group.shape) or is_narrow(shape, group)
end

-- From the reduction at `first` on: what depends on it and fits.
local function gather(plan, program, first)
  local shape = program.eqns[first].inputs[1].aval.shape
  local group = {shape = shape, outer = outer_of(shape), kept = kept_of(shape),
                 is_inside = {}, eqns = {}, reductions = 0}
  local later = {} -- made behind `first`, and not to be had in the kernel
  for i = first, #program.eqns do
    local eqn = program.eqns[i]
    local depends, is_there = i == first, true
    for _, x in ipairs(eqn.inputs) do
      depends = depends or group.is_inside[x]
      is_there = is_there and not later[x]
    end
    if depends and is_there and can_be_inside(plan, eqn, group) then
      table.insert(group.eqns, eqn)
      group.is_inside[eqn.outputs[1]] = eqn
      if eqn.prim.emit.reduce then group.reductions = group.reductions + 1 end
    elseif depends or not is_there or not plan.is_pulled(eqn) or
           plan.is_root[eqn.outputs[1]] then
      for _, var in ipairs(eqn.outputs) do later[var] = true end
    end
  end
  return group
end

-- What others read of the group: `wide` of whole rows, `narrow` of one value.
local function find_results(program, group)
  local is_member, needed = {}, {}
  for _, eqn in ipairs(group.eqns) do is_member[eqn] = true end
  for _, eqn in ipairs(program.eqns) do
    for _, x in ipairs(eqn.inputs) do
      if group.is_inside[x] and not is_member[eqn] then needed[x] = true end
    end
  end
  for _, x in ipairs(program.outputs) do
    if group.is_inside[x] then needed[x] = true end
  end
  group.wide, group.narrow = {}, {}
  for _, eqn in ipairs(group.eqns) do
    local var = eqn.outputs[1]
    if needed[var] then
      local is_wide = core.same_shape(var.aval.shape, group.shape)
      table.insert(is_wide and group.wide or group.narrow, var)
    end
  end
end

-- ---- The kernel ----

local Failed = {}

-- How a row lies in the threads of a group.
local function layout_of(group, widest)
  local columns = group.shape[#group.shape]
  local g = {columns = columns, rows = core.size(group.outer)}
  g.width = emit.is_narrow(core.size(group.shape)) and 1 or 16 // widest
  while columns % g.width ~= 0 do g.width = g.width // 2 end
  local words = columns // g.width
  g.threads = 1
  while g.threads < 32 and g.threads < words do g.threads = 2 * g.threads end
  local most = math.max(MOST_ELEMENTS // g.width, 1) -- words of a thread
  if words > 32 * most then
    g.threads = ceil_div(ceil_div(words, most), 32) * 32
  end
  g.elements = ceil_div(words, g.threads) * g.width
  g.is_full = g.threads * g.elements == columns
  g.block = g.threads > 32 and g.threads or 256
  g.groups = g.block // g.threads
  return g
end

local Rows = {}
Rows.__index = Rows

function Rows:add(text, ...)
  if select("#", ...) > 0 then text = text:format(...) end
  self.lines[#self.lines + 1] = text
end

-- A writer of code for element (o, r), with j its place in the thread.
function Rows:code()
  local group, kernel = self.group, self.kernel
  local code
  code = emit.new_code(self.plan.made, function(atom, key)
    local is_whole = core.same_shape(atom.aval.shape, group.shape)
    if self.scalars[atom] or group.is_inside[atom] then
      if key ~= (is_whole and self.full_key or self.own_key) then
        error(Failed)
      end
      if self.scalars[atom] then return self.scalars[atom], true end
      if self.saved[atom] then return self.saved[atom] .. "[j]", true end
      return nil
    end
    local name, is_value = kernel:read(atom)
    if not name or is_value then
      return name and emit.loaded(atom.aval.dtype, name), is_value
    end
    -- The same element of as many, whatever the shape.
    if key ~= self.full_key or
       core.size(atom.aval.shape) ~= core.size(group.shape) then
      return name
    end
    if self.plan.places[atom].is_loose then error(Failed) end
    if not self.loads[name] then
      self.loads[name] = {name = "x_" .. name, dtype = atom.aval.dtype}
      table.insert(self.load_order, name)
    end
    return self.loads[name].name .. "[j]", true
  end)
  code.depth = 3
  if self.plan.mark then
    code.mark = function(...) return self.plan.mark(kernel, ...) end
  end
  return code
end

local function word_start(g)
  local word = ("w * %d + lane"):format(g.threads)
  return g.width == 1 and word or ("(%s) * %d"):format(word, g.width)
end

-- The thread's elements, word by word: body(add) is within the loops.
function Rows:each_element(lines, after)
  local g = self.layout
  self:add("#pragma unroll")
  self:add("  for (int w = 0; w < %d; w++) {", g.elements // g.width)
  self:add("    const int r0 = %s;", word_start(g))
  if not g.is_full then self:add("    if (r0 >= %d) continue;", g.columns) end
  if after then after.before() end
  if g.width == 1 then
    self:add("    const int j = w, r = r0;")
  else
    self:add("#pragma unroll")
    self:add("    for (int k = 0; k < %d; k++) {", g.width)
    self:add("      const int j = w * %d + k, r = r0 + k;", g.width)
  end
  for _, line in ipairs(lines) do self:add("%s", line) end
  if g.width > 1 then self:add("    }") end
  if after then after.behind() end
  self:add("  }")
end

local function used_later(group, from, var)
  for i = from + 1, #group.eqns do
    for _, x in ipairs(group.eqns[i].inputs) do
      if x == var then return true end
    end
  end
  return false
end

function Rows:reduce(n, eqn)
  local x, out = eqn.inputs[1], eqn.outputs[1]
  local row, t = eqn.prim.emit.reduce, out.aval.dtype
  local code = self:code()
  local text = code:element(x, self.index)
  local name = "a" .. n
  if self.group.is_inside[x] and not self.saved[x] and
     used_later(self.group, n, x) then
    self.saved[x] = "s" .. n
    table.insert(self.arrays, ("  %s s%d[%d];"):format(
      emit.compute_type(x.aval.dtype), n, self.layout.elements))
    code:add("s%d[j] = %s;", n, text)
  end
  code:add("%s = %s;", name, reduce.step(row, t, name, text))
  local mark = self.plan.mark and self.plan.mark(self.kernel, out) or ""
  self:add("  %s %s = %s;%s", emit.compute_type(t), name, reduce.start(row, t),
           mark)
  self:each_element(code.lines)
  reduce.combine(function(...) self:add(...) end, row, t, name,
                 self.layout.threads, true)
  if reduce.wide(t) ~= t then -- as if it had been stored
    self:add("  %s = %s;", name, emit.loaded(t, emit.stored(t, name)))
  end
  self.scalars[out] = name
end

function Rows:store_narrow(vars)
  if #vars == 0 then return end
  local code = self:code()
  self:add("  if (lane == 0 && is_in) {")
  for _, var in ipairs(vars) do
    local text = code:element(var, self.own_index(var))
    code:add("%s[o] = %s;", self.kernel:write(self.plan.places[var]),
             emit.stored(var.aval.dtype, text))
  end
  for _, line in ipairs(code.lines) do self:add("%s", line) end
  self:add("  }")
end

function Rows:store_wide(vars)
  if #vars == 0 then return end
  local code, targets, g = self:code(), {}, self.layout
  for n, var in ipairs(vars) do
    if self.plan.places[var].is_loose then error(Failed) end
    targets[n] = self.kernel:write(self.plan.places[var])
    local text = emit.stored(var.aval.dtype, code:element(var, self.index))
    if g.width == 1 then
      code:add("if (is_in) %s[%s] = %s;", targets[n], self.word_key, text)
    else
      code:add("o%d.v[k] = %s;", n, text)
    end
  end
  if g.width == 1 then return self:each_element(code.lines) end
  local function pack(var)
    return ("Pack<%s, %d>"):format(emit.c_types[var.aval.dtype], g.width)
  end
  self:each_element(code.lines, {
    before = function()
      for n, var in ipairs(vars) do self:add("    %s o%d;", pack(var), n) end
    end,
    behind = function()
      for n, var in ipairs(vars) do
        self:add("    if (is_in) *(%s *)(%s + %s) = o%d;", pack(var),
                 targets[n], self.word_key, n)
      end
    end,
  })
end

-- Reads a word of an array, within the loop over words.
function Rows:add_load(add, name)
  local g, load = self.layout, self.loads[name]
  if g.width == 1 then
    local text = ("%s[%s]"):format(name, self.word_key)
    return add("    %s[w] = %s;", load.name, emit.loaded(load.dtype, text))
  end
  local pack = ("Pack<%s, %d>"):format(emit.c_types[load.dtype], g.width)
  add("    const %s %s_w = *(const %s *)(%s + %s);", pack, load.name, pack,
      name, self.word_key)
  add("#pragma unroll")
  add("    for (int k = 0; k < %d; k++) %s[w * %d + k] = %s;", g.width,
      load.name, g.width, emit.loaded(load.dtype, load.name .. "_w.v[k]"))
end

-- The lines before the first reduction: which row, and its elements.
function Rows:head()
  local g, lines = self.layout, {}
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  if g.groups == 1 then
    add("  const int row = blockIdx.x, lane = threadIdx.x;")
  else
    add("  const int row = blockIdx.x * %d + threadIdx.x / %d, " ..
        "lane = threadIdx.x %% %d;", g.groups, g.threads, g.threads)
  end
  add("  const bool is_in = row < %d;", g.rows)
  local index = core.size(self.group.shape) < 1 << 31 and "int" or "long long"
  add("  const %s o = is_in ? row : %d;", index, g.rows - 1)
  for _, line in ipairs(self.arrays) do add("%s", line) end
  for _, name in ipairs(self.load_order) do
    local load = self.loads[name]
    add("  %s %s[%d];", emit.compute_type(load.dtype), load.name, g.elements)
  end
  if #self.load_order == 0 then return lines end
  add("#pragma unroll")
  add("  for (int w = 0; w < %d; w++) {", g.elements // g.width)
  add("    const int r0 = %s;", word_start(g))
  if not g.is_full then add("    if (r0 >= %d) continue;", g.columns) end
  for _, name in ipairs(self.load_order) do self:add_load(add, name) end
  add("  }")
  return lines
end

local function widest_of(group)
  local widest = 1
  for _, eqn in ipairs(group.eqns) do
    for _, x in ipairs(eqn.inputs) do
      widest = math.max(widest, emit.bytes[x.aval.dtype])
    end
    widest = math.max(widest, emit.bytes[eqn.outputs[1].aval.dtype])
  end
  return widest
end

local function write(rows)
  for n, eqn in ipairs(rows.group.eqns) do
    if eqn.prim.emit.reduce then rows:reduce(n, eqn) end
  end
  rows:store_narrow(rows.group.narrow)
  rows:store_wide(rows.group.wide)
  local arrays = #rows.arrays + #rows.load_order
  if arrays * rows.layout.elements > MOST_REGISTERS or
     #rows.kernel.params > MOST_PARAMETERS then
    error(Failed)
  end
end

local function is_worth_it(group)
  local columns = group.shape[#group.shape]
  local size = core.size(group.shape)
  return columns > 1 and columns <= MOST_COLUMNS and size > 0 and
         (core.size(group.outer) >= FEWEST_ROWS or size <= SMALL) and
         #group.wide + #group.narrow <= MOST_RESULTS and
         (#group.wide > 0 or group.reductions > 1)
end

--- The reduction at `first` of the program and what follows from it, as one
--- kernel of the plan: gives the set of equations that it computes; nil where
--- that would bring nothing, and then nothing was done.
function M.try(plan, program, first)
  local eqn = program.eqns[first]
  if not eqn.prim.emit.reduce or not is_last_axis(eqn) then return nil end
  local group = gather(plan, program, first)
  find_results(program, group)
  if not is_worth_it(group) then return nil end
  local outer = emit.coords_of({flat = "o"}, group.outer)
  local at = table.move(outer, 1, #outer, 1, {})
  at[#group.shape] = "r"
  local rows = setmetatable({
    plan = plan, group = group, kernel = plan:new_kernel("rows"), lines = {},
    arrays = {}, loads = {}, load_order = {}, scalars = {}, saved = {},
    layout = layout_of(group, widest_of(group)), index = {at = at},
    full_key = emit.flat_of({at = at}, group.shape),
    own_key = emit.flat_of({at = outer}, group.outer),
    own_index = function(var)
      if #var.aval.shape == #outer then return {at = outer} end
      local own = table.move(outer, 1, #outer, 1, {})
      own[#own + 1] = "0"
      return {at = own}
    end,
  }, Rows)
  rows.word_key = rows.full_key:gsub("%f[%w_]r%f[^%w_]", "r0")
  local places = {}
  for _, list in ipairs{group.wide, group.narrow} do
    for _, var in ipairs(list) do
      if not plan.places[var] then
        places[#places + 1] = var
        plan.places[var] = plan:new_temp(var.aval)
      end
    end
  end
  local ok, e = pcall(write, rows)
  if not ok then
    for _, var in ipairs(places) do plan.places[var] = nil end
    if e == Failed then return nil end
    error(e, 0)
  end
  plan.has_packs = plan.has_packs or rows.layout.width > 1
  local lines = rows:head()
  table.move(rows.lines, 1, #rows.lines, #lines + 1, lines)
  rows.kernel:done(lines, ceil_div(rows.layout.rows, rows.layout.groups),
                   rows.layout.block)
  local computed = {}
  for _, member in ipairs(group.eqns) do computed[member] = true end
  return computed
end

return M
