-- SPDX-License-Identifier: Apache-2.0
-- Complex numbers. np's arrays are real; what NumPy gives as a complex array
-- is a pair of real ones here, z.real and z.imag, with arithmetic. It never
-- looks like a real array: where none is expected, it is an error.
local np, fail, _, core = ...

local Complex = {__name = "np.complex"}
local methods = {}

local function is_complex(z) return getmetatable(z) == Complex end

-- Arrays, of jax too, and traced values.
local function is_array(x) return type(x) ~= "number" end

--- The pair of these two arrays or numbers.
local function pair(re, im)
  return setmetatable({real = re, imag = im}, Complex)
end
core.complex, core.is_complex = pair, is_complex

--- Real and imaginary parts of a pair, an array, a table or a number; the
--- second of a real one is zeros.
local function parts(z)
  if is_complex(z) then return z.real, z.imag end
  if type(z) == "table" and (z.real ~= nil or z.imag ~= nil) then
    fail("a complex array is made by np.complex(re, im), not by a table")
  end
  if type(z) == "number" then return z, 0.0 end
  local re = core.has_jax(z) and z or np.asarray(z)
  return re, np.zeros_like(re)
end
core.parts = parts

function Complex.__add(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  return pair(a + c, b + d)
end

function Complex.__sub(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  return pair(a - c, b - d)
end

function Complex.__mul(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  local re, im = core.complex_multiply(a, b, c, d) -- in one pass
  if re then return pair(re, im) end
  return pair(a * c - b * d, a * d + b * c)
end

function Complex.__div(x, y)
  local a, b = parts(x)
  local c, d = parts(y)
  local n = c * c + d * d
  return pair((a * c + b * d) / n, (b * c - a * d) / n)
end

function Complex.__unm(z) return pair(-z.real, -z.imag) end

function Complex.__len(z) return #z.real end

function Complex.__tostring(z)
  return ("complex(real = %s, imag = %s)"):format(z.real, z.imag)
end

-- z[...] takes the same of both parts.
function Complex.__index(z, key)
  if methods[key] then return methods[key] end
  local re = rawget(z, "real")
  if key == "shape" or key == "ndim" or key == "size" then
    return is_array(re) and re[key] or nil
  end
  if not is_array(re) then return nil end
  if type(key) == "string" and key:find("^[%a_]") and key ~= "T"
     and not key:find("^None") and not key:find("^newaxis") then
    return nil -- the name of nothing
  end
  if key == "T" then return pair(re.T, z.imag.T) end
  return pair(re[key], z.imag[key])
end

function methods.abs(z) return np.hypot(z.real, z.imag) end
function methods.angle(z) return np.arctan2(z.imag, z.real) end
function methods.conj(z) return pair(z.real, -z.imag) end
function methods.reshape(z, ...)
  return pair(z.real:reshape(...), z.imag:reshape(...))
end
