-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: linalg's names in terms of what LAPACK computes for each
-- matrix of a stack.
local _, _, _, core = ...
local shape_text = core.shape_text

local function fail_in(lib, name, text, ...)
  lib.fail("linalg." .. name, "ValueError", text, ...)
end

-- ---- Arguments ----

-- An array of matrices, and the type of results.
local function matrices(lib, name, a)
  local x, t = lib.matrix_operand(name, a)
  if x.ndim < 2 then
    fail_in(lib, name, lib.either("LinAlgError: ", "") .. "an array of " ..
            "shape %s is no matrix (at least two axes)", shape_text(x.shape))
  end
  return x, t
end

local function square(lib, name, a)
  local x, t = matrices(lib, name, a)
  local s = x.shape
  if s[#s] ~= s[#s - 1] then
    fail_in(lib, name, lib.either("LinAlgError: ", "") .. "the matrices of " ..
            "an array of shape %s are not square", shape_text(s))
  end
  return x, t
end

-- A shape whose last axes are of these sizes.
local function with_matrix(stack, m, n)
  local shape = table.move(stack, 1, #stack, 1, {})
  shape[#shape + 1], shape[#shape + 2] = m, n
  return shape
end

local function stack_of(x)
  local s = x.shape
  return table.move(s, 1, #s - 2, 1, {})
end

-- ---- Systems ----

local function systems(lib, define)
  define("solve", {"a", "b"}, function(a, b)
    local t, u
    a, t = square(lib, "solve", a)
    b, u = lib.matrix_operand("solve", b)
    local is_vector = b.ndim == 1
    local rows, n = b.shape[is_vector and 1 or b.ndim - 1], a.shape[a.ndim]
    if rows ~= n then
      fail_in(lib, "solve", "%d rows of %s and %d of %s", n,
              shape_text(a.shape), rows or 0, shape_text(b.shape))
    end
    if is_vector then b = lib.insert_axes(b, {1}) end
    a, b, t = lib.of_one_type(a, t, b, u)
    local stack = lib.common_shape(lib.either("broadcast_shapes",
                                              "linalg.solve"),
                                   {stack_of(a), stack_of(b)})
    local x = lib.solve(lib.stretch(a, with_matrix(stack, n, n)),
                        lib.stretch(b, with_matrix(stack, n, b.shape[b.ndim])),
                        "solve")
    x = lib.as(x, t)
    return is_vector and lib.xp.squeeze(x, -1) or x
  end)
  define("inv", {"a"}, function(a)
    local t
    a, t = square(lib, "inv", a)
    local n = a.shape[a.ndim]
    local eye = lib.xp.eye(n, n, 0, lib.either(nil, a.dtype))
    return lib.as(lib.solve(a, lib.stretch(eye, a.shape), "inv"), t)
  end)
  define("det", {"a"}, function(a)
    local t
    a, t = square(lib, "det", a)
    return lib.plain(lib.as(lib.det(a), t))
  end)
  define("slogdet", {"a"}, function(a)
    local t
    a, t = square(lib, "slogdet", a)
    local sign, log_abs = lib.slogdet(a)
    return lib.plain(lib.as(sign, t)), lib.plain(lib.as(log_abs, t))
  end)
  define("cholesky", {"a", "upper", lib.either(nil, "symmetrize_input")},
         function(a, upper, symmetrizes)
    local t
    a, t = square(lib, "cholesky", a)
    return lib.as(lib.cholesky(a, upper, symmetrizes ~= false), t)
  end)
end

-- ---- Factors and spectra ----

local function factors(lib, define)
  define("qr", {"a", "mode"}, function(a, mode)
    local t
    a, t = matrices(lib, "qr", a)
    mode = mode or "reduced"
    if mode ~= "reduced" and mode ~= "complete" and mode ~= "r" and
       mode ~= lib.either("raw", "r") then
      fail_in(lib, "qr", "there is no mode \"%s\": reduced, complete" ..
              lib.either(", r and raw are", " and r are"), tostring(mode))
    end
    local q, r = lib.qr(a, mode)
    if not r then return lib.as(q, t) end
    return lib.as(q, t), lib.as(r, t)
  end)
  define("svd", {"a", "full_matrices", "compute_uv"}, function(a, full, uv)
    local t
    a, t = matrices(lib, "svd", a)
    if uv == false then return lib.as(lib.singular_values(a), t) end
    local u, s, vh = lib.svd(a, full ~= false)
    return lib.as(u, t), lib.as(s, t), lib.as(vh, t)
  end)
  define("svdvals", {"x"}, function(a)
    return lib.xp.linalg.svd(a, false, false)
  end)
end

local function spectra(lib, define)
  local function triangle(name, uplo)
    uplo = (uplo or "L"):upper()
    if uplo ~= "L" and uplo ~= "U" then
      fail_in(lib, name, "UPLO is \"L\" or \"U\"")
    end
    return uplo
  end
  define("eigh", {"a", "UPLO", lib.either(nil, "symmetrize_input")},
         function(a, uplo, symmetrizes)
    local t
    a, t = square(lib, "eigh", a)
    local w, v = lib.eigh(a, triangle("eigh", uplo), symmetrizes ~= false)
    return lib.as(w, t), lib.as(v, t)
  end)
  define("eigvalsh", {"a", "UPLO"}, function(a, uplo)
    local t
    a, t = square(lib, "eigvalsh", a)
    return lib.as(lib.eigvalsh(a, triangle("eigvalsh", uplo)), t)
  end)
  define("eig", {"a"}, function(a)
    return lib.eig("eig", square(lib, "eig", a))
  end)
  define("eigvals", {"a"}, function(a)
    return lib.eigvals("eigvals", square(lib, "eigvals", a))
  end)
end

-- ---- What is made of singular values ----

-- By position, NumPy has rcond where JAX has rtol.
local function inverses(lib, define)
  local xp = lib.xp
  define("pinv", lib.either({"a", "rcond", "hermitian", "rtol"},
                            {"a", "rtol"}), function(a, rcond, _, rtol)
    local t
    a, t = matrices(lib, "pinv", a)
    local s = a.shape
    local m, n = s[#s - 1], s[#s]
    if a.size == 0 then
      return xp.zeros(with_matrix(stack_of(a), n, m), t or a.dtype)
    end
    rcond = rtol or rcond or lib.pinv_limit(m, n, a.dtype)
    if type(rcond) ~= "number" then
      rcond = xp.expand_dims(lib.array(rcond, "linalg.pinv"), -1)
    end
    local u, values, vh = lib.svd(a, false)
    local most = xp.max(values, {axis = -1, keepdims = true})
    local keep = xp.greater(values, xp.multiply(rcond, most))
    local by = xp.where(keep, xp.divide(1.0, xp.where(keep, values, 1.0)), 0.0)
    return lib.as(xp.matmul(xp.swapaxes(vh, -1, -2),
                            xp.multiply(xp.expand_dims(by, -1),
                                        xp.swapaxes(u, -1, -2))), t)
  end)
end

local function epsilon(t)
  return t == "f32" and 1.1920928955078125e-07 or 2.220446049250313e-16
end

local function ranks(lib, define)
  local xp = lib.xp
  define("matrix_rank", lib.either({"A", "tol", "hermitian", "rtol"},
                                   {"M", "rtol", "hermitian", "tol"}),
         function(a, first, _, last)
    local tol, rtol = lib.either(first, last), lib.either(last, first)
    local x, t = lib.matrix_operand("matrix_rank", a)
    local shape = x.shape
    if #shape < 2 then
      local any = xp.any(xp.not_equal(x, 0))
      if type(any) == "boolean" then return any and 1 or 0 end
      return xp.astype(any, lib.int())
    end
    local s, axis = lib.singular_values(x), #shape - 2
    if lib.either(s.shape[axis + 1] == 0, false) then
      return lib.plain(xp.zeros(stack_of(x), "i64"))
    end
    if tol == nil then
      rtol = rtol or math.max(shape[#shape], shape[#shape - 1]) *
             epsilon(t or s.dtype)
      tol = xp.multiply(xp.max(s, {axis = axis, keepdims = true}), rtol)
    elseif type(tol) ~= "number" then
      tol = xp.expand_dims(lib.array(tol, "linalg.matrix_rank"), -1)
    end
    return xp.sum(xp.greater(s, tol), -1)
  end)
  -- Least squares: singular values below a part of the greatest count as 0.
  define("lstsq", {"a", "b", "rcond"}, function(a, b, rcond)
    local t, u
    a, t = matrices(lib, "lstsq", a)
    b, u = lib.matrix_operand("lstsq", b)
    local m, n, rank = a.shape[1], a.shape[2], b.ndim
    if a.ndim ~= 2 or rank < 1 or rank > 2 or b.shape[1] ~= m then
      fail_in(lib, "lstsq", "shapes %s and %s: a matrix and as many rows",
              shape_text(a.shape), shape_text(b.shape))
    end
    if rank == 1 then b = lib.insert_axes(b, {1}) end
    a, b, t = lib.of_one_type(a, t, b, u)
    rcond = rcond or epsilon(t or a.dtype) * math.max(m, n)
    local x, residuals, count, s = lib.lstsq(a, b, rcond)
    if rank == 1 then x = lib.item(x, 1, 0) end
    return lib.as(lib.fresh(x), t), lib.as(residuals, t), count, lib.as(s, t)
  end)
end

local function conditions(lib, define)
  local xp = lib.xp
  define("cond", {"x", "p"}, function(x, p)
    if p ~= nil and p ~= 2 and p ~= -2 then
      local a, t = square(lib, lib.either("cond", "inv"), x)
      local r = xp.multiply(xp.linalg.norm(a, p, {-2, -1}),
                            xp.linalg.norm(xp.linalg.inv(a), p, {-2, -1}))
      return lib.plain(lib.as(lib.array(r, "cond"), t))
    end
    local a, t = matrices(lib, lib.either("cond", "svd"), x)
    local s = lib.singular_values(a)
    local last = s.ndim - 1
    local most = lib.item(s, last, 0)
    local least = lib.item(s, last, s.shape[last + 1] - 1)
    if p == -2 then most, least = least, most end
    return lib.plain(lib.as(lib.array(xp.divide(most, least), "cond"), t))
  end)
end

-- ---- Norms ----

local function vector_norm(lib, x, order, axis, keep)
  local xp = lib.xp
  local options = {axis = axis, keepdims = keep}
  if order == nil or order == 2 then
    return xp.sqrt(xp.sum(xp.multiply(x, x), options))
  elseif order == math.huge then
    return xp.max(xp.abs(x), {axis = axis, keepdims = keep, initial = 0})
  elseif order == -math.huge then
    return xp.min(xp.abs(x), options)
  elseif order == 0 then
    return xp.sum(xp.astype(xp.not_equal(x, 0), x.dtype), options)
  elseif order == 1 then
    return xp.sum(xp.abs(x), options)
  elseif type(order) ~= "number" then
    fail_in(lib, "norm", "there is no norm \"%s\" of vectors", tostring(order))
  end
  return xp.power(xp.sum(xp.power(xp.abs(x), order), options), 1 / order)
end

-- The axis of the sums of which the norm is the greatest or the least.
local summed = {[1] = -2, [-1] = -2, [math.huge] = -1, [-math.huge] = -1}

local function matrix_norm(lib, x, order)
  local xp = lib.xp
  if order == nil or order == "fro" then
    return xp.sqrt(xp.sum(xp.multiply(x, x), {axis = {-2, -1}}))
  elseif order == "nuc" then
    return xp.sum(xp.linalg.svdvals(x), -1)
  elseif order == 2 then
    return xp.max(xp.linalg.svdvals(x), -1)
  elseif order == -2 then
    return xp.min(xp.linalg.svdvals(x), -1)
  elseif not summed[order] then
    fail_in(lib, "norm", "there is no norm %s of matrices" .. lib.either(
      " (\"fro\", \"nuc\", inf, -inf, 1, -1, 2, -2)", ""), tostring(order))
  end
  local sums = lib.reduced("sum", xp.abs(x), summed[order])
  return order > 0 and xp.max(sums, -1) or xp.min(sums, -1)
end

local function norms(lib, define)
  local xp = lib.xp
  define("norm", {"x", "ord", "axis", "keepdims"},
         function(x, order, axis, keep)
    x = lib.norm_operand(x)
    local n = x.ndim
    if axis == nil and order == nil then
      local r = vector_norm(lib, xp.ravel(x), 2, 0)
      local ones = {}
      for d = 1, n do ones[d] = 1 end
      return keep and lib.reshape(lib.of_dtype(r, x.dtype, "norm"), ones) or
             lib.plain(r)
    end
    local axes = lib.axes(axis, n, "linalg.norm")
    if #axes ~= 1 and #axes ~= 2 then
      fail_in(lib, "norm", "a norm is of one axis or two, not %d", #axes)
    elseif #axes == 1 then
      return lib.as_float(vector_norm(lib, x, order, axes[1], keep))
    end
    local r = matrix_norm(lib, xp.moveaxis(x, axes, {-2, -1}), order)
    if not keep then return lib.as_float(r) end
    table.sort(axes)
    return xp.expand_dims(lib.of_dtype(r, x.dtype, "norm"), axes)
  end)
end

core.family(function(lib)
  local function define(...) lib.define_in("linalg", ...) end
  systems(lib, define)
  factors(lib, define)
  spectra(lib, define)
  inverses(lib, define)
  ranks(lib, define)
  conditions(lib, define)
  norms(lib, define)
end)
