-- SPDX-License-Identifier: Apache-2.0
-- Random orders and choices, and NumPy's functions without a generator, which
-- share one.
local np, fail, _, core = ...
local random = np.random
local methods = random.methods
random.methods = nil
local order, sample, is_old = methods.order, methods.sample, methods.is_old
methods.order, methods.sample, methods.is_old = nil, nil, nil

-- rng:NAME, whose arguments behind the generator have these names.
local function define(name, names, f)
  core.define(methods, name, {"rng", table.unpack(names)}, f, "rng:")
end

define("standard_exponential", {"size", "dtype"}, function(rng, size, dtype)
  return rng:exponential(1.0, size, dtype)
end)
define("standard_gamma", {"shape", "size", "dtype"},
       function(rng, shape, size, dtype)
  return rng:gamma(shape, 1.0, size, dtype)
end)

-- ---- Orders ----

local function line_axis(name, x, axis)
  axis = axis or 0
  if axis < 0 then axis = axis + x.ndim end
  if axis < 0 or axis >= x.ndim then
    fail(("rng:%s: there is no axis %d in an array with %d axes"):format(name,
      axis, x.ndim))
  end
  return axis
end

--- The numbers 0 .. n-1 in a random order, or a copy of `x` in one.
define("permutation", {"x", "axis"}, function(rng, x, axis)
  if math.type(x) == "integer" then
    if x < 0 then fail("rng:permutation: the number is negative") end
    return order(rng, x)
  end
  x = np.asarray(x)
  if x.ndim == 0 then fail("rng:permutation: the array has no axis") end
  axis = line_axis("permutation", x, axis)
  return np.take(x, order(rng, x.shape[axis + 1]), axis)
end)

--- In place: an array along an axis, or a Lua table.
define("shuffle", {"x", "axis"}, function(rng, x, axis)
  if type(x) == "table" then
    local old = table.move(x, 1, #x, 1, {})
    for i, from in ipairs(order(rng, #x):tolist()) do x[i] = old[from + 1] end
  elseif type(x) == "userdata" then
    x["..."] = methods.permutation(rng, x, axis)
  else
    fail("rng:shuffle: it changes an array or a table, not a " .. type(x))
  end
end)

-- ---- Made of others, number by number as NumPy does ----

local function count_of(size)
  local n, shape = 1, type(size) == "table" and size or {size}
  for _, s in ipairs(shape) do n = n * s end
  return n
end

-- f() for each element; a number without a size.
local function each(size, f)
  if size == nil then return f() end
  local list, shape = {}, type(size) == "table" and size or {size}
  for i = 1, count_of(shape) do list[i] = f() end
  return np.array(list, "f64"):reshape(shape)
end

define("f", {"dfnum", "dfden", "size"}, function(rng, dfnum, dfden, size)
  return each(size, function()
    local num = rng:chisquare(dfnum) * dfden
    return num / (rng:chisquare(dfden) * dfnum)
  end)
end)

--- Inverse Gaussian numbers (Michael, Schucany and Haas 1976).
define("wald", {"mean", "scale", "size"}, function(rng, mean, scale, size)
  return each(size, function()
    local y = rng:standard_normal()
    y = mean * y * y
    local x = mean * (1 - 2 / (1 + math.sqrt(1 + 4 * scale / y)))
    return rng:random() <= mean / (mean + x) and x or mean * mean / x
  end)
end)

--- Failures before the n-th success of probability p.
define("negative_binomial", {"n", "p", "size"}, function(rng, n, p, size)
  local counts = each(size, function()
    return rng:poisson(rng:gamma(n, (1 - p) / p))
  end)
  return type(counts) == "number" and counts or counts:astype("i64")
end)

-- Of a stick of length 1, a part for each but the last; sums[j]: the sum of
-- alpha from j on.
local function broken_stick(rng, alpha)
  local sums, rest, parts = {}, 1.0, {}
  for j = #alpha, 1, -1 do sums[j] = alpha[j] + (sums[j + 1] or 0) end
  for j = 1, #alpha - 1 do
    local v = rng:beta(alpha[j], sums[j + 1])
    parts[j] = rest * v
    rest = rest * (1 - v)
  end
  parts[#alpha] = rest
  return parts
end

--- Probabilities that add up to 1, along the last axis.
define("dirichlet", {"alpha", "size"}, function(rng, alpha, size)
  alpha = np.asarray(alpha, "f64"):tolist()
  local is_small = math.max(table.unpack(alpha)) < 0.1 and not is_old(rng)
  for j, a in ipairs(alpha) do
    if a <= 0 or a ~= a then
      fail(("rng:dirichlet: alpha[%d] is %s and not over 0"):format(j - 1, a))
    end
  end
  local shape = size == nil and {} or
    type(size) == "table" and table.move(size, 1, #size, 1, {}) or {size}
  local rows = {}
  for i = 1, count_of(shape) do
    local row, sum = is_small and broken_stick(rng, alpha) or {}, 0.0
    for j = #row + 1, #alpha do
      row[j] = rng:standard_gamma(alpha[j])
      sum = sum + row[j]
    end
    if not is_small then
      for j, v in ipairs(row) do row[j] = v / sum end
    end
    rows[i] = row
  end
  shape[#shape + 1] = #alpha
  return np.array(rows, "f64"):reshape(shape)
end)

--- Normal vectors; method: "svd", "eigh" or "cholesky".
define("multivariate_normal", {"mean", "cov", "size", "method"},
       function(rng, mean, cov, size, method)
  mean, cov = np.asarray(mean, "f64"), np.asarray(cov, "f64")
  local n, s = mean.size, cov.shape
  if mean.ndim ~= 1 or #s ~= 2 or s[1] ~= n or s[2] ~= n then
    fail("rng:multivariate_normal: a mean of shape " ..
         core.shape_text(mean.shape) .. " and a covariance of shape " ..
         core.shape_text(s))
  end
  local shape = size == nil and {} or
    type(size) == "table" and table.move(size, 1, #size, 1, {}) or {size}
  shape[#shape + 1] = n
  local factor
  if method == nil or method == "svd" then
    local u, sv = np.linalg.svd(cov)
    factor = u * np.sqrt(sv)
  elseif method == "eigh" then
    local w, v = np.linalg.eigh(cov)
    factor = v * np.sqrt(np.abs(w))
  elseif method == "cholesky" then
    factor = np.linalg.cholesky(cov)
  else
    fail("rng:multivariate_normal: method is svd, eigh or cholesky, not " ..
         tostring(method))
  end
  return mean + np.matmul(rng:standard_normal(shape), factor.T)
end)

-- ---- Choices ----

-- Running sums of the probabilities, ending in 1.
local function distribution(p)
  local sums = np.cumsum(p)
  return sums / sums[-1]
end

local function check_p(p, n)
  p = np.array(p, "f64")
  if p.ndim ~= 1 or p.size ~= n then
    fail(("rng:choice: there are %d probabilities for %d elements"):format(
      p.size, n))
  end
  if np.any(np.less(p, 0)) then
    fail("rng:choice: a probability is negative")
  end
  local off = math.abs(np.sum(p) - 1)
  if off ~= off or off > 1e-8 then
    fail(("rng:choice: the probabilities add up to %.9g, not 1"):format(
      np.sum(p)))
  end
  return p
end

-- Different ones by their probabilities: what is drawn twice is drawn anew
-- among the rest.
local function weighted_sample(rng, p, count)
  if count > np.count_nonzero(p) then
    fail(("rng:choice: %d different elements are asked for, and %d have a "
      .. "probability above 0"):format(count, np.count_nonzero(p)))
  end
  local found, n = np.zeros(count, "i64"), 0
  p = p:copy()
  while n < count do
    local x = rng:random(count - n)
    if n > 0 then np.put(p, found[(":%d"):format(n)], 0) end
    local new = np.searchsorted(distribution(p), x, "right")
    local _, first = np.unique(new, {return_index = true})
    new = np.take(new, np.sort(first))
    found[("%d:%d"):format(n, n + new.size)] = new
    n = n + new.size
  end
  return found
end

-- Different ones of n, all alike: NumPy's choice between two methods.
local function plain_sample(rng, n, count, shuffle)
  if is_old(rng) then return order(rng, n)[(":%d"):format(count)] end
  if n > 10000 and count > n // (shuffle and 50 or 20) then
    return order(rng, n, math.max(n - count, 1))[("%d:"):format(n - count)]
  end
  return sample(rng, n, count, shuffle)
end

define("choice", {"a", "size", "replace", "p", "axis", "shuffle"},
       function(rng, a, size, replace, p, axis, shuffle)
  local n = a
  if math.type(a) ~= "integer" then
    a = np.asarray(a)
    axis = line_axis("choice", a, axis)
    n = a.shape[axis + 1]
  end
  local count = size == nil and 1 or count_of(size)
  if n < 1 and count > 0 then fail("rng:choice: there is nothing to choose") end
  p = p ~= nil and check_p(p, n) or nil
  local at
  if replace ~= false then
    at = p and np.searchsorted(distribution(p), rng:random(count), "right")
      or rng:integers(0, n, count)
  elseif count > n then
    fail(("rng:choice: %d different elements are asked for, and there are %d")
      :format(count, n))
  elseif p then
    at = weighted_sample(rng, p, count)
  else
    at = plain_sample(rng, n, count, shuffle ~= false)
  end
  at = size == nil and at[0] or at:reshape(size)
  if type(a) == "number" then return at end
  return np.take(a, at, axis)
end)

-- rand(3, 4): the sizes are the arguments.
local function sizes(...)
  if select("#", ...) > 0 then return {...} end
end

function methods.rand(rng, ...) return rng:random(sizes(...)) end
function methods.randn(rng, ...) return rng:standard_normal(sizes(...)) end
methods.randint = methods.integers
methods.random_sample = methods.random

-- ---- Without a generator ----

-- The same numbers in each run, unless a seed is given: what is learnt can be
-- told to another.
local shared = random.RandomState(0)

core.define(random, "seed", {"seed"}, function(value)
  shared = random.RandomState(value)
end, "random.")

for name in pairs(methods) do
  random[name] = function(...) return shared[name](shared, ...) end
end
