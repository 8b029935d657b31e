-- SPDX-License-Identifier: Apache-2.0
-- Transformations: programs as JAX prints them, derivatives, batching, and how
-- they nest.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises

local x = jnp.array({1.5, 2, 3}, "f32")

local function close(got, want, tolerance)
  np.testing.assert_allclose(np.asarray(got), np.array(want, "f32"),
                             tolerance or 4e-6)
end

test("a program in JAX's form", function()
  local p = jax.make_jaxpr(function(a) return jnp.sin(a) * 2.0 + a end)(x)
  equal(tostring(p), [[
{ lambda ; a:f32[3]. let
    b:f32[3] = sin a
    c:f32[3] = mul b 2.0:f32[]
    d:f32[3] = add c a
  in (d,) }]])
end)

test("a gradient, and the gradient of a jitted function", function()
  local function f(a) return jnp.sum(jnp.sin(a) * a) end
  local want = {}
  for i, v in ipairs{1.5, 2, 3} do
    want[i] = math.sin(v) + v * math.cos(v)
  end
  close(jax.grad(f)(x), want)
  close(jax.grad(jax.jit(f))(x), want)
  close(jax.jit(jax.grad(f))(x), want)
end)

test("second derivatives, each of a batch", function()
  local function f(a) return jnp.sin(a) * a end
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
  local f = jax.jit(function(a)
    calls = calls + 1
    return a + a
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
  jax.make_jaxpr(function(a) kept = a; return a end)(x)
  raises("argument", "UnexpectedTracerError", function() return kept + 1 end)
end)

test("shapes of vmap must agree", function()
  local wanted = "inconsistent sizes for array axes to be mapped"
  raises("argument", wanted, function()
    jax.vmap(function(a, b) return a + b end)(x, jnp.array({1, 2}, "f32"))
  end)
end)

local function mv(A, v)
  return jax.lax.dot_general(A, v, {{{1}, {0}}, {{}, {}}})
end

test("a batch of vectors through one matrix is one product", function()
  local A = jnp.array(np.arange(12):reshape(4, 3), "f32")
  local X = jnp.array(np.arange(30):reshape(10, 3), "f32")
  local f = jax.vmap(mv, {in_axes = {false, 0}})
  local want = np.matmul(np.asarray(X), np.asarray(A).T)
  close(f(A, X), want)
  close(jax.jit(f)(A, X), want)
  equal(tostring(jax.make_jaxpr(f)(A, X)), [[
{ lambda ; a:f32[4,3] b:f32[10,3]. let
    c:f32[4,10] = dot_general[
      dimension_numbers=(([1], [1]), ([], []))
      preferred_element_type=float32
    ] a b
    d:f32[10,4] = transpose[permutation=(1, 0)] c
  in (d,) }]])
end)

test("products of many sizes, against np's", function()
  for _, size in ipairs{{1, 1, 1}, {130, 70, 90}, {64, 16, 64}, {3, 1000, 2}} do
    local a = np.random.rand(size[1], size[2]):astype("f32")
    local b = np.random.rand(size[2], size[3]):astype("f32")
    close(mv(jnp.array(a), jnp.array(b)), np.matmul(a, b), 2e-5)
  end
end)

test("sums of many sizes, along each axis", function()
  local f = jax.jit(function(m)
    return {jax.lax.reduce_sum(m, {0}), jax.lax.reduce_sum(m, {1}),
            jax.lax.reduce_max(m, {0, 1})}
  end)
  for _, size in ipairs{{1, 1}, {3, 5}, {1000, 7}, {7, 1000}, {300, 300}} do
    local a = np.random.rand(size[1], size[2]):astype("f32")
    local r = f(jnp.array(a))
    close(r[1], np.sum(a, 0), 2e-5)
    close(r[2], np.sum(a, 1), 2e-5)
    equal(np.asarray(r[3]):item(), np.max(a))
  end
end)

tap.done()
