-- SPDX-License-Identifier: Apache-2.0
-- Rules of jax where points that are smooth, and arrays that are alike, show
-- nothing: derivatives at edges, effects done twice, arrays of other sizes.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

-- JAX: log(where(x == 0, 1, x)).
test("a power of 0 by its exponent", function()
  for _, y in ipairs{2.0, 0.5, 1.0} do
    equal(jax.grad(function(v) return jnp.power(0.0, v) end)(y):item(), 0.0)
  end
  equal(jax.grad(function(v) return jnp.power(1.0, v) end)(2.0):item(), 0.0)
end)

-- The gradient of sum(f(x) * w), by its elements.
local function gradient(f, x, w)
  return np.asarray(jax.grad(function(v)
    return jnp.sum(f(v) * jnp.array(w, "f32"))
  end)(type(x) == "table" and jnp.array(x, "f32") or x)):tolist()
end

test("weights go back where they came from", function()
  local lax = jax.lax
  local x = {1, 2, 4}
  -- A running sum goes back the other way; a scalar gets the sum of all.
  equal(gradient(function(v) return lax.cumsum(v) end, x, {1, 10, 100}),
    {111, 110, 100})
  equal(gradient(function(v) return lax.mul(v, jnp.array(x, "f32")) end, 3.0,
    {1, 1, 1}), 7)
  -- At a limit the limit counts.
  equal(gradient(function(v) return lax.clamp(1.0, v, 4.0) end, x,
    {1, 10, 100}), {0, 10, 0})
  local yes = jnp.array{true, false, true}
  equal(gradient(function(v) return lax.select(yes, v, v * 2) end, x,
    {1, 10, 100}), {1, 20, 100})
  equal(gradient(function(v) return lax.select(yes, v, v * 0) end, x,
    {1, 10, 100}), {1, 0, 100})
end)

test("slices and updates go back to their places", function()
  local lax = jax.lax
  local x, one = {1, 2, 4}, jnp.array({7}, "f32")
  equal(gradient(function(v) return lax.dynamic_slice(v, {1}, {2}) end, x,
    {10, 100}), {0, 10, 100})
  equal(gradient(function(v)
    return lax.dynamic_update_slice(v, one, {1})
  end, x, {1, 10, 100}), {1, 0, 100})
  equal(gradient(function(v) return v[jnp.array{2, 0, 2}] end, x, {1, 10, 100}),
    {10, 0, 101})
  equal(gradient(function(v) return jnp.concatenate{v * 2, v} end, x,
    {1, 10, 100, 3, 30, 300}), {5, 50, 500})
end)

-- Solved by hand: x = b / a of one by one; a product's two halves.
test("both sides of products and systems count", function()
  local a, b = jnp.array({{2}}, "f32"), jnp.array({{6}}, "f32")
  local function first(x) return np.asarray(x):item() end
  local solve = function(m, r)
    return jnp.sum(jax.lax.linalg.triangular_solve(m, r, true, true))
  end
  equal(first(jax.grad(solve)(a, b)), -1.5)
  local _, t = jax.jvp(function(x, y) return jnp.matmul(x, y) end, {a, b},
    {jnp.array({{10}}, "f32"), jnp.array({{100}}, "f32")})
  equal(first(t), 260)
end)

-- Of x = {1, 2, 4, 8}: sum(imag(fft(x)) * {0, 1, 0, 0}) is -x[1] + x[3].
test("a Fourier transform goes back the other way", function()
  equal(gradient(function(v) return jnp.imag(jnp.fft.fft(v)) end, {1, 2, 4, 8},
    {0, 1, 0, 0}), {0, -1, 0, 1})
end)

-- Rows of 4100 bytes do not begin where words of 16 do.
test("rows of a scan begin anywhere", function()
  local rows = jnp.arange(3 * 1025):reshape(3, 1025):astype("f32")
  local function body(c, x)
    local y = x * 2 + c
    return jnp.max(y), y -- a block of kernels
  end
  jax.config.update("jax_vectorize_small", true)
  local ok, last, ys = pcall(jax.jit(function(v)
    return jax.lax.scan(body, 1.0, v)
  end), rows)
  jax.config.update("jax_vectorize_small", false)
  if not ok then error(last, 0) end
  equal(last:item(), 1 + 2 * (1024 + 2049 + 3074))
  equal(np.asarray(ys)[1][1024], 1 + 2 * 1024 + 2 * 2049)
end)

test("ones of two types are two values", function()
  local f = jax.jit(function(x)
    return jnp.full({2}, 1, "i32"), jnp.full({2}, 1, "u32"), x + 1
  end)
  local a, b = f(jnp.ones(2))
  equal({a.dtype, b.dtype}, {"i32", "u32"})
end)

test("an effect that is asked for twice is done twice", function()
  local seen = 0
  local function note() seen = seen + 1 end
  local noted = jax.jit(function(x)
    jax.debug.callback(note, x)
    return x + 1
  end)
  jax.jit(function(x) return noted(x) * noted(x) end)(jnp.array({1, 2}, "f32"))
  equal(seen, 2)
end)

-- Its elements are read under a condition, and there are fewer than threads.
test("a part of a joined array is not read past its end", function()
  local a, b = jnp.arange(70001, "f32"), jnp.arange(20000, "f32")
  local got = jax.jit(function(x, y)
    return jnp.concatenate{x, y} * 2 + 1
  end)(a, b)
  local want = np.concatenate{np.arange(70001, "f32"), np.arange(20000, "f32")}
  np.testing.assert_array_equal(np.asarray(got), want * 2 + 1)
end)

tap.done()
