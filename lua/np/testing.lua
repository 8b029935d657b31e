-- SPDX-License-Identifier: Apache-2.0
-- np.testing: assertions about arrays, with NumPy's summary of what differs.
local np, fail, _, core = ...
local shape_text = core.shape_text

np.testing = {}

-- "[1, 0]" for element `at` of `shape`, counted in order.
local function index_text(at, shape)
  local index = {}
  for d = #shape, 1, -1 do
    table.insert(index, 1, at % shape[d])
    at = at // shape[d]
  end
  return "[" .. table.concat(index, ", ") .. "]"
end

-- The largest differences where it matters, and where they can be told.
local function differences(a, b, wrong)
  local x, y = a:astype("f64")[wrong], b:astype("f64")[wrong]
  local off = np.abs(x - y)
  off = np.where(np.equal(x, y), 0.0, off)
  local known = np.logical_not(np.isnan(off))
  if not np.any(known) then return "" end
  local text = ("\nMax absolute difference among violations: %.8g")
    :format(np.max(off[known]))
  local size = np.abs(y)
  known = np.logical_and(known, size:gt(0))
  if not np.any(known) then return text end
  return text .. ("\nMax relative difference among violations: %.8g")
    :format(np.max((off / np.where(known, size, 1))[known]))
end

local function report(name, a, b, ok, how)
  local wrong = np.logical_not(ok)
  local count, at = np.sum(wrong), np.argmax(wrong)
  a, b = np.broadcast_to(a, ok.shape), np.broadcast_to(b, ok.shape)
  fail(("%s: %d of %d elements differ, the first at %s: got %s, want %s\n%s\n"
    .. "Mismatched elements: %d / %d (%.3g%%)%s\n ACTUAL: %s\n DESIRED: %s")
    :format(name, count, ok.size, index_text(at, ok.shape), a:ravel()[at],
      b:ravel()[at], how, count, ok.size, 100 * count / ok.size,
      differences(a, b, wrong), a, b))
end

-- `compare` gives an array of bools, `how` says what was asked.
local function check(name, actual, desired, how, compare)
  actual, desired = np.asarray(actual), np.asarray(desired)
  if actual.ndim > 0 and desired.ndim > 0
      and not core.same_shape(actual.shape, desired.shape) then
    fail(("%s: the shapes differ: got %s, want %s"):format(
      name, shape_text(actual.shape), shape_text(desired.shape)))
  end
  local ok = np.asarray(compare(actual, desired))
  if not np.all(ok) then report(name, actual, desired, ok, how) end
end

local function options(first, names, second)
  if type(first) ~= "table" then return first, second end
  return first[names[1]], first[names[2]]
end

function np.testing.assert_allclose(actual, desired, rtol, atol)
  rtol, atol = options(rtol, {"rtol", "atol"}, atol)
  rtol, atol = rtol or 1e-7, atol or 0
  check("assert_allclose", actual, desired,
    ("Not equal to tolerance rtol=%g, atol=%g"):format(rtol, atol),
    function(a, b) return np.isclose(a, b, rtol, atol, true) end)
end

local function equal_or_nan(a, b)
  return np.logical_or(np.equal(a, b), np.logical_and(np.isnan(a), np.isnan(b)))
end

function np.testing.assert_array_equal(actual, desired)
  check("assert_array_equal", actual, desired, "The arrays are not equal",
    equal_or_nan)
end
np.testing.assert_equal = np.testing.assert_array_equal

--- |desired - actual| < 1.5 * 10 ^ -decimal
function np.testing.assert_array_almost_equal(actual, desired, decimal)
  decimal = decimal or 6
  check("assert_array_almost_equal", actual, desired,
    ("The arrays are not equal to %d decimals"):format(decimal),
    function(a, b)
      local near = np.less(np.abs(a:astype("f64") - b:astype("f64")),
        1.5 * 10.0 ^ -decimal)
      return np.logical_or(near, equal_or_nan(a, b))
    end)
end
np.testing.assert_almost_equal = np.testing.assert_array_almost_equal

function np.testing.assert_array_less(x, y)
  check("assert_array_less", x, y, "The first array is not everywhere less",
    np.less)
end
