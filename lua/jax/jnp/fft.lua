-- SPDX-License-Identifier: Apache-2.0
-- jnp.fft: NumPy's names in terms of one complex transform. Complex arrays are
-- pairs (np.complex), which are branches of trees, so that functions of jax
-- take and give them.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local config = use("core/config")
local types = use("core/types")
local prim = use("prims/fft")
local np, jnp = use.np, use.jnp
local Complex = getmetatable(np.complex(0, 0))
use("core/tree").register_node(Complex)
local M = {}

local function fail(name, text, ...)
  args.fail("fft." .. name, "ValueError", text, ...)
end

local function pair(re, im)
  return setmetatable({real = re, imag = im}, Complex)
end

local function floats(name, x)
  x = args.array(x, "fft." .. name)
  local t = core.dtype_of(x)
  if types.is_float(t) and t ~= "f16" and t ~= "bf16" then return x end
  return lax.convert_element_type(x, config.float())
end

-- Both parts, the axis last, cut or filled to n; and the axis.
local function parts_of(name, z, n, axis)
  local is_complex = getmetatable(z) == Complex
  local re = floats(name, is_complex and z.real or z)
  local im = is_complex and floats(name, z.imag) or lax.full_like(re, 0)
  local rank = #core.shape_of(re)
  if rank == 0 then fail(name, "a number has no axis") end
  axis = axis or -1
  if axis < -rank or axis >= rank then
    fail(name, "axis %d is out of bounds for an array with %d axes", axis, rank)
  end
  local function fitted(x)
    x = jnp.moveaxis(x, axis, -1)
    local have = core.shape_of(x)[rank]
    if not n or n == have then return x end
    if n < have then return lax.slice_in_dim(x, 0, n, 1, rank - 1) end
    local width = {}
    for d = 1, rank do width[d] = {0, d == rank and n - have or 0} end
    return jnp.pad(x, width)
  end
  if n and (math.type(n) ~= "integer" or n < 1) then
    fail(name, "a transform of %s points", tostring(n))
  end
  return fitted(re), fitted(im), axis
end

local function divisor(name, norm, n, is_inverse)
  norm = norm or "backward"
  if norm == "ortho" then return math.sqrt(n) end
  if norm ~= "backward" and norm ~= "forward" then
    fail(name, "norm is \"backward\", \"ortho\" or \"forward\"")
  end
  return (norm == "backward") == is_inverse and n or 1
end

local function transform(name, z, n, axis, norm, is_inverse)
  local re, im
  re, im, axis = parts_of(name, z, n, axis)
  local shape = core.shape_of(re)
  local by = divisor(name, norm, shape[#shape], is_inverse)
  local out = prim.transform(is_inverse, re, im)
  for i = 1, 2 do out[i] = jnp.moveaxis(out[i] / by, -1, axis) end
  return pair(out[1], out[2])
end

function M.fft(z, n, axis, norm)
  return transform("fft", z, n, axis, norm, false)
end

function M.ifft(z, n, axis, norm)
  return transform("ifft", z, n, axis, norm, true)
end

local function part(x, axis, from, to)
  axis = axis < 0 and axis + #core.shape_of(x) or axis
  return lax.slice_in_dim(x, from, to, 1, axis)
end

function M.rfft(x, n, axis, norm)
  if getmetatable(x) == Complex then fail("rfft", "the input is complex") end
  local z = transform("rfft", x, n, axis, norm, false)
  axis = axis or -1
  local shape = core.shape_of(z.real)
  n = shape[(axis < 0 and axis + #shape or axis) + 1]
  return pair(part(z.real, axis, 0, n // 2 + 1),
              part(z.imag, axis, 0, n // 2 + 1))
end

-- The half that is there, and its conjugates in reverse.
function M.irfft(z, n, axis, norm)
  local re, im, at = parts_of("irfft", z, nil, axis)
  local m = core.shape_of(re)[#core.shape_of(re)]
  n = n or 2 * (m - 1)
  re, im = parts_of("irfft", pair(re, im), n // 2 + 1, -1)
  local last = #core.shape_of(re) - 1
  local rest = (n - 1) // 2
  -- Of results that are their own conjugates only the real part counts.
  local own = {}
  for k = 0, n // 2 do own[k + 1] = (k == 0 or 2 * k == n) and 0 or 1 end
  im = im * jnp.array(own, core.dtype_of(im))
  local function whole(x, sign)
    local tail = lax.slice_in_dim(x, 1, rest + 1, 1, last)
    return lax.concatenate({x, lax.rev(tail, {last}) * sign}, last)
  end
  local out = prim.transform(true, whole(re, 1), whole(im, -1))
  return jnp.moveaxis(out[1] / divisor("irfft", norm, n, true), -1, at)
end

local function rank_of(name, z)
  if getmetatable(z) == Complex then z = z.real end
  return #core.shape_of(args.array(z, "fft." .. name))
end

-- name2 and namen, along several axes, the last first by `last`, the others by
-- `rest`; of inverses that give real arrays (`is_back`), it comes at the end.
local function several(name, last, rest, is_back)
  for suffix, count in pairs{["2"] = 2, n = false} do
    local full = name .. suffix
    M[full] = function(z, s, axes, norm)
      if type(axes) == "number" then axes = {axes} end
      local n = axes and #axes or count or s and #s or rank_of(full, z)
      if s and #s ~= n then
        fail(full, "%d sizes for %d axes", #s, n)
      end
      local function along(i, f)
        z = f(z, s and s[i], axes and axes[i] or i - n - 1, norm)
      end
      if not is_back then along(n, last) end
      for i = n - 1, 1, -1 do along(i, rest) end
      if is_back then along(n, last) end
      return z
    end
  end
end
several("fft", M.fft, M.fft)
several("ifft", M.ifft, M.ifft)
several("rfft", M.rfft, M.fft)
several("irfft", M.irfft, M.ifft, true)

function M.fftfreq(n, d)
  return jnp.array(np.fft.fftfreq(n, d):astype(config.float()))
end

function M.rfftfreq(n, d)
  return jnp.array(np.fft.rfftfreq(n, d):astype(config.float()))
end

local function shifted(x, axes, up)
  if getmetatable(x) == Complex then
    return pair(shifted(x.real, axes, up), shifted(x.imag, axes, up))
  end
  local shape, list = core.shape_of(x), axes
  if type(axes) == "number" then list = {axes} end
  if axes == nil then
    list = {}
    for d = 1, #shape do list[d] = d - 1 end
  end
  for _, d in ipairs(list) do
    local half = shape[(d < 0 and d + #shape or d) + 1] // 2
    x = jnp.roll(x, up and half or -half, d)
  end
  return x
end
function M.fftshift(x, axes) return shifted(x, axes, true) end
function M.ifftshift(x, axes) return shifted(x, axes, false) end

local names = {fftfreq = {"d"}, rfftfreq = {"d"}, fftshift = {"axes"},
               ifftshift = {"axes"}}
for _, name in ipairs{"fft", "ifft", "rfft", "irfft"} do
  names[name] = {"n", "axis", "norm"}
  names[name .. "2"] = {"s", "axes", "norm"}
  names[name .. "n"] = names[name .. "2"]
end
args.let_be_named(M, names)

-- ---- Complex values elsewhere in jnp ----

local function real_of(z) return getmetatable(z) == Complex and z.real or z end

M.of_jnp = {
  complex = function(re, im)
    if getmetatable(re) == Complex then return re end
    re = floats("complex", re)
    im = im == nil and lax.full_like(re, 0) or floats("complex", im)
    return pair(re + 0 * im, im + 0 * re)
  end,
  real = real_of,
  imag = function(z)
    if getmetatable(z) == Complex then return z.imag end
    return jnp.zeros_like(z)
  end,
  conj = function(z)
    return getmetatable(z) == Complex and z:conj() or z
  end,
  angle = function(z)
    if getmetatable(z) == Complex then return z:angle() end
    return jnp.arctan2(jnp.zeros_like(z), z)
  end,
}
M.of_jnp.conjugate = M.of_jnp.conj
for _, name in ipairs{"abs", "absolute"} do
  local own = jnp[name]
  M.of_jnp[name] = function(z)
    return getmetatable(z) == Complex and z:abs() or own(z)
  end
end

return M
