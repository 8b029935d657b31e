-- SPDX-License-Identifier: Apache-2.0
-- CUDA C for programs: which operations share a kernel, and its text.
--
-- Values are pulled: a kernel computes its results element by element, and for
-- each asks for the elements that it needs, down to buffers in memory. What
-- lies between is never stored. A primitive's `emit` says how it is pulled:
--
--   {map = {for floats, for integers, for bool, for 16-bit floats}}   the same
--                 element of each argument, $1, $2, ...; or a function that
--                 gives the text for an equation. type_from: the argument whose
--                 type T is, where it is not the first
--   {convert = true}, {bitcast = true}, {power = true}   likewise
--   {many = function(code, args)}   likewise, with several results: their texts
--   {view = true}      another element of an argument: see `views` below
--   {pull = function(code, eqn, index)}   likewise, its own text of an element
--   {reduce = {start, step}}   a kernel of its own: reduce.lua
--   {call = function(eqn, plan)}   something else: it adds its own steps
local use = ...
local core = use("core/core")
local config = use("core/config")
local types = use("core/types")
local M = {}

-- Elements up to which a launch is short in any case: one a thread is as fast
-- as 16-byte words, and shorter to read and to compile.
local FEW = 1 << 16

function M.is_few(size) return size <= FEW end

--- Has an array of that many elements one a thread?
function M.is_narrow(size)
  return size <= FEW and not config.vectorizes_small
end

-- ---- C's names ----

local c_types = {bool = "bool", i8 = "signed char", i16 = "short", i32 = "int",
                 i64 = "long long", u8 = "unsigned char",
                 u16 = "unsigned short", u32 = "unsigned",
                 u64 = "unsigned long long",
                 f16 = "__half", bf16 = "__nv_bfloat16", f32 = "float",
                 f64 = "double"}
M.c_types = c_types
local unsigned = {i8 = "unsigned char", i16 = "unsigned short",
                  i32 = "unsigned", i64 = "unsigned long long"}
local bytes = {bool = 1, i8 = 1, u8 = 1, i16 = 2, u16 = 2, f16 = 2, bf16 = 2,
               i32 = 4, u32 = 4, f32 = 4, i64 = 8, u64 = 8, f64 = 8}
M.bytes = bytes

-- Small floats are computed in float and rounded after every operation.
local is_small = {f16 = true, bf16 = true}
local function compute_type(t) return is_small[t] and "float" or c_types[t] end
M.compute_type = compute_type

local function loaded(t, text)
  if t == "f16" then return "__half2float(" .. text .. ")" end
  if t == "bf16" then return "__bfloat162float(" .. text .. ")" end
  return text
end
local function stored(t, text)
  if t == "f16" then return "__float2half_rn(" .. text .. ")" end
  if t == "bf16" then return "__float2bfloat16_rn(" .. text .. ")" end
  return text
end
M.loaded, M.stored = loaded, stored

local function rounded(t, text)
  return is_small[t] and loaded(t, stored(t, text)) or text
end

local integer_suffix = {i64 = "LL", u64 = "ULL", u32 = "u"}

--- A number as C of the type it is computed in.
function M.constant(value, t)
  if t == "bool" then return value and value ~= 0 and "true" or "false" end
  if not types.is_float(t) then
    value = math.tointeger(value) or value // 1 | 0
    if value == math.mininteger then return "(-9223372036854775807LL - 1)" end
    local text = ("%d%s"):format(value, integer_suffix[t] or "")
    if t == "u64" then return ("0x%xULL"):format(value) end
    return value < 0 and "(" .. text .. ")" or text
  end
  local f = t == "f64" and "" or "f"
  if value ~= value then
    return f == "f" and "__int_as_float(0x7fc00000)" or
           "__longlong_as_double(0x7ff8000000000000LL)"
  end
  if value == math.huge or value == -math.huge then
    local text = f == "f" and "__int_as_float(0x7f800000)" or
                 "__longlong_as_double(0x7ff0000000000000LL)"
    return value < 0 and "(-" .. text .. ")" or text
  end
  if f == "f" then value = string.unpack("f", string.pack("f", value)) end
  local text = ("%.17g"):format(value)
  if f == "f" then text = ("%.9g"):format(value) end
  if not text:find("[%.en]") then text = text .. ".0" end
  text = text .. f
  return text:sub(1, 1) == "-" and "(" .. text .. ")" or text
end

local lowest = {bool = "false", i8 = "-128", i16 = "-32768",
                i32 = "(-2147483647 - 1)", i64 = "(-9223372036854775807LL - 1)",
                u8 = "0", u16 = "0", u32 = "0", u64 = "0"}
local highest = {bool = "true", i8 = "127", i16 = "32767", i32 = "2147483647",
                 i64 = "9223372036854775807LL", u8 = "255", u16 = "65535",
                 u32 = "4294967295u", u64 = "18446744073709551615ULL"}

--- A template of a primitive with its arguments: T and U are the type and its
--- unsigned twin, S the type in memory, F(name) the type's math function.
function M.fill(template, t, args)
  local c = compute_type(t)
  local text = template:gsub("F(%b())", function(name)
    return name:sub(2, -2) .. (t == "f64" and "" or "f")
  end)
  text = text:gsub("%f[%w_](%u+)%f[^%w_]", {
    T = c, U = unsigned[t] or c, S = c_types[t], BITS = tostring(8 * bytes[t]),
    LOWEST = lowest[t] or M.constant(-math.huge, t),
    HIGHEST = highest[t] or M.constant(math.huge, t),
  })
  return (text:gsub("%$(%d)", function(n) return args[tonumber(n)] end))
end

--- Of {floats, integers, bool, 16-bit floats}; `false` is like none.
function M.template_of(map, t)
  if is_small[t] and map[4] then return map[4] end
  if types.is_float(t) then return map[1] end
  if t == "bool" then return map[3] or map[2] or map[1] end
  return map[2] or map[1]
end

-- ---- Indexes ----
--
-- An index is {flat = text} or {at = {text, ...}}, of a value with some shape;
-- each form is made from the other when asked for.

local function multiplied(text, n)
  if n == 1 then return text end
  if text == "0" then return "0" end
  return ("%s * %d"):format(text, n)
end

function M.flat_of(index, shape)
  if index.flat then return index.flat end
  local terms, stride = {}, 1
  for d = #shape, 1, -1 do
    local term = multiplied(index.at[d], stride)
    if term ~= "0" and shape[d] ~= 1 then table.insert(terms, 1, term) end
    stride = stride * shape[d]
  end
  return #terms == 0 and "0" or
         #terms == 1 and terms[1] or "(" .. table.concat(terms, " + ") .. ")"
end

local function coords_of(index, shape)
  if index.at then return index.at end
  local at, stride = {}, 1
  for d = #shape, 1, -1 do
    local text = index.flat
    if shape[d] == 1 then
      at[d] = "0"
    else
      if stride > 1 then text = ("%s / %d"):format(text, stride) end
      local is_first = true
      for k = 1, d - 1 do is_first = is_first and shape[k] == 1 end
      at[d] = is_first and "(" .. text .. ")" or
              ("(%s %% %d)"):format(text, shape[d])
      if text == index.flat and is_first then at[d] = text end
    end
    stride = stride * shape[d]
  end
  return at
end
M.coords_of = coords_of

--- May the index stand in front of an element's lines, in a loop over `name`
--- where there is one? Not where it reads what those lines compute.
function M.is_known_before(index, name)
  return not (name and index:find("%f[%w_]" .. name .. "%f[^%w_]")) and
         not index:find("%f[%w_]v%d")
end

-- ---- The text of one kernel ----

local Code = {}
Code.__index = Code

--- `buffer(atom)` gives the name of the pointer that holds an atom's elements,
--- or of the parameter that holds its value (second result true), or nil: then
--- it is computed. `made[var]` is the equation that computes it.
function M.new_code(made, buffer)
  return setmetatable({lines = {}, made = made, buffer = buffer, count = 0,
                       scopes = {{}}, depth = 1, known = {}}, Code)
end

function Code:add(text, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) ..
    (select("#", ...) > 0 and text:format(...) or text)
end

-- A line that computes `atom`; `mark` gives a comment for those who look.
function Code:name(c_type, text, atom, is_read)
  self.count = self.count + 1
  local name = "v" .. self.count
  local mark = self.mark and atom and self.mark(atom, is_read) or ""
  self:add("const %s %s = %s;%s", c_type, name, text, mark)
  return name
end

function Code:open(text)
  self:add("%s {", text)
  self.depth = self.depth + 1
  local outer = self.scopes[#self.scopes]
  table.insert(self.scopes, setmetatable({}, {__index = outer}))
end

function Code:close(text)
  table.remove(self.scopes)
  self.depth = self.depth - 1
  self:add("%s", text or "}")
end

-- The element of an argument that a view's element is.
local views = {}

function views.broadcast_in_dim(code, eqn, index)
  local p, x = eqn.params, eqn.inputs[1]
  local shape = x.aval.shape
  if core.size(shape) == core.size(p.shape) then
    return code:element(x, {flat = M.flat_of(index, p.shape)})
  end
  local at, own = coords_of(index, p.shape), {}
  for k, d in ipairs(p.broadcast_dimensions) do
    own[k] = shape[k] == 1 and "0" or at[d + 1]
  end
  return code:element(x, {at = own})
end

-- One element goes with every shape: the index may be another's.
local function same_flat(code, eqn, index)
  local shape = eqn.outputs[1].aval.shape
  return code:element(eqn.inputs[1],
                      {flat = #shape == 0 and "0" or M.flat_of(index, shape)})
end
views.reshape, views.squeeze = same_flat, same_flat

function views.transpose(code, eqn, index)
  local at, own = coords_of(index, eqn.outputs[1].aval.shape), {}
  for k, d in ipairs(eqn.params.permutation) do own[d + 1] = at[k] end
  return code:element(eqn.inputs[1], {at = own})
end

function views.rev(code, eqn, index)
  local shape = eqn.outputs[1].aval.shape
  local own = table.move(coords_of(index, shape), 1, #shape, 1, {})
  for _, d in ipairs(eqn.params.dimensions) do
    own[d + 1] = ("(%d - %s)"):format(shape[d + 1] - 1, own[d + 1])
  end
  return code:element(eqn.inputs[1], {at = own})
end

views["slice"] = function(code, eqn, index)
  local p, own = eqn.params, {}
  for d, text in ipairs(coords_of(index, eqn.outputs[1].aval.shape)) do
    local stride, start = p.strides and p.strides[d] or 1, p.start_indices[d]
    text = multiplied(text, stride)
    own[d] = start == 0 and text or ("(%s + %d)"):format(text, start)
  end
  return code:element(eqn.inputs[1], {at = own})
end

function views.iota(_, eqn, index)
  local p = eqn.params
  local at = coords_of(index, p.shape)
  return ("(%s)(%s)"):format(compute_type(p.dtype), at[p.dimension + 1])
end

-- The first case whose condition holds; each is computed only then.
local function choose(code, t, cases)
  code.count = code.count + 1
  local name = "v" .. code.count
  code:add("%s %s;", compute_type(t), name)
  for i, case in ipairs(cases) do
    local head = case.when and "if (" .. case.when .. ")" or ""
    code:open((i > 1 and "} else " or "") .. head)
    code:add("%s = %s;", name, case.value())
    code.depth = code.depth - 1
    table.remove(code.scopes)
  end
  code:add("}")
  return name
end

function views.pad(code, eqn, index)
  local x, shape = eqn.inputs[1], eqn.outputs[1].aval.shape
  local conditions, own = {}, {}
  for d, text in ipairs(coords_of(index, shape)) do
    local low, high, inner = table.unpack(eqn.params.padding_config[d])
    local n, at = x.aval.shape[d], text
    if low ~= 0 then at = ("(%s - %d)"):format(text, low) end
    if low > 0 then conditions[#conditions + 1] = at .. " >= 0" end
    if high > 0 or inner > 0 then
      conditions[#conditions + 1] = ("%s < %d"):format(at, math.max(0, (n - 1) *
                                                       (inner + 1) + 1))
    end
    if inner > 0 then
      conditions[#conditions + 1] = ("%s %% %d == 0"):format(at, inner + 1)
      at = ("(%s / %d)"):format(at, inner + 1)
    end
    own[d] = at
  end
  local function inside() return code:element(x, {at = own}) end
  if core.size(x.aval.shape) == 0 then
    return code:element(eqn.inputs[2], {flat = "0"})
  end
  if #conditions == 0 then return inside() end
  return choose(code, x.aval.dtype, {
    {when = table.concat(conditions, " && "), value = inside},
    {value = function() return code:element(eqn.inputs[2], {flat = "0"}) end},
  })
end

function views.concatenate(code, eqn, index)
  local shape, axis = eqn.outputs[1].aval.shape, eqn.params.dimension + 1
  local at, from, cases = coords_of(index, shape), 0, {}
  for i, x in ipairs(eqn.inputs) do
    local start, n = from, x.aval.shape[axis]
    from = from + n
    if n > 0 then
      cases[#cases + 1] = {
        when = i < #eqn.inputs and ("%s < %d"):format(at[axis], from) or nil,
        value = function()
          local own = table.move(at, 1, #at, 1, {})
          if start > 0 then
            own[axis] = ("(%s - %d)"):format(at[axis], start)
          end
          return code:element(x, {at = own})
        end,
      }
    end
  end
  if #cases == 0 then -- of nothing: no thread will ask for it
    local dtype = eqn.outputs[1].aval.dtype
    return code:element(core.literal(dtype ~= "bool" and 0, dtype), index)
  end
  cases[#cases].when = nil
  if #cases == 1 then return cases[1].value() end
  return choose(code, eqn.outputs[1].aval.dtype, cases)
end

M.views, M.choose = views, choose

local function converted(from, to, text)
  if to == "bool" then return "(" .. text .. " != 0)" end
  if types.is_float(from) and types.is_integer(to) then
    -- As XLA: NaN gives 0, and what does not fit the nearest that does.
    return ("to_%s(%s)"):format(to, text)
  end
  if is_small[to] then return rounded(to, "(float)" .. text) end
  return ("(%s)%s"):format(compute_type(to), text)
end

-- Whether some element of an atom may be a number that the compiler knows.
local function may_be_known(code, atom)
  if core.is_literal(atom) then return true end
  local eqn = code.made[atom]
  if not eqn then return false end
  if code.known[atom] == nil then
    local name, any, all = eqn.prim.name, false, #eqn.inputs > 0
    code.known[atom] = false
    for i, x in ipairs(eqn.inputs) do
      if i > 1 or name ~= "select_n" then
        local is_known = may_be_known(code, x)
        any, all = any or is_known, all and is_known
      end
    end
    local chooses = eqn.prim.emit.view or name == "select_n" or name == "max" or
                    name == "min" or name == "clamp"
    code.known[atom] = chooses and any or all
  end
  return code.known[atom]
end

-- The compiler computes functions of known numbers itself, and rounds them
-- otherwise than the device does: it must not know them.
local function hide_known(code, eqn, args)
  for i, x in ipairs(eqn.inputs) do
    if types.is_float(x.aval.dtype) and may_be_known(code, x) then
      args[i] = code:name(compute_type(x.aval.dtype),
                          ("hidden(%s)"):format(args[i]))
    end
  end
end

local function mapped(code, eqn, args)
  local emit, in_type = eqn.prim.emit, eqn.inputs[1].aval.dtype
  local out_type = eqn.outputs[1].aval.dtype
  if emit.convert then return converted(in_type, out_type, args[1]) end
  if emit.bitcast then
    return ("bitcast<%s>(%s)"):format(c_types[out_type],
                                      stored(in_type, args[1]))
  end
  if emit.power then
    return M.fill("powi<T>($1, " .. eqn.params.y .. ")", in_type, args)
  end
  local t = emit.type_from and eqn.inputs[emit.type_from].aval.dtype or in_type
  local map = emit.map
  local template = type(map) == "function" and map(eqn) or M.template_of(map, t)
  if template:find("F(", 1, true) then hide_known(code, eqn, args) end
  local text = M.fill(template, t, args)
  return rounded(out_type, text)
end

--- The text of one element of an atom; adds the lines that it needs.
function Code:element(atom, index)
  if core.is_literal(atom) then
    return M.constant(atom.value, atom.aval.dtype)
  end
  local shape = atom.aval.shape
  local scalar = #shape == 0
  local key = scalar and "0" or M.flat_of(index, shape)
  local memo = self.scopes[#self.scopes][atom]
  if memo and memo[key] then return memo[key] end
  local text = self:fresh(atom, index, key)
  self:remember(atom, key, text)
  return text
end

-- From here to the end of the scope, this text is that element.
function Code:remember(atom, key, text)
  local scope = self.scopes[#self.scopes]
  if not rawget(scope, atom) then
    rawset(scope, atom, setmetatable({}, {__index = scope[atom]}))
  end
  scope[atom][key] = text
end

function Code:fresh(atom, index, key)
  local t = atom.aval.dtype
  local pointer, is_value = self.buffer(atom, key)
  if is_value then return pointer end
  if pointer then
    return self:name(compute_type(t),
                     loaded(t, ("%s[%s]"):format(pointer, key)), atom, true)
  end
  local eqn = self.made[atom]
  local view = eqn.prim.emit.pull or views[eqn.prim.name]
  if view then return view(self, eqn, index) end
  local args = {}
  for i, x in ipairs(eqn.inputs) do args[i] = self:element(x, index) end
  if eqn.prim.emit.many then
    local own
    for i, text in ipairs(eqn.prim.emit.many(self, args)) do
      if eqn.outputs[i] == atom then own = text end
      self:remember(eqn.outputs[i], key, text)
    end
    return own
  end
  return self:name(compute_type(t), mapped(self, eqn, args), atom)
end

-- ---- What the kernels of a program share ----

local helpers = {}

--- A device function that kernels which call `name` get in front of them.
function M.add_helper(name, text)
  helpers[#helpers + 1] = {name = name, text = text}
end

-- Angles from here on are reduced by CUDA's library in a way that takes many
-- instructions, and memory: at each call, though hardly any program has such.
local FAR = "105615.0f"

-- Calls of one of these functions, if they are many, share one such way.
local function share_far(text, name, lines)
  local called = "%f[%w_]" .. name .. "%("
  local _, calls = text:gsub(called, "")
  if calls < 2 then return text end
  lines[#lines + 1] = ([[
__device__ __noinline__ float far_NAME(float x) { return NAME(x); }
__device__ float near_NAME(float x) {
  return fabsf(x) >= FAR ? far_NAME(x) : NAME(x);
}]]):gsub("NAME", name):gsub("FAR", FAR)
  return (text:gsub(called, "near_" .. name .. "("))
end

--- The lines before kernels: headers, and helpers that they call; and the
--- kernels with their calls.
function M.prelude(text)
  local lines = {}
  for _, name in ipairs{"sinf", "cosf", "tanf"} do
    text = share_far(text, name, lines)
  end
  if text:find("__half", 1, true) then
    lines[#lines + 1] = "#include <cuda_fp16.h>"
  end
  if text:find("__nv_bfloat16", 1, true) then
    lines[#lines + 1] = "#include <cuda_bf16.h>"
  end
  for to in pairs(c_types) do
    local low, high = lowest[to], highest[to]
    if text:find("to_" .. to .. "(", 1, true) and low then
      lines[#lines + 1] = ([[
template <class F> __device__ %s to_%s(F x) {
  if (x != x) return 0;
  if (x <= (F)%s) return %s;
  return x >= (F)%s ? %s : (%s)x;
}]]):format(c_types[to], to, low, low, high, high, c_types[to])
    end
  end
  if text:find("bitcast<", 1, true) then
    lines[#lines + 1] = [[
template <class To, class From> __device__ To bitcast(From x) {
  To y;
  static_assert(sizeof(To) == sizeof(From), "sizes");
  memcpy(&y, &x, sizeof y);
  return y;
}]]
  end
  if text:find("hidden(", 1, true) then
    lines[#lines + 1] = [[
__device__ float hidden(float x) { asm("" : "+f"(x)); return x; }
__device__ double hidden(double x) { asm("" : "+d"(x)); return x; }]]
  end
  if text:find("powi<", 1, true) then
    lines[#lines + 1] = [[
template <class T> __device__ T powi(T x, int n) {
  T r = 1;
  for (unsigned k = n < 0 ? 0u - n : n; k; k >>= 1, x *= x)
    if (k & 1) r *= x;
  return n < 0 ? 1 / r : r;
}]]
  end
  for _, helper in ipairs(helpers) do
    local call = helper.name .. (helper.name:find("<", 1, true) and "" or "(")
    if text:find(call, 1, true) then
      lines[#lines + 1] = helper.text
    end
  end
  return #lines > 0 and table.concat(lines, "\n") .. "\n\n" or "", text
end

return M
