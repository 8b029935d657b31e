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
