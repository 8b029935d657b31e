-- SPDX-License-Identifier: Apache-2.0
-- jnp.linalg: NumPy's names in terms of prims/linalg.lua.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local prim = use("prims/linalg")
local jnp, np = use.jnp, use.np
local M = {}

local function fail(name, text, ...)
  args.fail("linalg." .. name, "ValueError", text, ...)
end

local function shape_of(x) return core.shape_of(x) end

-- A last argument {ord = 2} names arguments.
local function define(name, names, f)
  M[name] = function(...)
    local n = select("#", ...)
    local last = n > 0 and (select(n, ...)) or nil
    if type(last) ~= "table" or getmetatable(last) or last[1] ~= nil
       or type(next(last)) ~= "string" then
      return f(...)
    end
    return f(table.unpack(use.np_core.read_named(names, {...}, n,
      function(text) fail(name, "%s", text) end), 1, #names))
  end
end

-- The argument as an array of floats, of any width.
local function any_floats(name, x)
  x = args.array(x, "linalg." .. name)
  if not types.is_float(core.dtype_of(x)) then
    x = lax.convert_element_type(x, types.inexact(core.dtype_of(x)))
  end
  return x
end

-- Of those that LAPACK computes with.
local function floats(name, x)
  x = any_floats(name, x)
  if core.dtype_of(x) == "f16" or core.dtype_of(x) == "bf16" then
    fail(name, "arrays of type %s are not supported", core.dtype_of(x))
  end
  return x
end

local function matrices(name, x)
  x = floats(name, x)
  local s = shape_of(x)
  if #s < 2 then
    fail(name, "an array of shape %s is no matrix (at least two axes)",
         core.shape_text(s))
  end
  return x, s
end

local function square(name, x)
  local s
  x, s = matrices(name, x)
  if s[#s] ~= s[#s - 1] then
    fail(name, "the matrices of an array of shape %s are not square",
         core.shape_text(s))
  end
  return x
end

local function transposed(x) return jnp.swapaxes(x, -1, -2) end
local symmetric = prim.symmetric

-- ---- Systems ----

define("solve", {"a", "b"}, function(a, b)
  a, b = square("solve", a), floats("solve", b)
  local s, t = shape_of(a), shape_of(b)
  local is_vector = #t == 1
  local rows = t[is_vector and 1 or #t - 1]
  if rows ~= s[#s] then
    fail("solve", "%d rows of %s and %d of %s", s[#s], core.shape_text(s),
         rows or 0, core.shape_text(t))
  end
  if is_vector then b = jnp.expand_dims(b, -1) end
  t = shape_of(b)
  local dtype = types.result_type{core.aval_of(a), core.aval_of(b)}
  a, b = lax.convert_element_type(a, dtype), lax.convert_element_type(b, dtype)
  local lead = args.broadcast_shapes("linalg.solve", {
    table.move(s, 1, #s - 2, 1, {}), table.move(t, 1, #t - 2, 1, {})})
  local function spread(x, own)
    local full = table.move(lead, 1, #lead, 1, {})
    full[#full + 1], full[#full + 2] = own[#own - 1], own[#own]
    return args.stretch(x, full)
  end
  local x = prim.linear_solve(spread(a, s), spread(b, t))
  return is_vector and jnp.squeeze(x, -1) or x
end)

define("inv", {"a"}, function(a)
  a = square("inv", a)
  local s = shape_of(a)
  local eye = jnp.eye(s[#s], s[#s], 0, core.dtype_of(a))
  return prim.linear_solve(a, args.stretch(eye, s))
end)

define("slogdet", {"a"}, function(a)
  return prim.slogdet(square("slogdet", a))
end)

define("det", {"a"}, function(a) return prim.det(square("det", a)) end)

define("cholesky", {"a", "upper", "symmetrize_input"},
       function(a, upper, symmetrize)
  a = square("cholesky", a)
  if symmetrize ~= false then a = symmetric(a) end
  local l = prim.cholesky(a)
  return upper and transposed(l) or l
end)

-- ---- Factors and spectra ----

define("qr", {"a", "mode"}, function(a, mode)
  a = matrices("qr", a)
  mode = mode or "reduced"
  if mode ~= "reduced" and mode ~= "complete" and mode ~= "r" then
    fail("qr", "there is no mode \"%s\": reduced, complete and r are",
         tostring(mode))
  end
  local q, r = prim.qr(a, mode == "complete")
  if mode == "r" then return r end
  return q, r
end)

define("svd", {"a", "full_matrices", "compute_uv"}, function(a, full, uv)
  a = matrices("svd", a)
  local s, u, vt = prim.svd(a, full, uv)
  if uv == false then return s end
  return u, s, vt
end)

define("svdvals", {"x"}, function(a) return M.svd(a, false, false) end)

local function eigh(name, a, uplo, symmetrize)
  a = square(name, a)
  uplo = (uplo or "L"):upper()
  if uplo ~= "L" and uplo ~= "U" then fail(name, "UPLO is \"L\" or \"U\"") end
  if symmetrize ~= false then a = symmetric(a) end
  return prim.eigh(a, uplo == "L")
end

define("eigh", {"a", "UPLO", "symmetrize_input"}, function(a, uplo, symmetrize)
  local v, w = eigh("eigh", a, uplo, symmetrize)
  return w, v
end)

define("eigvalsh", {"a", "UPLO"}, function(a, uplo)
  local _, w = eigh("eigvalsh", a, uplo)
  return w
end)

-- Of general matrices: LAPACK's, for arrays that are known. The results are
-- complex pairs.
local function eig(name, a)
  a = square(name, a)
  if core.is_tracer(a) then
    core.fail("unsupported", "NotImplementedError", "linalg.%s: it computes " ..
              "known arrays alone, not under jit, vmap or grad; eigh, for " ..
              "symmetric matrices, is there", name)
  end
  local t = core.dtype_of(a)
  local function put(z)
    if type(z) ~= "table" then z = np.complex(z, np.zeros_like(z)) end
    return jnp.complex(jnp.array(z.real:astype(t)), jnp.array(z.imag:astype(t)))
  end
  local w, v = np.linalg.eig(use.np.asarray(a))
  return put(w), put(v)
end
define("eig", {"a"}, function(a) return eig("eig", a) end)
define("eigvals", {"a"}, function(a) return (eig("eigvals", a)) end)

define("pinv", {"a", "rtol"}, function(a, rtol)
  a = matrices("pinv", a)
  local s = shape_of(a)
  local eps = core.dtype_of(a) == "f32" and 1.1920928955078125e-07 or
              2.220446049250313e-16
  local u, sv, vt = M.svd(a, false)
  local limit = (rtol or 10 * math.max(s[#s - 1], s[#s]) * eps) *
                jnp.max(sv, -1, true)
  local keep = jnp.greater(sv, limit)
  local inverse = jnp.where(keep, 1 / jnp.where(keep, sv, 1), 0)
  return jnp.matmul(transposed(vt),
                    jnp.expand_dims(inverse, -1) * transposed(u))
end)

-- ---- Norms ----

local function vector_norm(x, order, axis, keep)
  if order == nil or order == 2 then
    return jnp.sqrt(jnp.sum(x * x, axis, keep))
  elseif order == np.inf then
    return jnp.max(jnp.abs(x), {axis = axis, keepdims = keep, initial = 0})
  elseif order == -np.inf then
    return jnp.min(jnp.abs(x), axis, keep)
  elseif order == 0 then
    return jnp.sum(jnp.not_equal(x, 0):astype(core.dtype_of(x)), axis, keep)
  elseif order == 1 then
    return jnp.sum(jnp.abs(x), axis, keep)
  elseif type(order) ~= "number" then
    fail("norm", "there is no norm \"%s\" of vectors", tostring(order))
  end
  return jnp.power(jnp.sum(jnp.power(jnp.abs(x), order), axis, keep), 1 / order)
end

local function matrix_norm(x, order)
  if order == nil or order == "fro" then
    return jnp.sqrt(jnp.sum(x * x, {-2, -1}))
  elseif order == "nuc" then
    return jnp.sum(M.svdvals(x), -1)
  elseif order == 2 then
    return jnp.max(M.svdvals(x), -1)
  elseif order == -2 then
    return jnp.min(M.svdvals(x), -1)
  end
  local axis = ({[1] = -2, [-1] = -2, [np.inf] = -1, [-np.inf] = -1})[order]
  if not axis then
    fail("norm", "there is no norm %s of matrices", tostring(order))
  end
  local sums = jnp.sum(jnp.abs(x), axis)
  return order > 0 and jnp.max(sums, -1) or jnp.min(sums, -1)
end

define("norm", {"x", "ord", "axis", "keepdims"},
       function(x, order, axis, keep)
  x = any_floats("norm", x)
  local n = #shape_of(x)
  if axis == nil and order == nil then
    local r = vector_norm(jnp.ravel(x), 2, 0)
    local ones = {}
    for d = 1, n do ones[d] = 1 end
    return keep and jnp.reshape(r, ones) or r
  end
  local axes = type(axis) == "table" and axis or {axis}
  if axis == nil then
    for d = 1, n do axes[d] = d - 1 end
  end
  if #axes == 1 then return vector_norm(x, order, axes[1], keep) end
  if #axes ~= 2 then
    fail("norm", "a norm is of one axis or two, not %d", #axes)
  end
  local r = matrix_norm(jnp.moveaxis(x, axes, {-2, -1}), order)
  return keep and jnp.expand_dims(r, axes) or r
end)

return M
