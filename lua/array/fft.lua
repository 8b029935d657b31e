-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: parts of complex arrays, and fft's names in terms of
-- transforms of the last axis. What is complex is a pair of arrays
-- (complex.lua), in and out.
local np, _, _, core = ...

-- ---- Complex values ----

local function parts(lib, define)
  local xp = lib.xp
  define("complex", nil, function(re, im)
    if core.is_complex(re) then return re end
    return core.complex(lib.complex_parts(re, im))
  end)
  define("real", nil, function(z)
    return core.is_complex(z) and z.real or lib.given(z)
  end)
  define("imag", nil, function(z)
    if core.is_complex(z) then return z.imag end
    return lib.zeros_beside(lib.given(z))
  end)
  define("angle", nil, function(z)
    return xp.arctan2(xp.imag(z), xp.real(z))
  end)
  for _, name in ipairs{"conj", "conjugate"} do
    define(name, nil, function(z)
      return core.is_complex(z) and z:conj() or lib.given(z)
    end)
  end
  for _, name in ipairs{"abs", "absolute"} do
    define(name, nil, function(z, ...)
      if core.is_complex(z) then return z:abs() end
      return lib.absolute(z, ...)
    end)
  end
end

-- ---- Transforms ----

local function fail_in(lib, name, text, ...)
  lib.fail("fft." .. name, "ValueError", text, ...)
end

local function check_points(lib, name, n)
  if n and (math.type(n) ~= "integer" or n < 1) then
    fail_in(lib, name, "a transform of %s points", tostring(n))
  end
end

-- The axis moved to the end, and cut or filled with zeros to n items.
local function fitted(lib, x, n, axis)
  local last = x.ndim - 1
  if axis ~= last then x = lib.xp.moveaxis(x, axis, -1) end
  local have = x.shape[last + 1]
  if not n or n == have then return x end
  if n < have then return lib.slice(x, last, 0, n) end
  local width = {}
  for d = 1, x.ndim do width[d] = {0, d - 1 == last and n - have or 0} end
  return lib.xp.pad(x, width)
end

-- What a transform is divided by: NumPy's names of norms.
local function divisor(lib, name, norm, n, is_inverse)
  norm = norm or "backward"
  if norm == "ortho" then return math.sqrt(n) end
  if norm ~= "backward" and norm ~= "forward" then
    fail_in(lib, name, "norm is \"backward\", \"ortho\" or \"forward\"")
  end
  return (norm == "backward") == is_inverse and n or 1
end

-- Both parts (that of a real array may be nil), the axis, and a function that
-- brings a result to its type, its size and its axis.
local function opened(lib, name, z, n, axis)
  check_points(lib, name, n)
  local re, im, t = lib.fft_parts(name, z)
  if re.ndim == 0 then fail_in(lib, name, "a number has no axis") end
  axis = axis or -1
  if math.type(axis) == "integer" and
     (axis < -re.ndim or axis >= re.ndim) then
    fail_in(lib, name, "axis %d is out of bounds for an array with %d axes",
            axis, re.ndim)
  end
  axis = lib.axis(axis, re.ndim, "fft." .. name)
  return re, im, axis, function(x, by)
    if by ~= 1 then x = x / by end
    x = lib.fft_result(x, t)
    return axis == x.ndim - 1 and x or lib.xp.moveaxis(x, -1, axis)
  end
end

local function transform(lib, name, z, n, axis, norm, is_inverse)
  local re, im, at, done = opened(lib, name, z, n, axis)
  re, im = fitted(lib, re, n, at), im and fitted(lib, im, n, at)
  local by = divisor(lib, name, norm, re.shape[re.ndim], is_inverse)
  local a, b = lib.fft(re, im, is_inverse)
  return core.complex(done(a, by), done(b, by))
end

local arguments = {"a", "n", "axis", "norm"}

local function lines(lib, define)
  for name, is_inverse in pairs{fft = false, ifft = true} do
    define(name, arguments, function(z, n, axis, norm)
      return transform(lib, name, z, n, axis, norm, is_inverse)
    end)
  end
  define("rfft", arguments, function(x, n, axis, norm)
    if core.is_complex(x) then
      fail_in(lib, "rfft", lib.either(
        "the input is complex; np.fft.fft takes that", "the input is complex"))
    end
    local re, _, at, done = opened(lib, "rfft", x, n, axis)
    re = fitted(lib, re, n, at)
    local by = divisor(lib, "rfft", norm, re.shape[re.ndim], false)
    local a, b = lib.rfft(re)
    return core.complex(done(a, by), done(b, by))
  end)
  define("irfft", arguments, function(z, n, axis, norm)
    local re, im, at, done = opened(lib, "irfft", z, nil, axis)
    n = n or 2 * (re.shape[at + 1] - 1)
    check_points(lib, "irfft", n)
    local m = n // 2 + 1
    im = im or lib.xp.zeros_like(re)
    local x = lib.irfft(fitted(lib, re, m, at), fitted(lib, im, m, at), n)
    return done(x, divisor(lib, "irfft", norm, n, true))
  end)
end

-- ---- Several axes ----

-- The axes of `z` that are named, or those that the sizes `s` speak of (the
-- last ones), or all.
local function named_axes(lib, name, z, s, axes)
  local own = core.is_complex(z) and z.real or z
  local rank = lib.array(own, "fft." .. name).ndim
  if axes == nil then
    axes = {}
    local count = s and #s or rank
    for i = 1, count do axes[i] = i - 1 - count end
  end
  axes = lib.axes(axes, rank, "fft." .. name)
  if s and #s ~= #axes then
    fail_in(lib, name, "%d sizes for %d axes", #s, #axes)
  end
  return axes
end

local function several(lib, define, fft)
  -- One axis after the other, the last by `last`: first, or at the end where
  -- the result is real.
  local function along(full, last, rest, is_back)
    return function(z, s, axes, norm)
      axes = named_axes(lib, full, z, s, axes)
      local function one(i, f)
        z = f(z, s and s[i], axes[i], norm)
      end
      if not is_back then one(#axes, last) end
      for i = is_back and 1 or #axes - 1, is_back and #axes - 1 or 1,
              is_back and 1 or -1 do
        one(i, rest)
      end
      if is_back then one(#axes, last) end
      return z
    end
  end
  for name, rest in pairs{fft = "fft", ifft = "ifft", rfft = "fft",
                          irfft = "ifft"} do
    local function last(...) return fft()[name](...) end
    local function other(...) return fft()[rest](...) end
    local f = along(name .. "n", last, other, name == "irfft")
    define(name .. "n", {"a", "s", "axes", "norm"}, f)
    define(name .. "2", {"a", "s", "axes", "norm"},
           function(z, s, axes, norm)
      return f(z, s, axes or {-2, -1}, norm)
    end)
  end
end

-- ---- Frequencies ----

local function check_count(lib, name, n)
  if math.type(n) ~= "integer" or n < 1 then
    fail_in(lib, name, "n is a whole number over 0")
  end
end

-- Rolls by half of each axis: `up` puts the zero in the middle.
local function shifted(lib, name, x, axes, up)
  if core.is_complex(x) then
    return core.complex(shifted(lib, name, x.real, axes, up),
                        shifted(lib, name, x.imag, axes, up))
  end
  x = lib.array(x, "fft." .. name)
  axes = lib.axes(axes, x.ndim, "fft." .. name)
  if #axes == 0 then return lib.fresh(x) end
  local shift = {}
  for i, d in ipairs(axes) do
    local half = x.shape[d + 1] // 2
    shift[i] = up and half or -half
  end
  return lib.xp.roll(x, shift, axes)
end

local function frequencies(lib, define)
  define("fftfreq", {"n", "d"}, function(n, d)
    check_count(lib, "fftfreq", n)
    local half = (n - 1) // 2 + 1
    return lib.known_floats(np.concatenate{np.arange(0, half),
                                           np.arange(-(n // 2), 0)} *
                            (1.0 / (n * (d or 1.0))))
  end)
  define("rfftfreq", {"n", "d"}, function(n, d)
    check_count(lib, "rfftfreq", n)
    return lib.known_floats(np.arange(0, n // 2 + 1) *
                            (1.0 / (n * (d or 1.0))))
  end)
  for name, up in pairs{fftshift = true, ifftshift = false} do
    define(name, {"x", "axes"}, function(x, axes)
      return shifted(lib, name, x, axes, up)
    end)
  end
end

core.family(function(lib)
  parts(lib, lib.define)
  local function define(...) lib.define_in("fft", ...) end
  lines(lib, define)
  several(lib, define, function() return lib.xp.fft end)
  frequencies(lib, define)
end)
