-- SPDX-License-Identifier: Apache-2.0
-- Control flow: values and derivatives beside plain Lua loops, finite
-- differences and JAX's own values; programs as JAX prints them; errors.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises
local lax = jax.lax

local x = jnp.array({0, 1, 2}, "f32")
local xs = jnp.array({{0.5, -1}, {2, 0.25}, {1, 3}, {-2, 0.75}}, "f32")
local W = jnp.array({{0.5, -0.25}, {0.125, 0.75}}, "f32")

local function list(v)
  return type(v) == "number" and v or np.asarray(v):tolist()
end

local function close(got, want, tolerance)
  if type(want) == "userdata" then want = np.asarray(want) end
  np.testing.assert_allclose(np.asarray(got), np.asarray(want, "f32"),
                             tolerance or 1e-5)
end

local function dot(w, h)
  return lax.dot_general(w, h, {{{1}, {0}}, {{}, {}}})
end

local function at(v, i)
  return lax.squeeze(lax.slice_in_dim(v, i, i + 1, 1, 0), {0})
end

local function stack(rows)
  for i, v in ipairs(rows) do rows[i] = lax.expand_dims(v, {0}) end
  return lax.concatenate(rows, 0)
end

-- A step of a network with a memory.
local function rnn(h, v)
  local new = jnp.tanh(dot(W, h) + v)
  return new, new * 2
end

local function by_loop(f, h, rows)
  local out = {}
  for i = 0, #rows - 1 do
    local y
    h, y = f(h, rows[i])
    out[i + 1] = y
  end
  return h, out
end

-- ---- scan ----

test("scan: JAX's values, and its program", function()
  local c, ys = lax.scan(function(c, v) return c + v * jnp.sin(v), c * 2 end,
                         1.0, x)
  close(c, 3.660066)
  close(ys, {2, 2, 3.682942})
  equal(tostring(jax.make_jaxpr(function(a, b)
    return lax.scan(function(s, v) return s + v * jnp.sin(v), s * 2 end, a, b)
  end)(1.0, x)), [[
{ lambda ; a:f32[] b:f32[3]. let
    c:f32[] d:f32[3] = scan[
      jaxpr={ lambda ; e:f32[] f:f32[]. let
          g:f32[] = sin f
          h:f32[] = mul f g
          i:f32[] = convert_element_type[new_dtype=float32 weak_type=False] e
          j:f32[] = add i h
          k:f32[] = mul e 2.0:f32[]
        in (j, k) }
      length=3
      num_carry=1
      num_consts=0
      reverse=False
      unroll=1
    ] a b
  in (c, d) }]])
end)

test("scan: a network, forward and in reverse, beside a loop", function()
  local h0 = jnp.array({0.1, -0.2}, "f32")
  local h, ys = lax.scan(rnn, h0, xs)
  local want, rows = by_loop(rnn, h0, xs)
  close(h, want)
  for i, row in ipairs(rows) do close(ys[i - 1], row) end
  close(jax.jit(function(a, b) return (lax.scan(rnn, a, b)) end)(h0, xs), want)
  h, ys = lax.scan(rnn, h0, xs, {reverse = true})
  local back, out = h0, {}
  for i = 3, 0, -1 do back, out[i] = rnn(back, xs[i]) end
  close(h, back)
  for i = 0, 3 do close(ys[i], out[i]) end
end)

test("scan: tables as carry and xs, no xs, no ys, no steps", function()
  local c, ys = lax.scan(function(c, v)
    return {n = c.n + 1, s = {c.s[1] + v[1], c.s[2] * v[2]}}, {v[1], k = c.n}
  end, {n = 0, s = {0.0, 1.0}}, {x, x + 1})
  equal({list(c.n), list(c.s[1]), list(c.s[2])}, {3, 3, 6})
  equal({list(ys[1]), list(ys.k)}, {{0, 1, 2}, {0, 1, 2}})
  local d, none = lax.scan(function(s) return s * 2 end, 1, nil, 5)
  equal(list(d), 32)
  equal(none, nil)
  local e, y = lax.scan(function(s, v) return s + v, s end, 1.5,
                        jnp.array(np.zeros(0), "f32"))
  equal(list(e), 1.5)
  equal(y.shape[1], 0)
  equal(list(jax.jit(function(v)
    return (lax.scan(function(s, u) return s + u, s end, 1.5, v))
  end)(jnp.array(np.zeros(0), "f32"))), 1.5)
end)

test("scan: the carry swaps, stays, and is a result of each step", function()
  local c, ys = lax.scan(function(c, v) return {c[2], c[1], c[3]}, c[3] + v end,
                         {x, x + 10, x * 2}, xs[":, 0"])
  close(c[1], list(x))
  close(c[2], list(x + 10))
  close(c[3], list(x * 2))
  close(ys[3], list(x * 2 - 2))
  c = lax.scan(function(s) return {s[2], s[1]} end, {x, x + 10}, nil, 3)
  close(c[1], list(x + 10))
  c, ys = lax.scan(function(s) return s, s end, x, nil, 2)
  close(ys[1], list(c))
end)

test("scan: gradients are those of the loop", function()
  local h0 = jnp.array({0.1, -0.2}, "f32")
  local function loss(scan)
    return function(w, h, v)
      local function step(c, u)
        local new = jnp.tanh(dot(w, c) + u)
        return new, new * 2
      end
      local last, ys = scan(step, h, v)
      return jnp.sum(last * last) + jnp.sum(jnp.sin(ys))
    end
  end
  local function unrolled(step, h, v)
    local out = {}
    for i = 0, 3 do
      local y
      h, y = step(h, at(v, i))
      out[i + 1] = y
    end
    return h, stack(out)
  end
  local options = {argnums = {0, 1, 2}}
  local got = jax.grad(loss(lax.scan), options)(W, h0, xs)
  local want = jax.grad(loss(unrolled), options)(W, h0, xs)
  for i = 1, 3 do close(got[i], want[i]) end
  got = jax.jit(jax.grad(loss(lax.scan), options))(W, h0, xs)
  for i = 1, 3 do close(got[i], want[i]) end
  got = jax.grad(jax.jit(loss(lax.scan)), options)(W, h0, xs)
  for i = 1, 3 do close(got[i], want[i]) end
  -- along a direction
  local along = {W * 0.5, h0 + 1, xs * -1}
  local _, t = jax.jvp(loss(lax.scan), {W, h0, xs}, along)
  local _, u = jax.jvp(loss(unrolled), {W, h0, xs}, along)
  close(t, u)
  -- of the gradient
  local function curvature(scan)
    return jax.jvp(function(h) return jax.grad(loss(scan),
      {argnums = 1})(W, h, xs) end, {h0}, {h0 + 1})
  end
  local _, a = curvature(lax.scan)
  local _, b = curvature(unrolled)
  close(a, b)
end)

test("scan: gradients beside finite differences", function()
  local function f(c)
    local last, ys = lax.scan(function(s, v)
      return jnp.sin(s) * v + s * 0.5, s * s
    end, c, x + 0.5)
    return last + jnp.sum(ys)
  end
  local g = jax.grad(f)(0.7)
  local eps = 1e-2
  close(g, (list(f(0.7 + eps)) - list(f(0.7 - eps))) / (2 * eps), 1e-3)
end)

test("scan: a batch is the loop over it", function()
  local function f(w, h, v)
    local last, ys = lax.scan(function(c, u)
      local new = jnp.tanh(dot(w, c) + u)
      return new, at(new, 0)
    end, h, v)
    return last, ys
  end
  local ws = stack{W, W * 2, W * -1}
  local hs = jnp.array({{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}}, "f32")
  local vs = stack{xs, xs + 1, xs * 2}
  for _, axes in ipairs{{0, 0, 0}, {false, 0, false}, {0, false, false},
                        {false, false, 0}} do
    local last, ys = jax.vmap(f, {in_axes = axes})(axes[1] and ws or W,
      axes[2] and hs or hs[0], axes[3] and vs or xs)
    for i = 0, 2 do
      local a, b = f(axes[1] and ws[i] or W, axes[2] and hs[i] or hs[0],
                     axes[3] and vs[i] or xs)
      close(last[i], a)
      close(ys[i], b)
    end
  end
  local g = jax.vmap(jax.grad(function(h)
    local last, ys = f(W, h, xs)
    return jnp.sum(last) + jnp.sum(ys)
  end))(hs)
  for i = 0, 2 do
    close(g[i], jax.grad(function(h)
      local last, ys = f(W, h, xs)
      return jnp.sum(last) + jnp.sum(ys)
    end)(hs[i]))
  end
end)

test("scan in scan, scan in cond, cond in scan", function()
  local function nested(a)
    return (lax.scan(function(c, row)
      local s = lax.scan(function(d, v) return d * 0.5 + v * a, d end, c, row)
      return s, s
    end, 1.0, xs))
  end
  local want = 1.0
  for i = 0, 3 do
    for k = 0, 1 do want = want * 0.5 + list(xs[i])[k + 1] * 0.75 end
  end
  close(nested(0.75), want)
  close(jax.jit(nested)(0.75), want)
  local eps = 1e-2
  close(jax.grad(nested)(0.75),
        (list(nested(0.75 + eps)) - list(nested(0.75 - eps))) / (2 * eps), 1e-3)
  local function chosen(p, a)
    return lax.cond(p, function(v) return (lax.scan(function(c, u)
      return c * v + u
    end, 1.0, x)) end, function(v) return v * 3 end, a)
  end
  close(chosen(true, 2.0), 12)
  close(chosen(false, 2.0), 6)
  close(jax.grad(chosen, {argnums = 1})(true, 2.0), 13)
  close(jax.jit(jax.grad(chosen, {argnums = 1}))(false, 2.0), 3)
  local function steps(a)
    return (lax.scan(function(c, v)
      return lax.cond(lax.gt(v, 0.5), function(s) return s * v end,
                      function(s) return jnp.sin(s) + a end, c)
    end, a, x))
  end
  close(steps(0.5), (math.sin(0.5) + 0.5) * 2)
  close(jax.jit(steps)(0.5), (math.sin(0.5) + 0.5) * 2)
  close(jax.grad(steps)(0.5), (math.cos(0.5) + 1) * 2)
  close(jax.vmap(jax.grad(steps))(jnp.array({0.5, 1}, "f32")),
        {(math.cos(0.5) + 1) * 2, (math.cos(1) + 1) * 2})
end)

-- The same sums, as a body that one kernel can run, one with a product of
-- matrices (a block of kernels), and one that calls Lua (step by step).
local one_by_one = jax.ShapeDtypeStruct({2}, "f32")
local bodies = {
  kernel = function(v) return v end,
  block = function(v) return dot(jnp.eye(2), v) end,
  step = function(v)
    return jax.pure_callback(function(u) return u end, one_by_one, v)
  end,
}

test("scan: forward and in reverse, in each way that it can run", function()
  for name, same in pairs(bodies) do
    for _, reverse in ipairs{false, true} do
      local calls = 0
      local f = jax.jit(function(c, rows)
        calls = calls + 1
        return lax.scan(function(s, v)
          local total = same(s[1] * 0.5 + v)
          return {total, s[2] + 1}, {total * 2, s[2]}
        end, {c, 0}, rows, {reverse = reverse})
      end)
      local want, sums, counts = {0.25, -1}, {}, {}
      for step = 0, 3 do
        local i = reverse and 3 - step or step
        local v = np.asarray(xs)[i]
        want = {want[1] * 0.5 + v[0], want[2] * 0.5 + v[1]}
        sums[i + 1], counts[i + 1] = {want[1] * 2, want[2] * 2}, step
      end
      for _ = 1, 2 do
        local c, ys = f(jnp.array({0.25, -1}, "f32"), xs)
        local what = name .. (reverse and " in reverse" or "")
        close(c[1], want)
        equal(c[2]:item(), 4, what)
        close(ys[1], sums)
        equal(list(ys[2]), counts, what)
      end
      equal(calls, 1, "traced once")
    end
  end
end)

test("scan, step by step: no rows, and rows alone", function()
  local function shape_of_ys(length)
    local rows = jnp.zeros({length, 2})
    local c, ys = jax.jit(function(r)
      return lax.scan(function(s, v)
        return s + 1, bodies.step(v)
      end, 7, r, {reverse = true})
    end)(rows)
    return c:item(), ys.shape
  end
  local c, shape = shape_of_ys(0)
  equal(c, 7)
  equal(shape, {0, 2})
  c, shape = shape_of_ys(70) -- stacked in two rounds
  equal(c, 77)
  equal(shape, {70, 2})
end)

-- ---- Loops ----

test("fori_loop: numbers as bounds, and bounds known later", function()
  local function f(i, c) return c * 2.0 + i end
  close(lax.fori_loop(0, 10, f, x), {1013, 2037, 3061})
  close(lax.fori_loop(3, 1, f, x), {0, 1, 2})
  local run = jax.jit(function(n, v) return lax.fori_loop(0, n, f, v) end)
  close(run(jnp.array(10, "i32"), x), {1013, 2037, 3061})
  close(run(0, x), {0, 1, 2})
  close(jax.grad(function(v)
    return jnp.sum(lax.fori_loop(0, 3, function(_, c) return c * c end, v))
  end)(jnp.array({1, 1.1}, "f32")), {8, 8 * 1.1 ^ 7})
  equal(tostring(jax.make_jaxpr(function(v)
    return lax.fori_loop(0, 10, function(i, c) return c * 2.0 + i end, v)
  end)(x)):match("scan%[.*"), [[
scan[
      jaxpr={ lambda ; c:i32[] d:f32[3]. let
          e:f32[3] = mul d 2.0:f32[]
          f:f32[] = convert_element_type[new_dtype=float32 weak_type=False] c
          g:f32[3] = broadcast_in_dim f
          h:f32[3] = add e g
          i:i32[] = add c 1:i32[]
        in (i, h) }
      length=10
      num_carry=2
      num_consts=0
      reverse=False
      unroll=1
    ] 0:i32[] a
  in (b,) }]])
end)

test("while_loop: values, batches, derivatives along a direction", function()
  local function f(a)
    return lax.while_loop(function(c) return lax.lt(c[1], 100.0) end,
                          function(c) return {c[1] * a, c[2] + 1} end, {a, 0})
  end
  local out = f(3.0)
  equal({list(out[1]), list(out[2])}, {243, 4})
  out = jax.jit(f)(3.0)
  equal({list(out[1]), list(out[2])}, {243, 4})
  out = jax.vmap(f)(jnp.array({2, 3, 11, 500}, "f32"))
  equal(list(out[1]), {128, 243, 121, 500})
  equal(list(out[2]), {6, 4, 1, 0})
  out = jax.jit(jax.vmap(f))(jnp.array({2, 3, 11, 500}, "f32"))
  equal(list(out[2]), {6, 4, 1, 0})
  -- of a batch whose predicate is the same for all
  out = jax.vmap(function(v)
    return lax.while_loop(function(c) return lax.lt(c[1], 3) end,
                          function(c) return {c[1] + 1, c[2] * v} end, {0, v})
  end)(jnp.array({2, 3}, "f32"))
  equal(list(out[2]), {16, 81})
  -- of vectors times a matrix, which end after unlike numbers of steps
  local function g(v)
    return lax.while_loop(function(c) return lax.lt(jnp.sum(c[1]), 100.0) end,
      function(c) return {c[1] + dot(jnp.eye(2), c[1]), c[2] + 1} end, {v, 0})
  end
  for _, run in ipairs{jax.vmap(g), jax.jit(jax.vmap(g))} do
    out = run(jnp.array({{1, 2}, {200, 0}, {20, 20}}, "f32"))
    equal(list(out[1]), {{64, 128}, {200, 0}, {80, 80}})
    equal(list(out[2]), {6, 0, 2})
  end
  local _, t = jax.jvp(function(a) return f(a)[1] end, {3.0}, {1.0})
  close(t, 5 * 81)
  local u = jax.vmap(function(a)
    local _, d = jax.jvp(function(b) return f(b)[1] end, {a}, {1.0})
    return d
  end)(jnp.array({2, 3}, "f32"))
  close(u, {7 * 64, 5 * 81})
  -- a part that gets its tangent a step after the one that it is made of
  _, t = jax.jvp(function(v)
    return lax.fori_loop(0, jnp.array(2), function(_, c)
      return {c[1] + c[2], c[2] + c[3], c[3]}
    end, {0.0, 0.0, v})[1]
  end, {2.0}, {1.0})
  close(t, 1)
  -- an array as carry, a predicate that reads all of it
  close(lax.while_loop(function(c) return lax.lt(jnp.sum(c), 100.0) end,
                       function(c) return c + dot(W, c) + 1 end,
                       jnp.array({1, 2}, "f32")), (function()
    local c = np.array({1, 2}, "f32")
    while c:sum() < 100 do c = c + np.asarray(W):dot(c) + 1 end
    return c
  end)())
end)

test("while_loop: backward only where nothing changes smoothly", function()
  raises("argument", "Reverse-mode differentiation does not work for " ..
         "lax.while_loop", function()
    jax.grad(function(a)
      return lax.while_loop(function(c) return lax.lt(c, 3.0) end,
                            function(c) return c * 2 end, a)
    end)(1.0)
  end)
  close(jax.grad(function(a)
    local n = lax.while_loop(function(i) return lax.lt(i, 3) end,
                             function(i) return i + 1 end, 0)
    return a * n
  end)(2.0), 3)
end)

test("loops of elements: small types, many rows, scalars beside arrays",
     function()
  local big = np.arange(1000) / 500 - 1
  for _, t in ipairs{"f32", "f16", "bf16", "i32", "u8"} do
    local v = jnp.array(big * 50, t)
    local function f(c, s)
      return lax.scan(function(a, u)
        return {a[1] * u + a[1], a[2] + u}, {a[1], a[2] * u}
      end, {c, s}, jnp.array({1, 2, 3}, t))
    end
    local one = jnp.array(1, t)
    local last, ys = jax.jit(f)(v, one)
    local c, s = v, one
    for i = 1, 3 do
      local u = jnp.array(i, t)
      equal(list(ys[1][i - 1]), list(c))
      equal(list(ys[2][i - 1]), list(s * u))
      c, s = c * u + c, s + u
    end
    equal(list(last[1]), list(c))
    equal(list(last[2]), list(s))
  end
  local v = jnp.array(np.arange(5000), "f32")
  close(lax.fori_loop(0, 7, function(i, c) return c + i end, v),
        np.arange(5000) + 21)
end)

test("rows at any place: bodies with reductions, products and reversals",
     function()
  np.random.seed(1)
  for _, n in ipairs{1, 3, 33, 1001, 1025} do
    local rows = jnp.array(np.random.rand(5, n), "f32")
    local first = jnp.array(np.random.rand(n), "f32")
    local function step(c, v)
      local d = lax.rev(c, {0}) * v
      return d + 1, lax.rev(d, {0}) - jnp.sum(v)
    end
    local function sum_of(scan)
      return function(c)
        local last, ys = scan(step, c, rows)
        return jnp.sum(last) + jnp.sum(ys * ys) / n
      end
    end
    local function by_hand(f, c)
      local out = {}
      for i = 0, 4 do c, out[i + 1] = f(c, at(rows, i)) end
      return c, stack(out)
    end
    local a, b = lax.scan(step, first, rows)
    local c, d = by_hand(step, first)
    close(a, c)
    close(b, d, 2e-5)
    close(jax.jit(jax.grad(sum_of(lax.scan)))(first),
          jax.jit(jax.grad(sum_of(by_hand)))(first), 1e-4)
  end
end)

test("loops and choices that read the device, inside of a scan", function()
  local f = jax.jit(function(rows)
    return lax.scan(function(c, v)
      local w = lax.while_loop(function(s) return lax.lt(jnp.sum(s), 3.0) end,
                               function(s) return s + lax.rev(v, {0}) end, c)
      return lax.cond(lax.gt(jnp.sum(w), 5.0),
                      function(u) return u - jnp.sum(u) end,
                      function(u) return lax.rev(u, {0}) end, w), w
    end, jnp.array({0, 0, 0}, "f32"), rows)
  end)
  local c, ys = f(jnp.array({{1, 2, 3}, {0.1, 0.2, 0.3}, {0.5, 0, 0}}, "f32"))
  close(c, {4.8, 1.2, -2.4}) -- JAX's
  close(ys, {{3, 2, 1}, {4.8, 1.2, -2.4}, {-2.4, 1.2, 4.8}})
end)

test("a network with a memory learns as in JAX", function()
  local random = jax.random
  local k = random.split(random.PRNGKey(0), 4)
  local p = {h = random.normal(at(k, 0), {16, 16}) * 0.2,
             x = random.normal(at(k, 1), {3, 16}) * 0.5,
             o = random.normal(at(k, 2), {16, 1}) * 0.3}
  local data = random.normal(at(k, 3), {20, 8, 3})
  local want = jnp.sum(jnp.tanh(data), 2, true)
  local update = jax.jit(jax.value_and_grad(function(q, rows, target)
    local _, ys = lax.scan(function(h, v)
      local new = jnp.tanh(jnp.dot(h, q.h) + jnp.dot(v, q.x))
      return new, jnp.dot(new, q.o)
    end, jnp.zeros({8, 16}, "f32"), rows)
    return jnp.mean((ys - target) * (ys - target))
  end))
  for i, loss in ipairs(dofile("tests/fixtures/jax_rnn.lua")) do
    local value, grads = update(p, data, want)
    np.testing.assert_allclose(np.asarray(value), loss, 1e-5, 0,
                               "step " .. i)
    for name, g in pairs(grads) do p[name] = p[name] - 0.1 * g end
  end
end)

-- ---- Choices ----

test("cond and switch: values, derivatives, batches", function()
  local function f(p, v)
    return lax.cond(p, jnp.sin, function(u) return jnp.cos(u) * 2 end, v)
  end
  close(f(true, x), {0, math.sin(1), math.sin(2)})
  close(f(lax.lt(x[0], 0.0), x), {2, 2 * math.cos(1), 2 * math.cos(2)})
  close(jax.jit(f)(true, x), {0, math.sin(1), math.sin(2)})
  local g = jax.vmap(f)(jnp.array({true, false, true}, "bool"), x)
  close(g, {0, 2 * math.cos(1), math.sin(2)})
  close(jax.vmap(jax.grad(f, {argnums = 1}))(
    jnp.array({true, false, true}, "bool"), x),
    {1, -2 * math.sin(1), math.cos(2)})
  close(jax.vmap(f, {in_axes = {false, 0}})(true, x),
        {0, math.sin(1), math.sin(2)})
  local function s(i, v)
    return lax.switch(i, {jnp.sin, jnp.exp, function(u)
      return u * at(W, 0)
    end}, v)
  end
  local v = jnp.array({1, 2}, "f32")
  close(s(1, v), {math.exp(1), math.exp(2)})
  close(s(-5, v), {math.sin(1), math.sin(2)})
  close(s(jnp.array(7, "i32"), v), {0.5, -0.5})
  close(jax.jit(s)(2, v), {0.5, -0.5})
  close(jax.vmap(s, {in_axes = {0, false}})(jnp.array({0, 1, 2}, "i32"), v),
        {{math.sin(1), math.sin(2)}, {math.exp(1), math.exp(2)}, {0.5, -0.5}})
  close(jax.grad(function(u) return jnp.sum(s(2, u)) end)(v), {0.5, -0.25})
  local a, b = lax.cond(true, function(p, q) return p + q, p end,
                        function(p, q) return q, p * q end, 2.0, 3.0)
  equal({list(a), list(b)}, {5, 2})
  equal(tostring(jax.make_jaxpr(f)(true, x)), [[
{ lambda ; a:bool[] b:f32[3]. let
    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] a
    d:f32[3] = cond[
      branches=(
        { lambda ; e:f32[3]. let
            f:f32[3] = cos e
            g:f32[3] = mul f 2.0:f32[]
          in (g,) }
        { lambda ; h:f32[3]. let i:f32[3] = sin h in (i,) }
      )
    ] c b
  in (d,) }]])
end)

test("select, stop_gradient, map, associative_scan", function()
  equal(list(lax.select(true, x, x + 1)), {0, 1, 2})
  close(lax.select(lax.gt(x, 0.5), x, x - 1), {-1, 1, 2})
  close(jax.grad(function(a) return a * lax.stop_gradient(a * a) end)(3.0), 9)
  close(lax.map(function(v) return v * v + 1 end, x), {1, 2, 5})
  for n = 1, 9 do
    local v = jnp.array(np.arange(n) + 1, "f32")
    local want = np.cumsum(np.asarray(v))
    close(lax.associative_scan(function(a, b) return a + b end, v), want)
    close(lax.associative_scan(function(a, b) return a + b end, v, true),
          np.asarray(lax.rev(lax.associative_scan(function(a, b)
            return a + b
          end, lax.rev(v, {0})), {0})))
  end
  local m = lax.associative_scan(function(a, b)
    return {a[1] * b[1], a[2] * b[1] + b[2]}
  end, {x + 1, x}, false, 0)
  local s, want = 0, {}
  for i = 0, 2 do
    s = s * (i + 1) + i
    want[i + 1] = s
  end
  close(m[2], want)
  close(jax.grad(function(v)
    return at(lax.associative_scan(function(a, b) return a * b end, v), 2)
  end)(x + 1), {6, 3, 2})
end)

test("keys go through loops", function()
  local key, ys = lax.scan(function(k)
    local a, b = jax.random.split(k):unpack()
    return a, jax.random.normal(b, {2})
  end, jax.random.key(0), nil, 3)
  local k = jax.random.key(0)
  for i = 0, 2 do
    local a, b = jax.random.split(k):unpack()
    close(ys[i], jax.random.normal(b, {2}))
    k = a
  end
  equal(list(jax.random.key_data(key)), list(jax.random.key_data(k)))
end)

-- ---- Errors ----

test("what a body must be, and what is said when it is not", function()
  raises("argument", "scan body function carry input and carry output must " ..
         "have equal types, but they differ: the carry goes in as f32[3] " ..
         "and comes out as f32[], so the shapes do not match", function()
    lax.scan(function(c) return jnp.sum(c) end, x, nil, 3)
  end)
  raises("argument", "must have the same structure", function()
    lax.scan(function(c) return {c, c} end, x, nil, 3)
  end)
  raises("argument", "scan got values with different leading axis sizes: " ..
         "xs[1] is 3, that of xs[2] 4", function()
    lax.scan(function(c) return c end, 1.0, {x, xs})
  end)
  raises("argument", "no values to scan over and `length` not provided",
         function() lax.scan(function(c) return c end, 1.0) end)
  raises("argument", "cond_fun must return a boolean scalar, but got f32[]",
         function()
    lax.while_loop(function(c) return c end, function(c) return c end, 1.0)
  end)
  raises("argument", "cond_fun must return a boolean scalar, but got bool[3]",
         function()
    lax.while_loop(function(c) return lax.lt(c, 1) end,
                   function(c) return c end, x)
  end)
  raises("argument", "result 1 of false_fun is f32[], of true_fun f32[3]",
         function()
    lax.cond(true, function() return x end, function() return 1.0 end)
  end)
  raises("argument", "cond branch outputs must have the same structure",
         function()
    lax.cond(true, function(v) return {v, v} end, function(v) return v end, x)
  end)
  raises("argument", "pred must be a scalar, got f32[3]", function()
    lax.cond(x, function() return x end, function() return x end)
  end)
  raises("argument", "Empty branch sequence", function() lax.switch(0, {}) end)
  raises("argument", "index must be an integer scalar", function()
    lax.switch(1.5, {jnp.sin, jnp.cos}, x)
  end)
  raises("argument", "fori_loop: upper must be an integer", function()
    lax.fori_loop(0, 1.5, function(_, c) return c end, x)
  end)
  raises("argument", "f must be a function, not a number", function()
    lax.scan(3, 1, nil, 2)
  end)
end)

test("the examples of the help are right", function()
  for _, file in ipairs{"jax_lax", "jax_lax_control"} do
    for name, text in pairs(dofile("lua/help/" .. file .. ".lua")) do
      assert(lax[name:match("[%w_]+$")], name)
      for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
        local got = tostring((assert(load("return " .. code))()))
        equal(got:match("^[^\n]*"), want, name)
      end
    end
  end
end)

tap.done()
