-- SPDX-License-Identifier: Apache-2.0
-- Computing primitives on arrays, by their `eval` rules on the host.
local use = ...
local core = use("core")
local np = use.np
local M = {}

local narrow = {f64 = "f32", i64 = "i32", u64 = "u32"}

--- An array as a jax array: of JAX's default width, not to be changed.
function M.device_put(x)
  local t = narrow[x.dtype]
  if t then return use.mark(x:astype(t), false) end
  return use.mark(x:copy(), false)
end

--- A literal as an array.
function M.array_of(x)
  if not core.is_literal(x) then return x end
  return use.mark(np.asarray(x.value, x.aval.dtype), x.aval.weak)
end

function core.compute(prim, params, args)
  local values, avals = {}, {}
  for i, x in ipairs(args) do
    avals[i] = core.aval_of(x)
    values[i] = core.is_literal(x) and np.asarray(x.value, x.aval.dtype) or
                use.unmark(x)
  end
  local out = prim.shape(params, table.unpack(avals))
  local results = prim.eval(params, table.unpack(values))
  if out.dtype then out, results = {out}, {results} end
  for i, x in ipairs(results) do
    results[i] = use.mark(np.asarray(x, out[i].dtype), out[i].weak)
  end
  return results
end

return M
