-- SPDX-License-Identifier: Apache-2.0
-- Random orders and choices, and NumPy's functions without a generator, which
-- share one.
local np, fail = ...
local random = np.random
local methods = random.methods
random.methods = nil
local order, sample, is_old = methods.order, methods.sample, methods.is_old
methods.order, methods.sample, methods.is_old = nil, nil, nil

methods.standard_exponential = function(rng, size, dtype)
  return rng:exponential(1.0, size, dtype)
end
methods.standard_gamma = function(rng, shape, size, dtype)
  return rng:gamma(shape, 1.0, size, dtype)
end

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
function methods.permutation(rng, x, axis)
  if math.type(x) == "integer" then
    if x < 0 then fail("rng:permutation: the number is negative") end
    return order(rng, x)
  end
  x = np.asarray(x)
  if x.ndim == 0 then fail("rng:permutation: the array has no axis") end
  axis = line_axis("permutation", x, axis)
  return np.take(x, order(rng, x.shape[axis + 1]), axis)
end

--- In place: an array along an axis, or a Lua table.
function methods.shuffle(rng, x, axis)
  if type(x) == "table" then
    local old = table.move(x, 1, #x, 1, {})
    for i, from in ipairs(order(rng, #x):tolist()) do x[i] = old[from + 1] end
  elseif type(x) == "userdata" then
    x["..."] = methods.permutation(rng, x, axis)
  else
    fail("rng:shuffle: it changes an array or a table, not a " .. type(x))
  end
end

-- ---- Choices ----

local function count_of(size)
  local n, shape = 1, type(size) == "table" and size or {size}
  for _, s in ipairs(shape) do n = n * s end
  return n
end

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

local names = {"size", "replace", "p", "axis", "shuffle"}
local function choice(rng, a, size, replace, p, axis, shuffle)
  if type(size) == "table" and #size == 0 and next(size) ~= nil then
    local o = size
    for name in pairs(o) do
      local known = false
      for _, k in ipairs(names) do known = known or k == name end
      if not known then
        fail(("rng:choice: there is no argument named %s (there are %s)")
          :format(tostring(name), table.concat(names, ", ")))
      end
    end
    size, replace, p, axis, shuffle = o.size, o.replace, o.p, o.axis, o.shuffle
  end
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
end
methods.choice = choice

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

function random.seed(value) shared = random.RandomState(value) end

for name in pairs(methods) do
  random[name] = function(...) return shared[name](shared, ...) end
end
