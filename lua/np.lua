-- SPDX-License-Identifier: Apache-2.0
-- The part of np that is written in Lua: it needs no loop over elements.
-- Run by lua/bind/l_np.c with the table np and a function that raises an
-- `argument` error at the learner's line.
local np, fail = ...

local function shape_text(shape)
  if #shape == 1 then return "(" .. shape[1] .. ",)" end
  return "(" .. table.concat(shape, ", ") .. ")"
end

-- `stack({a, b}, axis)`: arrays of one shape along a new axis.
function np.stack(arrays, axis)
  if type(arrays) ~= "table" or #arrays == 0 then
    fail("stack: it takes a table of arrays")
  end
  axis = axis or 0
  local parts = {}
  for i, a in ipairs(arrays) do
    parts[i] = np.expand_dims(np.asarray(a), axis)
  end
  return np.concatenate(parts, axis)
end

local function at_least_2d(a)
  a = np.asarray(a)
  return a.ndim < 2 and a:reshape(1, -1) or a
end

function np.vstack(arrays)
  local parts = {}
  for i, a in ipairs(arrays) do parts[i] = at_least_2d(a) end
  return np.concatenate(parts, 0)
end

function np.hstack(arrays)
  local first = np.asarray(arrays[1])
  return np.concatenate(arrays, first.ndim > 1 and 1 or 0)
end

function np.clip(x, low, high)
  if low then x = np.maximum(x, low) end
  if high then x = np.minimum(x, high) end
  return x
end

local function same_shape(a, b)
  if a.ndim ~= b.ndim then return false end
  local s, t = a.shape, b.shape
  for d = 1, #s do
    if s[d] ~= t[d] then return false end
  end
  return true
end

function np.array_equal(a, b)
  a, b = np.asarray(a), np.asarray(b)
  return same_shape(a, b) and np.all(np.equal(a, b))
end

-- |a - b| <= atol + rtol |b|; infinities must be equal.
local function close(a, b, rtol, atol, equal_nan)
  a, b = np.asarray(a, "f64"), np.asarray(b, "f64")
  local near = np.less_equal(np.abs(a - b), atol + rtol * np.abs(b))
  near = np.logical_and(near, np.isfinite(b))
  local ok = np.logical_or(near, np.equal(a, b))
  if equal_nan then
    ok = np.logical_or(ok, np.logical_and(np.isnan(a), np.isnan(b)))
  end
  return ok
end

function np.isclose(a, b, rtol, atol, equal_nan)
  return close(a, b, rtol or 1e-5, atol or 1e-8, equal_nan)
end

function np.allclose(a, b, rtol, atol, equal_nan)
  return np.all(np.isclose(a, b, rtol, atol, equal_nan))
end

np.testing = {}

-- The first element that differs, in NumPy's order.
local function report(name, a, b, ok)
  local wrong = np.logical_not(ok):ravel()
  local count, at = np.sum(wrong), np.argmax(wrong)
  local shape = ok.shape
  local x = np.broadcast_to(a, shape):ravel()[at]
  local y = np.broadcast_to(b, shape):ravel()[at]
  local index = {}
  local rest = at
  for d = #shape, 1, -1 do
    table.insert(index, 1, rest % shape[d])
    rest = rest // shape[d]
  end
  fail(("%s: %d of %d elements differ, the first at [%s]: got %s, want %s")
    :format(name, count, ok.size, table.concat(index, ", "), x, y))
end

local function check(name, actual, desired, compare)
  actual, desired = np.asarray(actual), np.asarray(desired)
  if actual.ndim > 0 and desired.ndim > 0
      and not same_shape(actual, desired) then
    fail(("%s: the shapes differ: got %s, want %s"):format(
      name, shape_text(actual.shape), shape_text(desired.shape)))
  end
  local ok = compare(actual, desired)
  if not np.all(ok) then report(name, actual, desired, ok) end
end

function np.testing.assert_allclose(actual, desired, rtol, atol)
  check("assert_allclose", actual, desired, function(a, b)
    return close(a, b, rtol or 1e-7, atol or 0, true)
  end)
end

function np.testing.assert_array_equal(actual, desired)
  check("assert_array_equal", actual, desired, function(a, b)
    return np.logical_or(np.equal(a, b),
      np.logical_and(np.isnan(a), np.isnan(b)))
  end)
end

-- ---- NumPy's older random functions, on one generator ----

local random = np.random
local shared = random.default_rng(0)

function random.seed(value) shared = random.default_rng(value) end

-- rand(3, 4): the sizes are the arguments.
local function sizes(...)
  if select("#", ...) > 0 then return {...} end
end

function random.rand(...) return shared:random(sizes(...)) end
function random.randn(...) return shared:standard_normal(sizes(...)) end
function random.random(size, dtype) return shared:random(size, dtype) end
function random.uniform(...) return shared:uniform(...) end
function random.normal(...) return shared:normal(...) end
function random.randint(...) return shared:integers(...) end
random.integers = random.randint
