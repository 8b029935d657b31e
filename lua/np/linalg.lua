-- SPDX-License-Identifier: Apache-2.0
-- np.linalg: LAPACK does the work, in f64, for each matrix of a stack; f32
-- results are rounded from that.
local np, fail, _, core = ...
local lapack, shape_text = core.lapack, core.shape_text
local linalg = np.linalg

local function define(name, names, f)
  core.define_in_part(linalg, "linalg", name, names, f)
end

local function unwrap(x)
  return type(x) == "userdata" and x.ndim == 0 and x:item() or x
end

-- The argument as an array, and its results' type.
local function operand(name, a)
  a = np.asarray(a)
  local t = a.dtype
  if t == "f16" or t == "bf16" then
    fail(("linalg.%s: arrays of type %s are not supported: "
          .. "x:astype(\"f32\")"):format(name, t))
  end
  return a, t == "f32" and "f32" or "f64"
end

local function as(x, dtype)
  return dtype == "f32" and x:astype("f32") or x
end

local function matrix(name, a)
  local x, t = operand(name, a)
  if x.ndim < 2 then
    fail(("linalg.%s: LinAlgError: an array of shape %s is no matrix (at "
          .. "least two axes)"):format(name, shape_text(x.shape)))
  end
  return x, t
end

-- The shape of what lies in front of the matrices.
local function stack_shape(a)
  local s = a.shape
  return table.move(s, 1, #s - 2, 1, {})
end

local function either(t, u)
  return t == "f32" and u == "f32" and "f32" or "f64"
end

local function epsilon(t)
  return t == "f32" and 1.1920928955078125e-07 or 2.220446049250313e-16
end

define("matrix_rank", {"A", "tol", "hermitian", "rtol"},
       function(a, tol, _, rtol)
  local x, t = operand("matrix_rank", a)
  if x.ndim < 2 then return np.any(np.not_equal(x, 0)) and 1 or 0 end
  local s = lapack.svd(x, false, false)
  if s.shape[s.ndim] == 0 then
    return unwrap(np.zeros(stack_shape(x), "i64"))
  end
  local size = math.max(x.shape[x.ndim - 1], x.shape[x.ndim])
  if tol == nil then
    local largest = np.expand_dims(np.asarray(np.max(s, -1)), -1)
    tol = np.multiply(largest, rtol or size * epsilon(t))
  else
    tol = np.expand_dims(np.asarray(tol), -1)
  end
  return unwrap(np.asarray(np.sum(np.greater(s, tol), -1)))
end)

define("lstsq", {"a", "b", "rcond"}, function(a, b, rcond)
  local t, u
  a, t = matrix("lstsq", a)
  b, u = operand("lstsq", b)
  local m, n = a.shape[1], a.shape[2]
  if a.ndim ~= 2 or b.ndim < 1 or b.ndim > 2 or b.shape[1] ~= m then
    fail(("linalg.lstsq: shapes %s and %s: a matrix and as many rows"):format(
      shape_text(a.shape), shape_text(b.shape)))
  end
  local is_vector = b.ndim == 1
  if is_vector then b = b:reshape(-1, 1) end
  t = either(t, u)
  local all, rank, s = lapack.lstsq(a, b,
    rcond or epsilon(t) * math.max(m, n))
  local x, residuals = all["0:" .. n], np.zeros(0, t)
  if rank == n and m > n then
    residuals = as(np.sum(np.square(all[n .. ":"]), 0), t)
  end
  x = is_vector and x["..., 0"] or x
  return as(x:copy(), t), residuals, rank, as(s, t)
end)

-- ---- Polynomials ----

local function companion(p)
  local n = p.size - 1
  local m = np.eye(n, n, -1)
  m[0] = -p["1:"] / p[0]
  return m
end

-- Zeros at the end of p are roots at 0.
core.define(np, "roots", {"p"}, function(p)
  p = np.atleast_1d(np.asarray(p))
  local t = p.dtype
  p = p:astype("f64")
  if p.ndim ~= 1 then
    fail(("roots: the coefficients are an array with one axis, and p has %d")
      :format(p.ndim))
  end
  local at = np.flatnonzero(p)
  if at.size == 0 then return as(np.zeros(0), t) end
  local first, last = at[0], at[-1]
  local zeros = np.zeros(p.size - 1 - last)
  if first == last then return as(zeros, t) end
  local r = linalg.eigvals(companion(p[("%d:%d"):format(first, last + 1)]))
  if not np.iscomplexobj(r) then return as(np.concatenate{r, zeros}, t) end
  return core.complex(as(np.concatenate{r.real, zeros}, t),
                      as(np.concatenate{r.imag, zeros}, t))
end)

core.define(np, "polyfit", {"x", "y", "deg", "rcond", "full", "w"},
       function(x, y, degree, rcond, full, w)
  x, y = np.asarray(x, "f64"), np.asarray(y, "f64")
  if x.ndim ~= 1 or x.size == 0 then
    fail("polyfit: x must have one axis and not be empty")
  end
  if y.ndim < 1 or y.ndim > 2 or y.shape[1] ~= x.size then
    fail(("polyfit: x has %d points and y has shape %s"):format(x.size,
      shape_text(y.shape)))
  end
  if math.type(degree) ~= "integer" or degree < 0 then
    fail("polyfit: the degree is a whole number from 0 on")
  end
  local left, right = np.vander(x, degree + 1), y
  if w ~= nil then
    w = np.asarray(w, "f64")
    left = left * w:reshape(-1, 1)
    right = right * (y.ndim == 2 and w:reshape(-1, 1) or w)
  end
  local scale = np.sqrt(np.sum(left * left, 0))
  local c, residuals, rank, s = linalg.lstsq(left / scale, right,
    rcond or x.size * 2.220446049250313e-16)
  c = y.ndim == 2 and c / scale:reshape(-1, 1) or c / scale
  if full then return c, residuals, rank, s, rcond end
  return c
end)
