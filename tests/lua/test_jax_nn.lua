-- SPDX-License-Identifier: Apache-2.0
-- jax.nn, jax.scipy, jax.tree, jacobians, functions with derivatives of their
-- own, callbacks, devices. Values are JAX 0.10.2's (docs.jax.dev).
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises

local v = jnp.array({-2, -0.5, 0, 0.5, 3}, "f32")

local function close(got, want, tolerance)
  np.testing.assert_allclose(np.asarray(got), np.array(want, "f32"),
                             tolerance or 1e-5, tolerance or 1e-6)
end

test("activations, their gradients, and both in jit", function()
  local want = {
    relu = {{0, 0, 0, 0.5, 3},
      {0, 0, 0, 1, 1}},
    relu6 = {{0, 0, 0, 0.5, 3},
      {0, 0, 0, 1, 1}},
    selu = {{-1.520167, -0.6917582, 0, 0.5253505, 3.152103},
      {0.2379328, 1.066341, 1.758099, 1.050701, 1.050701}},
    elu = {{-0.8646647, -0.3934693, 0, 0.5, 3},
      {0.1353353, 0.6065307, 1, 1, 1}},
    celu = {{-0.8646647, -0.3934693, 0, 0.5, 3},
      {0.1353353, 0.6065307, 1, 1, 1}},
    gelu = {{-0.04540235, -0.154286, 0, 0.345714, 2.996363},
      {-0.08609934, 0.1326301, 0.5, 0.8673699, 1.011584}},
    gelu_exact = {{-0.04550027, -0.1542688, 0, 0.3457312, 2.99595},
      {-0.08523182, 0.1325049, 0.5, 0.8674951, 1.011946}},
    silu = {{-0.2384058, -0.1887703, 0, 0.3112297, 2.857722},
      {-0.09078424, 0.2600388, 0.5, 0.7399612, 1.088104}},
    sigmoid = {{0.1192029, 0.3775407, 0.5, 0.6224594, 0.9525741},
      {0.1049936, 0.2350037, 0.25, 0.2350037, 0.04517666}},
    softplus = {{0.126928, 0.474077, 0.6931472, 0.974077, 3.048587},
      {0.1192029, 0.3775407, 0.5, 0.6224594, 0.9525741}},
    leaky_relu = {{-0.02, -0.005, 0, 0.5, 3},
      {0.01, 0.01, 1, 1, 1}},
    hard_tanh = {{-1, -0.5, 0, 0.5, 1},
      {0, 1, 1, 1, 0}},
    hard_sigmoid = {{0.1666667, 0.4166667, 0.5, 0.5833334, 1},
      {0.1666667, 0.1666667, 0.1666667, 0.1666667, 0}},
    hard_silu = {{-0.3333333, -0.2083333, 0, 0.2916667, 3},
      {-0.1666667, 0.3333333, 0.5, 0.6666667, 1}},
    log_sigmoid = {{-2.126928, -0.974077, -0.6931472, -0.474077, -0.04858735},
      {0.880797, 0.6224594, 0.5, 0.3775407, 0.04742587}},
    mish = {{-0.2525015, -0.2207438, 0, 0.3752452, 2.986536},
      {-0.1083551, 0.2895107, 0.6, 0.8864244, 1.021106}},
    soft_sign = {{-0.6666667, -0.3333333, 0, 0.3333333, 0.75},
      {0.1111111, 0.4444445, 1, 0.4444445, 0.0625}},
    squareplus = {{0.4142135, 0.7807764, 1, 1.280776, 3.302776},
      {0.1464466, 0.3787322, 0.5, 0.6212678, 0.9160252}},
    sparse_plus = {{0, 0.0625, 0.25, 0.5625, 3},
      {0, 0.25, 0.5, 0.75, 1}},
  }
  for name, row in pairs(want) do
    local f = rawget(jax.nn, name)
    local call = function(x) return f(x) end
    if name == "gelu_exact" then
      call = function(x) return jax.nn.gelu(x, false) end
    end
    close(call(v), row[1])
    close(jax.jit(call)(v), row[1])
    close(jax.vmap(jax.grad(call))(v), row[2], 2e-5)
    close(jax.jit(jax.vmap(jax.grad(call)))(v), row[2], 2e-5)
  end
end)

test("softmax and its kin along axes", function()
  local m = jnp.array({{1, 2, 3}, {1, 5, 0}}, "f32")
  close(jnp.sum(jax.nn.softmax(m), -1), {1, 1})
  close(jnp.exp(jax.nn.log_softmax(m, 0)), jax.nn.softmax(m, 0):tolist())
  close(jax.nn.softmax(jnp.array({1000, 1000}, "f32")), {0.5, 0.5})
  close(jax.nn.logsumexp(m, 1), {3.407606, 5.024760})
  close(jnp.mean(jax.nn.standardize(m), -1), {0, 0})
  equal(np.asarray(jax.nn.one_hot(jnp.array{0, 2, 5}, 3)):tolist(),
        {{1, 0, 0}, {0, 0, 1}, {0, 0, 0}})
  close(jax.nn.glu(jnp.array({1, 2, 0, 1}, "f32")), {0.5, 2 * 0.7310586})
  local j = jax.jacrev(function(x) return jax.nn.softmax(x) end)(v)
  close(jnp.sum(j, 0), {0, 0, 0, 0, 0})
end)

test("initializers", function()
  local key = jax.random.key(0)
  local w = jax.nn.initializers.glorot_uniform()(key, {300, 200})
  equal(w.shape, {300, 200})
  local bound = (6 / 500) ^ 0.5
  equal(np.asarray(jnp.max(jnp.abs(w))):item() <= bound, true)
  close(jnp.var(w), 2 / 500, 0.02)
  close(jnp.var(jax.nn.initializers.he_normal()(key, {300, 200})), 2 / 300,
        0.02)
  equal(np.asarray(jax.nn.initializers.zeros(key, {2}, "f32")):tolist(), {0, 0})
  raises("argument", "at least 2D", function()
    jax.nn.initializers.glorot_normal()(key, {3})
  end)
end)

test("scipy: special functions and distributions", function()
  local s = jax.scipy
  close(s.special.expit(v), {0.11920292, 0.37754068, 0.5, 0.62245935,
                             0.95257413})
  close(s.special.logit(jnp.array({0.25, 0.5}, "f32")), {-1.0986123, 0})
  close(s.special.gammaln(jnp.array({0.5, 5}, "f32")), {0.5723649, 3.1780539})
  close(s.special.erf(v), {-0.9953223, -0.5204999, 0, 0.5204999, 0.9999779})
  close(s.stats.norm.logpdf(v), {-2.9189386, -1.0439385, -0.9189385, -1.0439385,
                                 -5.4189386})
  close(s.stats.norm.cdf(v, 1.0, 2.0), {0.0668072, 0.2266274, 0.3085375,
                                        0.4012937, 0.8413447})
  close(s.stats.norm.ppf(jnp.array({0.025, 0.5}, "f32")), {-1.959964, 0})
end)

test("jacfwd, jacrev, hessian", function()
  local f = function(x)
    local a, b, c = jnp.unstack(x)
    return jnp.stack{a * b, jnp.sin(c), a}
  end
  local x = jnp.array({2, 3, 0}, "f32")
  local want = {{3, 2, 0}, {0, 0, 1}, {1, 0, 0}}
  close(jax.jacfwd(f)(x), want)
  close(jax.jacrev(f)(x), want)
  close(jax.jit(jax.jacfwd(f))(x), want)
  local h = jax.hessian(function(y)
    local a, b = jnp.unstack(y)
    return a ^ 2 * b
  end)
  close(h(jnp.array({2, 3}, "f32")), {{6, 4}, {4, 0}})
  local j = jax.jacrev(function(p) return {y = p.w * 2 + p.b} end)
  local got = j{w = jnp.array({1, 2}, "f32"), b = 1.0}
  close(got.y.w, {{2, 0}, {0, 2}})
  close(got.y.b, {1, 1})
  local both = jax.jacfwd(function(a, b) return a * b end, {argnums = {0, 1}})
  local parts = both(jnp.array({1, 2}, "f32"), jnp.array({3, 4}, "f32"))
  close(parts[1], {{3, 0}, {0, 4}})
  close(parts[2], {{1, 0}, {0, 2}})
end)

test("linearize", function()
  local y, f_jvp = jax.linearize(function(x) return jnp.sin(x) * x end, v)
  local _, want = jax.jvp(function(x) return jnp.sin(x) * x end, {v},
                          {jnp.ones_like(v)})
  close(y, (jnp.sin(v) * v):tolist())
  close(f_jvp(jnp.ones_like(v)), want:tolist())
  close(jax.jit(f_jvp)(jnp.ones_like(v) * 2), (want * 2):tolist())
end)

test("eval_shape computes nothing", function()
  local s = jax.eval_shape(function(a, b) return {y = jnp.matmul(a, b)} end,
                           jax.ShapeDtypeStruct({1000, 20}, "f32"),
                           jax.ShapeDtypeStruct({20, 5}, "float32"))
  equal(tostring(s.y), "ShapeDtypeStruct(shape=(1000, 5), dtype=float32)")
  equal(s.y.shape, {1000, 5})
end)

test("custom_jvp: its rule is used, in each way", function()
  local f = jax.custom_jvp(function(x, y) return jnp.sin(x) * y end)
  f:defjvp(function(p, t)
    local x, y = p[1], p[2]
    -- 100 shows that this rule was taken
    return f(x, y), 100 * jnp.cos(x) * t[1] * y + jnp.sin(x) * t[2]
  end)
  local want = 100 * math.cos(2) * 3
  close(f(2.0, 3.0), math.sin(2) * 3)
  close(jax.grad(f)(2.0, 3.0), want)
  close(jax.jit(jax.grad(f))(2.0, 3.0), want)
  close(jax.grad(jax.jit(function(...) return f(...) end))(2.0, 3.0), want)
  close(jax.jacfwd(f)(2.0, 3.0), want)
  close(jax.grad(f, {argnums = 1})(2.0, 3.0), math.sin(2))
  local x = jnp.array({1, 2}, "f32")
  close(jax.vmap(jax.grad(f), {in_axes = {0, false}})(x, 3.0),
        {300 * math.cos(1), 300 * math.cos(2)})
  close(jax.grad(function(z)
    return jnp.sum(jax.vmap(f, {in_axes = {0, false}})(z, 3.0))
  end)(x), {300 * math.cos(1), 300 * math.cos(2)})
  equal(tostring(jax.make_jaxpr(f)(2.0, 3.0)):match("custom_jvp_call") ~= nil,
        true)
  raises("argument", "No JVP defined", function()
    jax.custom_jvp(function(a) return a end)(1.0)
  end)
end)

test("custom_vjp: its rule is used, in each way", function()
  local f = jax.custom_vjp(function(x, y) return jnp.sin(x) * y end)
  f:defvjp(function(x, y) return f(x, y), {jnp.cos(x), jnp.sin(x), y} end,
           function(saved, g)
    return 100 * g * saved[1] * saved[3], g * saved[2]
  end)
  local want = 100 * math.cos(2) * 3
  close(f(2.0, 3.0), math.sin(2) * 3)
  close(jax.grad(f)(2.0, 3.0), want)
  close(jax.jit(jax.grad(f))(2.0, 3.0), want)
  close(jax.grad(jax.jit(function(...) return f(...) end))(2.0, 3.0), want)
  close(jax.grad(f, {argnums = 1})(2.0, 3.0), math.sin(2))
  local x = jnp.array({1, 2}, "f32")
  close(jax.vmap(jax.grad(f), {in_axes = {0, false}})(x, 3.0),
        {300 * math.cos(1), 300 * math.cos(2)})
  close(jax.grad(function(y)
    return jnp.sum(jax.vmap(f, {in_axes = {0, false}})(x, y))
  end)(3.0), math.sin(1) + math.sin(2))
  raises("unsupported", "custom_vjp_call", function()
    jax.jvp(f, {2.0, 3.0}, {1.0, 0.0})
  end)
end)

test("checkpoint changes no value and no gradient", function()
  local f = function(x) return jnp.sum(jnp.sin(jnp.sin(x))) end
  local g = jax.checkpoint(f)
  close(g(v), f(v):tolist())
  close(jax.grad(g)(v), jax.grad(f)(v):tolist())
  close(jax.jit(jax.grad(g))(v), jax.grad(f)(v):tolist())
  -- The gradient computes the sines again: they stand in it twice.
  local text = tostring(jax.make_jaxpr(jax.grad(g))(v))
  equal(select(2, text:gsub("= sin ", "")) >= 2, true)
end)

test("make_jaxpr with static arguments", function()
  local f = function(n, x) return x * n end
  equal(tostring(jax.make_jaxpr(f, {static_argnums = 0})(3, v)),
        "{ lambda ; a:f32[5]. let b:f32[5] = mul a 3.0:f32[] in (b,) }")
  local power = jax.jit(function(x, n, y) return x ^ n + y end,
                        {static_argnums = 1})
  close(power(v, 2, 1.0), {5, 1.25, 1, 1.25, 10})
end)

test("trees", function()
  local t = {w = {1, 2}, b = 3}
  equal(jax.tree.leaves(t), {3, 1, 2})
  equal(jax.tree.map(function(a, b) return a + b end, t, t),
        {w = {2, 4}, b = 6})
  local leaves, structure = jax.tree.flatten(t)
  equal(jax.tree.unflatten(structure, leaves), t)
  equal(structure == jax.tree.structure{w = {5, 6}, b = 7}, true)
  equal(jax.tree.reduce(function(a, b) return a + b end, t, 0), 6)
  equal(jax.tree_util.tree_map(function(a) return -a end, t),
        {w = {-1, -2}, b = -3})
  equal(jax.tree.map_with_path(function(path) return path end, t),
        {w = {"w[1]", "w[2]"}, b = "b"})
  raises("argument", "structure", function()
    jax.tree.map(function(a) return a end, t, {w = 1, b = 2})
  end)
  raises("argument", "2 leaves for a structure with 3", function()
    jax.tree.unflatten(structure, {1, 2})
  end)
end)

test("debug.print and callbacks come with values, in order", function()
  local lines, old = {}, print
  rawset(_G, "print", function(text) lines[#lines + 1] = text end)
  local f = jax.jit(function(x)
    jax.debug.print("x = {}, first {a:.2f}", x,
                    {a = (jnp.unstack(x))})
    local y = x * 2
    jax.debug.print("{{}} y = {}", select(2, jnp.unstack(y)))
    return y
  end)
  local ok, e = pcall(function()
    f(jnp.array({1, 2}, "f32"))
    f(jnp.array({3, 4}, "f32"))
    jax.vmap(function(x) jax.debug.print("row {}", x) return x end)(
      jnp.array({5, 6}, "f32"))
  end)
  rawset(_G, "print", old)
  if not ok then error(e) end
  equal(lines, {"x = [1, 2], first 1.00", "{} y = 4.0",
                "x = [3, 4], first 3.00", "{} y = 8.0", "row 5.0", "row 6.0"})
  local seen = {}
  jax.jit(function(x)
    jax.debug.callback(function(a) seen[#seen + 1] = a:tolist() end, x)
    return x
  end)(jnp.array({1, 2}, "f32"))
  equal(seen, {{1, 2}})
end)

test("pure_callback computes on the host", function()
  local f = function(x)
    return jax.pure_callback(function(a) return np.sort(a) end,
                             jax.ShapeDtypeStruct({3}, "f32"), x) * 2
  end
  local x = jnp.array({3, 1, 2}, "f32")
  close(f(x), {2, 4, 6})
  close(jax.jit(f)(x), {2, 4, 6})
  close(jax.vmap(f)(jnp.stack{x, -x}), {{2, 4, 6}, {-6, -4, -2}})
  raises("argument", "announced", function()
    jax.pure_callback(function() return np.zeros(2) end,
                      jax.ShapeDtypeStruct({3}, "f32"))
  end)
end)

test("devices", function()
  local d = jax.devices()[1]
  if os.getenv("JAX_PLATFORMS") == "cpu" then
    equal(tostring(d), "CpuDevice(id=0)")
    equal(jax.default_backend(), "cpu")
  else
    equal(d.name, cuda.device().id)
    equal(jax.default_backend(), "gpu")
    equal(tostring(d):match("Device%(id=%d%)") ~= nil, true)
  end
  equal(jax.device_count(), #jax.devices())
  raises("argument", "Unknown backend", function() jax.devices("tpu") end)
end)

tap.done()
