-- SPDX-License-Identifier: Apache-2.0
-- What a learner gives as X and y, as arrays: f64 on the host; f64 or f32 on a
-- device; plain in memory, finite, of the right shape.
local use = ...
local mistakes, kind_of = use("shared/mistakes"), use("shared/objects").kind
local np, cuda = use.np, use.cuda
local fail = mistakes.fail
local M = {}

-- ---- Where, and one value ----

function M.is_device(a) return a.device ~= "host" end

function M.host(a)
  return M.is_device(a) and a:copy_to_host() or a
end

--- Where `like` is.
function M.beside(like, a)
  if M.is_device(like) == M.is_device(a) then return a end
  return M.is_device(like) and cuda.to_device(a) or M.host(a)
end

--- The same of the type that `like` has.
function M.there(like, a) return M.beside(like, a:astype(like.dtype)) end

--- A number, of a number or an array without axes.
function M.number(v)
  if use.is_array(v) then return M.host(v):tolist() end
  return v
end

--- Of a type and C's order of elements.
function M.plain(a, dtype)
  if a.dtype ~= dtype then return a:astype(dtype) end
  local step = a.itemsize
  for k = a.ndim, 1, -1 do
    if a.strides[k] ~= step and a.shape[k] > 1 then return a:copy() end
    step = step * a.shape[k]
  end
  return a
end

function M.shape_text(a)
  return "(" .. table.concat(a.shape, ", ") .. (a.ndim == 1 and ",)" or ")")
end

-- ---- Of a frame, a list, an array ----

local function of_frame(x, who, what)
  for _, name in ipairs(x.columns) do
    if x:column(name).dtype == "str" then
      fail('%s: %s: the column "%s" holds texts; %s:drop("%s") leaves it out',
        who, what, name, what, name)
    end
  end
  return x:to_numpy()
end

--- An array of whatever may stand for one.
function M.array(x, who, what)
  local kind = kind_of(x)
  if kind == "frame" then return of_frame(x, who, what) end
  if kind == "series" then
    if x.dtype == "str" then
      fail("%s: %s holds texts, not numbers", who, what)
    end
    return x.values
  end
  if use.is_jax(x) then return np.asarray(x) end
  if use.is_array(x) then return x end
  if type(x) ~= "table" or getmetatable(x) then
    fail("%s: %s is an array, a frame or a list of rows, not %s", who, what,
      use.value_text(x))
  end
  return np.array(x)
end

local function check_finite(a, who, what)
  local sum = M.number(np.sum(a))
  if sum - sum == 0 then return end
  if M.number(np.any(np.isnan(a))) then
    fail("Input %s contains NaN: %s does not accept missing values"
      .. " (df:dropna() leaves their rows out)", what, who)
  elseif not M.number(np.all(np.isfinite(a))) then
    fail("Input %s contains infinity: %s does not accept it", what, who)
  end
end

-- f32 stays what it is on a device; all else is computed in f64.
local function as_floats(a, who, what)
  if a.dtype == "complex" or a.dtype:find("^c") then
    fail("%s: %s is complex: Complex data not supported", who, what)
  end
  return M.plain(a, M.is_device(a) and a.dtype == "f32" and "f32" or "f64")
end

local function check_shape(a, who, what)
  if a.ndim == 1 then
    fail("Expected 2D array, got 1D array instead: %s:reshape(-1, 1) makes a"
      .. " column of one feature, %s:reshape(1, -1) a row of one sample", what,
      what)
  elseif a.ndim ~= 2 then
    fail("Found array with dim %d, while dim <= 2 is required by %s", a.ndim,
      who)
  end
  for axis, name in ipairs{"sample", "feature"} do
    if a.shape[axis] == 0 then
      fail("Found array with 0 %s(s) (shape=%s) while a minimum of 1 is"
        .. " required by %s", name, M.shape_text(a), who)
    end
  end
end

--- X: rows of samples. Gives the array, and whether it was of f32.
function M.matrix(x, who, what)
  what = what or "X"
  local a = M.array(x, who, what)
  check_shape(a, who, what)
  local is_single = a.dtype == "f32"
  a = as_floats(a, who, what)
  check_finite(a, who, what)
  return a, is_single
end

--- X for an estimator that was fitted to so many features.
function M.matrix_like(x, who, features)
  local a, is_single = M.matrix(x, who)
  if a.shape[2] ~= features then
    fail("X has %d features, but %s is expecting %d features as input",
      a.shape[2], who, features)
  end
  return a, is_single
end

function M.check_lengths(a, b)
  if a ~= b then
    fail("Found input variables with inconsistent numbers of samples: [%d, %d]",
      a, b)
  end
end

--- y: a number for each sample, or a row of them; where `like` is.
function M.target(y, who, like, what)
  local a = M.array(y, who, what or "y")
  if a.ndim ~= 1 and a.ndim ~= 2 then
    fail("%s: y has one axis, or two (a row for each sample), not %d", who,
      a.ndim)
  end
  a = as_floats(a, who, what or "y")
  check_finite(a, who, what or "y")
  if like then
    M.check_lengths(like.shape[1], a.shape[1])
    a = M.plain(M.beside(like, a), "f64")
  end
  return a
end

-- So many rows at a time are centered: what fits a processor's cache, but on a
-- device, where launches cost more than memory.
local ROWS_AT_ONCE = 4096

--- (x - mean).T (x - mean), of f64: the features' products with one another.
function M.products(x, mean)
  local n, sum = x.shape[1], nil
  local step = M.is_device(x) and n or ROWS_AT_ONCE
  for from = 0, n - 1, step do
    local part = M.plain(x[("%d:%d"):format(from, math.min(n, from + step))]
      - mean, "f64")
    local product = np.matmul(part.T, part)
    sum = sum and sum + product or product
  end
  return sum
end

--- The result in the type that X had.
function M.like(a, is_single)
  return is_single and a.dtype ~= "f32" and a:astype("f32") or a
end

return M
