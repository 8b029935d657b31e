-- SPDX-License-Identifier: Apache-2.0
-- jnp: products of arrays, and what is made of them: convolutions, polynomials,
-- differences, interpolation. einsum: einsum.lua.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local jnp = use.jnp
local M = {}

local function shape_of(x) return core.shape_of(x) end
local function range(from, to)
  local out = {}
  for d = from, to do out[#out + 1] = d end
  return out
end

local contract = args.contract

local function two(name, x, y)
  local a = args.promoted(name, args.pair(name, x, y))
  return args.array(a[1], name), args.array(a[2], name)
end

local function inner_sizes(name, m, n, x, y)
  if m ~= n then
    args.fail(name, "TypeError", "inner sizes differ: %d of %s and %d of %s", m,
              core.shape_text(shape_of(x)), n, core.shape_text(shape_of(y)))
  end
end

-- ---- Products ----

--- matmul(x, y): of matrices, for all axes before, which are broadcast.
function M.matmul(x, y)
  local a, b = two("matmul", x, y)
  local m, n = #shape_of(a), #shape_of(b)
  if m == 0 or n == 0 then
    args.fail("matmul", "ValueError",
              "input operand %d must have ndim at least 1",
              m == 0 and 0 or 1)
  end
  local k = shape_of(b)[n == 1 and 1 or n - 1]
  inner_sizes("matmul", shape_of(a)[m], k, a, b)
  if m <= 2 and n <= 2 then
    return contract(a, b, {{{m - 1}, {n == 1 and 0 or n - 2}}, {{}, {}}})
  end
  if m == 1 then a = lax.expand_dims(a, {0}) end
  if n == 1 then b = lax.expand_dims(b, {1}) end
  local own_a, own_b = shape_of(a), shape_of(b)
  local lead_a = table.move(own_a, 1, #own_a - 2, 1, {})
  local lead_b = table.move(own_b, 1, #own_b - 2, 1, {})
  local lead = args.broadcast_shapes("matmul", {lead_a, lead_b})
  local out
  if #lead_b == 0 then
    out = contract(a, b, {{{#own_a - 1}, {0}}, {{}, {}}})
  else
    local function spread(z, own)
      local full = args.copy(lead)
      full[#full + 1], full[#full + 2] = own[#own - 1], own[#own]
      return args.stretch(z, full)
    end
    a, b = spread(a, own_a), spread(b, own_b)
    local r = #lead
    out = contract(a, b, {{{r + 1}, {r}}, {range(0, r - 1), range(0, r - 1)}})
  end
  local r = #shape_of(out)
  if n == 1 then out = lax.squeeze(out, {r - 1}) end
  if m == 1 then
    out = lax.squeeze(out, {#shape_of(out) - (n == 1 and 1 or 2)})
  end
  return out
end

-- ---- Interpolation ----

--- interp(x, xp, fp): the value at x on the lines through the points (xp, fp),
--- whose xp ascend, unless the function has a period. Beyond the ends it is
--- `left` and `right`: values, or "extrapolate".
function M.interp(x, xp, fp, ...)
  local o = args.named("interp", {"left", "right", "period"}, ...)
  xp, fp = args.array(xp, "interp"), args.array(fp, "interp")
  if #shape_of(xp) ~= 1 or not core.same_shape(shape_of(xp), shape_of(fp)) then
    args.fail("interp", "ValueError",
              "xp and fp must be one-dimensional arrays " ..
              "of equal size, not %s and %s", core.shape_text(shape_of(xp)),
              core.shape_text(shape_of(fp)))
  end
  for _, side in ipairs{"left", "right"} do
    if type(o[side]) == "string" and o[side] ~= "extrapolate" then
      args.fail("interp", "ValueError", "the only valid string value of " ..
                "`%s` is \"extrapolate\", but got: \"%s\"", side, o[side])
    end
  end
  local a = args.promoted("interp", {args.array(x, "interp"), xp},
                          types.inexact)
  x, xp, fp = a[1], a[2], args.as_float(fp)
  if o.period ~= nil then
    local period = jnp.abs(o.period)
    x, xp = jnp.mod(x, period), jnp.mod(xp, period)
    xp, fp = lax.sort_key_val(xp, fp)
    local function around(y, by)
      return jnp.concatenate{y["-1:"] - by, y, y[":1"] + by}
    end
    xp, fp = around(xp, period), around(fp, 0)
  end
  local n = shape_of(xp)[1]
  local i = jnp.searchsorted(xp, x, {side = "right"})
  i = jnp.maximum(jnp.minimum(i, n - 1), math.min(1, n - 1))
  local before = math.min(1, n - 1)
  local x0, y0 = jnp.take(xp, i - before), jnp.take(fp, i - before)
  local dx, dy = jnp.take(xp, i) - x0, jnp.take(fp, i) - y0
  -- No NaN from 0 / 0 in gradients, either.
  local tiny = jnp.finfo(core.dtype_of(xp)).eps ^ 2
  local is_flat = jnp.less_equal(jnp.abs(dx), tiny)
  local f = jnp.where(is_flat, y0,
                      y0 + (x - x0) / jnp.where(is_flat, 1, dx) * dy)
  if o.period ~= nil then return f end
  if o.left ~= "extrapolate" then
    f = jnp.where(jnp.less(x, xp[0]), o.left == nil and fp[0] or o.left, f)
  end
  if o.right ~= "extrapolate" then
    local last = o.right == nil and fp[-1] or o.right
    f = jnp.where(jnp.greater(x, xp[-1]), last, f)
  end
  return f
end

return M
