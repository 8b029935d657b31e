-- SPDX-License-Identifier: Apache-2.0
-- jnp: arrays as sets, numbers of elements, and choosing by them. How many
-- elements a set has depends on values, so these need known arrays, as JAX's do
-- without `size`.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local arrays = use("core/arrays")
local jnp = use.jnp
local np = use.np
local M = {}

local array = args.array_or_table

-- ---- Sets ----

local function known(x, name)
  return args.known(x, name, "how many elements the result has depends on " ..
                    "values, which are not known while a function is " ..
                    "traced: compute it outside of jit")
end

local function put(x, dtype)
  return arrays.device_put(dtype and x:astype(dtype) or x)
end

for _, name in ipairs{"union1d", "setdiff1d", "setxor1d"} do
  --- name(ar1, ar2): sorted, each element once.
  M[name] = function(ar1, ar2)
    local a, b = known(ar1, name), known(ar2, name)
    local t = np.promote_types(a.dtype, b.dtype)
    return put(np[name](a:astype(t), b:astype(t)))
  end
end

--- intersect1d(ar1, ar2, assume_unique, return_indices)
function M.intersect1d(ar1, ar2, ...)
  local o = args.named("intersect1d", {"assume_unique", "return_indices"}, ...)
  local a, b = known(ar1, "intersect1d"), known(ar2, "intersect1d")
  local t = np.promote_types(a.dtype, b.dtype)
  a, b = a:astype(t):ravel(), b:astype(t):ravel()
  local both = np.intersect1d(a, b)
  if not o.return_indices then return put(both) end
  local function first_in(x)
    local order = np.argsort(x)
    return put(np.take(order, np.searchsorted(np.take(x, order), both)), "i32")
  end
  return put(both), first_in(a), first_in(b)
end

-- ---- Numbers of elements ----

--- unravel_index(indices, shape): an array for each axis.
function M.unravel_index(indices, shape)
  local rest = lax.convert_element_type(array(indices, "unravel_index"), "i32")
  if type(shape) == "number" then shape = {shape} end
  local total = core.size(shape)
  rest = jnp.where(jnp.less(rest, 0), rest + total, rest)
  rest = jnp.clip(rest, 0, total - 1)
  local out = {}
  for d = #shape, 1, -1 do
    out[d] = jnp.remainder(rest, shape[d])
    rest = jnp.floor_divide(rest, shape[d])
  end
  return table.unpack(out)
end

--- ravel_multi_index(multi_index, dims, mode): mode is "clip" or "wrap" (or
--- "raise", for known arrays alone).
function M.ravel_multi_index(multi_index, dims, ...)
  local name = "ravel_multi_index"
  local o = args.named(name, {"mode"}, ...)
  local mode = o.mode or "raise"
  if type(dims) == "number" then dims = {dims} end
  if #multi_index ~= #dims then
    args.fail(name, "ValueError", "%d index arrays for %d axes", #multi_index,
              #dims)
  end
  local total
  for d, n in ipairs(dims) do
    local i = array(multi_index[d], name)
    if mode == "wrap" then
      i = jnp.remainder(i, n)
    elseif mode == "clip" then
      i = jnp.clip(i, 0, n - 1)
    elseif mode ~= "raise" then
      args.fail(name, "ValueError", "mode is raise, wrap or clip, not %s",
                tostring(mode))
    else
      local k = known(i, name .. " with mode = \"raise\" (not wrap, clip)")
      if np.any(np.logical_or(k:lt(0), k:ge(n))) then
        args.fail(name, "ValueError", "an index is outside of the axis of %d",
                  n)
      end
    end
    total = total and total * n + i or i
  end
  return total
end

-- ---- Choosing ----

--- choose(a, choices, mode): from each place's array of that number.
function M.choose(a, choices, ...)
  local o = args.named("choose", {"mode"}, ...)
  local i = array(a, "choose")
  local list = args.arrays(choices, "choose")
  local n, mode = #list, o.mode or "raise"
  if mode == "wrap" then
    i = jnp.remainder(i, n)
  elseif mode == "clip" then
    i = jnp.clip(i, 0, n - 1)
  elseif mode ~= "raise" then
    args.fail("choose", "ValueError", "mode is raise, wrap or clip, not %s",
              tostring(mode))
  else
    local k = known(i, "choose with mode = \"raise\" (not wrap, clip)")
    if np.any(np.logical_or(k:lt(0), k:ge(n))) then
      args.fail("choose", "ValueError", "a number is not among the %d choices",
                n)
    end
  end
  local result = list[1]
  for c = 2, n do result = jnp.where(jnp.equal(i, c - 1), list[c], result) end
  return jnp.broadcast_to(result, np.broadcast_shapes(
    core.shape_of(result), core.shape_of(i)))
end

--- argpartition(a, kth, axis): the order of a sorted array is one of those
--- that NumPy allows.
function M.argpartition(a, kth, ...)
  local o = args.named("argpartition", {"axis"}, ...)
  local x = array(a, "argpartition")
  local axis = o.axis == nil and -1 or o.axis
  local rows, d = args.flat_or_axis(x, axis, "argpartition")
  local n = core.shape_of(rows)[d + 1]
  if math.type(kth) ~= "integer" or kth < -n or kth >= n then
    args.fail("argpartition", "ValueError", "kth = %s of an axis of %d",
              tostring(kth), n)
  end
  return args.as_type(jnp.argsort(x, axis), "i32")
end

for _, name in ipairs{"cummax", "cummin"} do
  --- name(a, axis): the largest (smallest) so far.
  M[name] = function(a, ...)
    local o = args.named(name, {"axis"}, ...)
    return lax[name](args.flat_or_axis(array(a, name), o.axis, name))
  end
end

--- polyfit(x, y, deg): coefficients of least squares, the highest power first.
function M.polyfit(x, y, deg)
  x, y = array(x, "polyfit"), array(y, "polyfit")
  if #core.shape_of(x) ~= 1 or core.shape_of(x)[1] == 0 then
    args.fail("polyfit", "TypeError", "x is a vector with elements, not %s",
              core.shape_text(core.shape_of(x)))
  end
  if math.type(deg) ~= "integer" or deg < 0 then
    args.fail("polyfit", "ValueError", "deg is a whole number from 0 on, " ..
              "not %s", tostring(deg))
  end
  local powers = jnp.vander(x, deg + 1)
  local scale = jnp.sqrt(jnp.sum(powers * powers, 0))
  local q, r = jnp.linalg.qr(powers / scale)
  local c = jnp.linalg.solve(r, jnp.matmul(jnp.transpose(q), y))
  if #core.shape_of(y) == 2 then scale = jnp.reshape(scale, {deg + 1, 1}) end
  return c / scale
end
args.let_be_named(M, {polyfit = {"y", "deg"}})

--- roots(p): the zeros of the polynomial, always complex; how many there are depends
--- on the zeros that p begins with.
function M.roots(p)
  p = known(p, "roots")
  local t = p.dtype == "f64" and "f64" or "f32"
  local z = np.roots(p:astype("f64"))
  local is_complex = np.iscomplexobj(z)
  return jnp.complex(put(is_complex and z.real or z, t),
                     put(is_complex and z.imag or np.zeros_like(z), t))
end

return M
