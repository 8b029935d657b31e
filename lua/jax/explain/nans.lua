-- SPDX-License-Identifier: Apache-2.0
-- jax.config.update("jax_debug_nans", true): the first operation whose result
-- is not a number is named, with the learner's line.
local use = ...
local core = use("core/core")
local program = use("core/program")
local config = use("core/config")
local exec = use("compile/exec")
local np = use.np
local M = {}

local function has_nan(x)
  if core.is_literal(x) then return x.value ~= x.value end
  if not core.dtype_of(x):find("^b?f") then return false end
  return np.any(np.isnan(np.asarray(x)))
end

local function any_nan(list)
  for _, x in ipairs(list) do
    if has_nan(x) then return true end
  end
  return false
end

local function fail(prim, args, where)
  local was_there = any_nan(args) and " (an argument already had one)" or ""
  local at = where and ("; it was traced at %s"):format(where) or ""
  core.fail("argument", "FloatingPointError", "invalid value (nan) " ..
            "encountered in %s%s%s. Look at its arguments: a log or root of " ..
            "a negative number, 0 / 0, inf - inf; jnp.where on the " ..
            "argument, not on the result, keeps the gradient clean, too",
            prim.name, was_there, at)
end

--- A program's results; where one is NaN, its operations again, one by one.
function M.run(p, args)
  local results, env = nil, {}
  if not config.is_on_host then
    results = exec.run(p, args)
    if not any_nan(results) then return results end
  end
  for i, var in ipairs(p.inputs) do env[var] = args[i] end
  p = program.inlined(p)
  for i, var in ipairs(p.consts) do env[var] = p.const_values[i] end
  for _, eqn in ipairs(p.eqns) do
    local values = {}
    for i, atom in ipairs(eqn.inputs) do
      values[i] = core.is_literal(atom) and atom or env[atom]
    end
    local out = core.compute(eqn.prim, eqn.params, values)
    if any_nan(out) then fail(eqn.prim, values, eqn.where) end
    for i, var in ipairs(eqn.outputs) do env[var] = out[i] end
  end
  if results then return results end -- NaN only when fused
  results = {}
  for i, atom in ipairs(p.outputs) do
    results[i] = core.is_literal(atom) and atom or env[atom]
  end
  return results
end

function core.compute_checked(prim, params, args)
  if prim.is_call then return M.run(params.jaxpr, args) end
  local results = core.compute(prim, params, args)
  if any_nan(results) then fail(prim, args) end
  return results
end

--- f() with each operation's results looked at.
function M.during(f)
  local before = core.finds_nans
  core.find_nans(true)
  return core.finally(function() core.find_nans(before) end, f)
end

return M
