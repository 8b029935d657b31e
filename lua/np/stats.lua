-- SPDX-License-Identifier: Apache-2.0
-- What np gives to ../array/quantile.lua: NumPy's methods and types.
local np, fail, _, core = ...
local lib = core.lib

-- Which two elements of a sorted line surround a quantile: alpha and beta of
-- Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996.
local continuous = {
  linear = {1, 1}, hazen = {0.5, 0.5}, weibull = {0, 0},
  median_unbiased = {1 / 3, 1 / 3}, normal_unbiased = {3 / 8, 3 / 8},
  interpolated_inverted_cdf = {0, 1},
}
-- The median's: linear, and between two elements their mean, which is infinite
-- where one of them is.
lib.MIDDLE = {}
continuous[lib.MIDDLE] = continuous.linear
local rounded = {
  lower = np.floor, higher = np.ceil, nearest = np.rint,
  midpoint = function(h) return (np.floor(h) + np.ceil(h)) * 0.5 end,
}
-- Methods that choose an element keep its type.
local chooses = {lower = true, higher = true, nearest = true}

-- Where quantile q lies in lines of n (a number or one for each line).
local function position(q, n, how)
  local h
  if rounded[how] then
    h = rounded[how]((n - 1) * q)
  else
    local c = continuous[how]
    h = n * q + (c[1] + q * (1 - c[1] - c[2])) - 1
  end
  if type(h) == "number" then return math.max(math.min(h, n - 1.0), 0.0) end
  return np.maximum(np.minimum(np.maximum(h, 0.0), n - 1.0), 0.0)
end

-- The quantiles that are asked for, as numbers and their shape; the type that
-- they have.
local function asked_for(q, is_percent)
  local scale = is_percent and 100 or 1
  if type(q) == "number" then
    q = is_percent and q / 100 or q
    return {q}, {}, math.type(q) == "float", nil, scale
  end
  q = np.asarray(q)
  if is_percent then q = np.asarray(np.divide(q, 100)) end
  local is_float = lib.is_float(q)
  return np.ravel(np.asarray(q, "f64")):tolist(), q.shape, is_float,
         is_float and q.dtype or "f64", scale
end

-- Elements a and b, of which the second has the share g. From the nearer end,
-- so that both are met exactly; beside infinity, whose difference times 0 is
-- NaN, as NumPy's. A median's is the element.
local function between(how, a, b, g)
  if chooses[how] then return a end
  if type(g) ~= "number" then
    g = lib.cast(g, a.dtype)
    return how == lib.MIDDLE and np.where(np.equal(g, 0), a, (a + b) / 2)
      or np.where(np.less(g, 0.5), a + (b - a) * g, b - (b - a) * (1 - g))
  end
  if a.dtype ~= "f64" then g = np.array(g, a.dtype):item() end
  if how == lib.MIDDLE then return g == 0 and a or (a + b) / 2 end
  return g < 0.5 and a + (b - a) * g or b - (b - a) * (1 - g)
end

function lib.quantiles(name, x, q, how, is_percent)
  local values, shape, is_float, own, scale = asked_for(q, is_percent)
  for _, v in ipairs(values) do
    if not (v >= 0 and v <= 1) then
      fail(("%s: %g is not between 0 and %d"):format(name, v * scale, scale))
    end
  end
  -- 0 and 1 as whole numbers fall on an element, which is chosen.
  if how == nil then how = "linear" end
  if how == "linear" and not is_float then how = "lower" end
  if not rounded[how] and not continuous[how] then
    fail(("%s: there is no method %s"):format(name, tostring(how)))
  end
  local asked = {values = values, shape = shape, how = how, dtype = x.dtype}
  function asked.place(value, n) return position(value, n, how) end
  function asked.between(a, b, g) return between(how, a, b, g) end
  if chooses[how] then return x, asked end
  local t = lib.is_float(x) and x.dtype or "f64"
  if own then t = np.promote_types(t, own) end -- a number gives way
  asked.dtype = t
  return lib.cast(x, (t == "f16" or t == "bf16") and "f32" or t), asked
end

-- How many elements of each line are not NaN.
function lib.count_known(lines) return np.sum(lib.is_known(lines), -1) end
