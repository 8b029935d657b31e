-- SPDX-License-Identifier: Apache-2.0
-- jnp: products of arrays, of matrices in stacks.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
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

return M
