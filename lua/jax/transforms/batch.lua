-- SPDX-License-Identifier: Apache-2.0
-- Batching (vmap): every operation of a function, done for a whole axis of
-- inputs at once. A primitive's rule:
--
--   batch(params, size, values, dims) -> outputs, their dims
--
-- with lists; dims count from 0, and `false` stands for a value that is the
-- same for all.
local use = ...
local core = use("core/core")
local program = use("core/program")
local lax = use("core/lax")
local M = {}

local Batch = {}

local function without(shape, dim)
  local out = {}
  for i, n in ipairs(shape) do
    if i ~= dim + 1 then out[#out + 1] = n end
  end
  return out
end

local function new_tracer(trace, value, dim)
  local aval = core.aval_of(value)
  if dim then
    aval = core.aval_like(aval, without(aval.shape, dim))
  end
  return core.new_tracer(trace, aval, {value = value, dim = dim})
end

function Batch:lift(x) return new_tracer(self, x, false) end

function Batch:process(prim, params, tracers)
  local values, dims, any = {}, {}, false
  for i, t in ipairs(tracers) do
    values[i], dims[i] = t.value, t.dim
    any = any or t.dim
  end
  local results = {}
  if not any then
    for i, x in ipairs(core.bind(prim, params, values)) do
      results[i] = new_tracer(self, x, false)
    end
    return results
  end
  if not prim.batch then
    core.fail("unsupported", nil, "%s cannot be batched (vmap)", prim.name)
  end
  local outputs, out_dims = prim.batch(params, self.size, values, dims)
  for i, x in ipairs(outputs) do
    results[i] = new_tracer(self, x, out_dims[i])
  end
  return results
end

--- x with its batch axis at `to`, made there where it has none.
function M.at(x, dim, to, size)
  if not dim then
    local shape, kept = {}, {}
    for i, n in ipairs(core.shape_of(x)) do
      shape[i] = n
      kept[i] = i - 1 < to and i - 1 or i
    end
    table.insert(shape, to + 1, size)
    return lax.broadcast_in_dim(x, shape, kept)
  end
  if dim == to then return x end
  return lax.move_axis(x, dim, to)
end

--- f(list) for values with these batch dims -> list, and their dims.
function M.run(f, size, values, dims)
  return core.with_trace(Batch, {size = size}, function(trace)
    local args = {}
    for i, x in ipairs(values) do
      args[i] = dims[i] and new_tracer(trace, x, dims[i]) or x
    end
    local outputs, out_dims = {}, {}
    for i, x in ipairs((f(args))) do
      local mine = core.is_tracer(x) and x.trace == trace
      outputs[i] = mine and x.value or x
      out_dims[i] = mine and x.dim or false
    end
    return outputs, out_dims
  end)
end

--- The program for a batch: its inputs have these dims, its outputs dims 0
--- where `is_forced[i]` or where they depend on a batched input; `dims` of the
--- result tells.
function M.of_program(p, size, dims, is_forced)
  local avals, out_dims = {}, nil
  for i, var in ipairs(p.inputs) do
    local shape = table.move(var.aval.shape, 1, #var.aval.shape, 1, {})
    if dims[i] then table.insert(shape, dims[i] + 1, size) end
    avals[i] = core.aval_like(var.aval, shape)
  end
  local new = program.trace(function(args)
    local outputs
    outputs, out_dims = M.run(function(x) return program.eval(p, x) end, size,
                              args, dims)
    for i, x in ipairs(outputs) do
      if out_dims[i] or is_forced and is_forced[i] then
        outputs[i] = M.at(x, out_dims[i], 0, size)
        out_dims[i] = 0
      end
    end
    return outputs
  end, avals)
  return {program = new, dims = out_dims}
end

-- ---- Rules that many primitives share ----

--- All arguments get the batch axis where the first batched one has it. Scalars
--- go with every shape: they stay what they are, unless they are batched.
function M.elementwise(name)
  return function(params, size, values, dims)
    local like, rank = nil, -1
    for i, x in ipairs(values) do
      local own = #core.shape_of(x) - (dims[i] and 1 or 0)
      if own > rank or own == rank and dims[i] and not dims[like] then
        like, rank = i, own
      end
    end
    local to, moved = dims[like] or 0, {}
    moved[like] = M.at(values[like], dims[like], to, size)
    local shape = core.shape_of(moved[like])
    for i, x in ipairs(values) do
      local own = #core.shape_of(x) - (dims[i] and 1 or 0)
      if own == rank and (own > 0 or dims[i]) then
        moved[i] = M.at(x, dims[i], to, size)
      else
        moved[i] = dims[i] and lax.broadcast_in_dim(x, shape, {to}) or x
      end
    end
    local outputs = core.bind(core.prims[name], params, moved)
    local out_dims = {}
    for i = 1, #outputs do out_dims[i] = to end
    return outputs, out_dims
  end
end

return M
