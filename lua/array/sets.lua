-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: arrays as sets, numbers of elements, and choosing by them.
local np, _, _, core = ...

-- ---- Sets: of elements that are known ----

local function sets(lib, define)
  define("union1d", {"a", "b"}, function(a, b)
    a, b = lib.known_pair("union1d", a, b)
    return lib.known(np.unique(np.concatenate{np.ravel(a), np.ravel(b)}))
  end, 2)
  define("setdiff1d", {"a", "b", "assume_unique"},
         function(a, b, assume_unique)
    a, b = lib.known_pair("setdiff1d", a, b)
    local x = assume_unique and np.ravel(a) or np.unique(a)
    return lib.known(x[np.isin(x, b, {invert = true})])
  end, 2)
  define("setxor1d", {"a", "b", "assume_unique"}, function(a, b)
    a, b = lib.known_pair("setxor1d", a, b)
    local x, y = np.unique(a), np.unique(b)
    return lib.known(np.sort(np.concatenate{
      x[np.isin(x, y, {invert = true})], y[np.isin(y, x, {invert = true})]}))
  end, 2)
  define("intersect1d", {"a", "b", "assume_unique", "return_indices"},
         function(a, b, _, return_indices)
    a, b = lib.known_pair("intersect1d", a, b)
    local x, i = np.unique(a, {return_index = true})
    local y, j = np.unique(b, {return_index = true})
    local in_y = np.isin(x, y)
    local r = lib.known(x:astype(np.promote_types(x.dtype, y.dtype))[in_y])
    if not return_indices then return r end
    return r, lib.known_places(i[in_y]), lib.known_places(j[np.isin(y, x)])
  end, 2)
end

-- ---- Numbers of elements ----

local function numbering(lib, define)
  local xp = lib.xp
  define("unravel_index", {"indices", "shape"}, function(index, shape)
    shape = type(shape) == "number" and {shape} or shape
    index = lib.flat_index(index, core.size(shape))
    local out = {}
    for d = #shape, 1, -1 do
      out[d] = lib.plain(xp.mod(index, shape[d]))
      index = xp.floor_divide(index, shape[d])
    end
    return table.unpack(out)
  end)
  define("ravel_multi_index", {"multi_index", "dims", "mode"},
         function(index, dims, mode)
    local name = "ravel_multi_index"
    dims = type(dims) == "number" and {dims} or dims
    local list = lib.index_list(index, name)
    if #list ~= #dims then
      lib.fail(name, "ValueError", lib.either(
        "%d indexes for %d axes", "%d index arrays for %d axes"), #list, #dims)
    end
    local total
    for d, n in ipairs(dims) do
      local i = lib.place_within(name, list[d], n, mode)
      total = total and xp.add(xp.multiply(total, n), i) or i
    end
    return lib.plain(total)
  end, 2)
end

-- ---- Choosing ----

local function choosing(lib, define)
  local xp = lib.xp
  -- choices[a] for each element.
  define("choose", {"a", "choices", "mode"}, function(a, choices, mode)
    a = lib.array_or_table(a, "choose")
    local list = lib.arrays(choices, "choose")
    a = lib.choice(a, #list, mode)
    local r = list[1]
    for k = 2, #list do r = xp.where(xp.equal(a, k - 1), list[k], r) end
    return lib.shaped_as(r, a, #list)
  end, 2)
  -- The value of the last function whose condition holds; one more is for the
  -- rest.
  define("piecewise", nil, function(x, conditions, functions, ...)
    x = lib.array(x, "piecewise")
    local n = #conditions
    if #functions ~= n and #functions ~= n + 1 then
      lib.fail("piecewise", "ValueError", lib.either(
        "%d functions for %d conditions; there is one for each, and perhaps " ..
        "one more", "%d functions for %d conditions"), #functions, n)
    end
    local function value(f, ...)
      return type(f) ~= "function" and f or f(x, ...)
    end
    local rest = functions[n + 1]
    local r = rest == nil and xp.zeros_like(x) or value(rest, ...)
    for i = 1, n do
      r = xp.where(conditions[i], value(functions[i], ...), r)
    end
    return xp.astype(xp.broadcast_to(r, x.shape), x.dtype)
  end)
  define("compress", {"condition", "a", "axis"}, function(condition, a, axis)
    local at = np.flatnonzero(lib.known_condition("compress", condition))
    return lib.take_at(lib.array_or_table(a, "compress"), at, axis)
  end, 2)
  define("extract", {"condition", "a"}, function(condition, a)
    return xp.compress(xp.ravel(lib.array_or_table(condition, "extract")), a)
  end, 2)
  -- By the last key, then by the one before, and so on.
  define("lexsort", {"keys", "axis"}, function(keys, axis)
    local list = lib.arrays(keys, "lexsort")
    return lib.order_by(list, lib.axis(axis or -1, list[1].ndim,
                                       lib.either("argsort", "lexsort")))
  end)
end

-- ---- Bins ----

local function bins(lib, define)
  local xp = lib.xp
  -- Which bin each element is in: bins[i - 1] <= x < bins[i].
  define("digitize", {"x", "bins", "right"}, function(x, edges, right)
    edges = lib.array_or_table(edges, "digitize")
    local side, n = right and "left" or "right", edges.shape[1]
    if lib.either(false, n == 0) then
      return xp.zeros(lib.shape_of(x, "digitize"), "i32")
    end
    local is_rising = lib.rising(edges)
    local up = is_rising and xp.searchsorted(edges, x, {side = side})
    if is_rising == true then return up end
    local down = xp.subtract(n, xp.searchsorted(lib.reverse(edges, {0}), x,
                                                {side = side}))
    return is_rising and xp.where(is_rising, up, down) or down
  end)
end

-- ---- Writing ----

local function writing(lib)
  -- A mask for all elements of an array that is written.
  function lib.check_mask(name, a, mask)
    lib.check_written(name, a)
    mask = lib.array(mask, name)
    if mask.size ~= a.size then
      lib.fail(name, "ValueError", "the mask has %d elements and the array %d",
               mask.size, a.size)
    end
    return mask
  end
  -- Values, one after the other and again, where the mask holds.
  lib.define_writer("place", {"a", "mask", "vals"}, function(a, mask, values)
    return lib.write_where(a, lib.check_mask("place", a, mask), values)
  end)
  lib.define_writer("fill_diagonal", {"a", "val", lib.either(nil, "wrap")},
                    function(a, value, wraps)
    local shape = a.shape
    local rank, n, step = #shape, core.size(shape), 1
    if lib.either(rank ~= 2, rank < 2) then
      if lib.either(true, false) then
        lib.fail("fill_diagonal", nil, "the array has %d axes, not two", rank)
      end
      lib.fail("fill_diagonal", "ValueError",
               "an array with at least two axes, not of shape %s",
               core.shape_text(shape))
    end
    local last, size = n, 1
    for d = rank, 2, -1 do
      size = size * shape[d]
      step = step + size
    end
    if rank == 2 and not wraps then last = math.min(n, shape[2] * shape[2]) end
    return lib.write(a, lib.xp.arange(0, last, step), value)
  end)
end

core.family(function(lib)
  local define = lib.define
  sets(lib, define)
  numbering(lib, define)
  choosing(lib, define)
  bins(lib, define)
  writing(lib)
end)
