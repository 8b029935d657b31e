-- SPDX-License-Identifier: Apache-2.0
-- np.fft. What is complex is a pair of arrays (array/complex.lua), in and out.
local np, fail, _, core = ...
local fftw = core.fft
local fft = {}
np.fft = fft

local function define(name, names, f)
  core.define_in_part(fft, "fft", name, names, f)
end

-- f32 stays f32; all else is f64.
local function result_type(re)
  return type(re) == "userdata" and re.dtype == "f32" and "f32" or "f64"
end

-- The axis cut or filled with zeros to n items, and moved to the end.
local function fitted(name, x, n, axis)
  local last = x.ndim - 1
  if axis ~= last then x = np.moveaxis(x, axis, -1) end
  local have = x.shape[last + 1]
  n = n or have
  if math.type(n) ~= "integer" or n < 1 then
    fail(("fft.%s: a transform of %s points"):format(name, tostring(n)))
  end
  if n < have then return core.part(x, last, 0, n) end
  if n == have then return x end
  local width = {}
  for d = 1, x.ndim do width[d] = {0, d - 1 == last and n - have or 0} end
  return np.pad(x, width)
end

-- What a transform is divided by: NumPy's names of norms.
local function divisor(name, norm, n, is_inverse)
  norm = norm or "backward"
  if norm == "ortho" then return math.sqrt(n) end
  if norm ~= "backward" and norm ~= "forward" then
    fail(("fft.%s: norm is \"backward\", \"ortho\" or \"forward\""):format(
      name))
  end
  return (norm == "backward") == is_inverse and n or 1
end

-- Divided, of its type, with the axis back in its place.
local function finished(x, by, t, axis)
  if by ~= 1 then x = x / by end
  if t == "f32" then x = x:astype("f32") end
  return axis == x.ndim - 1 and x or np.moveaxis(x, -1, axis)
end

-- The parts, the second of a real array nil, and the axis.
local function check(name, z, axis)
  local re, im
  if core.is_complex(z) then
    re, im = np.asarray(z.real), np.asarray(z.imag)
  else
    re = np.asarray(type(z) == "table" and core.parts(z) or z)
  end
  if re.ndim == 0 then
    fail(("fft.%s: a number has no axis"):format(name))
  end
  return re, im, core.axis("fft." .. name, axis or -1, re.ndim)
end

local function transform(name, z, n, axis, norm, is_inverse)
  local re, im
  re, im, axis = check(name, z, axis)
  local t = result_type(re)
  re, im = fitted(name, re, n, axis), im and fitted(name, im, n, axis)
  local by = divisor(name, norm, re.shape[re.ndim], is_inverse)
  local a, b
  if is_inverse and im then
    b, a = fftw.forward(im, re)
  else
    a, b = fftw.forward(re, im)
    if is_inverse then b = -b end
  end
  return core.complex(finished(a, by, t, axis), finished(b, by, t, axis))
end

local arguments = {"a", "n", "axis", "norm"}
define("fft", arguments, function(z, n, axis, norm)
  return transform("fft", z, n, axis, norm, false)
end)
define("ifft", arguments, function(z, n, axis, norm)
  return transform("ifft", z, n, axis, norm, true)
end)

local function no_imaginary(name, z)
  if core.is_complex(z) then
    fail(("fft.%s: the input is complex; np.fft.fft takes that"):format(name))
  end
  return z
end

define("rfft", arguments, function(x, n, axis, norm)
  local re
  re, _, axis = check("rfft", no_imaginary("rfft", x), axis)
  local t = result_type(re)
  re = fitted("rfft", re, n, axis)
  local by = divisor("rfft", norm, re.shape[re.ndim], false)
  local a, b = fftw.real(re)
  return core.complex(finished(a, by, t, axis), finished(b, by, t, axis))
end)

define("irfft", arguments, function(z, n, axis, norm)
  local re, im
  re, im, axis = check("irfft", z, axis)
  local t = result_type(re)
  n = n or 2 * (re.shape[axis + 1] - 1)
  if math.type(n) ~= "integer" or n < 1 then
    fail(("fft.irfft: a transform of %s points"):format(tostring(n)))
  end
  local m = n // 2 + 1
  im = im or np.zeros_like(re)
  local x = fftw.inverse_real(fitted("irfft", re, m, axis),
                              fitted("irfft", im, m, axis), n)
  return finished(x, divisor("irfft", norm, n, true), t, axis)
end)

-- The axes of `z` that are named, or those that the sizes `s` speak of (the
-- last ones), or all.
local function named_axes(name, z, s, axes)
  local ndim = core.is_complex(z) and z.real.ndim or np.asarray(z).ndim
  if axes == nil then
    axes = {}
    local count = s and #s or ndim
    for i = 1, count do axes[i] = i - 1 - count end
  end
  axes = core.axes("fft." .. name, axes, ndim)
  if s and #s ~= #axes then
    fail(("fft.%s: %d sizes for %d axes"):format(name, #s, #axes))
  end
  return axes
end

-- One axis after the other, the last first, as NumPy.
local function along_axes(name, one, first)
  return function(z, s, axes, norm)
    axes = named_axes(name, z, s, axes)
    for i = #axes, 1, -1 do
      z = (i == #axes and first or one)(z, s and s[i], axes[i], norm)
    end
    return z
  end
end

local several = {"a", "s", "axes", "norm"}
for name, parts in pairs{fft = {}, ifft = {}, rfft = {rest = "fft"}} do
  local rest = fft[parts.rest or name]
  local n_axes = along_axes(name .. "n", rest, fft[name])
  define(name .. "n", several, n_axes)
  define(name .. "2", several, function(z, s, axes, norm)
    return n_axes(z, s, axes or {-2, -1}, norm)
  end)
end

-- The inverse: complex axes first, the real one last.
local function irfftn(z, s, axes, norm)
  axes = named_axes("irfftn", z, s, axes)
  for i = 1, #axes - 1 do z = fft.ifft(z, s and s[i], axes[i], norm) end
  return fft.irfft(z, s and s[#axes], axes[#axes], norm)
end
define("irfftn", several, irfftn)
define("irfft2", several, function(z, s, axes, norm)
  return irfftn(z, s, axes or {-2, -1}, norm)
end)

-- ---- Frequencies ----

local function check_count(name, n)
  if math.type(n) ~= "integer" or n < 1 then
    fail(("fft.%s: n is a whole number over 0"):format(name))
  end
end

core.define(fft, "fftfreq", {"n", "d"}, function(n, d)
  check_count("fftfreq", n)
  local half = (n - 1) // 2 + 1
  return np.concatenate{np.arange(0, half), np.arange(-(n // 2), 0)}
         * (1.0 / (n * (d or 1.0)))
end, "fft.")

core.define(fft, "rfftfreq", {"n", "d"}, function(n, d)
  check_count("rfftfreq", n)
  return np.arange(0, n // 2 + 1) * (1.0 / (n * (d or 1.0)))
end, "fft.")

-- Rolls by half of each axis: `up` puts the zero in the middle.
local function shifted(name, x, axes, up)
  if core.is_complex(x) then
    return core.complex(shifted(name, x.real, axes, up),
                        shifted(name, x.imag, axes, up))
  end
  x = np.asarray(x)
  if axes == nil then
    axes = {}
    for d = 1, x.ndim do axes[d] = d - 1 end
  end
  axes = core.axes("fft." .. name, axes, x.ndim)
  local shift = {}
  for i, d in ipairs(axes) do
    local half = x.shape[d + 1] // 2
    shift[i] = up and half or -half
  end
  if #axes == 0 then return x:copy() end
  return np.roll(x, shift, axes)
end

define("fftshift", {"x", "axes"}, function(x, axes)
  return shifted("fftshift", x, axes, true)
end)
define("ifftshift", {"x", "axes"}, function(x, axes)
  return shifted("ifftshift", x, axes, false)
end)
