-- SPDX-License-Identifier: Apache-2.0
-- What random numbers are made of.
--
--   threefry2x32   (key 0, key 1, count 0, count 1), all u32 -> two of u32:
--                  20 rounds of Threefry-2x32 (Salmon, Moraes, Dror and Shaw,
--                  "Parallel random numbers: as easy as 1, 2, 3", SC 2011)
--   without_derivative   its argument
--   erf_inv        the inverse of erf, in single precision (Giles,
--                  "Approximating the erfinv function", GPU Computing Gems)
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local emit = use("compile/emit")
local np = use.np

-- ---- threefry2x32 ----

local ROTATIONS = {{13, 15, 26, 6}, {17, 29, 16, 24}}
local PARITY = 0x1BD11BDA

local function u32(n) return np.asarray(n, "u32") end

local function rotated(x, by)
  return np.bitwise_or(np.left_shift(x, u32(by)),
                       np.right_shift(x, u32(32 - by)))
end

-- After every four rounds the next two words of the key are added.
local function threefry(k0, k1, x0, x1)
  local key = {k0, k1, np.bitwise_xor(np.bitwise_xor(k0, k1), u32(PARITY))}
  x0, x1 = np.add(x0, k0), np.add(x1, k1)
  for group = 1, 5 do
    for _, by in ipairs(ROTATIONS[(group - 1) % 2 + 1]) do
      x0 = np.add(x0, x1)
      x1 = np.bitwise_xor(x0, rotated(x1, by))
    end
    x0 = np.add(x0, key[group % 3 + 1])
    x1 = np.add(np.add(x1, key[(group + 1) % 3 + 1]), u32(group))
  end
  return {x0, x1}
end

local function threefry_text()
  local lines = {
    "__device__ uint2 threefry2x32(unsigned k0, unsigned k1, unsigned x0,",
    "                              unsigned x1) {",
    ("  const unsigned k2 = k0 ^ k1 ^ 0x%xu;"):format(PARITY),
    "  x0 += k0, x1 += k1;"}
  for group = 1, 5 do
    for _, by in ipairs(ROTATIONS[(group - 1) % 2 + 1]) do
      lines[#lines + 1] = ("  x0 += x1, x1 = x0 ^ __funnelshift_l(x1, x1, " ..
                           "%d);"):format(by)
    end
    lines[#lines + 1] = ("  x0 += k%d, x1 += k%d + %du;"):format(
      group % 3, (group + 1) % 3, group)
  end
  lines[#lines + 1] = "  return make_uint2(x0, x1);\n}"
  return table.concat(lines, "\n")
end
emit.add_helper("threefry2x32", threefry_text())

core.define{
  name = "threefry2x32",
  eval = function(_, ...) return threefry(...) end,
  shape = function(_, ...)
    local shape = {}
    for _, a in ipairs{...} do
      if a.dtype ~= "u32" then
        core.fail("argument", "TypeError", "threefry2x32 takes u32, not %s",
                  a.dtype)
      end
      if #a.shape > 0 then
        if #shape > 0 and not core.same_shape(shape, a.shape) then
          core.fail("argument", "TypeError",
                    "threefry2x32: shapes must be equal: %s and %s",
                    core.shape_text(shape), core.shape_text(a.shape))
        end
        shape = a.shape
      end
    end
    return {core.aval(shape, "u32"), core.aval(shape, "u32")}
  end,
  -- Scalars of a batch stand beside counts with axes: they are stretched.
  batch = function(params, size, values, dims)
    local rank, moved = 0, {}
    for i, x in ipairs(values) do
      rank = math.max(rank, #core.shape_of(x) - (dims[i] and 1 or 0))
    end
    local shape
    for i, x in ipairs(values) do
      if #core.shape_of(x) - (dims[i] and 1 or 0) == rank and
         (rank > 0 or dims[i]) then
        moved[i] = batch.at(x, dims[i], 0, size)
        shape = shape or core.shape_of(moved[i])
      end
    end
    for i, x in ipairs(values) do
      moved[i] = moved[i] or not dims[i] and x or
                 lax.broadcast_in_dim(x, shape, {0})
    end
    return core.bind(core.prims.threefry2x32, params, moved), {0, 0}
  end,
  diff = false,
  emit = {many = function(code, args)
    local both = code:name("uint2", ("threefry2x32(%s)"):format(
      table.concat(args, ", ")))
    return {both .. ".x", both .. ".y"}
  end},
}

--- Two hashed words for each pair of counts.
function lax.threefry2x32(k0, k1, x0, x1)
  return table.unpack(core.bind(core.prims.threefry2x32, {}, {k0, k1, x0, x1}))
end

-- ---- without_derivative: {what} ----

-- The argument, of which no derivative may be asked: a number that is drawn by
-- rejection jumps with it.
local function refuse(p)
  core.fail("unsupported", nil, "%s has no derivative here with respect to " ..
            "its parameter: jax.lax.stop_gradient(parameter) takes it as a " ..
            "constant", p.what)
end

core.define{
  name = "without_derivative",
  eval = function(_, x) return x end,
  shape = function(_, x) return x end,
  batch = batch.elementwise("without_derivative"),
  diff = {jvp = refuse, forward = refuse, vjp = refuse},
  emit = {map = {"$1"}},
}
function lax.without_derivative(x, what)
  if core.is_literal(x) then return x end
  return core.bind1("without_derivative", {what = what}, x)
end

-- ---- erf_inv ----

-- Polynomials in w - 2.5 and sqrt(w) - 3 where w = -log(1 - x^2) is below 5 and
-- not; from the highest power down.
local NEAR = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
              0.00021858087, -0.00125372503, -0.00417768164, 0.246640727,
              1.50140941}
local FAR = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
             0.00573950773, -0.0076224613, 0.00943887047, 1.00167406,
             2.83297682}

local function f32(x) return np.asarray(x, "f32") end

local function erf_inv(x)
  local t = x.dtype
  x = x:astype("f32")
  local w = np.negative(np.log1p(np.negative(np.multiply(x, x))))
  local is_near = np.less(w, f32(5))
  local v = np.where(is_near, np.subtract(w, f32(2.5)),
                     np.subtract(np.sqrt(w), f32(3)))
  local p = np.where(is_near, f32(NEAR[1]), f32(FAR[1]))
  for i = 2, #NEAR do
    p = np.add(np.where(is_near, f32(NEAR[i]), f32(FAR[i])), np.multiply(p, v))
  end
  local is_end = np.equal(np.abs(x), f32(1))
  return np.where(is_end, np.multiply(x, f32(math.huge)),
                  np.multiply(p, x)):astype(t)
end

local function erf_inv_text()
  local lines = {
    "__device__ float erf_inv(float x) {",
    "  const float w = -log1pf(-x * x);",
    "  const bool near = w < 5.0f;",
    "  const float v = near ? w - 2.5f : sqrtf(w) - 3.0f;",
    ("  float p = near ? %.9gf : %.9gf;"):format(NEAR[1], FAR[1])}
  for i = 2, #NEAR do
    lines[#lines + 1] = ("  p = (near ? %.9gf : %.9gf) + p * v;"):format(
      NEAR[i], FAR[i])
  end
  lines[#lines + 1] = "  const float infinity = __int_as_float(0x7f800000);"
  lines[#lines + 1] = "  return x * (fabsf(x) == 1.0f ? infinity : p);\n}"
  return table.concat(lines, "\n")
end
emit.add_helper("erf_inv", erf_inv_text())

local function slope(y)
  return lax.mul(lax.exp(lax.mul(y, y)), math.sqrt(math.pi) / 2)
end

core.define{
  name = "erf_inv",
  eval = function(_, x)
    return x.dtype == "f64" and np.erfinv(x) or erf_inv(x)
  end,
  shape = function(_, x)
    if not x.dtype:find("^b?f") then
      core.fail("argument", "TypeError", "erf_inv takes floats, not %s",
                x.dtype)
    end
    return x
  end,
  batch = batch.elementwise("erf_inv"),
  diff = {
    jvp = function(_, _, tangents, outputs)
      return {lax.mul(slope(outputs[1]), tangents[1])}
    end,
    vjp = function(_, cts, _, outputs)
      return {cts[1] and lax.mul(slope(outputs[1]), cts[1])}
    end,
  },
  emit = {map = function(eqn)
    return eqn.inputs[1].aval.dtype == "f64" and "erfinv($1)" or "erf_inv($1)"
  end},
}
lax.elementwise("erf_inv")
