-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: quantiles.
local _, _, _, core = ...

-- Of x, the lines of what is reduced, the last axis; the axes before it, those
-- of a result with keepdims, and how long lines are.
local function lines_of(lib, x, axes)
  local shape, gone, order, kept, wide, n = x.shape, {}, {}, {}, {}, 1
  for _, d in ipairs(axes) do gone[d], n = true, n * shape[d + 1] end
  for d, size in ipairs(shape) do
    wide[d] = gone[d - 1] and 1 or size
    if not gone[d - 1] then order[#order + 1], kept[#kept + 1] = d - 1, size end
  end
  if #axes ~= 1 or axes[1] ~= #shape - 1 then
    table.move(axes, 1, #axes, #order + 1, order)
    local whole = table.move(kept, 1, #kept, 1, {})
    whole[#whole + 1] = n
    x = lib.reshape(lib.transpose(x, order), whole)
  end
  return x, kept, wide, n
end

-- The elements around a place of each sorted line, of which `most` is the last,
-- and how far it is from the first to the second: the same place of all lines,
-- a number, or one of each.
local function around(lib, lines, place, most)
  local xp = lib.xp
  if type(place) == "number" then
    local low, axis = math.floor(place), lines.ndim - 1
    most = math.max(most, 0)
    local high = math.min(lib.either(low + 1, math.ceil(place)), most)
    return lib.item(lines, axis, math.min(low, most)),
           lib.item(lines, axis, high), place - low
  end
  local low = xp.floor(place)
  local high = lib.either(xp.minimum(low + 1, most), xp.ceil(place))
  return lib.item_of_each(lines, low), lib.item_of_each(lines, high),
         place - low
end

-- A quantile of each line. Where NaN is left out, of so many elements of it.
local function quantile_of(lib, lines, asked, q, n, counts)
  local xp, t = lib.xp, lines.dtype
  local low, high, part = around(lib, lines, asked.place(q, counts or n),
                                 (counts or n) - 1)
  local r = lib.cast(asked.between(low, high, part), t)
  if counts then
    return xp.where(xp.equal(counts, 0), xp.nan, r)
  elseif not lib.is_float(lines) then
    return r
  end
  local last = lib.item(lines, lines.ndim - 1, n - 1) -- NaN is sorted last
  return lib.select(lib.is_known(last), r, last)
end

local function no_elements(lib, name, shape, t)
  if lib.either(name:find("median"), nil) then
    return lib.plain(lib.xp.full(shape, lib.xp.nan, t))
  end
  lib.fail(name, "ValueError", lib.either("there is no element to choose from",
    "zero-size array to reduction operation %s which has no identity"), name)
end

local function quantile(lib, name, a, q, axis, how, keepdims, is_percent)
  local xp = lib.xp
  a = lib.array(a, name)
  local axes = lib.axes(axis, a.ndim, name)
  local x, asked = lib.quantiles(name, a, q, how, is_percent)
  local lines, kept, wide, n = lines_of(lib, x, asked.axes or axes)
  local shape = keepdims and wide or kept
  if n == 0 then return no_elements(lib, name, shape, asked.dtype) end
  lines = xp.sort(lines, -1)
  local counts = name:find("^nan") and lib.count_known(lines, asked.type)
  local list = {}
  for i, value in ipairs(asked.values) do
    list[i] = lib.cast(quantile_of(lib, lines, asked, value, n, counts),
                       asked.dtype)
  end
  local own = asked.shape
  local r = #own == 0 and list[1] or xp.stack(list)
  if keepdims or #own > 1 then
    shape = table.move(shape, 1, #shape, #own + 1, table.move(own, 1, #own, 1,
                                                             {}))
    r = lib.reshape(r, shape)
  end
  return lib.plain(r)
end

core.family(function(lib)
  local define = lib.define
  local names = lib.either({"a", "q", "axis", "method", "keepdims"}, {
    "a", "q", "axis", "method", "keepdims", "interpolation"})
  local middle = lib.either({"a", "axis", "keepdims"},
                            {"a", "axis", "keepdims", "out"})
  for _, nan in ipairs{"", "nan"} do
    for name, is_percent in pairs{quantile = false, percentile = true} do
      name = nan .. name
      define(name, names, function(a, q, axis, how, keepdims, interpolation)
        return quantile(lib, name, a, q, axis, how or interpolation, keepdims,
                        is_percent)
      end)
    end
    local name = nan .. "median"
    define(name, middle, function(a, axis, keepdims, out)
      lib.no_out(name, out)
      return quantile(lib, name, a, 0.5, axis, lib.MIDDLE, keepdims)
    end)
  end
end)
