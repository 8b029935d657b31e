-- SPDX-License-Identifier: Apache-2.0
-- Linear algebra. Matrices are the last two axes; axes in front count them, so
-- that a batch is one more of those. LAPACK computes on the host, whatever the
-- device: a program on a device copies the matrices over and back there. Where
-- a matrix is singular or not positive definite the result has inf and nan, as
-- in JAX.
--
--   cholesky                           the lower triangle; reads the lower
--   triangular_solve {lower, transpose_a, unit_diagonal}      a, b -> x
--   solve {transpose_a}                a, b -> x
--   det, cofactor; slogdet             -> sign, logarithm
--   eigh {lower}                       -> v, w
--   qr {full_matrices}                 -> q, r
--   svd {full_matrices, compute_uv}    -> s, u, vt
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local arrays = use("core/arrays")
local np, lapack = use.np, use.lapack
local jnp = use.jnp
local M = {}
-- JAX's jax.lax.linalg.
local public = {}
lax.linalg = public

-- ---- What the rows share ----

local function transposed(x)
  local n = #core.shape_of(x)
  local order = {}
  for d = 1, n do order[d] = d - 1 end
  order[n - 1], order[n] = n - 1, n - 2
  return lax.transpose(x, order)
end

local function mm(x, y) return jnp.matmul(x, y) end
local function column(w) return jnp.expand_dims(w, -1) end
local function row(w) return jnp.expand_dims(w, -2) end

-- The identity in the shape and type of the matrices x.
local function eye_like(x)
  local s = core.shape_of(x)
  return lax.broadcast_in_dim(jnp.eye(s[#s - 1], s[#s], 0, core.dtype_of(x)),
                              s, {#s - 2, #s - 1})
end

local function add(x, y)
  if not x then return y end
  return y and x + y or x
end

local function aval_with(x, drop, ...)
  local shape = table.move(x.shape, 1, #x.shape - drop, 1, {})
  for _, n in ipairs{...} do shape[#shape + 1] = n end
  return core.aval(shape, x.dtype)
end

local function sizes(x) return x.shape[#x.shape - 1], x.shape[#x.shape] end

-- A step of a device's program that computes on the host.
local function on_host(eqn)
  return function(values)
    local host = {}
    for i, x in ipairs(values) do
      if core.is_literal(x) then
        host[i] = np.asarray(x.value, x.aval.dtype)
      else
        host[i] = np.asnumpy(use.unmark(x))
      end
    end
    local results = eqn.prim.eval(eqn.params, table.unpack(host))
    if type(results) ~= "table" then results = {results} end
    for i, r in ipairs(results) do
      results[i] = arrays.device_put(np.asarray(r, eqn.outputs[i].aval.dtype))
    end
    return results
  end
end

-- The batch becomes the first of the axes in front.
local function stacked(name)
  return function(params, size, values, dims)
    local moved, out_dims = {}, {}
    for i, x in ipairs(values) do moved[i] = batch.at(x, dims[i], 0, size) end
    local outputs = core.bind(core.prims[name], params, moved)
    for i = 1, #outputs do out_dims[i] = 0 end
    return outputs, out_dims
  end
end

local function define(row_)
  row_.batch = stacked(row_.name)
  row_.emit = {run = on_host}
  core.define(row_)
end

-- ---- Triangular systems ----

-- The part of x that a triangular matrix reads.
local function triangle_of(p, x)
  local k = p.unit_diagonal and 1 or 0
  return p.lower and jnp.tril(x, -k) or jnp.triu(x, k)
end

local function triangular(p, a, b)
  return core.bind(core.prims.triangular_solve, p, {a, b})[1]
end

local function flipped(p)
  return {lower = p.lower, transpose_a = not p.transpose_a,
          unit_diagonal = p.unit_diagonal}
end

define{
  name = "triangular_solve",
  eval = function(p, a, b)
    return lapack.triangular(a, b, p.lower, p.transpose_a, p.unit_diagonal)
  end,
  shape = function(_, _, b) return core.aval(b.shape, b.dtype) end,
  diff = {
    jvp = function(p, values, tangents, outputs)
      local a, x = values[1], outputs[1]
      local right = tangents[2]
      if tangents[1] then
        local da = triangle_of(p, tangents[1])
        right = add(right, -mm(p.transpose_a and transposed(da) or da, x))
      end
      return {triangular(p, a, right)}
    end,
    vjp = function(p, cts, values, outputs)
      local b_ct = triangular(flipped(p), values[1], cts[1])
      local x = outputs[1]
      local a_ct = p.transpose_a and mm(x, transposed(b_ct)) or
                   mm(b_ct, transposed(x))
      return {-triangle_of(p, a_ct), b_ct}
    end,
  },
}

--- x with a x = b (a's other triangle is not read); without left_side,
--- x a = b.
function public.triangular_solve(a, b, left_side, lower, transpose_a, _,
                                 unit_diagonal)
  local p = {lower = lower or false, transpose_a = transpose_a or false,
             unit_diagonal = unit_diagonal or false}
  if left_side then return triangular(p, a, b) end
  return transposed(triangular(flipped(p), a, transposed(b)))
end

-- ---- Cholesky ----

local LOWER = {lower = true, transpose_a = false, unit_diagonal = false}
local LOWER_T = {lower = true, transpose_a = true, unit_diagonal = false}

-- The lower triangle with half the diagonal.
local function half_lower(x)
  return jnp.tril(x) - eye_like(x) * x * 0.5
end

define{
  name = "cholesky",
  eval = function(_, a) return lapack.cholesky(a, false, true) end,
  shape = function(_, a) return core.aval(a.shape, a.dtype) end,
  -- Murray, "Differentiation of the Cholesky decomposition", 2016.
  diff = {
    jvp = function(_, _, tangents, outputs)
      local l = outputs[1]
      local left = triangular(LOWER, l, tangents[1])
      local both = transposed(triangular(LOWER, l, transposed(left)))
      return {mm(l, half_lower(both))}
    end,
    vjp = function(_, cts, _, outputs)
      local l = outputs[1]
      local inner = half_lower(mm(transposed(l), cts[1]))
      local left = triangular(LOWER_T, l, inner)
      return {transposed(triangular(LOWER_T, l, transposed(left)))}
    end,
  },
}
function M.cholesky(a) return core.bind1("cholesky", {}, a) end

local function symmetric(x) return (x + transposed(x)) * 0.5 end
M.symmetric = symmetric

function public.cholesky(x, symmetrize_input)
  return M.cholesky(symmetrize_input ~= false and symmetric(x) or x)
end

-- ---- General systems ----

function M.linear_solve(a, b, transpose_a)
  return core.bind1("solve", {transpose_a = transpose_a or false}, a, b)
end

define{
  name = "solve",
  eval = function(p, a, b)
    return lapack.solve(p.transpose_a and np.swapaxes(a, -1, -2) or a, b,
                        "solve", true)
  end,
  shape = function(_, _, b) return core.aval(b.shape, b.dtype) end,
  diff = {
    jvp = function(p, values, tangents, outputs)
      local right, da = tangents[2], tangents[1]
      if da then
        right = add(right, -mm(p.transpose_a and transposed(da) or da,
                               outputs[1]))
      end
      return {M.linear_solve(values[1], right, p.transpose_a)}
    end,
    vjp = function(p, cts, values, outputs)
      local b_ct = M.linear_solve(values[1], cts[1], not p.transpose_a)
      local x = outputs[1]
      return {-(p.transpose_a and mm(x, transposed(b_ct)) or
                mm(b_ct, transposed(x))), b_ct}
    end,
  },
}

-- The matrix of cofactors, which is det(a) a^-T and there for singular a too:
-- from a = u s vt, det(u) det(vt) u diag(products of the other s) vt.
local function cofactors(a)
  local u, s, vt = lapack.svd(a, true, true)
  local others = np.empty_like(s)
  for i = 0, s.shape[s.ndim] - 1 do
    others["..., " .. i] = np.prod(np.delete(s, i, -1), -1)
  end
  local sign = np.asarray(np.multiply(lapack.det(u), lapack.det(vt)))
  return np.matmul(u * np.expand_dims(others, -2), vt)
         * np.expand_dims(sign, {-2, -1})
end

local function total(x) return jnp.sum(x, {-2, -1}) end

define{
  name = "cofactor",
  eval = function(_, a) return cofactors(a) end,
  shape = function(_, a) return core.aval(a.shape, a.dtype) end,
  diff = {
    jvp = function(_, values, tangents, outputs)
      local a, c, da = values[1], outputs[1], tangents[1]
      local solved = M.linear_solve(a, mm(transposed(da), c), true)
      local trace = jnp.trace(M.linear_solve(a, da), 0, -2, -1)
      return {column(column(trace)) * c - solved}
    end,
    vjp = function(_, cts, values, outputs)
      local a, c = values[1], outputs[1]
      local inner = eye_like(a) * column(column(total(cts[1] * c)))
                    - mm(c, transposed(cts[1]))
      return {transposed(M.linear_solve(a, transposed(inner)))}
    end,
  },
}

define{
  name = "det",
  eval = function(_, a) return lapack.det(a) end,
  shape = function(_, a) return aval_with(a, 2) end,
  diff = {
    jvp = function(_, values, tangents)
      return {total(core.bind1("cofactor", {}, values[1]) * tangents[1])}
    end,
    vjp = function(_, cts, values)
      return {core.bind1("cofactor", {}, values[1]) * column(column(cts[1]))}
    end,
  },
}
function M.det(a) return core.bind1("det", {}, a) end

define{
  name = "slogdet",
  eval = function(_, a) return {lapack.slogdet(a)} end,
  shape = function(_, a) return {aval_with(a, 2), aval_with(a, 2)} end,
  diff = {
    jvp = function(_, values, tangents)
      local solved = M.linear_solve(values[1], tangents[1])
      return {false, jnp.trace(solved, 0, -2, -1)}
    end,
    vjp = function(_, cts, values)
      if not cts[2] then return {false} end
      local inverse = M.linear_solve(values[1], eye_like(values[1]), true)
      return {inverse * column(column(cts[2]))}
    end,
  },
}
function M.slogdet(a)
  local out = core.bind(core.prims.slogdet, {}, {a})
  return out[1], out[2]
end

-- ---- Eigenvalues of symmetric matrices ----

-- 1 / (w_j - w_i) off the diagonal, 0 on it.
local function reciprocal_gaps(w)
  local gaps = row(w) - column(w)
  local eye = eye_like(gaps)
  return (1 - eye) / (gaps + eye)
end

define{
  name = "eigh",
  eval = function(p, a)
    local w, v = lapack.eigh(a, p.lower and "L" or "U", true)
    return {v, w}
  end,
  shape = function(_, a)
    return {core.aval(a.shape, a.dtype), aval_with(a, 1)}
  end,
  -- Giles, "Collected matrix derivative results", 2008, section 3.1.
  diff = {
    jvp = function(_, _, tangents, outputs)
      local v, w = outputs[1], outputs[2]
      local inner = mm(mm(transposed(v), tangents[1]), v)
      return {mm(v, reciprocal_gaps(w) * inner),
              jnp.diagonal(inner, 0, -2, -1)}
    end,
    vjp = function(_, cts, _, outputs)
      local v, w, inner = outputs[1], outputs[2], nil
      if cts[2] then inner = eye_like(v) * column(cts[2]) end
      if cts[1] then
        inner = add(inner, reciprocal_gaps(w) * mm(transposed(v), cts[1]))
      end
      return {inner and mm(mm(v, inner), transposed(v)) or false}
    end,
  },
}
function M.eigh(a, lower)
  local out = core.bind(core.prims.eigh, {lower = lower ~= false}, {a})
  return out[1], out[2]
end

--- Eigenvectors, eigenvalues.
function public.eigh(x, lower, symmetrize_input)
  return M.eigh(symmetrize_input ~= false and symmetric(x) or x, lower)
end

-- ---- QR ----

local UPPER = {lower = false, transpose_a = false, unit_diagonal = false}
local UPPER_T = {lower = false, transpose_a = true, unit_diagonal = false}

local function check_reduced(p, a)
  local m, n = sizes(core.aval_of(a))
  if m < n or p.full_matrices and m ~= n then
    core.fail("unsupported", "NotImplementedError",
              "the derivative of qr is there for mode \"reduced\" and at " ..
              "least as many rows as columns, not for shape %s",
              core.shape_text(core.shape_of(a)))
  end
end

define{
  name = "qr",
  eval = function(p, a)
    return {lapack.qr(a, p.full_matrices and "complete" or "reduced")}
  end,
  shape = function(p, a)
    local m, n = sizes(a)
    local k = p.full_matrices and m or math.min(m, n)
    return {aval_with(a, 2, m, k), aval_with(a, 2, k, n)}
  end,
  -- Walter and Lehmann, "Algorithmic differentiation of linear algebra
  -- functions with application in optimum experimental design", 2010.
  diff = {
    jvp = function(p, values, tangents, outputs)
      check_reduced(p, values[1])
      local q, r = outputs[1], outputs[2]
      local scaled = transposed(triangular(UPPER_T, r,
                                           transposed(tangents[1])))
      local inner = mm(transposed(q), scaled)
      local lower = jnp.tril(inner, -1)
      local turn = lower - transposed(lower)
      return {mm(q, turn - inner) + scaled, mm(inner - turn, r)}
    end,
    vjp = function(p, cts, values, outputs)
      check_reduced(p, values[1])
      local q, r = outputs[1], outputs[2]
      local m
      if cts[2] then m = mm(r, transposed(cts[2])) end
      if cts[1] then m = add(m, -mm(transposed(cts[1]), q)) end
      local mirrored = jnp.tril(m) + transposed(jnp.tril(m, -1))
      local left = add(mm(q, mirrored), cts[1])
      return {transposed(triangular(UPPER, r, transposed(left)))}
    end,
  },
}
function M.qr(a, full_matrices)
  local out = core.bind(core.prims.qr,
                        {full_matrices = full_matrices ~= false}, {a})
  return out[1], out[2]
end

function public.qr(x, _, full_matrices) return M.qr(x, full_matrices) end

-- ---- Singular values ----

local function check_svd(p, a)
  local m, n = sizes(core.aval_of(a))
  if p.full_matrices and m ~= n then
    core.fail("unsupported", "NotImplementedError",
              "the derivative of svd is there for full_matrices = false; " ..
              "shape %s is not square", core.shape_text(core.shape_of(a)))
  end
end

-- 1 / (s_j^2 - s_i^2) off the diagonal, 0 on it.
local function reciprocal_squares(s)
  return reciprocal_gaps(s * s)
end

local function svd_tangents(a, da, s, u, vt)
  local m, n = sizes(core.aval_of(a))
  local v, ut = transposed(vt), transposed(u)
  local inner = mm(mm(ut, da), v)
  local ds = jnp.diagonal(inner, 0, -2, -1)
  local f = reciprocal_squares(s)
  local right, left = inner * row(s), column(s) * inner
  local du = mm(u, f * (right + transposed(right)))
  local dv = mm(v, f * (left + transposed(left)))
  if m > n then
    local all = mm(da, v)
    du = du + (all - mm(u, mm(ut, all))) / row(s)
  elseif n > m then
    local all = mm(transposed(da), u)
    dv = dv + (all - mm(v, mm(vt, all))) / row(s)
  end
  return {ds, du, transposed(dv)}
end

local function svd_cotangent(a, cts, s, u, vt)
  local m, n = sizes(core.aval_of(a))
  local v, ut = transposed(vt), transposed(u)
  local f, inner, outer = reciprocal_squares(s), nil, nil
  if cts[1] then inner = eye_like(f) * column(cts[1]) end
  if cts[2] then
    local turn = mm(ut, cts[2])
    inner = add(inner, f * (turn - transposed(turn)) * row(s))
    if m > n then
      outer = mm((cts[2] - mm(u, turn)) / row(s), vt)
    end
  end
  if cts[3] then
    local v_ct = transposed(cts[3])
    local turn = mm(vt, v_ct)
    inner = add(inner, column(s) * (f * (turn - transposed(turn))))
    if n > m then
      outer = add(outer, mm(u, transposed((v_ct - mm(v, turn)) / row(s))))
    end
  end
  return add(inner and mm(mm(u, inner), vt), outer) or false
end

local function svd_of(a, p) return core.bind(core.prims.svd, p, {a}) end

define{
  name = "svd",
  eval = function(p, a)
    if not p.compute_uv then return {lapack.svd(a, false, false)} end
    local u, s, vt = lapack.svd(a, p.full_matrices, true)
    return {s, u, vt}
  end,
  shape = function(p, a)
    local m, n = sizes(a)
    local k = math.min(m, n)
    if not p.compute_uv then return {aval_with(a, 2, k)} end
    return {aval_with(a, 2, k),
            aval_with(a, 2, m, p.full_matrices and m or k),
            aval_with(a, 2, p.full_matrices and n or k, n)}
  end,
  -- Townsend, "Differentiating the singular value decomposition", 2016.
  diff = {
    jvp = function(p, values, tangents, outputs)
      check_svd(p, values[1])
      if not p.compute_uv then
        local _, u, vt = table.unpack(svd_of(values[1], {
          compute_uv = true, full_matrices = false}))
        local inner = mm(transposed(u), mm(tangents[1], transposed(vt)))
        return {jnp.diagonal(inner, 0, -2, -1)}
      end
      return svd_tangents(values[1], tangents[1], table.unpack(outputs))
    end,
    vjp = function(p, cts, values, outputs)
      check_svd(p, values[1])
      if not p.compute_uv then
        local _, u, vt = table.unpack(svd_of(values[1], {
          compute_uv = true, full_matrices = false}))
        return {mm(u * row(cts[1]), vt)}
      end
      return {svd_cotangent(values[1], cts, table.unpack(outputs))}
    end,
  },
}
function M.svd(a, full_matrices, compute_uv)
  local uv = compute_uv ~= false
  local out = svd_of(a, {full_matrices = uv and full_matrices ~= false,
                         compute_uv = uv})
  return table.unpack(out)
end

function public.svd(x, full_matrices, compute_uv)
  local s, u, vt = M.svd(x, full_matrices, compute_uv)
  if compute_uv == false then return s end
  return u, s, vt
end

M.on_host = on_host
return M
