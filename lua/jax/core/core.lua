-- SPDX-License-Identifier: Apache-2.0
-- What all transformations share: abstract values, primitives, tracers, and
-- `bind`, through which every operation goes.
--
-- A trace interprets primitives in its own way: it batches them, differentiates
-- them, or writes them down. Traces nest; each has a level, and `bind` hands an
-- operation to the highest one that is among the arguments. Where there is
-- none, the operation is computed (JAX's autodidax, "Transformations as
-- interpreters"; jax.core).
local use = ...
local np_core = use.np_core
local M = {}

M.config = 0 -- numbers the settings that programs depend on, a bit for each

local bit_of = {tensorfloat32 = 1, x64 = 2, host = 4, numpy = 8,
                vectorize_small = 16, float32 = 32}

--- Notes that a setting is on or off: programs made otherwise are not found.
function M.set_config(name, is_on)
  M.config = M.config & ~bit_of[name] | (is_on and bit_of[name] or 0)
  use.set_config(M.config)
end

-- ---- Abstract values: {shape, dtype, weak} ----

--- The shape and type of an array that need not exist. `weak`: it came from a
--- Lua number, and gives way to other arguments' types.
function M.aval(shape, dtype, weak)
  return {shape = shape, dtype = dtype, weak = weak or false}
end

function M.size(shape)
  local n = 1
  for i = 1, #shape do
    local d = shape[i]
    if d > 0 and n > (1 << 47) // d then
      M.fail("out-of-memory", "ValueError", "an array of shape %s has more " ..
             "elements than a machine can address", M.shape_text(shape))
    end
    n = n * d
  end
  return n
end

-- Of shapes alone, and np's own: see ../../array/define.lua.
M.same_shape, M.broadcast_shapes = np_core.same_shape, np_core.broadcast_shapes
M.shape_text, M.shapes_text = np_core.shape_text, np_core.shapes_text

-- "{V:i}": along which axes of a mesh it differs.
local function varying_text(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  local text = table.concat(names, ",")
  return "{V:" .. (#names > 1 and "(" .. text .. ")" or text) .. "}"
end

--- "f32[3,4]": as jaxprs write types.
function M.aval_text(a)
  return a.dtype .. "[" .. table.concat(a.shape, ",") .. "]" ..
         (a.varying and varying_text(a.varying) or "")
end

--- An abstract value of another shape, otherwise like `a`.
function M.aval_like(a, shape)
  local new = M.aval(shape, a.dtype, a.weak)
  new.varying = a.varying
  return new
end

-- ---- Errors ----

--- Raises an error table of `kind` at the learner's line; `name` is JAX's name
--- for such an error.
function M.fail(kind, name, text, ...)
  if select("#", ...) > 0 then text = text:format(...) end
  M.raise(kind, name and name .. ": " .. text or text)
end

--- Whether a function, or what stands for one: arrays and traced values have a
--- __call that explains itself.
function M.is_callable(f)
  return type(f) == "function" or not M.is_tracer(f) and
         not (type(f) == "userdata" and use.is_array(f)) and
         type(f) ~= "string" and
         (getmetatable(f) or {}).__call ~= nil
end

--- What a value is that should have been something else: "an array".
function M.kind_text(x)
  if x == nil then return "nil (is its name right?)" end
  if M.is_tracer(x) then return "the traced value " .. tostring(x) end
  if type(x) == "userdata" then
    return use.is_array(x) and "an array" or "a userdata"
  end
  if type(x) == "number" then return "the number " .. tostring(x) end
  local name = type(x) == "table" and (getmetatable(x) or {}).__name
  return "a " .. (name and name:find("^jax%.") and name or type(x))
end

local function after(restore, ok, ...)
  restore()
  if not ok then error((...), 0) end
  return ...
end

--- f(...)'s results or its error, once restore() has run.
function M.finally(restore, f, ...)
  return after(restore, pcall(f, ...))
end

-- ---- Primitives ----

local prims = {}
M.prims = prims

-- Every row has all five rules; `false` says that there is deliberately none.
local rules = {"eval", "shape", "batch", "diff", "emit"}

--- Adds a primitive: its name and its five rules.
---   eval(params, ...)        host arrays -> host array (or a list of them)
---   shape(params, ...)       abstract values -> abstract value (or a list)
---   batch(params, size, args, dims) -> result, dim   (lists where it has many)
---   diff                     {jvp = f, vjp = f}: see transforms/ad.lua
---   emit                     see compile/emit.lua
function M.define(row)
  for _, rule in ipairs(rules) do
    if row[rule] == nil then
      error(("primitive %s has no rule %s"):format(row.name, rule), 2)
    end
  end
  if prims[row.name] then error("primitive " .. row.name .. " twice", 2) end
  prims[row.name] = row
  return row
end

-- ---- Values ----

local Tracer = {}
M.Tracer = Tracer

function M.is_tracer(x) return getmetatable(x) == Tracer end

-- A number in a program: {value, aval}. It is written into the code.
local Literal = {}
M.Literal = Literal

function M.literal(value, dtype, weak)
  return setmetatable({value = value, aval = M.aval({}, dtype, weak)}, Literal)
end

function M.is_literal(x) return getmetatable(x) == Literal end

--- The abstract value of an array, a tracer or a literal.
function M.aval_of(x)
  if type(x) == "table" and x.aval then return x.aval end
  return M.aval(x.shape, x.dtype, M.is_weak(x))
end

function M.shape_of(x)
  return type(x) == "table" and x.aval and x.aval.shape or x.shape
end

function M.dtype_of(x)
  return type(x) == "table" and x.aval and x.aval.dtype or x.dtype
end

-- ---- Traces ----

local depth = 0     -- levels in use
local dynamic       -- the innermost trace that writes programs down

local function set_dynamic(trace)
  dynamic = trace
  use.set_tracing(trace ~= nil or M.finds_nans)
end

-- Whether each result is looked at for NaN (explain/nans.lua): no call goes by
-- the short way then.
M.finds_nans = false

function M.find_nans(on)
  M.finds_nans = on
  set_dynamic(dynamic)
end

--- A trace of `kind` (a table with `lift`, `process`) for the time of f(trace);
--- gives f's results. Afterwards its tracers are dead.
function M.with_trace(kind, fields, f)
  local trace = fields or {}
  depth = depth + 1
  trace.level = depth
  setmetatable(trace, {__index = kind})
  local outer = dynamic
  if kind.is_dynamic then set_dynamic(trace) end
  return after(function()
    set_dynamic(outer)
    depth = depth - 1
    trace.is_dead = true
  end, xpcall(f, M.handler, trace))
end

-- explain/mistakes.lua puts in their place: what becomes of errors on the way,
-- and the error of a traced value that outlived its trace.
M.handler = function(e) return e end

--- A function of the learner's called by a transformation: its lines are
--- watched for what Lua would pass over.
function M.call(f, ...)
  return use.watched(f, ...)
end

--- Runs f without the programs that are being written: what it computes is
--- computed now.
function M.outside(f, ...)
  local outer = dynamic
  set_dynamic(nil)
  return M.finally(function() set_dynamic(outer) end, f, ...)
end

function M.is_tracing() return dynamic ~= nil end

function M.new_tracer(trace, aval, fields)
  fields.trace = trace
  fields.aval = aval
  return setmetatable(fields, Tracer)
end

local function check_alive(x)
  if x.trace.is_dead then M.fail_leaked(x) end
end

-- While the function of a shard_map is traced: {mesh, check}, where check says
-- that values know along which axes of the mesh they differ between devices.
M.manual = nil

--- f(...)'s results, where M.manual is this meanwhile.
function M.with_manual(manual, f, ...)
  local outer = M.manual
  M.manual = manual
  return M.finally(function() M.manual = outer end, f, ...)
end

--- Applies a primitive; gives the list of its results.
function M.bind(prim, params, args)
  local top = dynamic
  if M.manual and M.manual.check then
    local results, changed
    args, results, changed = M.align(prim, args, params)
    if results then return results end
    params = changed or params
  end
  for i = 1, #args do
    local x = args[i]
    if getmetatable(x) == Tracer then
      if x.trace.is_dead then check_alive(x) end
      if not top or x.trace.level > top.level then top = x.trace end
    end
  end
  if not top then
    if M.finds_nans then return M.compute_checked(prim, params, args) end
    return M.compute(prim, params, args)
  end
  local lifted = {}
  for i = 1, #args do
    local x = args[i]
    if getmetatable(x) == Tracer and x.trace == top then
      lifted[i] = x
    else
      lifted[i] = top:lift(x)
    end
  end
  return top:process(prim, params, lifted)
end

--- Applies the primitive of this name that has one result.
function M.bind1(name, params, ...)
  return M.bind(prims[name], params, {...})[1]
end

return M
