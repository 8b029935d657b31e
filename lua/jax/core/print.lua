-- SPDX-License-Identifier: Apache-2.0
-- Programs as JAX prints them.
local use = ...
local core = use("core/core")
local M = {}

local WIDTH = 80

local numpy_names = {
  f16 = "float16", bf16 = "bfloat16", f32 = "float32", f64 = "float64",
  i8 = "int8", i16 = "int16", i32 = "int32", i64 = "int64", u8 = "uint8",
  u16 = "uint16", u32 = "uint32", u64 = "uint64", bool = "bool",
}
M.numpy_names = numpy_names

-- a, b, ..., z, aa, ab, ...
local function name_of(n)
  local text = ""
  repeat
    text = string.char(97 + n % 26) .. text
    n = n // 26 - 1
  until n < 0
  return text
end

-- Which variables are read at all: others are printed as _.
local function find_read(program, read)
  for _, eqn in ipairs(program.eqns) do
    for _, atom in ipairs(eqn.inputs) do read[atom] = true end
  end
  for _, atom in ipairs(program.outputs) do read[atom] = true end
end

local function number_text(value, dtype)
  if value ~= value then return "nan" end
  if value == math.huge then return "inf" end
  if value == -math.huge then return "-inf" end
  if dtype == "bool" then return value and value ~= 0 and "True" or "False" end
  if not dtype:find("^b?f") then return ("%d"):format(value) end
  if dtype == "f32" then value = string.unpack("f", string.pack("f", value)) end
  if value == math.floor(value) and math.abs(value) < 1e16 then
    return ("%.1f"):format(value)
  end
  for digits = 1, 17 do
    local text = ("%." .. digits .. "g"):format(value)
    if tonumber(text) == value then
      return (text:gsub("e([+-])0*(%d)$", "e%10%2"))
    end
  end
end

--- A number that is a parameter.
function M.number_text(value)
  if type(value) == "boolean" then return value and "True" or "False" end
  return number_text(value, math.type(value) == "integer" and "i32" or "f64")
end

local function param_text(v, key)
  if v == nil then return "None" end
  if type(v) == "boolean" then return v and "True" or "False" end
  if type(v) == "table" then
    local parts = {}
    for i, x in ipairs(v) do parts[i] = param_text(x) end
    if #parts == 1 then return "(" .. parts[1] .. ",)" end
    return "(" .. table.concat(parts, ", ") .. ")"
  end
  if key and key:find("dtype") then return numpy_names[v] or v end
  return tostring(v)
end
M.param_text = param_text

local print_program

-- The parameters as {name, text}; a text may have several lines.
local function param_list(names, eqn)
  if eqn.prim.print then
    return eqn.prim.print(eqn.params, function(p)
      return print_program(names, p)
    end)
  end
  local list, keys = {}, {}
  for k in pairs(eqn.params) do keys[#keys + 1] = k end
  table.sort(keys)
  for _, k in ipairs(keys) do
    local v = eqn.params[k]
    list[#list + 1] = {k, type(v) == "table" and v.eqns and
                          print_program(names, v) or param_text(v, k)}
  end
  return list
end

local function indent(text, by)
  return (text:gsub("\n", "\n" .. (" "):rep(by)))
end

local function var_text(names, var, read)
  if read and not read[var] then return "_:" .. core.aval_text(var.aval) end
  if not names[var] then
    names[var] = name_of(names.count)
    names.count = names.count + 1
  end
  return names[var] .. ":" .. core.aval_text(var.aval)
end

local function atom_text(names, atom)
  if core.is_literal(atom) then
    return number_text(atom.value, atom.aval.dtype) .. ":" ..
           core.aval_text(atom.aval)
  end
  return names[atom]
end

local function eqn_text(names, eqn, read)
  local outputs, inputs = {}, {}
  for i, atom in ipairs(eqn.inputs) do inputs[i] = atom_text(names, atom) end
  -- JAX names the results of `jit` after what is inside, others before.
  local list = eqn.prim.name == "jit" and param_list(names, eqn)
  for i, var in ipairs(eqn.outputs) do
    outputs[i] = var_text(names, var, read)
  end
  list = list or param_list(names, eqn)
  local head = table.concat(outputs, " ") .. " = " .. eqn.prim.name
  local tail = #inputs > 0 and " " .. table.concat(inputs, " ") or ""
  if #list == 0 then return head .. tail end
  local flat, lines, is_long = {}, {}, false
  for i, p in ipairs(list) do
    flat[i] = p[1] .. "=" .. p[2]
    lines[i] = "\n  " .. indent(flat[i], 2)
    is_long = is_long or p[2]:find("\n") or p[2]:find("lambda", 1, true)
  end
  local line = head .. "[" .. table.concat(flat, " ") .. "]" .. tail
  if not is_long and #line + 4 <= WIDTH then return line end
  return head .. "[" .. table.concat(lines) .. "\n]" .. tail
end

function print_program(names, program)
  local read = {}
  find_read(program, read)
  local consts, inputs, outputs, lines = {}, {}, {}, {}
  for i, var in ipairs(program.consts) do consts[i] = var_text(names, var) end
  for i, var in ipairs(program.inputs) do inputs[i] = var_text(names, var) end
  for i, eqn in ipairs(program.eqns) do
    lines[i] = eqn_text(names, eqn, read)
  end
  for i, atom in ipairs(program.outputs) do
    outputs[i] = atom_text(names, atom)
  end
  local head = "{ lambda " .. table.concat(consts, " ") .. "; " ..
               table.concat(inputs, " ") .. ". let"
  if #consts == 0 then head = head:gsub("lambda ;", "lambda ;") end
  local result = "in (" .. table.concat(outputs, ", ") ..
                 (#outputs == 1 and "," or "") .. ") }"
  if #lines == 0 then return head .. "  " .. result end
  if #lines == 1 then
    local line = head .. " " .. lines[1] .. " " .. result
    if not line:find("\n") and #line <= WIDTH then return line end
  end
  for i, line in ipairs(lines) do lines[i] = "\n    " .. indent(line, 4) end
  return head .. table.concat(lines) .. "\n  " .. result
end

--- The program in JAX's form with these names (variable -> name, and `count`,
--- the number of those given), to which new ones are added.
function M.with_names(names, program) return print_program(names, program) end

--- One equation, its parameters left out.
function M.short(names, eqn)
  local inputs, outputs = {}, {}
  for i, atom in ipairs(eqn.inputs) do
    inputs[i] = core.is_literal(atom) and
                number_text(atom.value, atom.aval.dtype) or names[atom] or "?"
  end
  for i, var in ipairs(eqn.outputs) do outputs[i] = names[var] or "_" end
  local tail = #inputs > 0 and " " .. table.concat(inputs, " ") or ""
  return table.concat(outputs, " ") .. " = " .. eqn.prim.name .. tail
end

--- The program in JAX's form.
function M.program(program)
  return print_program({count = 0}, program)
end

return M
