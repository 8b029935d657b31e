-- SPDX-License-Identifier: Apache-2.0
-- Softmax and its like, which are one kernel, beside the same functions with
-- each operation alone.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal = tap.test, tap.equal
local is_on_host = os.getenv("JAX_PLATFORMS") == "cpu"

local function softmax(x)
  local e = jnp.exp(x - jnp.max(x, -1, true))
  return e / jnp.sum(e, -1, true)
end

local function layer_norm(x)
  local mean = jnp.mean(x, -1, true)
  local d = x - mean
  local variance = jnp.mean(d * d, -1, true)
  return d * jax.lax.rsqrt(variance + 1e-5) * 2.0 + 1.0
end

local functions = {
  {"softmax", softmax},
  {"layer norm", layer_norm},
  {"log softmax", function(x)
    local d = x - jnp.max(x, -1, true)
    return d - jnp.log(jnp.sum(jnp.exp(d), -1, true))
  end},
  {"variance", function(x)
    local d = x - jnp.mean(x, -1, true)
    return jnp.mean(d * d, -1)
  end},
  {"logsumexp", function(x)
    local m = jnp.max(x, -1)
    local kept = jnp.reshape(m, jnp.max(x, -1, true).shape)
    return m + jnp.log(jnp.sum(jnp.exp(x - kept), -1))
  end},
  {"several results", function(x)
    local s = jnp.sum(x * x, -1, true)
    local y = x / (s + 1.0)
    return {y, s, jnp.max(y, -1)}
  end},
  {"a result that others read", function(x)
    local y = softmax(x)
    return {jnp.sum(y * y), jnp.transpose(y)}
  end},
  {"of an expression", function(x) return softmax(jnp.tanh(x) * 3.0) end},
  {"a softmax of a softmax", function(x) return softmax(softmax(x) * 5.0) end},
  {"with weights", function(x)
    local w = jnp.arange(x.shape[#x.shape], nil, 1, "f32") * 1e-3
    return layer_norm(x) * w + jnp.sin(w)
  end},
}

local shapes = {{40, 7}, {33, 128}, {64, 1000}, {5, 6, 20}, {2, 3}, {300},
                {1, 50}, {50, 1}, {35, 2500}, {33, 5000}, {4, 1, 64}}

local function leaves(x) return type(x) == "table" and x or {x} end

local function compare(f, x, what)
  local want, got = leaves(f(x)), leaves(jax.jit(f)(x))
  equal(#got, #want)
  for i = 1, #want do
    np.testing.assert_allclose(np.asarray(got[i], "f32"),
                               np.asarray(want[i], "f32"),
                               x.dtype == "f16" and 4e-3 or 2e-6,
                               x.dtype == "f16" and 1e-3 or 2e-6, what)
  end
end

for _, case in ipairs(functions) do
  test(case[1], function()
    for _, shape in ipairs(shapes) do
      local n = 1
      for _, d in ipairs(shape) do n = n * d end
      local host = np.reshape(np.sin(np.arange(n, "f32") * 1.3) * 3, shape)
      compare(case[2], jnp.array(host), table.concat(shape, "x"))
      if shape[1] == 33 then
        compare(case[2], jnp.array(host:astype("f16")), "f16")
      end
    end
  end)
end

test("NaN and infinity go through", function()
  local host = np.reshape(np.sin(np.arange(40 * 50, "f32")), {40, 50})
  host["3, 7"] = 0 / 0
  host["5, 9"] = math.huge
  local x = jnp.array(host)
  compare(softmax, x, "softmax")
  compare(layer_norm, x, "layer norm")
end)

test("derivatives of a softmax", function()
  local x = jnp.array(np.reshape(np.sin(np.arange(40 * 50, "f32")), {40, 50}))
  compare(jax.grad(function(v) return jnp.sum(softmax(v) * jnp.sin(v)) end), x,
          "gradient")
  compare(jax.vmap(softmax), x, "vmap")
end)

test("they are one kernel", function()
  if is_on_host then return end
  local use = debug.getregistry()["warpshop.jax.use"]
  local p = jax.make_jaxpr(softmax)(jnp.array(np.ones({64, 1000}, "f32"))).jaxpr
  equal(#use("compile/exec").compile(p).kernels, 1)
  p = jax.make_jaxpr(layer_norm)(jnp.array(np.ones({64, 1000}, "f32"))).jaxpr
  equal(#use("compile/exec").compile(p).kernels, 1)
end)

tap.done()
