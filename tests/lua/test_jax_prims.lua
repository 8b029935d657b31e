-- SPDX-License-Identifier: Apache-2.0
-- Every elementwise primitive: compiled against eager, batched against a loop
-- for every choice of batched arguments (numbers and vectors), derivatives
-- against differences in 64 bits, forward against backward. Values are compared
-- with JAX's own by tests/jax.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal = tap.test, tap.equal
local lax = jax.lax

-- ---- The table ----

-- Points where functions of floats are smooth: {first argument, second, ...}.
local any = {{-1.25, 0.5, 2.0}, {0.75, -0.5, 1.5}, {0.25, 1.25, -2.0}}
local between = {{-1.25, 0.375, 2.125}} -- where steps are flat
local positive = {{0.3, 1.5, 4.0}, {1.25, 0.5, 2.5}}
local unit = {{-0.8, 0.1, 0.6}}
local above_one = {{1.25, 2.0, 3.5}}
local whole = {{5, -3, 12}, {2, 3, 1}, {1, 7, 2}}
local truth = {{true, false, true}, {true, true, false}}

-- name, arguments, points, differentiable arguments ("-": none)
local rows = {}
local function add(names, count, points, grads)
  for name in names:gmatch("%S+") do
    rows[#rows + 1] = {name = name, f = lax[name], count = count,
                       points = points, grads = grads}
  end
end
add([[neg abs square exp exp2 expm1 sin cos tan sinh cosh tanh atan asinh cbrt
      logistic erf erfc copy]], 1, any, {1})
add("sign floor ceil", 1, between, {1})
add("log log1p sqrt rsqrt lgamma digamma reciprocal", 1, positive, {1})
add("asin acos atanh erf_inv", 1, unit, {1})
add("acosh", 1, above_one, {1})
add("exp1", 1, positive, {1})
add("expi bessel_i0e bessel_i1e", 1, any, {1})
add("igamma igammac", 2, positive, {1, 2})
add("igamma_grad_a random_gamma_grad", 2, positive, {})
add("stop_gradient is_finite", 1, any, {})
add("add add_any sub mul div max min atan2", 2, any, {1, 2})
add("pow", 2, positive, {1, 2})
add("rem", 2, {{5.5, -3.25, 4.5}, {2.0, 2.0, -1.75}}, {1, 2})
add("nextafter eq ne lt le gt ge", 2, any, {})
add([[and or xor bitwise_and bitwise_or bitwise_xor shift_left
      shift_right_arithmetic shift_right_logical]], 2, whole, {})
add("not bitwise_not population_count clz", 1, whole, {})
add("and or xor", 2, truth, {})
add("not", 1, truth, {})

local function define(name, f, count, points, grads)
  rows[#rows + 1] = {name = name, f = f, count = count, points = points,
                     grads = grads}
end
define("polygamma", function(x) return lax.polygamma(1.0, x) end, 1, positive,
       {1})
define("zeta", function(x) return lax.zeta(2.5, x) end, 1, positive, {1})
define("integer_pow", function(x) return lax.integer_pow(x, 3) end, 1, any, {1})
define("integer_pow", function(x) return lax.integer_pow(x, -2) end, 1, any,
       {1})
define("round", function(x) return lax.round(x, 1) end, 1, between, {1})
define("clamp", lax.clamp, 3, {{-1.5, 0.5, -1.0}, {0.25, 0.25, 0.75},
                               {1.5, 1.5, 0.5}}, {1, 2, 3})
define("select_n", lax.select_n, 3, {truth[1], any[1], any[2]}, {2, 3})
define("select_n", lax.select_n, 4, {{0, 2, 1}, any[1], any[2], any[3]},
       {2, 3, 4})
define("select", lax.select, 3, {truth[1], any[1], any[2]}, {2, 3})
define("convert_element_type", function(x)
  return lax.convert_element_type(x, "f32")
end, 1, any, {})
define("convert_element_type", function(x)
  return lax.convert_element_type(lax.mul(x, x), "f64")
end, 1, any, {1})
define("bitcast_convert_type", function(x)
  return lax.bitcast_convert_type(x, "u64")
end, 1, any, {})

-- ---- Helpers ----

local function wide(f)
  return function()
    jax.config.update("jax_enable_x64", true)
    local ok, e = pcall(f)
    jax.config.update("jax_enable_x64", false)
    if not ok then error(e, 0) end
  end
end

local function array(list)
  return jnp.array(list, type(list[1]) == "boolean" and "bool" or
                         math.type(list[1]) == "integer" and "i32" or "f64")
end

local function arrays(row)
  local out = {}
  for i = 1, row.count do out[i] = array(row.points[i]) end
  return out
end

local function same(got, want, what)
  equal(got.dtype, want.dtype, what)
  equal(got.shape, want.shape, what)
  np.testing.assert_allclose(np.asarray(got), np.asarray(want), 1e-12, 1e-14)
end

-- ---- The tests ----

local function compiled(row)
  local x = arrays(row)
  same(jax.jit(row.f)(table.unpack(x)), row.f(table.unpack(x)), "jit")
end

-- Argument i of item k: its own where it is batched, the first otherwise.
local function item(x, is_batched, k)
  local out = {}
  for i, v in ipairs(x) do out[i] = v[is_batched[i] and k or 0] end
  return out
end

local function batched(row, x)
  for mask = 1, (1 << row.count) - 1 do
    local is_batched, axes, given = {}, {}, {}
    for i = 1, row.count do
      is_batched[i] = mask >> i - 1 & 1 == 1
      axes[i] = is_batched[i] and 0
      given[i] = is_batched[i] and x[i] or x[i][0]
    end
    local got = jax.vmap(row.f, {in_axes = axes})(table.unpack(given))
    local want = {}
    for k = 0, x[1].shape[1] - 1 do
      want[k + 1] = row.f(table.unpack(item(x, is_batched, k)))
    end
    same(got, jnp.stack(want), "vmap " .. mask)
  end
end

local function rows_of(x)
  local out = {}
  for i, v in ipairs(x) do out[i] = jnp.stack{v, jnp.flip(v)} end
  return out
end

local H = 2.0^-20

local function differentiated(row)
  local x = arrays(row)
  for _, i in ipairs(row.grads) do
    local function of_one(v)
      local y = table.move(x, 1, row.count, 1, {})
      y[i] = v
      return row.f(table.unpack(y))
    end
    local up = np.asarray(of_one(x[i] + H))
    local down = np.asarray(of_one(x[i] - H))
    local want = (up - down) / (2 * H)
    local back = jax.grad(function(v) return jnp.sum(of_one(v)) end)(x[i])
    local _, forward = jax.jvp(of_one, {x[i]}, {jnp.ones_like(x[i])})
    np.testing.assert_allclose(np.asarray(back), want, 2e-8, 2e-8)
    np.testing.assert_allclose(np.asarray(forward), np.asarray(back), 1e-12,
                               1e-14)
  end
end

-- The sum of a scalar's cotangents, where the others are vectors.
local function spread(row)
  local x = arrays(row)
  for _, i in ipairs(row.grads) do
    local function of_one(v)
      local y = table.move(x, 1, row.count, 1, {})
      y[i] = jnp.broadcast_to(v, y[i].shape)
      return jnp.sum(row.f(table.unpack(y)))
    end
    local function direct(v)
      local y = table.move(x, 1, row.count, 1, {})
      y[i] = v
      return jnp.sum(row.f(table.unpack(y)))
    end
    same(jax.grad(direct)(x[i][0]), jax.grad(of_one)(x[i][0]), "scalar")
  end
end

for _, row in ipairs(rows) do
  test(row.name .. ": compiled", wide(function() compiled(row) end))
  test(row.name .. ": batched", wide(function()
    batched(row, arrays(row))
    batched(row, rows_of(arrays(row)))
  end))
  if #row.grads > 0 then
    test(row.name .. ": differentiated", wide(function()
      differentiated(row)
    end))
  end
  if row.count == 2 and #row.grads > 0 then
    test(row.name .. ": of a number and a vector", wide(function()
      spread(row)
    end))
  end
end

test("every elementwise primitive is in the table", function()
  local known = {}
  for _, row in ipairs(rows) do known[row.name] = true end
  for _, name in ipairs(lax.elementwise_names) do
    assert(known[name], name .. " is not tested here")
  end
end)

test("integers and bool have no derivative", function()
  local g = jax.grad(function(x)
    return jnp.sum(x * lax.convert_element_type(lax.floor(x), "i32"))
  end)(jnp.array{1.5, 2.5})
  equal(tostring(g), "Array([1, 2], f32)")
end)

tap.done()
