-- SPDX-License-Identifier: Apache-2.0
-- Sets, histograms, interpolation, and choosing among arrays.
local np, fail, method, core = ...

local function define(name, names, f) core.define(np, name, names, f) end

-- ---- Histograms ----

-- The ends of the bins: those of `range`, else of the elements.
local function ends(name, a, range)
  local low, high = 0, 1
  if range ~= nil then
    local r = np.asarray(range, "f64")
    if r.size ~= 2 then fail(name .. ": the range is {low, high}") end
    low, high = r[0], r[1]
    if low > high then
      fail(("%s: the range ends (%g) before it begins (%g)"):format(name, high,
        low))
    end
  elseif a.size > 0 then
    low, high = np.min(a), np.max(a)
  end
  if low ~= low or high ~= high or high - low == np.inf then
    fail(("%s: the range [%s, %s] is not finite"):format(name, low, high))
  end
  if low == high then low, high = low - 0.5, high + 0.5 end
  return low, high
end

local function edges_of(name, a, bins, range)
  bins = bins == nil and 10 or bins
  if type(bins) == "string" then
    fail(("%s: bins is a number or the edges; \"%s\" is not supported")
      :format(name, bins))
  end
  if type(bins) ~= "number" then
    local edges = np.asarray(bins)
    if edges.ndim ~= 1 then fail(name .. ": the edges have one axis") end
    if edges.size > 1 and np.any(np.less(np.diff(edges), 0)) then
      fail(name .. ": the edges must not descend")
    end
    return edges
  end
  if math.type(bins) ~= "integer" or bins < 1 then
    fail(("%s: %s bins; there is at least one"):format(name, bins))
  end
  local low, high = ends(name, a, range)
  local t = a.dtype:find("f", 1, true) and a.dtype or "f64"
  if range ~= nil then return np.linspace(low, high, bins + 1):astype(t) end
  -- From the elements: in their own type, as NumPy rounds.
  low, high = np.array(low, t), np.array(high, t)
  local edges = np.arange(bins + 1, t) * ((high - low) / bins) + low
  edges[-1] = high
  return edges
end

define("histogram_bin_edges", {"a", "bins", "range", "weights"},
  function(a, bins, range)
    return edges_of("histogram_bin_edges", np.ravel(a), bins, range)
  end)

--- Counts in each bin, and the edges; the last bin holds its right edge too.
define("histogram", {"a", "bins", "range", "density", "weights"},
  function(a, bins, range, density, weights)
    a = np.ravel(a)
    if a.dtype == "bool" then a = a:astype("u8") end
    local edges = edges_of("histogram", a, bins, range)
    local order
    if weights ~= nil then
      weights = np.ravel(weights)
      if weights.size ~= a.size then
        fail(("histogram: there are %d weights for %d elements"):format(
          weights.size, a.size))
      end
      order = np.argsort(a)
    end
    local sorted = order and a[order] or np.sort(a)
    local at = np.searchsorted(sorted, edges)
    at[-1] = np.searchsorted(sorted, edges["-1:"], "right")[0]
    local counts
    if weights ~= nil then
      local sums = np.concatenate{{0},
        np.cumsum(np.take(weights, order), {dtype = np.promote_types(
          weights.dtype, "i64")})}
      counts = np.diff(np.take(sums, at))
    else
      counts = np.diff(at)
    end
    if density then
      local width = np.diff(edges):astype("f64")
      counts = counts / width / np.sum(counts)
    end
    return counts, edges
  end)

-- ---- Interpolation ----

--- Straight lines between the points (xp, fp), which ascend.
define("interp", {"x", "xp", "fp", "left", "right", "period"},
  function(x, xp, fp, left, right, period)
    xp, fp = np.asarray(xp, "f64"), np.asarray(fp, "f64")
    if xp.ndim ~= 1 or fp.ndim ~= 1 or xp.size ~= fp.size then
      fail(("interp: xp has %d points and fp %d"):format(xp.size, fp.size))
    end
    if xp.size == 0 then fail("interp: there are no points") end
    local at = np.asarray(x, "f64")
    if period ~= nil then
      if period == 0 then fail("interp: the period is 0") end
      period, left, right = math.abs(period), nil, nil
      at, xp = np.mod(at, period), np.mod(xp, period)
      local order = np.argsort(xp)
      xp, fp = xp[order], fp[order]
      xp = np.concatenate{xp["-1:"] - period, xp, xp[":1"] + period}
      fp = np.concatenate{fp["-1:"], fp, fp[":1"]}
    end
    local n = xp.size
    local i = np.clip(np.searchsorted(xp, at, "right") - 1, 0,
      math.max(n - 2, 0))
    local j = np.minimum(i + 1, n - 1)
    local x0, f0 = np.take(xp, i), np.take(fp, i)
    local width = np.where(np.greater(j, i), np.take(xp, j) - x0, 1.0)
    local y = (np.take(fp, j) - f0) / width * (at - x0) + f0
    y = np.where(np.less(at, xp[0]), left or fp[0], y)
    y = np.where(np.greater(at, xp[n - 1]), right or fp[n - 1], y)
    y = np.where(np.equal(at, xp[n - 1]), fp[n - 1], y)
    y = np.where(np.isnan(at), np.nan, y)
    return y.ndim == 0 and y:item() or y
  end)

-- ---- Choosing ----

local function need_array(name, a)
  if type(a) ~= "userdata" then
    fail(("%s: a %s cannot be written; np.array(x) can"):format(name, type(a)))
  end
end

local function check_mask(name, a, mask)
  need_array(name, a)
  mask = np.asarray(mask)
  if mask.size ~= a.size then
    fail(("%s: the mask has %d elements and the array %d"):format(name,
      mask.size, a.size))
  end
  return mask
end

--- Writes the values, one after the other, where the mask holds.
define("place", {"a", "mask", "vals"}, function(a, mask, values)
  np.put(a, np.flatnonzero(check_mask("place", a, mask)), values)
end)

--- Writes a value of the same position where the mask holds.
define("putmask", {"a", "mask", "values"}, function(a, mask, values)
  local at = np.flatnonzero(check_mask("putmask", a, mask))
  values = np.ravel(np.array(values, a.dtype))
  if at.size > 0 then np.put(a, at, np.take(values, at, {mode = "wrap"})) end
end)

define("copyto", {"dst", "src", "casting", "where"}, function(to, from, _, mask)
  need_array("copyto", to)
  to["..."] = mask == nil and from or np.where(mask, from, to)
end)

method("put")
