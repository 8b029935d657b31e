-- SPDX-License-Identifier: Apache-2.0
-- How programs inside of programs run. On a device: as one kernel where
-- loop_kernel.lua can make one, else as a block of kernels (loop_steps.lua).
-- What neither can do, and all on the host, runs here, step by step.
local use = ...
local core = use("core/core")
local program = use("core/program")
local lax = use("core/lax")
local loop_kernel = use("compile/loop_kernel")
local loop_steps = use("compile/loop_steps")
local exec = use("compile/exec")
local arrays = use("core/arrays")
local M = {}

--- The results of a program for host arrays, by the primitives' eval rules.
function M.on_host(p, inputs)
  local np, results = use.np, core.outside(program.eval, p, inputs)
  for i, x in ipairs(results) do
    results[i] = core.is_literal(x) and np.asarray(x.value, x.aval.dtype) or
                 use.unmark(x)
  end
  return results
end

-- The results of a program for jax arrays, compiled.
local function run(p, inputs)
  return (exec.run(p, inputs))
end

local function element(x, i)
  return lax.squeeze(lax.slice_in_dim(x, i, i + 1, 1, 0), {0})
end

-- Arrays as one with a new axis 0. Few at a time, since a kernel has few
-- parameters.
local function stacked(list)
  local AT_ONCE = 64
  for i, x in ipairs(list) do
    if core.is_literal(x) then x = arrays.array_of(x) end
    list[i] = lax.expand_dims(x, {0})
  end
  while #list > 1 do
    local fewer = {}
    for i = 1, #list, AT_ONCE do
      fewer[#fewer + 1] = lax.concatenate(
        table.move(list, i, math.min(i + AT_ONCE - 1, #list), 1, {}), 0)
    end
    list = fewer
  end
  return list[1]
end

--- scan's results, one run of the body after the other.
function M.scan(p, args)
  local first = p.num_consts + p.num_carry
  local inputs, ys = table.move(args, 1, first, 1, {}), {}
  for k = p.num_carry + 1, #p.jaxpr.outputs do ys[k] = {} end
  for step = 0, p.length - 1 do
    local at = p.reverse and p.length - 1 - step or step
    for i = first + 1, #args do inputs[i] = element(args[i], at) end
    local results = run(p.jaxpr, inputs)
    for k = 1, p.num_carry do inputs[p.num_consts + k] = results[k] end
    for k, list in pairs(ys) do list[at + 1] = results[k] end
  end
  local out = table.move(inputs, p.num_consts + 1, first, 1, {})
  for k, list in pairs(ys) do
    local a = p.jaxpr.outputs[k].aval
    out[k] = p.length > 0 and stacked(list) or
             arrays.device_put(use.np.zeros({0, table.unpack(a.shape)},
                                                 a.dtype))
  end
  return out
end

local function is_true(x)
  if core.is_literal(x) then return x.value == true or x.value == 1 end
  return use.np.asarray(x):item()
end

--- while's results: the predicate is read after every step.
function M.repeat_while(p, args)
  local inputs = table.move(args, 1, p.body_nconsts, 1, {})
  local tests = table.move(args, p.body_nconsts + 1,
                           p.body_nconsts + p.cond_nconsts, 1, {})
  local first = p.body_nconsts + p.cond_nconsts
  local carry = table.move(args, first + 1, #args, 1, {})
  while true do
    table.move(carry, 1, #carry, p.cond_nconsts + 1, tests)
    if not is_true(run(p.cond_jaxpr, tests)[1]) then return carry end
    table.move(carry, 1, #carry, p.body_nconsts + 1, inputs)
    carry = run(p.body_jaxpr, inputs)
  end
end

local function number_of(x)
  return core.is_literal(x) and x.value or use.np.asarray(x):item()
end

--- cond's results: the number of the branch is read.
function M.choose(p, args)
  return run(p.branches[number_of(args[1]) + 1],
             table.move(args, 2, #args, 1, {}))
end

-- The ways that are left out, and how many loops were planned in each:
-- bench/jax/loops.lua measures one beside the others.
M.left_out = {}
M.planned = {kernel = 0, block = 0, step = 0}

local function planned(way, plan_it, eqn, plan)
  local is_done = plan_it and not M.left_out[way] and plan_it(eqn, plan)
  if is_done then M.planned[way] = M.planned[way] + 1 end
  return is_done
end

-- One kernel; or a block of steps; or a step that is a function.
local function emit_with(kernel, block, f)
  return function(eqn, plan)
    if planned("kernel", kernel, eqn, plan) or
       planned("block", block, eqn, plan) then
      return
    end
    M.planned.step = M.planned.step + 1
    plan:add_function(eqn, function(values)
      return core.outside(f, eqn.params, values)
    end)
  end
end

M.emit_scan = emit_with(loop_kernel.scan, loop_steps.scan, M.scan)
M.emit_while = emit_with(loop_kernel.repeat_while, loop_steps.repeat_while,
                         M.repeat_while)
M.emit_cond = emit_with(nil, loop_steps.choose, M.choose)

return M
