-- SPDX-License-Identifier: Apache-2.0
-- jnp: the same elements in another order or shape, repeated, or some of them.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local M = {}

local function array(x, name) return args.array(x, name) end
local function shape_of(x) return core.shape_of(x) end

-- Sizes or axes given one by one, or as one table.
local function listed(...)
  local first = ...
  if args.is_list(first) then return first end
  return {...}
end

-- ---- One array ----

-- Whether elements go in Fortran's order: the first axis runs fastest.
local function is_fortran(order, name)
  if order == nil or order == "C" or order == "A" then return false end
  if order == "F" then return true end
  args.fail(name, "ValueError", "order is \"C\", \"F\" or \"A\", not %s",
            tostring(order))
end

local function reversed(list)
  local out = {}
  for i = #list, 1, -1 do out[#out + 1] = list[i] end
  return out
end

--- reshape(x, shape): one size may be -1, which is what is left.
function M.reshape(x, ...)
  local given = {...}
  local o = {}
  if args.is_keywords(given[#given]) then
    o = args.named("reshape", {"order", "shape"}, table.remove(given))
  elseif type(given[#given]) == "string" then
    o.order = table.remove(given)
  end
  local by_columns = is_fortran(o.order, "reshape")
  x = array(x, "reshape")
  local sizes = args.shape(o.shape or listed(table.unpack(given)), "reshape",
                           true)
  local known, open, size = 1, nil, core.size(shape_of(x))
  for i, n in ipairs(sizes) do
    if n == -1 then
      if open then
        args.fail("reshape", "ValueError", "only one size may be -1: %s",
                  core.shape_text(sizes))
      end
      open = i
    else
      known = known * n
    end
  end
  if open and known > 0 and size % known == 0 then
    sizes[open] = size // known
  elseif open or known ~= size then
    args.fail("reshape", "TypeError", "cannot reshape array of shape %s " ..
              "(size %d) into shape %s", core.shape_text(shape_of(x)), size,
              core.shape_text(sizes))
  end
  if not by_columns then return lax.reshape(x, sizes) end
  -- C's order of the axes from the last to the first.
  return M.transpose(lax.reshape(M.transpose(x), reversed(sizes)))
end

function M.ravel(x, ...)
  local order = args.named("ravel", {"order"}, ...).order
  return order and M.reshape(x, -1, order) or M.reshape(x, -1)
end
M.flatten = M.ravel

--- transpose(x, axes): reversed without axes.
function M.transpose(x, ...)
  x = array(x, "transpose")
  local rank, order = #shape_of(x), {}
  local axes = listed(...)
  if args.is_keywords(axes) then axes = axes.axes or {} end
  if #axes == 0 then
    for d = 1, rank do order[d] = rank - d end
    return lax.transpose(x, order)
  end
  local seen = args.axes(axes, rank, "transpose")
  if #seen ~= rank then
    args.fail("transpose", "ValueError", "%d axes for an array with %d", #seen,
              rank)
  end
  for i, a in ipairs(axes) do order[i] = args.axis(a, rank, "transpose") end
  return lax.transpose(x, order)
end

--- broadcast_to(x, shape)
function M.broadcast_to(x, shape)
  x = array(x, "broadcast_to")
  shape = args.shape(shape, "broadcast_to")
  local own = shape_of(x)
  local ok = #own <= #shape
  for d, n in ipairs(own) do
    ok = ok and (n == 1 or n == shape[#shape - #own + d])
  end
  if not ok then
    args.fail("broadcast_to", "ValueError", "Incompatible shapes for " ..
              "broadcasting: %s and requested shape %s", core.shape_text(own),
              core.shape_text(shape))
  end
  return args.stretch(x, shape)
end

args.let_be_named(M, {broadcast_to = {"shape"}})

return M
