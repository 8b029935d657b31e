-- SPDX-License-Identifier: Apache-2.0
-- Computing programs on arrays: on the device in use by generated kernels, or
-- on the host by the primitives' `eval` rules (jax.config.update("jax_platforms",
-- "cpu"), or JAX_PLATFORMS=cpu in the environment).
local use = ...
local core = use("core")
local program = use("program")
local plan = use("plan")
local np, cuda = use.np, use.cuda
local M = {}

local narrow = {f64 = "f32", i64 = "i32", u64 = "u32"}

M.is_on_host = os and os.getenv and os.getenv("JAX_PLATFORMS") == "cpu"

--- An array as a jax array: of JAX's default width, on the default device, not
--- to be changed.
function M.device_put(x, weak)
  local t = narrow[x.dtype]
  local is_host = x.device == "host"
  if M.is_on_host then
    if not is_host then x = x:copy_to_host() end
    return use.mark(t and x:astype(t) or x:copy(), weak)
  end
  if not is_host and not t then return use.mark(x, weak) end
  if not is_host then x = x:copy_to_host() end
  return use.mark(cuda.to_device(t and x:astype(t) or x), weak)
end

--- A literal as an array.
function M.array_of(x)
  if not core.is_literal(x) then return x end
  return M.device_put(np.asarray(x.value, x.aval.dtype), x.aval.weak)
end

-- ---- On the host ----

local function on_host(x)
  x = use.unmark(x)
  return x.device == "host" and x or x:copy_to_host()
end

local function eval_on_host(prim, params, args)
  local values, avals = {}, {}
  for i, x in ipairs(args) do
    avals[i] = core.aval_of(x)
    values[i] = core.is_literal(x) and np.asarray(x.value, x.aval.dtype) or
                on_host(x)
  end
  local out = prim.shape(params, table.unpack(avals))
  local results = prim.eval(params, table.unpack(values))
  if out.dtype then out, results = {out}, {results} end
  for i, x in ipairs(results) do
    results[i] = use.mark(np.asarray(on_host(x), out[i].dtype), out[i].weak)
  end
  return results
end

-- ---- On the device ----

-- What a program became, by the kind of its inputs.
local compiled = setmetatable({}, {__mode = "k"})

--- The plan of a program and its loaded kernels. `is_value` marks inputs that
--- are numbers.
function M.compile(p, is_value)
  local key = {cuda.device().id}
  for i = 1, #p.inputs do key[i + 1] = is_value[i] and "1" or "0" end
  key = table.concat(key)
  local known = compiled[p]
  if not known then
    known = {}
    compiled[p] = known
  end
  if known[key] then return known[key] end
  local simple = program.simplified(p)
  local e = plan.make(simple, {is_value = is_value})
  if #e.steps > 0 and e.source ~= "" then
    e.module = cuda.module(e.source, {options = {"-fmad=false"}})
    for _, step in ipairs(e.steps) do
      if step.kernel then
        step.launch = e.module[step.kernel][{step.grid, step.block}]
      end
    end
  end
  known[key] = e
  return e
end

local function run_steps(e, args)
  local outputs, temps = {}, {}
  local function at(place)
    local kind = place.kind
    if kind == "in" then return args[place.n] end
    if kind == "const" then return e.program.const_values[place.n] end
    if kind == "out" then return outputs[place.n] end
    local x = temps[place.n]
    if not x then
      x = cuda.device_array(place.aval.shape, place.aval.dtype)
      temps[place.n] = x
    end
    return x
  end
  for n, place in pairs(e.outputs) do
    if place.kind == "out" and not outputs[place.n] then
      outputs[place.n] = cuda.device_array(place.aval.shape, place.aval.dtype)
    end
  end
  for _, step in ipairs(e.steps) do
    local values = {}
    for i, place in ipairs(step.places) do values[i] = at(place) end
    if step.kernel then
      step.launch(table.unpack(values))
    else
      step.run(values)
    end
  end
  local results = {}
  for i, atom in ipairs(e.program.outputs) do
    local place = e.outputs[i]
    if place then
      results[i] = use.mark(at(place), atom.aval.weak)
    elseif core.is_literal(atom) then
      results[i] = M.array_of(atom)
    else -- an input or a constant, as it came
      for k, var in ipairs(e.program.inputs) do
        if var == atom then results[i] = M.array_of(args[k]) end
      end
      for k, var in ipairs(e.program.consts) do
        if var == atom then results[i] = e.program.const_values[k] end
      end
    end
  end
  return results
end

--- The results of a program for arrays and literals.
function M.run(p, args)
  local is_value = {}
  for i, x in ipairs(args) do
    if core.is_literal(x) then
      is_value[i] = true
    elseif x.device == "host" then
      args[i] = M.device_put(use.unmark(x), use.is_weak(x))
    end
  end
  local e = M.compile(p, is_value)
  local values = {}
  for i, x in ipairs(args) do
    values[i] = is_value[i] and x.value or x
  end
  return run_steps(e, values)
end

-- A primitive alone is a program of one equation.
local single = {}

local function program_of(prim, params, args)
  local key = {prim.name, program.key_of(params)}
  local avals = {}
  for i, x in ipairs(args) do
    avals[i] = core.aval_of(x)
    key[i + 2] = core.aval_text(avals[i]) .. (avals[i].weak and "*" or "")
  end
  key = table.concat(key, " ")
  local p = single[key]
  if not p then
    p = program.trace(function(tracers)
      return core.bind(prim, params, tracers)
    end, avals)
    single[key] = p
  end
  return p
end

function core.compute(prim, params, args)
  if prim.host_only or M.is_on_host then
    return eval_on_host(prim, params, args)
  end
  if prim.name == "jit" then return M.run(params.jaxpr, args) end
  return core.outside(function()
    return M.run(program_of(prim, params, args), args)
  end)
end

return M
