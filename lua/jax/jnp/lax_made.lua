-- SPDX-License-Identifier: Apache-2.0
-- Functions of jax.lax that are made of its primitives.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local custom = use("transforms/custom")
local jnp = use.jnp

local copy, array = args.copy, args.array
local function shape_of(x) return core.shape_of(x) end
local function fail(name, kind, text, ...)
  args.fail("lax." .. name, kind, text, ...)
end
local function axis_of(x, axis, name)
  return args.axis(axis, #shape_of(x), "lax." .. name)
end

-- ---- jnp's under lax's names ----

for name, own in pairs{
  broadcast_shapes = "broadcast_shapes", complex = "complex", conj = "conj",
  real = "real", imag = "imag", dot = "dot", stack = "stack", tile = "tile",
  unstack = "unstack",
} do
  lax[name] = function(...) return jnp[own](...) end
end

-- ---- Shapes ----

local iota = lax.iota

--- iota(dtype, size): 0 to size - 1; a shape counts along `dimension`.
function lax.iota(dtype, shape, dimension)
  dtype = args.dtype(dtype, "lax.iota") or config.int()
  return iota(dtype, args.shape(shape, "lax.iota"), dimension)
end
function lax.broadcasted_iota(dtype, shape, dimension)
  return lax.iota(dtype, shape, dimension)
end

function lax.empty(shape, dtype)
  return args.done(lax.full(args.shape(shape, "lax.empty"), 0,
                            args.dtype(dtype, "lax.empty") or config.float()))
end

--- broadcast(x, sizes): with new axes in front.
function lax.broadcast(x, sizes)
  x = array(x, "lax.broadcast")
  local shape, dims = copy(sizes), {}
  for d, n in ipairs(shape_of(x)) do
    dims[d] = #shape
    shape[#shape + 1] = n
  end
  return lax.broadcast_in_dim(x, shape, dims)
end

--- broadcast_to_rank(x, rank): with axes of size 1 in front.
function lax.broadcast_to_rank(x, rank)
  x = array(x, "lax.broadcast_to_rank")
  local new = {}
  for d = 1, rank - #shape_of(x) do new[d] = d - 1 end
  return lax.expand_dims(x, new)
end

--- collapse(x, start, stop): those axes as one.
function lax.collapse(x, start, stop)
  x = array(x, "lax.collapse")
  local shape, rank = shape_of(x), #shape_of(x)
  stop = stop == nil and rank or stop < 0 and stop + rank or stop
  start = start < 0 and start + rank or start
  if start < 0 or stop > rank or start >= stop then
    fail("collapse", "ValueError", "axes %d to %d of %s", start, stop,
         core.shape_text(shape))
  end
  local new, size = table.move(shape, 1, start, 1, {}), 1
  for d = start + 1, stop do size = size * shape[d] end
  new[start + 1] = size
  return lax.reshape(x, table.move(shape, stop + 1, rank, start + 2, new))
end

--- split(x, sizes, axis): a table of parts of these sizes.
function lax.split(x, sizes, axis)
  x = array(x, "lax.split")
  axis = axis_of(x, axis or 0, "split")
  local parts, at = {}, 0
  for i, n in ipairs(sizes) do
    parts[i] = lax.slice_in_dim(x, at, at + n, 1, axis)
    at = at + n
  end
  if at ~= shape_of(x)[axis + 1] then
    fail("split", "ValueError", "the sizes add up to %d, and axis %d of %s " ..
         "has %d", at, axis, core.shape_text(shape_of(x)),
         shape_of(x)[axis + 1])
  end
  return parts
end

--- index_in_dim(x, index, axis, keepdims)
function lax.index_in_dim(x, index, axis, keepdims)
  x = array(x, "lax.index_in_dim")
  axis = axis_of(x, axis or 0, "index_in_dim")
  local n = shape_of(x)[axis + 1]
  if index < -n or index >= n then
    fail("index_in_dim", "IndexError", "index %d of an axis of size %d", index,
         n)
  end
  index = index % n
  local part = lax.slice_in_dim(x, index, index + 1, 1, axis)
  return keepdims == false and lax.squeeze(part, {axis}) or part
end

-- ---- Products, orders, transforms ----

--- batch_matmul(lhs, rhs): of matrices, counted by the axes in front.
function lax.batch_matmul(lhs, rhs, precision)
  lhs, rhs = array(lhs, "lax.batch_matmul"), array(rhs, "lax.batch_matmul")
  local rank, lead = #shape_of(lhs), {}
  if rank < 2 or rank ~= #shape_of(rhs) then
    fail("batch_matmul", "TypeError", "shapes %s and %s: both have the same " ..
         "number of axes, at least 2", core.shape_text(shape_of(lhs)),
         core.shape_text(shape_of(rhs)))
  end
  for d = 1, rank - 2 do lead[d] = d - 1 end
  return lax.dot_general(lhs, rhs, {{{rank - 1}, {rank - 2}}, {lead, lead}},
                         precision)
end

-- The program's own calls may name what stands behind the dimensions.
local dot_general = lax.dot_general
function lax.dot_general(lhs, rhs, dimension_numbers, ...)
  local o = args.named("lax.dot_general",
                       {"precision", "preferred_element_type"}, ...)
  return dot_general(lhs, rhs, dimension_numbers, o.precision,
                     args.dtype(o.preferred_element_type, "lax.dot_general"))
end

--- sort_key_val(keys, values, dimension): both in the order of the keys.
function lax.sort_key_val(keys, values, dimension, is_stable)
  return lax.sort({keys, values}, {dimension = dimension or -1,
                                   is_stable = is_stable, num_keys = 1})
end

-- The exact ones are approximations, too.
function lax.approx_max_k(x, k) return lax.top_k(x, k) end
function lax.approx_min_k(x, k)
  local least, places = lax.top_k(lax.neg(array(x, "lax.approx_min_k")), k)
  return lax.neg(least), places
end

--- fft(x, fft_type, fft_lengths): "FFT", "IFFT", "RFFT", "IRFFT" over the last
--- axes.
function lax.fft(x, fft_type, fft_lengths)
  local name = tostring(fft_type):lower():match("[%a]+$")
  local f = jnp.fft[name and name .. "n"]
  if not f then
    fail("fft", "ValueError", "there are FFT, IFFT, RFFT and IRFFT, not %s",
         tostring(fft_type))
  end
  return f(x, fft_lengths)
end

--- x itself: nothing is moved here that a barrier would stop.
function lax.optimization_barrier(x) return x end

function lax.reduce_xor(x, axes)
  local zero = core.dtype_of(x) ~= "bool" and 0
  return lax.reduce(x, core.literal(zero, core.dtype_of(x)), lax.xor, axes)
end

-- ---- Special functions ----

local zeta = lax.zeta

--- zeta(s, q): the sum of (q + k)^-s.
function lax.zeta(s, q)
  if type(s) ~= "number" then
    s = lax.without_derivative(s, "zeta with respect to s")
  end
  return zeta(s, q)
end

-- The continued fraction (DLMF 8.17.22), by Lentz' method.
local function beta_fraction(a, b, x)
  local tiny = 1e-30
  local function kept(v)
    return jnp.where(jnp.less(jnp.abs(v), tiny), tiny, v)
  end
  local ab, up, down = a + b, a + 1, a - 1
  local d = 1 / kept(1 - ab * x / up)
  local function step(k, carry)
    local c, own, h = carry[1], carry[2], carry[3]
    local m = jnp.astype(k, core.dtype_of(x))
    local e = m * (b - m) * x / ((down + 2 * m) * (a + 2 * m))
    own = 1 / kept(1 + e * own)
    c = kept(1 + e / c)
    h = h * own * c
    e = -(a + m) * (ab + m) * x / ((a + 2 * m) * (up + 2 * m))
    own = 1 / kept(1 + e * own)
    c = kept(1 + e / c)
    return {c, own, h * own * c}
  end
  return lax.fori_loop(1, 200, step, {jnp.ones_like(x), d, d})[3]
end

local function betainc(a, b, x)
  -- It converges fast on one side of the mean: the other by symmetry.
  local is_far = jnp.greater(x, (a + 1) / (a + b + 2))
  local p, q = jnp.where(is_far, b, a), jnp.where(is_far, a, b)
  local y = jnp.where(is_far, 1 - x, x)
  local inside = jnp.logical_and(jnp.greater(y, 0), jnp.less(y, 1))
  local safe = jnp.where(inside, y, 0.5)
  local size = jnp.exp(p * jnp.log(safe) + q * jnp.log1p(-safe) +
                       lax.lgamma(p + q) - lax.lgamma(p) - lax.lgamma(q))
  local r = jnp.where(inside, size * beta_fraction(p, q, safe) / p, 0.0)
  r = jnp.where(is_far, 1 - r, r)
  local is_right = jnp.logical_and(jnp.logical_and(
    jnp.greater(a, 0), jnp.greater(b, 0)), jnp.logical_and(
    jnp.greater_equal(x, 0), jnp.less_equal(x, 1)))
  return jnp.where(is_right, r, jnp.nan)
end

local beta_of

--- betainc(a, b, x): the regularised incomplete beta function. Its derivative
--- is that with respect to x.
function lax.betainc(a, b, x)
  if not beta_of then
    beta_of = custom.custom_jvp(betainc)
    beta_of.name = "betainc"
    beta_of:defjvps(nil, nil, function(t, _, p, q, y)
      return t * jnp.exp((p - 1) * jnp.log(y) + (q - 1) * jnp.log1p(-y) +
                         lax.lgamma(p + q) - lax.lgamma(p) - lax.lgamma(q))
    end)
  end
  local all, _, _, shape = args.together_float("lax.betainc", {a, b, x})
  for i = 1, 3 do all[i] = args.filled(all[i], shape) end
  local what = "betainc with respect to a and b"
  return beta_of(lax.without_derivative(all[1], what),
                 lax.without_derivative(all[2], what), all[3])
end

-- ---- Factors of matrices ----

local linalg = lax.linalg

--- symmetric_product(a, c, alpha, beta): alpha a a' + beta c.
function linalg.symmetric_product(a, c, alpha, beta)
  return (alpha or 1.0) * jnp.matmul(a, jnp.swapaxes(a, -1, -2)) +
         (beta or 0.0) * c
end

--- tridiagonal_solve(dl, d, du, b): x, where the matrix has these diagonals.
--- dl[0] and the last of du are not read.
function linalg.tridiagonal_solve(dl, d, du, b)
  local t = core.dtype_of(array(d, "lax.linalg.tridiagonal_solve"))
  if not types.is_float(t) then
    fail("linalg.tridiagonal_solve", "TypeError", "it takes floats, not %s", t)
  end
  local function axis_first(v, dim) return jnp.moveaxis(v, dim, 0) end
  local rows = {axis_first(dl, -1), axis_first(d, -1), axis_first(du, -1),
                axis_first(b, -2)}
  local zero = jnp.zeros_like(rows[2][0])
  local none = jnp.zeros_like(rows[4][0])
  local _, down = lax.scan(function(carry, row)
    local by = row[2] - row[1] * carry[1]
    local up = row[3] / by
    local y = (row[4] - jnp.expand_dims(row[1], -1) * carry[2]) /
              jnp.expand_dims(by, -1)
    return {up, y}, {up, y}
  end, {zero, none}, rows)
  local _, x = lax.scan(function(next_x, row)
    local y = row[2] - jnp.expand_dims(row[1], -1) * next_x
    return y, y
  end, none, down, {reverse = true})
  return jnp.moveaxis(x, 0, -2)
end
