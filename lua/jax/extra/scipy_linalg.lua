-- SPDX-License-Identifier: Apache-2.0
-- jax.scipy.linalg: SciPy's names in terms of jnp.linalg, and matrices of a
-- pattern.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local jnp = use.jnp
local M = {}

for _, name in ipairs{"inv", "det", "svd", "eigh"} do
  M[name] = function(...) return jnp.linalg[name](...) end
end
function M.solve(a, b) return jnp.linalg.solve(a, b) end
--- qr(a, mode): "full", "economic", or "r" alone.
function M.qr(a, ...)
  local mode = args.named("linalg.qr", {"mode"}, ...).mode or "full"
  local ours = {full = "complete", economic = "reduced", r = "complete"}
  if not ours[mode] then
    args.fail("linalg.qr", "ValueError", "the mode is \"full\", \"r\" or " ..
              "\"economic\", not %s", tostring(mode))
  end
  local q, r = jnp.linalg.qr(a, ours[mode])
  if mode == "r" then return r end
  return q, r
end

local function floats(x, name)
  return args.as_float(args.array(x, "linalg." .. name))
end

--- cholesky(a, lower): U with U' U = a, or with `lower` L.
function M.cholesky(a, ...)
  local o = args.named("linalg.cholesky", {"lower"}, ...)
  return jnp.linalg.cholesky(floats(a, "cholesky"), not o.lower)
end

--- solve_triangular(a, b, trans, lower, unit_diagonal): x with a x = b.
function M.solve_triangular(a, b, ...)
  local name = "solve_triangular"
  local o = args.named("linalg." .. name, {"trans", "lower", "unit_diagonal"},
                       ...)
  a, b = floats(a, name), floats(b, name)
  local is_vector = #core.shape_of(b) == 1
  if is_vector then b = lax.expand_dims(b, {1}) end
  local is_turned = o.trans == 1 or o.trans == "T" or o.trans == 2 or
                    o.trans == "C"
  local x = lax.linalg.triangular_solve(a, b, true, o.lower or false, is_turned,
                                        false, o.unit_diagonal or false)
  return is_vector and lax.squeeze(x, {1}) or x
end

--- cho_factor(a, lower): a factor for cho_solve, and which triangle it is.
function M.cho_factor(a, ...)
  local lower = args.named("linalg.cho_factor", {"lower"}, ...).lower or false
  return M.cholesky(a, lower), lower
end

--- cho_solve({c, lower}, b)
function M.cho_solve(factor, b)
  local c, lower = factor[1], factor[2] or false
  local y = M.solve_triangular(c, b, lower and 0 or 1, lower)
  return M.solve_triangular(c, y, lower and 1 or 0, lower)
end

--- block_diag(...): matrices along the diagonal, zeros elsewhere.
function M.block_diag(...)
  local list, rows, columns = {...}, 0, 0
  for i, a in ipairs(list) do
    list[i] = jnp.atleast_2d(a)
    columns = columns + core.shape_of(list[i])[2]
  end
  for i, a in ipairs(list) do
    local n = core.shape_of(a)[2]
    list[i] = jnp.pad(a, {{0, 0}, {rows, columns - rows - n}})
    rows = rows + n
  end
  return jnp.concatenate(list, 0)
end

--- toeplitz(c, r): the first column, and the first row (c).
function M.toeplitz(c, r)
  c = jnp.ravel(jnp.asarray(c))
  r = r == nil and c or jnp.ravel(jnp.asarray(r))
  local m, n = core.shape_of(c)[1], core.shape_of(r)[1]
  local all = jnp.concatenate{jnp.flip(c), r["1:"]}
  return jnp.take(all, jnp.subtract(m - 1 + jnp.arange(n), jnp.expand_dims(
    jnp.arange(m), 1)), {mode = "clip"})
end

--- hilbert(n): 1 / (i + j + 1)
function M.hilbert(n)
  local at = jnp.arange(0.0, n + 0.0)
  return 1 / (jnp.expand_dims(at, 1) + at + 1)
end

-- Pade's approximant of degree 13 to exp (Higham, "The scaling and squaring
-- method for the matrix exponential revisited", 2005).
local pade = {64764752532480000, 32382376266240000, 7771770303897600,
              1187353796428800, 129060195264000, 10559470521600, 670442572800,
              33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}

--- expm(a): the exponential of matrices, by scaling and squaring.
function M.expm(a)
  a = floats(a, "expm")
  local shape = core.shape_of(a)
  if #shape < 2 or shape[#shape] ~= shape[#shape - 1] then
    args.fail("linalg.expm", "ValueError", "the matrices of an array of " ..
              "shape %s are not square", core.shape_text(shape))
  end
  local eye = jnp.eye(shape[#shape], {dtype = core.dtype_of(a)})
  local size = jnp.max(jnp.sum(jnp.abs(a), -2), -1)
  local halvings = lax.stop_gradient(jnp.clip(jnp.ceil(jnp.log2(
    jnp.maximum(size, 1e-30) / 4.25)), 0, 32))
  local function column(v) return jnp.expand_dims(v, {-1, -2}) end
  -- Coefficients by the largest: f32 has no room for all of them.
  local x = a / column(jnp.exp2(halvings))
  local even, odd, power = 0.0, 0.0, eye
  for k = 0, 6 do
    even = even + power * (pade[2 * k + 1] / pade[1])
    odd = odd + power * (pade[2 * k + 2] / pade[1])
    if k == 0 then power = jnp.matmul(x, x) else
      power = jnp.matmul(power, jnp.matmul(x, x))
    end
  end
  odd = jnp.matmul(x, odd)
  local r = jnp.linalg.solve(even - odd, even + odd)
  return (lax.scan(function(y, i)
    local again = jnp.less(i, halvings)
    return jnp.where(column(again), jnp.matmul(y, y), y)
  end, r, jnp.arange(32)))
end

return M
