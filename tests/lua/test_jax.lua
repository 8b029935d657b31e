-- SPDX-License-Identifier: Apache-2.0
-- Transformations: programs as JAX prints them, derivatives, batching, and how
-- they nest.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local x = jnp.array({1.5, 2, 3}, "f32")

local function close(got, want, tolerance)
  np.testing.assert_allclose(np.asarray(got), np.array(want, "f32"),
                             tolerance or 1e-6)
end

test("a program in JAX's form", function()
  local p = jax.make_jaxpr(function(x) return jnp.sin(x) * 2.0 + x end)(x)
  equal(tostring(p), [[
{ lambda ; a:f32[3]. let
    b:f32[3] = sin a
    c:f32[3] = mul b 2.0:f32[]
    d:f32[3] = add c a
  in (d,) }]])
end)

test("a gradient, and the gradient of a jitted function", function()
  local function f(x) return jnp.sum(jnp.sin(x) * x) end
  local want = {}
  for i, v in ipairs{1.5, 2, 3} do
    want[i] = math.sin(v) + v * math.cos(v)
  end
  close(jax.grad(f)(x), want)
  close(jax.grad(jax.jit(f))(x), want)
  close(jax.jit(jax.grad(f))(x), want)
end)

test("second derivatives, each of a batch", function()
  local function f(x) return jnp.sin(x) * x end
  local want = {}
  for i, v in ipairs{1.5, 2, 3} do
    want[i] = 2 * math.cos(v) - v * math.sin(v)
  end
  close(jax.vmap(jax.grad(jax.grad(f)))(x), want)
  local _, t = jax.jvp(jax.grad(f), {x[1]}, {1.0})
  close(t, 2 * math.cos(2) - 2 * math.sin(2))
end)

test("jit traces once for each shape and type", function()
  local calls = 0
  local f = jax.jit(function(x)
    calls = calls + 1
    return x + x
  end)
  close(f(x), {3, 4, 6})
  close(f(x), {3, 4, 6})
  equal(calls, 1)
  f(jnp.array({1, 2}, "f32"))
  equal(calls, 2)
end)

test("trees of tables go in and come out", function()
  local grads = jax.grad(function(p)
    return jnp.sum(p.w * p.w * p.b[1])
  end)({w = x, b = {2.0}})
  close(grads.w, {6, 8, 12})
  close(grads.b[1], 15.25)
end)

test("a tracer that is kept", function()
  local kept
  jax.make_jaxpr(function(x) kept = x; return x end)(x)
  raises("argument", "UnexpectedTracerError", function() return kept + 1 end)
end)

test("shapes of vmap must agree", function()
  raises("argument", "sizes of mapped axes differ", function()
    jax.vmap(function(a, b) return a + b end)(x, jnp.array({1, 2}, "f32"))
  end)
end)

tap.done()
