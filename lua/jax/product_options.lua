-- SPDX-License-Identifier: Apache-2.0
-- What jnp's products take besides their arrays: the `precision` of each
-- product, and `preferred_element_type`, the type that sums are taken in and
-- the result has.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")

local names = {"precision", "preferred_element_type"}

-- Whether each number of type a is one of type b.
local function is_within(a, b)
  return types.result_type{{dtype = a}, {dtype = b}} == b
end

local function with_precision(precision, f, ...)
  if precision == nil then return f(...) end
  if type(precision) == "table" then
    precision = config.product_precision(precision)
  end
  local before = lax.set_matmul_precision(precision)
  return core.finally(function() lax.set_matmul_precision(before) end, f, ...)
end

-- f of these arrays and what stands behind them. Of a wider type the arrays are
-- made, so that no sum is rounded before; of a narrower one the result.
local function computed(name, f, arrays, rest, o)
  local wanted = args.dtype(o.preferred_element_type, name)
  if not wanted then
    return with_precision(o.precision, f, table.unpack(table.move(
      rest, 1, rest.n, #arrays + 1, arrays), 1, #arrays + rest.n))
  end
  local own, t = args.promoted(name, args.copy(arrays))
  for i, x in ipairs(own) do
    own[i] = is_within(t, wanted) and args.as_type(x, wanted) or x
  end
  local n = #own
  table.move(rest, 1, rest.n, n + 1, own)
  return args.as_type(with_precision(o.precision, f,
                                     table.unpack(own, 1, n + rest.n)), wanted)
end

-- The options out of a table by name, which keeps the others.
local function taken(given)
  local last, o = given[given.n], {}
  if not args.is_keywords(last) then return o end
  local rest = {}
  for k, v in pairs(last) do rest[k] = v end
  for _, k in ipairs(names) do o[k], rest[k] = rest[k], nil end
  given[given.n] = next(rest) and rest or nil
  if not next(rest) then given.n = given.n - 1 end
  return o
end

return function(jnp)
  for _, name in ipairs{"dot", "matmul", "vdot", "inner"} do
    local f = jnp[name]
    jnp[name] = function(x, y, ...)
      local o = args.named(name, names, ...)
      if not next(o) then return f(x, y) end
      return computed(name, f, args.pair(name, x, y), {n = 0}, o)
    end
  end
  for _, name in ipairs{"tensordot", "vecdot"} do
    local f = jnp[name]
    jnp[name] = function(x, y, ...)
      local rest = table.pack(...)
      local o = taken(rest)
      if not next(o) then return f(x, y, ...) end
      return computed(name, f, args.pair(name, x, y), rest, o)
    end
  end
  local own = jnp.einsum
  jnp.einsum = function(text, ...)
    local given = table.pack(...)
    local o = taken(given)
    if not next(o) then return own(text, ...) end
    local function f(...) return own(text, ...) end
    local list = args.is_list(given[1]) and args.copy(given[1]) or given
    list.n = nil
    return computed("einsum", f, list, {n = 0}, o)
  end
end
