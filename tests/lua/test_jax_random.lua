-- SPDX-License-Identifier: Apache-2.0
-- jax.random beside JAX's own values (tests/fixtures/jax_random.py), and what
-- is said of keys that are none.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local random = jax.random

local cases = dofile("tests/fixtures/jax_random.lua")

local function differs(got, want, rtol, atol)
  if got == want or got ~= got and want ~= want then return false end
  if type(got) ~= "number" then return true end
  if got ~= got or want ~= want or math.abs(want) == math.huge then
    return true
  end
  return math.abs(got - want) > rtol * math.abs(want) + atol
end

local function check(case, x)
  local text, want, dtype, shape, rtol, atol, every = table.unpack(case)
  equal(x.dtype, dtype, text .. ": dtype")
  local own = {}
  for i, n in ipairs(x.shape) do own[i] = n end
  equal(own, shape, text .. ": shape")
  local values = np.asarray(x):reshape({-1}):tolist()
  for i, v in ipairs(want) do
    local got = values[(i - 1) * every + 1]
    if differs(got, v, rtol, atol) then
      error(("%s: element %d is %s, in JAX %s"):format(text, (i - 1) * every,
                                                       got, v), 0)
    end
  end
end

local groups, order = {}, {}
for _, case in ipairs(cases) do
  local name = case[1]:match("random%.(%w+)") or "erf_inv"
  if not groups[name] then
    groups[name] = {}
    order[#order + 1] = name
  end
  table.insert(groups[name], case)
end

for _, name in ipairs(order) do
  test(("%s: %d values of JAX's"):format(name, #groups[name]), function()
    for _, case in ipairs(groups[name]) do
      local f = assert(load("local random = jax.random; return " .. case[1]))
      check(case, f())
    end
  end)
  test(name .. " under jit", function()
    for _, case in ipairs(groups[name]) do
      if #case[4] == 1 and case[4][1] == 5 then -- one shape of each will do
        local f = assert(load("local random = jax.random; return " .. case[1]))
        check(case, jax.jit(f)())
      end
    end
  end)
end

test("typed keys: printed, split, indexed, mapped, as carries", function()
  local key = random.key(0)
  equal(tostring(key), "Array((), dtype=key<fry>) overlaying:\n" ..
        "array([0, 0], u32)")
  local a, b = random.split(key):unpack()
  equal(np.asarray(random.key_data(a)):tolist(),
        np.asarray(random.split(random.PRNGKey(0))[0]):tolist())
  local both = random.split(key)
  equal(#both, 2)
  equal(both.shape, {2})
  equal(np.asarray(random.key_data(both[-1])):tolist(),
        np.asarray(random.key_data(b)):tolist())
  local f = jax.jit(function(k)
    local one, two = random.split(k):unpack()
    return {next = one, x = random.normal(two, {3})}
  end)
  local out = f(key)
  equal(np.asarray(random.key_data(out.next)):tolist(),
        np.asarray(random.key_data(a)):tolist())
  equal(np.asarray(out.x):tolist(), np.asarray(random.normal(b, {3})):tolist())
  local rows = jax.vmap(function(k) return random.bits(k, {2}) end)(both)
  equal(np.asarray(rows[1]):tolist(),
        np.asarray(random.bits(b, {2})):tolist())
  rows = jax.vmap(function(k) return random.bits(k, {2}) end,
                  {in_axes = -1})(random.split(key, {3}))
  equal(rows.shape[1], 3)
end)

test("arguments by name", function()
  local key = random.key(3)
  local x = random.uniform(key, {shape = {4}, minval = 2, maxval = 3})
  local y = random.uniform(key, {4}, "f32", 2, 3)
  equal(np.asarray(x):tolist(), np.asarray(y):tolist())
  raises("argument", "no argument named min", function()
    random.uniform(key, {4}, {min = 1})
  end)
end)

test("what is not a key is refused, and what is said of it", function()
  raises("argument", "the first argument is a key, as jax.random.key(seed) " ..
         "makes it, not the number 0", function() random.normal(0, {3}) end)
  raises("argument", "accepts a single key, but was given a key array of " ..
         "shape (3,): use jax.vmap", function()
    random.normal(random.split(random.key(0), 3), {2})
  end)
  raises("argument", "keys are not numbers", function()
    return random.key(0) + 1
  end)
  raises("argument", "must be a float type", function()
    random.normal(random.key(0), {3}, "i32")
  end)
  raises("argument", "must be an integer", function() random.key(1.5) end)
  raises("argument", "broadcast-compatible", function()
    random.uniform(random.key(0), {2}, "f32", jnp.array({1, 2, 3}, "f32"))
  end)
end)

test("a gamma number moves as that of equal probability", function()
  for _, a in ipairs{0.3, 2.0, 15.0} do
    local function draw(v) return random.gamma(random.key(4), v) end
    local x, dx = jax.jvp(draw, {a}, {1.0})
    equal(jax.grad(draw)(a):item(), dx:item())
    local p = jax.lax.igamma
    local h = 2.0^-7 * a
    local by_a = (p(a + h, x) - p(a - h, x)) / (2 * h)
    local by_x = jax.grad(function(v) return p(jnp.array(a), v) end)(x)
    np.testing.assert_allclose(np.asarray(dx), np.asarray(-by_a / by_x),
                               {rtol = 2e-3})
  end
  local g = jax.grad(function(a)
    return a * random.gamma(random.key(0), jax.lax.stop_gradient(a))
  end)(2.0)
  equal(g:item(), random.gamma(random.key(0), 2.0):item())
end)

-- What JAX 0.10 gives on its CPU.
test("binomial numbers have JAX's own bits", function()
  local nan, inf = 0 / 0, math.huge
  local key = random.key(3)
  local function drawn(x, want, dtype)
    equal(x.dtype, dtype)
    np.testing.assert_array_equal(np.asarray(x):astype("f32"),
                                  np.array(want, "f32"))
  end
  drawn(random.binomial(key, 10, 0.3, {8}), {0, 1, 4, 3, 6, 5, 2, 0}, "f32")
  drawn(random.binomial(key, 100, 0.7, {8}),
        {72, 70, 76, 73, 66, 76, 74, 76}, "f32")
  drawn(random.binomial(random.key(7),
                        jnp.array{5.0, 200.0, 1e4, nan, inf, -1.0, 20.0},
                        jnp.array{0.5, 0.05, 0.9, 0.5, 0.5, 0.5, -0.1}),
        {2, 18, 9009, nan, inf, nan, nan}, "f32")
  drawn(random.binomial(key, {n = 10, p = jnp.array{0.0, 1.0, 0.5}}),
        {0, 10, 5}, "f32")
  drawn(random.binomial(key, jnp.array({10, 40}, "i32"), 0.5,
                        {shape = {3, 2}, dtype = "bf16"}),
        {{9, 20}, {5, 22}, {2, 24}}, "bf16")
  drawn(random.binomial(key, 40, jnp.array(0.5, "f16"), {6}),
        {24, 19, 18, 22, 17, 17}, "f32")
  raises("argument", "random.binomial: p is missing", function()
    random.binomial(key, 10)
  end)
end)

test("a derivative that there is not is refused", function()
  local refused = "betainc with respect to a and b has no derivative"
  raises("unsupported", refused, function()
    jax.grad(function(a) return jax.lax.betainc(a, 1.0, 0.5) end)(2.0)
  end)
  raises("unsupported", "jax.lax.stop_gradient(parameter)", function()
    jax.jvp(function(a) return jax.lax.betainc(a, 1.0, 0.5) end, {2.0}, {1.0})
  end)
end)

test("every function has help, and its examples are right", function()
  local help = dofile("lua/help/jax_random.lua")
  for name in pairs(random) do
    assert(help["jax.random." .. name], name .. " has no help")
  end
  for name, text in pairs(help) do
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      equal(tostring(assert(load("return " .. code))()), want, name)
    end
  end
end)

test("a key that is used twice", function()
  local function reuse(f)
    jax.config.update("jax_debug_key_reuse", true)
    equal(jax.config.jax_debug_key_reuse, true)
    local ok, e = pcall(f, random.key(7))
    jax.config.update("jax_debug_key_reuse", false)
    return not ok and tostring(e) or "fine"
  end
  local function used(text, what)
    assert(text:find("KeyReuseError: random." .. what, 1, true), text)
    assert(text:find("test_jax_random.lua:%d+; split it"), text)
  end
  used(reuse(function(k) random.normal(k); random.uniform(k) end), "uniform")
  used(reuse(function(k) random.normal(k); random.split(k) end), "split")
  used(reuse(function(k) random.split(k); random.bits(k) end), "bits")
  used(reuse(function(k) for _ = 1, 2 do random.normal(k, {3}) end end),
       "normal")
  used(reuse(function(k)
    jax.jit(function(x) return random.normal(x) + random.uniform(x) end)(k)
  end), "uniform")
  used(reuse(function(k)
    random.normal(k)
    random.normal(random.key(7)) -- the same key again
  end), "normal")
  equal(reuse(function(k)
    local keys = random.split(k, 3)
    random.normal(keys[0]); random.uniform(keys[1]); random.split(keys[2])
  end), "fine")
  equal(reuse(function(k)
    for i = 1, 3 do random.normal(random.fold_in(k, i)) end
  end), "fine")
  equal(reuse(function(k)
    jax.vmap(function(one) return random.normal(one) end)(random.split(k, 4))
  end), "fine")
  random.normal(random.key(7)); random.normal(random.key(7)) -- nobody asks
end)

tap.done()
