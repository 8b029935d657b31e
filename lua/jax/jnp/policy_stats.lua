-- SPDX-License-Identifier: Apache-2.0
-- What jnp gives to ../../array/quantile.lua and bins.lua: JAX's methods and
-- types.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local types = use("core/types")
local config = use("core/config")
local indexing = use("jnp/indexing")
local writing = use("jnp/writing")
local jnp, np = use.jnp, use.np
local M = {MIDDLE = "midpoint"}

-- ---- Quantiles ----

-- The elements beside a place, of which the second has the share `part` (a
-- number or an array), put together in t, the place's type.
local between = {
  linear = function(low, high, part, t)
    return jnp.add(jnp.multiply(args.as_type(low, t), jnp.subtract(1.0, part)),
                   jnp.multiply(args.as_type(high, t), part))
  end,
  lower = function(low) return low end,
  higher = function(_, high) return high end,
  nearest = function(low, high, part)
    return jnp.where(jnp.less_equal(part, 0.5), low, high)
  end,
  midpoint = function(low, high)
    return jnp.multiply(jnp.add(low, high), 0.5)
  end,
}

-- The quantiles as an array on the host, of the type that JAX computes places
-- in, and what each is to be multiplied with.
local function fractions(name, q, is_percent)
  if core.is_tracer(q) then
    args.fail(name, "ConcretizationTypeError",
              "the quantile must be a number " ..
              "that is known when tracing")
  end
  local is_float_array = type(q) == "userdata" and types.is_float(q.dtype)
  local t = is_float_array and config.width(q.dtype) or config.float()
  q = np.asarray(type(q) == "userdata" and q or np.array(q)):astype(t)
  if q.ndim > 1 and not config.numpy then
    args.fail(name, "ValueError", "q must have rank <= 1, got shape %s",
              core.shape_text(q.shape))
  end
  local most = is_percent and 100 or 1
  if np.any(np.logical_or(np.less(q, 0), np.greater(q, most))) then
    args.fail(name, "ValueError", "quantiles lie between 0 and %d%s", most,
              q.ndim == 0 and (", not at %g"):format(q:item()) or "")
  end
  if is_percent and config.numpy then return np.divide(q, most), 1 end
  return q, 1 / most
end

-- Where quantile q lies among n elements. JAX's compiler puts the constants
-- together, 0.01 (n - 1) for a percentile, and each is rounded: which element
-- is chosen hangs on it.
local function place_of(q, scale, n, t)
  if type(n) ~= "number" then
    return jnp.multiply(n - 1.0, (np.array(q, t) * np.array(scale, t)):item())
  end
  local last = np.array(n, t) - 1
  return np.multiply(np.array(q, t), last * np.array(scale, t)):item()
end

function M.quantiles(name, x, q, how, is_percent)
  local scale
  q, scale = fractions(name, q, is_percent)
  if not between[how or "linear"] then
    args.fail(name, "ValueError",
              "method can only be linear, lower, higher, " ..
              "midpoint, or nearest, not %s", tostring(how))
  end
  x = args.as_float(x)
  x = args.as_type(x, core.dtype_of(x), false)
  local t = q.dtype
  local asked = {
    values = q:ravel():tolist(), shape = q.shape, type = t,
    dtype = core.dtype_of(x),
    place = function(value, n) return place_of(value, scale, n, t) end,
    between = function(low, high, part)
      return between[how or "linear"](low, high, part, t)
    end,
  }
  -- What has no axes is a row of one, whose axis JAX keeps.
  if #core.shape_of(x) == 0 and not config.numpy then
    x, asked.axes = lax.reshape(x, {1}), {0}
  end
  return x, asked
end

function M.count_known(lines, t)
  return jnp.sum(lax.convert_element_type(lax.eq(lines, lines), t),
                 {axis = -1})
end

-- Places are whole floats, one for each line of the last axis.
function M.item_of_each(lines, places)
  local shape = core.shape_of(lines)
  local k = lax.iota(core.dtype_of(places), shape, #shape - 1)
  local is_there = jnp.equal(k, jnp.expand_dims(places, -1))
  return jnp.sum(jnp.where(is_there, lines, 0.0), {axis = -1})
end

function M.no_out(name, out)
  if out == nil then return end
  core.fail("unsupported", "NotImplementedError",
            "%s: the 'out' argument is " ..
            "not supported: jax arrays are immutable", name)
end

-- ---- Histograms ----

function M.counted(name, a)
  return args.as_float(jnp.ravel(args.array_or_table(a, name)))
end

function M.given_edges(_, edges, x)
  return args.as_type(edges, core.dtype_of(x))
end

function M.even_edges(_, x, bins, range)
  local low, high
  local function edge(v) return lax.full({}, v + 0.0, core.dtype_of(x)) end
  if range then
    low, high = edge(range[1]), edge(range[2])
  elseif core.shape_of(x)[1] == 0 and config.numpy then
    low, high = edge(0), edge(1)
  else
    low, high = jnp.min(x), jnp.max(x)
  end
  local is_point = lax.eq(low, high)
  return jnp.linspace(jnp.where(is_point, low - 0.5, low),
                      jnp.where(is_point, high + 0.5, high), bins + 1)
end

-- A histogram counts in floats.
function M.bin_counts(x, edges, weights)
  local shape, n = core.shape_of(x), core.shape_of(edges)[1]
  local last = lax.index_in_dim(edges, n - 1, 0, false)
  local at = jnp.searchsorted(edges, x, {side = "right"})
  at = lax.select_n(lax.eq(x, lax.broadcast_in_dim(last, shape, {})), at,
                    lax.full_like(at, n - 1))
  local w = weights or
            lax.full(shape, 1, config.numpy and "f64" or core.dtype_of(x))
  local counts = indexing.update(lax.full({n}, 0, core.dtype_of(w)), at, "add",
                                 w, {})
  return lax.slice_in_dim(counts, 1, n, 1, 0)
end

-- ---- Interpolation ----

function M.curve_points(name, x, px, py)
  local a = args.promoted(name, {args.array(x, name), args.array(px, name)},
                          types.inexact)
  return a[1], a[2], args.as_float(args.array(py, name))
end

function M.sort_pairs(x, y) return lax.sort_key_val(x, y) end

function M.on_line(x, x0, y0, x1, y1)
  local dx, dy = x1 - x0, y1 - y0
  -- No NaN from 0 / 0 in gradients, either.
  local tiny = jnp.finfo(core.dtype_of(x0)).eps ^ 2
  local is_flat = jnp.less_equal(jnp.abs(dx), tiny)
  return jnp.where(is_flat, y0,
                   y0 + (x - x0) / jnp.where(is_flat, 1, dx) * dy)
end

function M.meets_last(y) return y end

-- ---- Writing ----

function M.check_written() end

function M.write_where(x, mask, values)
  local shape = core.shape_of(x)
  mask = jnp.ravel(jnp.not_equal(mask, 0))
  local number = jnp.cumsum(jnp.astype(mask, "i32")) - 1
  values = jnp.astype(writing.cycled(values, number), core.dtype_of(x))
  return lax.reshape(jnp.where(mask, values, jnp.ravel(x)), shape)
end

return M
