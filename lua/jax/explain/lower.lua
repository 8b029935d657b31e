-- SPDX-License-Identifier: Apache-2.0
-- Through the floors: what a jitted function is for given arguments, from the
-- jaxpr to the machine code. The values keep their names on the way: `c` of the
-- jaxpr is the line with `// c = ...` in the CUDA C, and the lines of the PTX
-- that came from it say so too.
local use = ...
local core = use("core/core")
local program = use("core/program")
local plan = use("compile/plan")
local emit = use("compile/emit")
local exec = use("compile/exec")
local print = use("core/print")
local config = use("core/config")
local cuda = use.cuda
local M = {}

local Lowered = {__name = "jax.Lowered"}
Lowered.__index = Lowered

-- ---- Names ----

-- The names of the simplified program's variables: those of the jaxpr.
local function names_for(names, p)
  local own, taken = {count = names.count}, {}
  local function give(var)
    if own[var] then return end
    local name = names[var] or names[var.origin or var]
    if name and taken[name] then -- an inner program that stands there twice
      local n = 2
      while taken[name .. "_" .. n] do n = n + 1 end
      name = name .. "_" .. n
    end
    own[var] = name
    if name then taken[name] = true end
  end
  for _, var in ipairs(p.consts) do give(var) end
  for _, var in ipairs(p.inputs) do give(var) end
  for _, eqn in ipairs(p.eqns) do
    for _, var in ipairs(eqn.outputs) do give(var) end
  end
  return own
end

-- ---- Making ----

-- Comments stand as numbers until the text is done: nothing in them can be
-- taken for code on the way.
local function with_comments(text, comments)
  return (text:gsub("/%*@(%d+)%*/", function(n)
    return " // " .. comments[tonumber(n)]
  end))
end

--- What the entry of a jitted function's cache is on the device in use. self:
--- {jitted, args, entry, leaves, of_one}; of_one() gives the program for one of
--- a batch as text, or nil.
function M.make(self)
  local names, entry, leaves = {count = 0}, self.entry, self.leaves
  self.names, self.text = names, print.with_names(names, entry.program)
  local is_value = {}
  for i, x in ipairs(leaves) do is_value[i] = core.is_literal(x) end
  local simple = program.simplified(entry.program)
  self.simple, self.own = simple, names_for(names, simple)
  print.with_names(self.own, simple) -- names what had none
  local made, comments = {}, {}
  for _, eqn in ipairs(simple.eqns) do
    for _, var in ipairs(eqn.outputs) do made[var] = eqn end
  end
  local function mark(kernel, atom, is_read)
    local eqn = not is_read and made[atom]
    kernel.atoms = kernel.atoms or {}
    if eqn then table.insert(kernel.atoms, atom) end
    comments[#comments + 1] = eqn and print.short(self.own, eqn) or
                              (self.own[atom] or "a value")
    return ("/*@%d*/"):format(#comments)
  end
  local e = plan.make(simple, {is_value = is_value, mark = mark,
                              name = entry.program.name})
  for _, step in ipairs(e.steps) do
    if step.text then step.text = with_comments(step.text, comments) end
  end
  e.source = with_comments(e.source, comments)
  self.plan = e
  self.made = made
  return setmetatable(self, Lowered)
end

local function compiled(self)
  if not self.module and self.plan.source ~= "" and not config.is_on_host then
    local source = self.plan.source
    self.module = exec.module(source, self.plan.is_short)
  end
  return self.module
end

--- JAX's `lowered.compile()`: the same, compiled.
function Lowered:compile()
  compiled(self)
  return self
end

-- ---- The floors as texts ----

--- The program as it was written down.
function Lowered:jaxpr() return self.text end

Lowered.as_text = Lowered.jaxpr

local function bytes_of(aval)
  return core.size(aval.shape) * (emit.bytes[aval.dtype] or 4)
end

local function bytes_text(n)
  for _, unit in ipairs{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} do
    if n >= unit[1] then return ("%.1f %s"):format(n / unit[1], unit[2]) end
  end
  return n .. " B"
end

-- The names of the values whose memory a step reads and writes.
local function traffic(self, step)
  local by_place = self.by_place
  if not by_place then
    by_place = {}
    local function note(atom, place)
      if place and not core.is_literal(atom) then
        by_place[place] = by_place[place] or self.own[atom]
      end
    end
    for _, kind in ipairs{"inputs", "consts", "outputs"} do
      for i, a in ipairs(self.simple[kind]) do note(a, self.plan[kind][i]) end
    end
    for var, place in pairs(self.plan.places or {}) do note(var, place) end
    self.by_place = by_place
  end
  local read, written, bytes = {}, {}, 0
  for i, place in ipairs(step.places or {}) do
    local name = by_place[place] or "t" .. tostring(place.n)
    table.insert(step.written[i] and written or read, name)
    if not place.is_value then bytes = bytes + bytes_of(place.aval) end
  end
  return read, written, bytes
end

-- The equations that a kernel computes, in the program's order.
local function equations_of(self, step)
  local is_here, list = {}, {}
  for _, atom in ipairs(step.atoms or {}) do
    if self.made[atom] then is_here[self.made[atom]] = true end
  end
  for eqn in pairs(step.members or {}) do is_here[eqn] = true end
  if step.eqn then is_here[step.eqn] = true end
  for _, eqn in ipairs(self.simple.eqns) do
    if is_here[eqn] then list[#list + 1] = print.short(self.own, eqn) end
  end
  return list
end

-- What the vendor's library computes, and how exactly.
local function product_text(step)
  local p = step.product
  local how = p.is_tf32 and
    "f32 rounded to TF32 (precision \"highest\" asks for f32)" or
    p.type .. " as they are"
  return ("a library: %s, factors of %s"):format(step.name, how)
end

--- The program after removing what is there twice or for nobody, cut into
--- kernels.
function Lowered:program()
  local lines, kernels = {}, 0
  for _, step in ipairs(self.plan.steps) do
    if step.kernel then kernels = kernels + 1 end
  end
  lines[1] = ("%d of %d equations are left, in %d kernel%s"):format(
    #self.simple.eqns, #self.entry.program.eqns, kernels,
    kernels == 1 and "" or "s")
  for _, step in ipairs(self.plan.steps) do
    if step.kernel then
      local read, written, bytes = traffic(self, step)
      lines[#lines + 1] = ("%s: reads %s; writes %s; %s"):format(
        step.kernel, #read > 0 and table.concat(read, " ") or "nothing",
        table.concat(written, " "), bytes_text(bytes))
      for _, text in ipairs(equations_of(self, step)) do
        lines[#lines + 1] = "  " .. text
      end
    elseif step.product then
      lines[#lines + 1] = product_text(step)
    elseif step.eqn or step.name then
      lines[#lines + 1] = "a library or Lua: " ..
        (step.eqn and print.short(self.own, step.eqn) or step.name)
    else
      lines[#lines + 1] = "a library or Lua"
    end
  end
  return table.concat(lines, "\n")
end

local function need_device(self, what)
  if config.is_on_host then
    core.fail("unsupported", nil, "there is no %s: jax_platforms is cpu, " ..
                                  "where np computes each primitive", what)
  end
  if self.plan.source == "" then
    core.fail("unsupported", nil, "there is no %s: the program computes " ..
              "nothing", what)
  end
end

--- The CUDA C of all kernels.
function Lowered:cuda_source()
  need_device(self, "CUDA C")
  return self.plan.source
end

-- The `// c = ...` of each line of the source.
local function comments_by_line(source)
  local list, n = {}, 0
  for line in (source .. "\n"):gmatch("([^\n]*)\n") do
    n = n + 1
    list[n] = line:match("// (%S+ = .*)$") or line:match("// (%S+)$")
  end
  return list
end

-- Any kernel of the module has the module's whole code.
local function code_of(self, field)
  for _, step in ipairs(self.plan.steps) do
    if step.kernel then return compiled(self)[step.kernel][field] end
  end
end

--- The PTX; lines say which value they compute.
function Lowered:ptx()
  need_device(self, "PTX")
  local comments, lines, last = comments_by_line(self.plan.source), {}, nil
  for line in (code_of(self, "ptx") .. "\n"):gmatch("([^\n]*)\n") do
    local at = line:match("^%s*%.loc%s+%d+%s+(%d+)")
    if at then
      local text = comments[tonumber(at)]
      if text and text ~= last then lines[#lines + 1] = "\t// " .. text end
      last = text
    else
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

--- The GPU's machine code, where NVIDIA's disassembler is installed.
function Lowered:sass()
  need_device(self, "SASS")
  return code_of(self, "sass")
end

-- ---- Launches ----

--- One table for each launch: name, grid, block, shared, registers, bytes.
function Lowered:launch_list()
  need_device(self, "launch")
  local list = {}
  for _, step in ipairs(self.plan.steps) do
    if step.kernel then
      local kernel = compiled(self)[step.kernel]
      local a = kernel.attributes
      local _, _, bytes = traffic(self, step)
      list[#list + 1] = {name = step.kernel, grid = step.grid,
                         block = step.block, registers = a.registers,
                         shared = a.shared, bytes = bytes}
    end
  end
  return list
end

local function size_text(n)
  return type(n) == "table" and table.concat(n, " x ") or tostring(n)
end

--- How each kernel is launched, and on the virtual GPU what it does.
function Lowered:launches(columns)
  local lines = {}
  for _, l in ipairs(self:launch_list()) do
    local grid = size_text(l.grid)
    local text = "%s: %s block%s x %s threads; %d registers; %s"
    lines[#lines + 1] = text:format(l.name, grid, grid == "1" and "" or "s",
                                    size_text(l.block), l.registers,
                                    bytes_text(l.bytes))
  end
  if cuda.device().id:find("^virtual") and #lines > 0 then
    local f, args = self.jitted, self.args
    local ok, counts = pcall(cuda.profile, function()
      f(table.unpack(args, 1, args.n))
    end)
    if ok then lines[#lines + 1] = counts:table(columns or 80) end
  end
  return table.concat(lines, "\n")
end

-- ---- Cost ----

local dear = {exp = true, exp2 = true, expm1 = true, log = true, log1p = true,
              sin = true, cos = true, tan = true, tanh = true, pow = true,
              logistic = true, erf = true, rsqrt = true, sqrt = true,
              cbrt = true, lgamma = true, digamma = true}

local function flops_of(eqn)
  local out = eqn.outputs[1] and core.size(eqn.outputs[1].aval.shape) or 0
  if eqn.prim.name == "dot_general" then
    local inner, shape = 1, eqn.inputs[1].aval.shape
    for _, d in ipairs(eqn.params.dimension_numbers[1][1]) do
      inner = inner * shape[d + 1]
    end
    return 2 * out * inner
  end
  if eqn.prim.name:find("^reduce_") then
    return core.size(eqn.inputs[1].aval.shape)
  end
  if eqn.prim.emit.map then return out end
  return 0
end

--- {flops, transcendentals, bytes_accessed}, counted from the program.
function Lowered:cost_analysis()
  local cost = {flops = 0, transcendentals = 0, bytes_accessed = 0}
  for _, eqn in ipairs(self.simple.eqns) do
    local n = flops_of(eqn)
    if dear[eqn.prim.name] then
      cost.transcendentals = cost.transcendentals + n
    else
      cost.flops = cost.flops + n
    end
  end
  for _, step in ipairs(self.plan.steps) do
    local _, _, bytes = traffic(self, step)
    cost.bytes_accessed = cost.bytes_accessed + bytes
  end
  return cost
end

-- ---- All floors ----

-- Lines of at most `columns`, broken at spaces.
local function fitted(text, columns)
  local out = {}
  for line in (text:gsub("%s+$", "") .. "\n"):gmatch("([^\n]*)\n") do
    line = line:gsub("\t", "  "):gsub("%s+$", "")
    local indent = #line:match("^ *") + 4
    while #line > columns do
      local cut = columns
      while cut > columns // 2 and line:sub(cut, cut) ~= " " do
        cut = cut - 1
      end
      if line:sub(cut, cut) ~= " " then cut = columns end
      out[#out + 1] = (line:sub(1, cut):gsub("%s+$", ""))
      line = (" "):rep(indent) .. line:sub(cut + 1)
    end
    out[#out + 1] = line
  end
  return table.concat(out, "\n")
end

local function shortened(text, most, how)
  local lines = {}
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do
    lines[#lines + 1] = line
  end
  if #lines <= most + 2 then return text end
  return table.concat(lines, "\n", 1, most) ..
         ("\n... %d more lines: %s"):format(#lines - most, how)
end

-- The instructions alone.
local function ptx_body(text)
  local lines, is_inside = {}, false
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do
    if line:find("^{") then is_inside = true end
    if line:find("^}") then is_inside = false end
    if is_inside and not line:find("^%s*%.") and line:find("%S") and
       not line:find("^[{(]") then
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

-- The learner's own lines that became equations.
local function lua_floor(self)
  local list, by = {}, {}
  for _, eqn in ipairs(self.simple.eqns) do
    local where = eqn.where
    if where then
      if not by[where] then
        by[where] = {}
        list[#list + 1] = where
      end
      for _, var in ipairs(eqn.outputs) do
        table.insert(by[where], self.own[var])
      end
    end
  end
  for i, where in ipairs(list) do
    local text, made = use.line(where), table.concat(by[where], " ")
    -- What was typed has no place but its text; a command's call has neither.
    if where:find("^:") then text = text or "the call" end
    list[i] = where:find("^[%[:]") and text .. "\n  makes " .. made or
              ("%s makes %s%s"):format(where, made,
                                       text and "\n  " .. text or "")
  end
  return #list > 0 and table.concat(list, "\n") or "no line computes anything"
end

--- All floors, one under the other, within so many columns.
function Lowered:floors(columns)
  columns = columns or 80
  local parts = {}
  local function floor(name, what, text)
    local head = ("---- %s: %s "):format(name, what)
    parts[#parts + 1] = head .. ("-"):rep(math.max(0, columns - #head))
    parts[#parts + 1] = fitted(text, columns)
  end
  floor("lua", "your lines, and the values that they make", lua_floor(self))
  local one = self.of_one()
  if one then floor("jaxpr", "of one, before vmap", one) end
  floor("jaxpr", one and "of all, after vmap" or "what was traced", self.text)
  floor("fused", "what is computed together", self:program())
  if config.is_on_host or self.plan.source == "" then
    return table.concat(parts, "\n")
  end
  local way = "jax.lower(f, ...):%s()"
  floor("cuda", "the kernels", shortened(self.plan.source, 60,
                                         way:format("cuda_source")))
  floor("ptx", "what NVRTC made of them", shortened(ptx_body(self:ptx()), 40,
                                                    way:format("ptx")))
  local ok, text = pcall(self.sass, self)
  floor("sass", "the GPU's own code", ok and shortened(text, 30,
                                                       way:format("sass")) or
        (type(text) == "table" and text.message or tostring(text)))
  floor("run", "how it is launched", self:launches(columns))
  return table.concat(parts, "\n")
end

Lowered.__tostring = function(self) return self:floors(80) end


return M
