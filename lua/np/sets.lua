-- SPDX-License-Identifier: Apache-2.0
-- What np gives to ../array/bins.lua; writing by a mask.
local np, fail, method, core = ...
local lib = core.lib

local function define(name, names, f) core.define(np, name, names, f) end

-- ---- Histograms ----

-- A line of elements that are counted.
function lib.counted(_, a)
  a = np.ravel(a)
  return a.dtype == "bool" and a:astype("u8") or a
end

function lib.given_edges(name, edges)
  if edges.size > 1 and np.any(np.less(np.diff(edges), 0)) then
    fail(name .. ": the edges must not descend")
  end
  return edges
end

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

function lib.even_edges(name, a, bins, range)
  local low, high = ends(name, a, range)
  local t = lib.is_float(a) and a.dtype or "f64"
  if range ~= nil then return np.linspace(low, high, bins + 1):astype(t) end
  -- From the elements: in their own type, as NumPy rounds.
  if t == "f64" then low, high = low + 0.0, high + 0.0
  else low, high = np.array(low, t), np.array(high, t) end
  local edges = np.arange(bins + 1, t) * ((high - low) / bins) + low
  edges[-1] = high
  return edges
end

-- How many elements are in each bin, or the sums of their weights.
function lib.bin_counts(a, edges, weights)
  local order = weights and np.argsort(a)
  local sorted = order and a[order] or np.sort(a)
  local at = np.searchsorted(sorted, edges)
  at[-1] = np.searchsorted(sorted, edges[-1], "right")
  if not weights then return np.diff(at) end
  local t = np.promote_types(weights.dtype, "i64")
  local sums = np.cumsum(np.take(weights, order), {dtype = t})
  return np.diff(np.take(np.concatenate{{0}, sums}, at))
end

-- ---- Interpolation ----

function lib.curve_points(_, x, px, py)
  return np.asarray(x, "f64"), np.asarray(px, "f64"), np.asarray(py, "f64")
end

function lib.sort_pairs(x, y)
  local order = np.argsort(x)
  return x[order], y[order]
end

function lib.on_line(x, x0, y0, x1, y1, is_point)
  local width = is_point and 1.0 or x1 - x0
  return (y1 - y0) / width * (x - x0) + y0
end

-- At the last point its value, which the line may miss by a bit.
function lib.meets_last(y, x, px, py)
  local n = px.size
  return np.where(np.equal(x, px[n - 1]), py[n - 1], y)
end

-- ---- Writing ----

local function need_array(name, a)
  if type(a) ~= "userdata" then
    fail(("%s: a %s cannot be written; np.array(x) can"):format(name, type(a)))
  end
end

lib.check_written = need_array

-- The values, one after the other, where the mask holds.
function lib.write_where(a, mask, values)
  np.put(a, np.flatnonzero(mask), values)
end

--- Writes a value of the same position where the mask holds.
define("putmask", {"a", "mask", "values"}, function(a, mask, values)
  local at = np.flatnonzero(lib.check_mask("putmask", a, mask))
  values = np.ravel(np.array(values, a.dtype))
  if at.size > 0 then np.put(a, at, np.take(values, at, {mode = "wrap"})) end
end)

define("copyto", {"dst", "src", "casting", "where"}, function(to, from, _, mask)
  need_array("copyto", to)
  to["..."] = mask == nil and from or np.where(mask, from, to)
end)

method("put")
