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
