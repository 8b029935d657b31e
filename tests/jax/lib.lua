-- SPDX-License-Identifier: Apache-2.0
-- What run.lua needs of a fixture: its arrays and functions, the variations of
-- inputs, and comparing with what the real library gave.
local M = {}

-- ---- Arrays ----

local function element(v, dtype)
  if type(v) == "string" then
    return v == "nan" and -(0 / 0) or v == "inf" and math.huge or -math.huge
  end
  if dtype == "f64" or dtype == "f32" or dtype == "f16" or dtype == "bf16" then
    return v * 1.0
  end
  return v
end

-- The numbers of cases.py's `pattern` and `unit`.
local function from_rule(packed)
  local data, seed, n = {}, packed.seed, 1
  for _, s in ipairs(packed.shape) do n = n * s end
  for k = 1, n do
    local i = k - 1 + 17 * seed
    data[k] = ((i * i * 31 + i * 7919 + 104729 * (seed + 1)) % 1009 - 504) /
              packed.divisor
  end
  return data
end

--- A host array from a fixture's {dtype, shape, data}, or {dtype, shape, seed,
--- divisor}.
function M.array(packed)
  local data, dtype = packed.data or from_rule(packed), packed.dtype
  for i = 1, #data do data[i] = element(data[i], dtype) end
  if #data == 0 then return np.zeros(packed.shape, dtype) end
  -- 64 bits without a sign are written as their signed twins.
  local a = dtype == "u64" and np.array(data, "i64"):view("u64") or
            np.array(data, dtype)
  return a:reshape(packed.shape)
end

--- The leaves of results: tables in their order, then by name.
function M.leaves(x, out)
  out = out or {}
  if type(x) ~= "table" or getmetatable(x) then
    out[#out + 1] = x
    return out
  end
  for _, part in ipairs(x) do M.leaves(part, out) end
  local names = {}
  for k in pairs(x) do
    if type(k) == "string" then names[#names + 1] = k end
  end
  table.sort(names)
  for _, k in ipairs(names) do M.leaves(x[k], out) end
  return out
end

-- ---- Cases ----

local prelude = "local jnp, jax, lax, nn, random = ...\n"

--- The function of a case: its arguments are `names` in their order; it gives
--- the list of its results' leaves.
function M.compile(text, names)
  local chunk = prelude .. ("return function(%s) return %s end"):format(
    table.concat(names, ", "), text)
  local f = assert(load(chunk, "=" .. text))(
    jnp, jax, jax.lax, jax.nn, jax.random)
  return function(...) return M.leaves{f(...)} end
end

function M.sorted_names(t)
  local names = {}
  for k in pairs(t) do names[#names + 1] = k end
  table.sort(names)
  return names
end

--- Three different inputs of the same shapes: `which` counts from 0.
function M.vary(a, which, how)
  if which == 0 then return a end
  if how == "scale" then
    return np.multiply(a, np.array(which == 1 and 2 or 0.5, a.dtype))
  end
  local flat = a:reshape(-1)
  if which == 2 or a.size < 2 then flat = flat["::-1"]
  else flat = np.concatenate{flat["-1:"], flat[":-1"]} end
  return flat:copy():reshape(a.shape)
end

local is_float = {f16 = true, bf16 = true, f32 = true, f64 = true}
function M.is_float(x) return is_float[x.dtype] or false end

local weights = {}
--- What a float result is multiplied with before it is summed: the same in
--- tests/fixtures/jax/cases.py.
function M.cotangent(shape, dtype)
  local key = dtype .. table.concat(shape, ",")
  if not weights[key] then
    local n, list = 1, {}
    for _, s in ipairs(shape) do n = n * s end
    for i = 0, n - 1 do list[i + 1] = ((i * 7) % 11 - 5) / 4 end
    weights[key] = n == 0 and np.zeros(shape, dtype) or
                   np.array(list, dtype):reshape(shape)
  end
  return weights[key]
end

--- The direction of finite differences.
function M.direction(a)
  local list = {}
  for i = 0, a.size - 1 do list[i + 1] = ((i * 5) % 7 - 3) / 4 end
  return a.size == 0 and a or np.array(list, a.dtype):reshape(a.shape)
end

-- ---- Comparing ----

local bits = {f16 = {11, -14}, bf16 = {8, -126}, f32 = {24, -126},
              f64 = {53, -1022}}

-- The distance of floats of this type around v.
local function ulp(v, dtype)
  local digits, least = bits[dtype][1], bits[dtype][2]
  local exponent = ((string.unpack("<I8", string.pack("<d", v)) >> 52) & 0x7ff)
                   - 1023
  return 2.0 ^ (math.max(exponent, least) - digits + 1)
end

local function number_of(v)
  if v == true then return 1 elseif v == false then return 0 end
  return v
end

-- Whether a is near enough to b; an exact one keeps a zero's sign.
local function is_near(a, b, dtype, tolerance)
  if a ~= a or b ~= b then return a ~= a and b ~= b end
  if tolerance.exact or not is_float[dtype] then
    return a == b and (a ~= 0 or 1 / a == 1 / b or math.type(a) == "integer")
  end
  if a == b then return true end
  if a - a ~= 0 or b - b ~= 0 then return false end -- an infinity
  return math.abs(a - b) <= (tolerance.ulps or 0) * ulp(b, dtype) +
         (tolerance.rtol or 0) * math.abs(b) + (tolerance.atol or 0)
end

--- "exact", "ulps 4", "rtol 1e-6 atol 1e-6" as a table.
function M.tolerance(text)
  if text == "exact" then return {exact = true} end
  local t = {}
  for name, n in text:gmatch("(%l+) (%S+)") do t[name] = tonumber(n) end
  return t
end

-- An array's elements in a row; a number is one element.
function M.flat(x)
  if type(x) == "number" or type(x) == "boolean" then return {x} end
  x = np.asarray(x)
  if x.size == 0 then return {} end
  return x:reshape(-1):tolist()
end

local function shape_text(s) return "(" .. table.concat(s, ", ") .. ")" end

--- Raises unless `got` has this shape and, but for tolerance, these elements.
function M.check_values(got, want, tolerance, case, i)
  local shape = case and case.shapes and case.shapes[i] or want.shape
  local own = type(got) == "userdata" and got.shape or {}
  if shape_text(own) ~= shape_text(shape) then
    error(("shape %s, want %s"):format(shape_text(own), shape_text(shape)), 0)
  end
  local a, b = M.flat(got), M.flat(want)
  local every = case and case.every or 1
  for k = 1, #b do
    local x, y = number_of(a[(k - 1) * every + 1]), number_of(b[k])
    if not is_near(x, y, want.dtype, tolerance) then
      local word = is_float[want.dtype] and "%.9g" or "%s"
      error(("element %d of %s[%s]: got " .. word .. ", want " .. word):format(
        (k - 1) * every, want.dtype, table.concat(shape, ","), x, y), 0)
    end
  end
end

local kinds = {b = "b", i = "i", u = "i", f = "f"}
--- Raises unless the types are equal; a Lua number has only a kind.
function M.check_type(got, want, weak)
  local dtype = type(got) == "userdata" and got.dtype
  if not dtype then
    local kind = type(got) == "boolean" and "b" or
                 math.type(got) == "integer" and "i" or "f"
    local wanted = kinds[want.dtype == "bf16" and "f" or want.dtype:sub(1, 1)]
    if kind ~= wanted then
      error(("a Lua %s, want %s"):format(math.type(got) or type(got),
                                         want.dtype), 0)
    end
    return
  end
  if dtype ~= want.dtype then
    error(("type %s, want %s"):format(dtype, want.dtype), 0)
  end
  if weak ~= nil and got.weak_type ~= weak then
    error(("weak_type %s, want %s"):format(tostring(got.weak_type),
                                           tostring(weak)), 0)
  end
end

return M
