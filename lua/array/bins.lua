-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: histograms, and what lies between points.
local _, _, _, core = ...

-- ---- Histograms ----

local function edges_of(lib, name, a, bins, range)
  if bins == nil then bins = 10 end
  if type(bins) == "string" then
    lib.fail(name, "TypeError",
             "bins is a number or the edges; \"%s\" is not supported", bins)
  elseif type(bins) ~= "number" then
    local edges = lib.array_or_table(bins, name)
    if edges.ndim ~= 1 then
      lib.fail(name, "TypeError", "the edges have one axis")
    end
    return lib.given_edges(name, edges, a)
  elseif math.type(bins) ~= "integer" or bins < lib.either(1, 0) then
    lib.fail(name, "ValueError", "%s bins; there is at least %s", bins,
             lib.either("one", "none"))
  end
  return lib.even_edges(name, a, bins, range)
end

local function histograms(lib, define)
  local xp = lib.xp
  define("histogram_bin_edges", {"a", "bins", "range", "weights"},
         function(a, bins, range)
    local name = "histogram_bin_edges"
    return edges_of(lib, name, lib.counted(name, a), bins, range)
  end)
  -- Counts in each bin, and the edges; the last bin holds its right edge too.
  define("histogram", {"a", "bins", "range", lib.either("density", "weights"),
                       lib.either("weights", "density")},
         function(a, bins, range, third, fourth)
    local density, weights = lib.either(third, fourth),
                             lib.either(fourth, third)
    a = lib.counted("histogram", a)
    local edges = edges_of(lib, "histogram", a, bins, range)
    if weights ~= nil then
      weights = xp.ravel(lib.array_or_table(weights, "histogram"))
      if weights.size ~= a.size then
        lib.fail("histogram", "ValueError",
                 "there are %d weights for %d elements", weights.size, a.size)
      end
    end
    local counts = lib.bin_counts(a, edges, weights)
    if not density then return counts, edges end
    local width = xp.diff(edges)
    width = lib.cast(width, lib.either("f64", width.dtype))
    return counts / width / xp.sum(counts), edges
  end)
end

-- ---- Interpolation ----

-- Points of a period, in order, with one more on each side.
local function periodic(lib, px, py, period)
  local xp, n = lib.xp, px.size
  px, py = lib.sort_pairs(xp.mod(px, period), py)
  local function around(v, by)
    return xp.concatenate{lib.slice(v, 0, n - 1, 1) - by, v,
                          lib.slice(v, 0, 0, 1) + by}
  end
  return around(px, period), around(py, 0)
end

local function check_points(lib, px, py)
  if px.ndim ~= 1 or py.ndim ~= 1 or px.size ~= py.size then
    lib.fail("interp", "ValueError", lib.either(
      "xp has %d points and fp %d", "xp and fp must be one-dimensional " ..
      "arrays of equal size, not %s and %s"),
      lib.either(px.size, core.shape_text(px.shape)),
      lib.either(py.size, core.shape_text(py.shape)))
  elseif px.size == 0 then
    lib.fail("interp", "TypeError", "there are no points")
  end
end

-- Straight lines between the points (px, py), which ascend, unless there is a
-- period.
local function interpolated(lib, x, px, py, period)
  local xp = lib.xp
  if period ~= nil then
    period = xp.abs(period)
    x = xp.mod(x, period)
    px, py = periodic(lib, px, py, period)
  end
  local n = px.size
  local step = math.min(1, n - 1)
  local j = xp.clip(xp.searchsorted(px, x, {side = "right"}), step, n - 1)
  local i = j - step
  local f = lib.on_line(x, xp.take(px, i), xp.take(py, i), xp.take(px, j),
                        xp.take(py, j), n == 1)
  return lib.meets_last(f, x, px, py)
end

local function interpolation(lib, define)
  local xp = lib.xp
  define("interp", {"x", "xp", "fp", "left", "right", "period"},
         function(x, px, py, left, right, period)
    for side, v in pairs{left = left, right = right} do
      if type(v) == "string" and v ~= lib.either(nil, "extrapolate") then
        lib.fail("interp", "ValueError", lib.either(
          "`%s` is a number, not \"%s\"", "the only valid string value of " ..
          "`%s` is \"extrapolate\", but got: \"%s\""), side, v)
      end
    end
    if lib.either(period == 0, false) then
      lib.fail("interp", "ValueError", "the period is 0")
    end
    x, px, py = lib.curve_points("interp", x, px, py)
    check_points(lib, px, py)
    local f, n = interpolated(lib, x, px, py, period), px.size
    if period == nil and left ~= "extrapolate" then
      if left == nil then left = lib.at(py, 0) end
      f = xp.where(xp.less(x, lib.at(px, 0)), left, f)
    end
    if period == nil and right ~= "extrapolate" then
      if right == nil then right = lib.at(py, n - 1) end
      f = xp.where(xp.greater(x, lib.at(px, n - 1)), right, f)
    end
    return lib.plain(f)
  end, 3)
end

core.family(function(lib)
  histograms(lib, lib.define)
  interpolation(lib, lib.define)
end)
