-- SPDX-License-Identifier: Apache-2.0
-- A program as steps on a device: which values get memory, which operations
-- share a kernel, and the kernels' text.
--
-- A value gets memory (it is a root) when it is a result, when something other
-- than an elementwise kernel reads it, or when computing it again for each
-- reader would cost more than storing it.
local use = ...
local core = use("core/core")
local emit = use("compile/emit")
local names = use("compile/names")
local reduce = use("compile/reduce")
local rows = use("compile/rows")
local transpose = use("compile/transpose")
local M = {}

local BLOCK = 256
local MANY = 1 << 22 -- elements from which on a thread has two words

-- ---- Roots ----

-- Worth storing when several kernels, or several elements, need it.
local dear = {exp = true, exp2 = true, expm1 = true, log = true, log1p = true,
              sin = true, cos = true, tan = true, asin = true, acos = true,
              atan = true, sinh = true, cosh = true, tanh = true, pow = true,
              atan2 = true, logistic = true, erf = true, lgamma = true,
              digamma = true, rsqrt = true, sqrt = true, cbrt = true,
              div = true, rem = true, threefry2x32 = true}

local Plan = {}
Plan.__index = Plan

local function is_pulled(eqn)
  local e = eqn.prim.emit
  return e.map or e.many or e.convert or e.bitcast or e.power or e.view or
         e.pull
end

Plan.is_pulled = is_pulled

-- How much computing one element costs, down to memory.
local function cost_of(plan, atom)
  local eqn = plan.made[atom]
  if not eqn or plan.is_root[atom] then return 0 end
  local cost = dear[eqn.prim.name] and 10 or eqn.prim.emit.view and 0 or 1
  for _, x in ipairs(eqn.inputs) do
    if not core.is_literal(x) then cost = cost + cost_of(plan, x) end
  end
  return cost
end

-- A kernel stays of a size that compilers like: so many operations (counted
-- again for each reader) and so much memory that it reads.
local MOST_WORK, MOST_READS, MOST_RESULTS = 80, 20, 8
local DEAR_WORK = 4        -- operations, of one that is a library function
local MOST_LINES = 40      -- of an element's text that stands there four times
local MOST_PARAMETERS = 60 -- a launch takes 64
local MOST_SOURCE = 32768  -- bytes that are compiled at once
local MOST_JOINED = 24     -- arrays that one kernel concatenates

-- What computing an element takes from memory on: operations, and reads.
local function weigh(plan, eqn, work, reads)
  local w = dear[eqn.prim.name] and DEAR_WORK or eqn.prim.emit.view and 0 or 1
  local r = 0
  for _, x in ipairs(eqn.inputs) do
    if not core.is_literal(x) then
      local is_made = plan.made[x] and not plan.is_root[x]
      w = w + (is_made and work[x] or 0)
      r = r + (is_made and reads[x] or 1)
    end
  end
  return w, r
end

local function find_roots(plan)
  local p = plan.program
  local work, read_count = {}, {}
  local readers, is_result = {}, {}
  for _, atom in ipairs(p.outputs) do is_result[atom] = true end
  for _, eqn in ipairs(p.eqns) do
    for _, atom in ipairs(eqn.inputs) do
      readers[atom] = readers[atom] or {}
      table.insert(readers[atom], eqn)
    end
  end
  for _, eqn in ipairs(p.eqns) do
    local own = not is_pulled(eqn)
    for _, var in ipairs(eqn.outputs) do
      local list = readers[var] or {}
      local root = own or is_result[var] or plan.places[var] ~= nil
      local spread = false
      for _, reader in ipairs(list) do
        root = root or reader.prim.emit.run or
               reader.prim.emit.call and not reader.prim.emit.pulls
        for _, out in ipairs(reader.outputs) do
          spread = spread or
                   (reader.prim.emit.view or reader.prim.emit.pull) and
                   core.size(out.aval.shape) > core.size(var.aval.shape)
        end
      end
      if not root and core.size(var.aval.shape) > 1 and
         (spread or #list > 1) then
        local cost = cost_of(plan, var)
        -- Several readers of the same element mostly sit in one kernel.
        root = spread and cost >= 4 or #list > 1 and cost >= 100
      end
      local w, r = weigh(plan, eqn, work, read_count)
      work[var], read_count[var] = w, r
      local is_cut = not root and (w > MOST_WORK or r > MOST_READS)
      plan.is_root[var] = root or is_cut or nil
      plan.is_cut[var] = is_cut or nil
    end
  end
  plan.readers = readers
end

-- Marks the roots of a kernel that nothing but the kernel itself needs: those
-- that are roots only so that kernels stay small, where it became one kernel
-- after all. They get no memory; their places wait in is_inner.
local function find_inner(plan, group)
  local is_here, answers = {}, {}
  for _, a in ipairs(group) do is_here[a] = true end
  local function is_read_here(atom)
    if answers[atom] ~= nil then return answers[atom] end
    local answer = true
    for _, eqn in ipairs(plan.readers[atom] or {}) do
      answer = answer and is_pulled(eqn)
      for _, out in ipairs(answer and eqn.outputs or {}) do
        if plan.is_root[out] then
          answer = answer and is_here[out]
        else
          answer = answer and is_read_here(out)
        end
      end
    end
    answers[atom] = answer or false
    return answers[atom]
  end
  for _, a in ipairs(group) do
    if plan.is_cut[a] and is_read_here(a) then
      plan.is_inner[a], plan.places[a] = plan.places[a], nil
    end
  end
end

local function any_root(plan, eqn)
  for _, var in ipairs(eqn.outputs) do
    if plan.is_root[var] then return true end
  end
  return false
end

-- ---- Buffers ----

-- Where an atom's memory is: {kind = "in" | "const" | "temp" | "out", n}.
function Plan:place_of(atom) return self.places[atom] end

function Plan:new_temp(aval)
  local place = {kind = "temp", n = #self.temps + 1, aval = aval}
  table.insert(self.temps, place)
  return place
end

-- ---- Kernels ----

-- The signature of a kernel is collected while its text is made: one pointer
-- for each buffer that it reads or writes.
local Kernel = {}
Kernel.__index = Kernel

function Plan:new_kernel(name)
  self.kernel_count = self.kernel_count + 1
  name = ("%s%s_%d"):format(self.prefix, name, self.kernel_count)
  return setmetatable({plan = self, name = name,
                       params = {}, places = {}, names = {}, written = {}},
                      Kernel)
end

--- The name of the pointer to an atom's memory; nil where it has none.
function Kernel:read(atom)
  local place = self.plan.places[atom]
  if not place then return nil end
  local known = self.names[place]
  if known then return known, place.is_value end
  local t = emit.c_types[place.aval.dtype]
  local name
  if place.is_value then
    name = "s" .. #self.params
    table.insert(self.params, ("%s %s"):format(t, name))
  else
    name = "p" .. #self.params
    table.insert(self.params, ("const %s *__restrict__ %s"):format(t, name))
  end
  table.insert(self.places, place)
  self.names[place] = name
  return name, place.is_value
end

function Kernel:write(place)
  local name = "q" .. #self.params
  table.insert(self.params, ("%s *__restrict__ %s"):format(
    emit.c_types[place.aval.dtype], name))
  table.insert(self.places, place)
  self.written[#self.places] = true
  return name
end

--- A code writer whose loads go through this kernel's pointers. Its `loads` are
--- the elements that were asked for: {pointer, key, atom, under a condition}.
function Kernel:code()
  local code
  code = emit.new_code(self.plan.made, function(atom, key)
    if self.plan.is_being_made[atom] then return nil end
    local name, is_value = self:read(atom)
    if name and not is_value then
      -- Under a condition the element may lie behind the end.
      table.insert(code.loads, {name, key, atom, #code.scopes > 1})
    elseif name and is_value then
      return emit.loaded(atom.aval.dtype, name), true
    end
    return name, is_value
  end)
  code.loads = {}
  if self.plan.mark then
    code.mark = function(atom, is_read)
      return self.plan.mark(self, atom, is_read)
    end
  end
  return code
end

--- Adds a step that launches the kernel with this body.
function Kernel:done(lines, grid, block, extra)
  local text = ("extern \"C\" __global__ void __launch_bounds__(%d) %s(%s) " ..
                "{\n%s\n}\n"):format(block, self.name,
                                  table.concat(self.params, ", "),
                                  table.concat(lines, "\n"))
  table.insert(self.plan.texts, text)
  local step = {kernel = self.name, places = self.places, grid = grid,
                block = block, text = text, written = self.written,
                eqn = self.plan.eqn, atoms = self.atoms}
  for k, v in pairs(extra or {}) do step[k] = v end
  table.insert(self.plan.steps, step)
end

-- ---- Elementwise kernels ----

local function ceil_div(a, b) return (a + b - 1) // b end

-- Is element i of the array read for element i of the result, whatever it is?
local function reads_on(load, size)
  return load[2] == "i" and not load[4] and
         core.size(load[3].aval.shape) >= size
end

-- How many elements fill 16 bytes of the widest type. What is read in another
-- order than it lies in gains nothing by it, but for what all of them share;
-- true behind it says that there is such.
local function vector_width(plan, atoms, loads, shape)
  local widest, size = 1, core.size(shape)
  for _, load in ipairs(loads) do
    if plan.places[load[3]].is_loose then return 1 end
  end
  for _, a in ipairs(atoms) do
    if plan.places[a].is_loose then return 1 end
    widest = math.max(widest, emit.bytes[a.aval.dtype])
  end
  for _, load in ipairs(loads) do
    local a = load[3].aval
    if reads_on(load, size) then
      widest = math.max(widest, emit.bytes[a.dtype])
    elseif 2 * core.size(a.shape) > size then
      return 1, size >= 1024
    end
  end
  return size >= 1024 and 16 // widest or 1
end

local function mark_made(plan, atoms, on)
  for _, a in ipairs(atoms) do plan.is_being_made[a] = on or nil end
end

-- The text of one pass at an index; gives the code.
local function pass(kernel, atoms, index, store)
  local code = kernel:code()
  code.depth = 2
  mark_made(kernel.plan, atoms, true)
  local n = 0 -- of those that get memory
  for _, a in ipairs(atoms) do
    local text = code:element(a, index)
    if not kernel.plan.is_inner[a] then
      n = n + 1
      store(code, n, emit.stored(a.aval.dtype, text))
    end
  end
  mark_made(kernel.plan, atoms, false)
  return code
end

-- Of one that reads across rows; true when it could be done by tiles.
local function tiled_kernel(plan, atoms, stored, shape)
  return transpose.try(plan, stored, function(kernel, index)
    return pass(kernel, atoms, index, function(code, n, text)
      code:add("%s[%s] = %s;", kernel:write(plan.places[stored[n]]),
               emit.flat_of(index, shape), text)
    end)
  end)
end

-- Vectors: what is read at the same index comes as one 16-byte (or narrower)
-- word, and so do the results go. A thread has `times` words, a block apart.
local function vector_lines(atoms, outputs, code, width, times, size)
  local lines, seen, reads = {}, {}, {}
  local function add(text, ...)
    lines[#lines + 1] = select("#", ...) > 0 and text:format(...) or text
  end
  for _, load in ipairs(code.loads) do
    local pointer, atom = load[1], load[3]
    if reads_on(load, size) and not seen[pointer] then
      seen[pointer] = true
      reads[#reads + 1] = {pointer, emit.c_types[atom.aval.dtype]}
    end
  end
  local each = BLOCK * width * times
  local t = size + each < 1 << 31 and "int" or "long long"
  add("#pragma unroll")
  add("  for (int u = 0; u < %d; u++) {", times)
  add("    const %s i0 = ((%s)blockIdx.x * %d + u * %d + threadIdx.x) * %d;", t,
      t, BLOCK * times, BLOCK, width)
  if size % each ~= 0 then add("    if (i0 >= %d) return;", size) end
  for _, r in ipairs(reads) do
    add("    Pack<%s, %d> w_%s;", r[2], width, r[1])
  end
  for n, a in ipairs(atoms) do
    add("    Pack<%s, %d> o_%d;", emit.c_types[a.aval.dtype], width, n)
  end
  -- The last word may be cut: it is then moved element by element.
  local is_cut = size % width ~= 0
  local function move(whole, one)
    if is_cut then
      add("    if (i0 + %d <= %d) {", width, size)
      whole()
      add("    } else {")
      add("      for (int k = 0; k < %d && i0 + k < %d; k++) {", width, size)
      one()
      add("      }")
      add("    }")
    else
      whole()
    end
  end
  if #reads > 0 then
    move(function()
      for _, r in ipairs(reads) do
        add("    w_%s = *(const Pack<%s, %d> *)(%s + i0);", r[1], r[2], width,
            r[1])
      end
    end, function()
      for _, r in ipairs(reads) do
        add("        w_%s.v[k] = %s[i0 + k];", r[1], r[1])
      end
    end)
  end
  add("#pragma unroll")
  add("    for (int k = 0; k < %d; k++) {", width)
  if is_cut then add("      if (i0 + k >= %d) break;", size) end
  add("      const %s i = i0 + k;", t)
  for _, line in ipairs(code.lines) do
    add("  %s", (line:gsub("%f[%w_](p%d+)%[i%]", function(p)
      return seen[p] and "w_" .. p .. ".v[k]"
    end)
                     :gsub("(%f[%w_]q%d+)%[i%] = ", function(q)
      for n, name in ipairs(outputs) do
        if name == q then return ("o_%d.v[k] = "):format(n) end
      end
    end)))
  end
  add("    }")
  move(function()
    for n, a in ipairs(atoms) do
      add("    *(Pack<%s, %d> *)(%s + i0) = o_%d;", emit.c_types[a.aval.dtype],
          width, outputs[n], n)
    end
  end, function()
    for n in ipairs(atoms) do
      add("        %s[i0 + k] = o_%d.v[k];", outputs[n], n)
    end
  end)
  add("  }")
  return lines, each
end

-- One element for each thread.
local function scalar_lines(code, size)
  local t = size + BLOCK < 1 << 31 and "int" or "long long"
  local lines = {("  const %s i = (%s)blockIdx.x * %d + threadIdx.x;"):format(
                   t, t, BLOCK)}
  if size % BLOCK ~= 0 then
    lines[2] = ("  if (i >= %d) return;"):format(size)
  end
  for _, line in ipairs(code.lines) do lines[#lines + 1] = line end
  return lines, BLOCK
end

--- One kernel for roots of equal shape, or several where one would read too
--- much.
local function elementwise_kernel(plan, atoms)
  local shape = atoms[1].aval.shape
  local size = core.size(shape)
  if size == 0 then return end
  local kernel = plan:new_kernel("fused")
  local outputs, stored = {}, {}
  for _, a in ipairs(atoms) do
    if not plan.is_inner[a] then stored[#stored + 1] = a end
  end
  if #stored == 0 then return end
  local code = pass(kernel, atoms, {flat = "i"}, function(code, n, text)
    outputs[n] = outputs[n] or kernel:write(plan.places[stored[n]])
    code:add("%s[i] = %s;", outputs[n], text)
  end)
  if #kernel.params > MOST_PARAMETERS and #atoms > 1 then
    for _, a in ipairs(atoms) do
      plan.places[a] = plan.places[a] or plan.is_inner[a]
      plan.is_inner[a] = nil
    end
    local half = #atoms // 2
    elementwise_kernel(plan, table.move(atoms, 1, half, 1, {}))
    return elementwise_kernel(plan, table.move(atoms, half + 1, #atoms, 1, {}))
  end
  local width, reads_across = vector_width(plan, stored, code.loads, shape)
  if #code.lines > MOST_LINES or emit.is_narrow(size) then width = 1 end
  if reads_across and tiled_kernel(plan, atoms, stored, shape) then return end
  local lines, each
  if width > 1 then
    local times = size >= MANY and 2 or 1
    lines, each = vector_lines(stored, outputs, code, width, times, size)
    plan.has_packs = true
  else
    lines, each = scalar_lines(code, size)
  end
  kernel:done(lines, ceil_div(size, each), BLOCK)
end

--- Gives an atom memory, computed by a kernel of its own, where it has none.
function Plan:materialise(atom)
  if self.places[atom] then return end
  self.places[atom] = self:new_temp(atom.aval)
  elementwise_kernel(self, {atom})
end

--- What is to be computed for an element of the atom, down to memory.
function Plan:cost_of(atom) return cost_of(self, atom) end

--- The steps of a reduction: see reduce.lua.
M.add_reduction = reduce.add

-- A primitive that computes arrays from arrays itself.
function Plan:add_function(eqn, f)
  local plan = self
  local step = {run = f, inputs = {}, outputs = {}, name = eqn.prim.name}
  for i, atom in ipairs(eqn.inputs) do
    step.inputs[i] = core.is_literal(atom) and atom or plan.places[atom]
  end
  for i, var in ipairs(eqn.outputs) do step.outputs[i] = plan.places[var] end
  table.insert(plan.steps, step)
end

-- Arrays that many are joined some at a time.
local function with_short_joins(program)
  local eqns = {}
  local function join(eqn, inputs)
    if #inputs <= MOST_JOINED then return inputs end
    local parts = {}
    for i = 1, #inputs, MOST_JOINED do
      local list = table.move(inputs, i, math.min(i + MOST_JOINED - 1, #inputs),
                              1, {})
      local avals = {}
      for k, x in ipairs(list) do avals[k] = x.aval end
      local var = {aval = eqn.prim.shape(eqn.params, table.unpack(avals))}
      eqns[#eqns + 1] = {prim = eqn.prim, params = eqn.params, inputs = list,
                         outputs = {var}}
      parts[#parts + 1] = var
    end
    return join(eqn, parts)
  end
  for _, eqn in ipairs(program.eqns) do
    if eqn.prim.name == "concatenate" and #eqn.inputs > MOST_JOINED then
      eqn = {prim = eqn.prim, params = eqn.params,
             inputs = join(eqn, eqn.inputs), outputs = eqn.outputs}
    end
    eqns[#eqns + 1] = eqn
  end
  return {inputs = program.inputs, consts = program.consts, eqns = eqns,
          const_values = program.const_values, outputs = program.outputs}
end

-- A product whose only reader is a transpose is made as it is wanted.
local function with_swapped_products(program)
  local readers, made = {}, {}
  for _, atom in ipairs(program.outputs) do readers[atom] = 2 end
  for _, eqn in ipairs(program.eqns) do
    for _, atom in ipairs(eqn.inputs) do
      readers[atom] = (readers[atom] or 0) + 1
    end
    for _, var in ipairs(eqn.outputs) do made[var] = eqn end
  end
  local eqns, gone = {}, {}
  for i, eqn in ipairs(program.eqns) do
    local dot = eqn.prim.name == "transpose" and made[eqn.inputs[1]]
    local new = dot and dot.prim.name == "dot_general" and
      readers[eqn.inputs[1]] == 1 and M.swapped(eqn, dot)
    eqns[i] = new or eqn
    if new then gone[dot] = true end
  end
  local kept = {}
  for _, eqn in ipairs(eqns) do
    if not gone[eqn] then kept[#kept + 1] = eqn end
  end
  return {inputs = program.inputs, consts = program.consts, eqns = kept,
          const_values = program.const_values, outputs = program.outputs}
end

-- The steps of the plan's program, whose results' places are known.
local function add_steps(plan)
  local program = plan.program
  local group, group_shape = {}, nil
  local depends = {}
  local function flush()
    plan.eqn = nil -- a kernel of several
    if #group > 0 then
      find_inner(plan, group)
      elementwise_kernel(plan, group)
    end
    group, group_shape, depends = {}, nil, {}
  end
  -- Does computing the atom read the group by way of a view? Then the element
  -- is another thread's, and has to be in memory. (The same one is at hand.)
  local function reads_other(atom, by_view)
    local known = depends[atom]
    if known ~= nil then return known and (known == "moved" or by_view) end
    local answer = false
    for _, a in ipairs(group) do answer = answer or a == atom and "same" end
    local eqn = plan.made[atom]
    if eqn and (answer or not plan.is_root[atom]) then
      local is_view = eqn.prim.emit.view
      for _, x in ipairs(eqn.inputs) do
        if not core.is_literal(x) then
          if reads_other(x, is_view) then
            answer = "moved"
          elseif depends[x] and not answer then
            answer = "same"
          end
        end
      end
    end
    depends[atom] = answer
    return answer and (answer == "moved" or by_view)
  end
  local computed = {} -- within the rows of a reduction before
  for n, eqn in ipairs(program.eqns) do
    for _, var in ipairs(eqn.outputs) do
      if plan.is_root[var] and not plan.places[var] and not computed[eqn] then
        plan.places[var] = plan:new_temp(var.aval)
      end
    end
    local first = eqn.outputs[1]
    if not is_pulled(eqn) and not computed[eqn] then
      flush()
      plan.eqn = eqn
      local together = rows.try(plan, program, n)
      if together then
        for member in pairs(together) do computed[member] = true end
        plan.steps[#plan.steps].members = together
      elseif eqn.prim.emit.reduce then
        reduce.add_equation(plan, eqn)
      elseif eqn.prim.emit.call then
        eqn.prim.emit.call(eqn, plan)
      elseif eqn.prim.emit.run then
        plan:add_function(eqn, eqn.prim.emit.run(eqn))
      else
        core.fail("unsupported", nil, "%s cannot run on a device",
                  eqn.prim.name)
      end
    elseif any_root(plan, eqn) and not computed[eqn] then
      -- Roots of one shape share a kernel; one of another shape that the group
      -- does not feed could too, but order is kept simple.
      if group_shape and not core.same_shape(group_shape, first.aval.shape) or
         #group >= MOST_RESULTS then
        flush()
      end
      for _, x in ipairs(eqn.inputs) do
        if not core.is_literal(x) and #group > 0 and
           reads_other(x, eqn.prim.emit.view) then
          flush()
          break
        end
      end
      group_shape = first.aval.shape
      for _, var in ipairs(eqn.outputs) do
        if plan.is_root[var] then group[#group + 1] = var end
      end
      depends = {}
    end
  end
  flush()
end

-- ---- Programs inside ----

--- A plan within this one: of a program that reads and writes `places` and what
--- has a place here already. Its kernels go into the same source; its steps are
--- its own.
function Plan:inner(program, places)
  program = with_short_joins(with_swapped_products(program))
  local child = setmetatable({
    program = program, made = {}, is_root = {}, is_cut = {}, is_inner = {},
    steps = {}, is_being_made = {},
    places = setmetatable(places, {__index = self.places}), temps = self.temps,
    texts = self.texts, kernel_count = self.kernel_count,
    most_blocks = self.most_blocks, mark = self.mark, prefix = self.prefix,
  }, Plan)
  for _, eqn in ipairs(program.eqns) do
    for _, var in ipairs(eqn.outputs) do child.made[var] = eqn end
  end
  find_roots(child)
  add_steps(child)
  self.kernel_count = child.kernel_count
  self.has_packs = self.has_packs or child.has_packs
  return child
end

--- Writes an atom to the place of `var`.
function Plan:copy(var, atom)
  self.made[var] = {prim = core.prims.copy, params = {}, inputs = {atom},
                    outputs = {var}}
  self.is_root[var] = true
  elementwise_kernel(self, {var})
end

-- ---- All of a program ----

-- The kernels' text, as sources that a compiler takes in its time: nearly
-- always one.
local function sources_of(plan)
  local packs = plan.has_packs and [[
template <class T, int N> struct alignas(sizeof(T) * N) Pack { T v[N]; };

]] or ""
  local sources, part, bytes = {}, {}, 0
  local function close()
    local body = table.concat(part, "\n")
    if body ~= "" then
      local prelude
      prelude, body = emit.prelude(body)
      sources[#sources + 1] = prelude .. packs .. body
    end
    part, bytes = {}, 0
  end
  for _, text in ipairs(plan.texts) do
    if bytes + #text > MOST_SOURCE then close() end
    part[#part + 1] = text
    bytes = bytes + #text
  end
  close()
  return sources
end

-- Small arrays only, and no products, sorts or loops: compiling such a program
-- takes longer than thousands of its launches.
local function is_short(program)
  local function has_few(atoms)
    for _, a in ipairs(atoms) do
      local size = core.size(core.aval_of(a).shape)
      if not emit.is_few(size) then return false end
    end
    return true
  end
  for _, eqn in ipairs(program.eqns) do
    if eqn.prim.emit.call or not has_few(eqn.outputs) then return false end
  end
  return has_few(program.inputs) and has_few(program.consts)
end

--- The steps, kernels and places of a program on a device:
---   {sources, source, is_short, steps, inputs, consts, outputs}. A step is a
---   launch {kernel, places, grid, block} or a function of arrays {run, inputs,
---   outputs}; an output is a place or a literal.
--- `is_value[i]`: input i is a number that is passed as such.
function M.make(program, options)
  program = with_short_joins(with_swapped_products(program))
  local plan = setmetatable({
    program = program, made = {}, is_root = {}, is_cut = {}, is_inner = {},
    places = {}, temps = {},
    texts = {}, steps = {}, kernel_count = 0, is_being_made = {},
    most_blocks = options.most_blocks or 1056, mark = options.mark,
    prefix = names.prefix(options.name),
  }, Plan)
  local inputs, consts = {}, {}
  for i, var in ipairs(program.consts) do
    consts[i] = {kind = "const", n = i, aval = var.aval}
    plan.places[var] = consts[i]
  end
  for i, var in ipairs(program.inputs) do
    inputs[i] = {kind = "in", n = i, aval = var.aval,
                 is_value = options.is_value and options.is_value[i]}
    plan.places[var] = inputs[i]
  end
  for _, eqn in ipairs(program.eqns) do
    for _, var in ipairs(eqn.outputs) do plan.made[var] = eqn end
  end
  find_roots(plan)
  local outputs, is_taken = {}, {}
  for i, atom in ipairs(program.outputs) do
    if plan.made[atom] and not is_taken[atom] then
      is_taken[atom] = true
      outputs[i] = {kind = "out", n = i, aval = atom.aval}
      plan.places[atom] = outputs[i]
    elseif plan.made[atom] then
      outputs[i] = plan.places[atom] -- the same array twice
    end
  end
  add_steps(plan)
  -- Results that are arguments, constants or literals keep their own places.
  for i, atom in ipairs(program.outputs) do
    outputs[i] = outputs[i] or core.is_literal(atom) and atom or
                 plan.places[atom]
  end
  local sources = sources_of(plan)
  return {sources = sources, source = table.concat(sources, "\n"),
          is_short = is_short(program), steps = plan.steps, inputs = inputs,
          consts = consts, outputs = outputs, program = program,
          places = plan.places}
end

return M
