-- SPDX-License-Identifier: Apache-2.0
-- np.linalg: LAPACK does the work, in f64, for each matrix of a stack; f32
-- results are rounded from that.
local np, fail, _, core = ...
local lapack, shape_text = core.lapack, core.shape_text
local linalg = {}
np.linalg = linalg

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

local function with_matrix(stack, m, n)
  local shape = table.move(stack, 1, #stack, 1, {})
  shape[#shape + 1], shape[#shape + 2] = m, n
  return shape
end

local function transposed(a) return np.swapaxes(a, -1, -2) end

local function either(t, u)
  return t == "f32" and u == "f32" and "f32" or "f64"
end

-- ---- Systems ----

local function check_square(name, a)
  local s = a.shape
  if s[#s] ~= s[#s - 1] then
    fail(("linalg.%s: LinAlgError: the matrices of an array of shape %s are "
          .. "not square"):format(name, shape_text(s)))
  end
end

define("solve", {"a", "b"}, function(a, b)
  local t, u
  a, t = matrix("solve", a)
  b, u = operand("solve", b)
  check_square("solve", a)
  local is_vector = b.ndim == 1
  local rows = b.shape[is_vector and 1 or b.ndim - 1]
  if a.shape[a.ndim] ~= rows then
    fail(("linalg.solve: %d rows of %s and %d of %s"):format(
      a.shape[a.ndim], shape_text(a.shape), rows or 0, shape_text(b.shape)))
  end
  if is_vector then b = b:reshape(-1, 1) end
  local stack = np.broadcast_shapes(stack_shape(a), stack_shape(b))
  local n, k = a.shape[a.ndim], b.shape[b.ndim]
  a = np.broadcast_to(a, with_matrix(stack, n, n))
  b = np.broadcast_to(b, with_matrix(stack, n, k))
  local x = as(lapack.solve(a, b, "solve"), either(t, u))
  return is_vector and np.squeeze(x, -1) or x
end)

define("inv", {"a"}, function(a)
  local t
  a, t = matrix("inv", a)
  check_square("inv", a)
  return as(lapack.solve(a, np.broadcast_to(np.eye(a.shape[a.ndim]), a.shape),
                         "inv"), t)
end)

define("det", {"a"}, function(a)
  local t
  a, t = matrix("det", a)
  return unwrap(as(lapack.det(a), t))
end)

define("slogdet", {"a"}, function(a)
  local t
  a, t = matrix("slogdet", a)
  local sign, log_abs = lapack.slogdet(a)
  return unwrap(as(sign, t)), unwrap(as(log_abs, t))
end)

define("cholesky", {"a", "upper"}, function(a, upper)
  local t
  a, t = matrix("cholesky", a)
  return as(lapack.cholesky(a, upper), t)
end)

define("qr", {"a", "mode"}, function(a, mode)
  local t
  a, t = matrix("qr", a)
  mode = mode or "reduced"
  if not ({reduced = 1, complete = 1, r = 1, raw = 1})[mode] then
    fail(("linalg.qr: there is no mode \"%s\": reduced, complete, r and raw "
          .. "are"):format(tostring(mode)))
  end
  local q, r = lapack.qr(a, mode)
  if not r then return as(q, t) end
  return as(q, t), as(r, t)
end)

-- ---- Singular values ----

define("svd", {"a", "full_matrices", "compute_uv"}, function(a, full, uv)
  local t
  a, t = matrix("svd", a)
  if uv == false then return as(lapack.svd(a, false, false), t) end
  local u, s, vh = lapack.svd(a, full ~= false, true)
  return as(u, t), as(s, t), as(vh, t)
end)

define("svdvals", {"x"}, function(a)
  return linalg.svd(a, false, false)
end)

local function epsilon(t)
  return t == "f32" and 1.1920928955078125e-07 or 2.220446049250313e-16
end

define("pinv", {"a", "rcond", "hermitian", "rtol"},
       function(a, rcond, _, rtol)
  local t
  a, t = matrix("pinv", a)
  local s = a.shape
  local m, n = s[#s - 1], s[#s]
  if a.size == 0 then return np.zeros(with_matrix(stack_shape(a), n, m), t) end
  rcond = np.asarray(rtol or rcond or 1e-15)
  local u, sv, vh = lapack.svd(a, false, true)
  local limit = np.multiply(np.expand_dims(rcond, -1),
                            np.expand_dims(np.asarray(np.max(sv, -1)), -1))
  local keep = np.greater(sv, limit)
  local inverse = np.where(keep, np.divide(1.0, np.where(keep, sv, 1.0)), 0.0)
  return as(np.matmul(transposed(vh), np.multiply(np.expand_dims(inverse, -1),
                                                  transposed(u))), t)
end)

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

-- ---- Eigenvalues ----

local function triangle(name, uplo)
  uplo = (uplo or "L"):upper()
  if uplo ~= "L" and uplo ~= "U" then
    fail(("linalg.%s: UPLO is \"L\" or \"U\""):format(name))
  end
  return uplo
end

define("eigh", {"a", "UPLO"}, function(a, uplo)
  local t
  a, t = matrix("eigh", a)
  local w, v = lapack.eigh(a, triangle("eigh", uplo), true)
  return as(w, t), as(v, t)
end)

define("eigvalsh", {"a", "UPLO"}, function(a, uplo)
  local t
  a, t = matrix("eigvalsh", a)
  return as(lapack.eigh(a, triangle("eigvalsh", uplo), false), t)
end)

-- Real where no imaginary part is left, as in NumPy.
local function real_or_complex(re, im, is_real, t)
  if is_real then return as(re, t) end
  return core.complex(as(re, t), as(im, t))
end

define("eig", {"a"}, function(a)
  local t
  a, t = matrix("eig", a)
  local re, im, vr, vi = lapack.eig(a, true)
  local is_real = not np.any(np.not_equal(im, 0))
  return real_or_complex(re, im, is_real, t),
         real_or_complex(vr, vi, is_real, t)
end)

define("eigvals", {"a"}, function(a)
  local t
  a, t = matrix("eigvals", a)
  local re, im = lapack.eig(a, false)
  return real_or_complex(re, im, not np.any(np.not_equal(im, 0)), t)
end)

-- ---- Norms ----

local function vector_norm(x, order, axis, keep)
  local size = np.absolute(x)
  if order == nil or order == 2 then
    return np.sqrt(np.sum(np.square(x), axis, keep))
  elseif order == np.inf then
    return np.max(size, {axis = axis, keepdims = keep, initial = 0})
  elseif order == -np.inf then
    return np.min(size, axis, keep)
  elseif order == 0 then
    return np.sum(np.not_equal(x, 0):astype(x.dtype), axis, keep)
  elseif order == 1 then
    return np.sum(size, axis, keep)
  elseif type(order) ~= "number" then
    fail(("linalg.norm: there is no norm \"%s\" of vectors"):format(order))
  end
  return np.power(np.sum(np.power(size, order), axis, keep), 1 / order)
end

-- Of the matrices in the last two axes; without those axes.
local matrix_norms = {
  fro = function(x) return np.sqrt(np.sum(np.square(x), {-2, -1})) end,
  nuc = function(x) return np.sum(linalg.svdvals(x), -1) end,
  [1] = function(x)
    return np.max(np.asarray(np.sum(np.absolute(x), -2)), -1)
  end,
  [-1] = function(x)
    return np.min(np.asarray(np.sum(np.absolute(x), -2)), -1)
  end,
  [np.inf] = function(x)
    return np.max(np.asarray(np.sum(np.absolute(x), -1)), -1)
  end,
  [-np.inf] = function(x)
    return np.min(np.asarray(np.sum(np.absolute(x), -1)), -1)
  end,
  [2] = function(x) return np.max(linalg.svdvals(x), -1) end,
  [-2] = function(x) return np.min(linalg.svdvals(x), -1) end,
}

local function matrix_norm(x, order, axes, keep)
  local norm = matrix_norms[order == nil and "fro" or order]
  if not norm then
    fail(("linalg.norm: there is no norm %s of matrices (\"fro\", \"nuc\", "
          .. "inf, -inf, 1, -1, 2, -2)"):format(tostring(order)))
  end
  local r = np.asarray(norm(np.moveaxis(x, axes, {-2, -1})))
  if not keep then return r end
  table.sort(axes)
  return np.expand_dims(r, axes)
end

define("norm", {"x", "ord", "axis", "keepdims"},
       function(x, order, axis, keep)
  x = np.asarray(x)
  if not x.dtype:find("f") then x = x:astype("f64") end
  local t = x.dtype
  local axes
  if axis ~= nil then
    axes = core.axes("linalg.norm", axis, x.ndim)
  elseif order == nil then
    local r = vector_norm(np.ravel(x), 2, 0)
    if not keep then return unwrap(r) end
    local ones = {}
    for d = 1, x.ndim do ones[d] = 1 end
    return np.asarray(r, t):reshape(ones)
  else
    axes = {}
    for d = 1, x.ndim do axes[d] = d - 1 end
  end
  local r
  if #axes == 1 then
    r = vector_norm(x, order, axes[1], keep)
  elseif #axes == 2 then
    r = matrix_norm(x, order, axes, keep)
  else
    fail(("linalg.norm: a norm is of one axis or two, not %d"):format(#axes))
  end
  r = type(r) == "number" and r + 0.0 or r
  return unwrap(r)
end)

define("cond", {"x", "p"}, function(x, p)
  local t
  x, t = matrix("cond", x)
  local r
  if p == nil or p == 2 or p == -2 then
    local s = lapack.svd(x, false, false)
    local first, last = s["..., 0"], s["..., -1"]
    r = p == -2 and np.divide(last, first) or np.divide(first, last)
  else
    check_square("cond", x)
    r = np.multiply(linalg.norm(x, p, {-2, -1}),
                    linalg.norm(linalg.inv(x), p, {-2, -1}))
  end
  return unwrap(as(np.asarray(r), t))
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
