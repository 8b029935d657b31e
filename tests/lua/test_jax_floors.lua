-- SPDX-License-Identifier: Apache-2.0
-- What a jitted function can tell: why it was traced, its floors from the jaxpr
-- to the launch, and where a NaN came from.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local is_host = os.getenv("JAX_PLATFORMS") == "cpu"
local v = jnp.array({1, 2, 3}, "f32")

local function has(text, part)
  if not text:find(part, 1, true) then
    error(("%q lacks %q"):format(text, part), 2)
  end
end

test("why a function was traced again", function()
  local f = jax.jit(function(x, p, n)
    return x * p.w * n
  end, {static_argnums = 2})
  f(v, {w = v}, 1)
  f(v, {w = v}, 1)
  f(v, {w = v}, 2)
  f(jnp.ones(4), {w = 2.0}, 2)
  f(jnp.ones(4, "i32"), {w = 2.0}, 2)
  f(v, {w = v, b = v}, 2)
  local list = f:cache_misses()
  equal(#list, 5)
  equal(list[1], "the first call")
  equal(list[2], "static argument n: 1 -> 2")
  equal(list[3], "x: shape (3,) -> (4,); p.w: shape (3,) -> (); " ..
        "p.w: weak type (a Lua number's) false -> true")
  equal(list[4], "x: dtype f32 -> i32")
  has(list[5], "tree structure: {*,{w=*}} -> {*,{b=*,w=*}}")
end)

test("a new function object at each call", function()
  local last
  for _ = 1, 3 do
    last = jax.jit(function(x) return x + 1 end)
    last(v)
  end
  has(last:why(), "given to jax.jit 2 times before")
  has(last:why(), "test_jax_floors.lua:")
  local g = jax.jit(function(x, act) return act(x) end, {static_argnums = 1})
  g(v, function(x) return x end)
  g(v, function(x) return -x end)
  has(g:cache_misses()[2], "static argument act: the function at")
end)

test("what a traced function did besides", function()
  local count = 0
  local f = jax.jit(function(x)
    count = count + 1
    return x
  end)
  f(v)
  has(f:why(), "the variable `count` was set while it was traced")
  equal(jax.jit(function(x) return x end):why(), "it was not called yet")
end)

test("one value keeps its name through all floors", function()
  local f = jax.jit(function(x, y)
    local z = jnp.sin(x)
    return z * z + jnp.sin(x) * y
  end)
  local l = f:lower(v, v)
  has(l:jaxpr(), "c:f32[3] = sin a")
  has(l:program(), "4 of 5 equations") -- the second sine is the first
end)

test("the floors", function()
  local f = jax.jit(function(x, y)
    local z = jnp.exp(x)
    return z * z + y
  end)
  local l = f:lower(v, v)
  has(l:jaxpr(), "c:f32[3] = exp a")
  has(l:program(), "3 of 3 equations are left, in 1 kernel")
  has(l:program(), "c = exp a")
  has(l:program(), "reads a b; writes e; 36 B")
  if not is_host then
    has(l:cuda_source(), "expf(v1); // c = exp a")
    has(l:cuda_source(), "// d = mul c c")
    has(l:ptx(), "// c = exp a\n")
    has(l:ptx(), ".visible .entry fused_1")
    has(l:launches(), "fused_1: 1 block x 256 threads")
    equal(l:launch_list()[1].block, 256)
  end
  local cost = l:cost_analysis()
  equal(cost.transcendentals, 3)
  equal(cost.flops, 6)
  equal(cost.bytes_accessed, 36)
  local text = tostring(l)
  for line in text:gmatch("[^\n]+") do
    if utf8.len(line) > 80 then error("longer than 80: " .. line) end
  end
  has(text, "test_jax_floors.lua:")
  has(text, "local z = jnp.exp(x)")
end)

test("vmap: the program of one, and of all", function()
  local f = jax.vmap(function(x, y) return jnp.sin(x) * y end,
                     {in_axes = {0, false}})
  local text = tostring(jax.lower(f, jnp.ones{4, 3}, v))
  has(text, "of one, before vmap")
  has(text, "c:f32[3] = sin a")
  has(text, "of all, after vmap")
  has(text, "c:f32[4,3] = sin a")
end)

test("reductions, products and nothing", function()
  local l = jax.lower(function(x) return jnp.sum(x * x) end, v)
  has(l:program(), "reduce_1: reads a; writes c")
  equal(l:cost_analysis().flops, 6)
  l = jax.lower(jnp.matmul, jnp.ones{8, 4}, jnp.ones{4, 2})
  equal(l:cost_analysis().flops, 128)
  l = jax.lower(function(x) return x end, v)
  has(l:program(), "0 of 0 equations")
  raises("unsupported", is_host and "jax_platforms" or "computes nothing",
         function() l:ptx() end)
end)

test("where a NaN comes from", function()
  local f = jax.jit(function(x)
    local y = x - 2
    local z = jnp.log(y)
    return z * 2
  end)
  local where = debug.getinfo(1, "l").currentline - 3
  equal(np.asarray(jnp.isnan(f(v)))[0], true)
  jax.config.update("jax_debug_nans", true)
  local ok, e = pcall(f, v)
  local eager, e2 = pcall(function() return jnp.log(v - 2) end)
  local fine = pcall(f, v + 5)
  jax.config.update("jax_debug_nans", false)
  equal(ok, false)
  has(e.message, "FloatingPointError: invalid value (nan) encountered in log")
  has(e.message, "test_jax_floors.lua:" .. where)
  equal(eager, false)
  has(e2.message, "encountered in log")
  equal(fine, true)
  equal(np.asarray(jnp.isnan(f(v)))[0], true)
end)

test("kernels carry the name of their function", function()
  local slope = jax.jit(function(x) return jnp.exp(x) * 2 end)
  slope(v)
  equal(tostring(slope), "slope, jitted; traced once")
  has(slope:lower(v):cuda_source(), "slope_fused_1(")
  has(tostring(jax.make_jaxpr(slope)(v)), "name=slope")
  local named = jax.jit(function(x) return x + 1 end, {name = "_hidden"})
  has(named:lower(v):cuda_source(), " hidden_fused_1(")
  local t = {jax.jit(function(x) return x + 2 end)}
  t[1](v)
  has(t[1]:lower(v):cuda_source(), " fused_1(")
end)

test("kernels of rows say what each line computes", function()
  local l = jax.lower(function(x)
    local y = jax.nn.softmax(x)
    return y
  end, jnp.ones{4, 8})
  local text = l:cuda_source()
  has(text, "rows_1(")
  for _, eqn in ipairs{"reduce_max a", "sub a ", "exp ", "reduce_sum ",
                       "div "} do
    equal(text:find("// %a+ = " .. eqn) ~= nil, true, eqn)
  end
  equal(l:ptx():find("// %a+ = exp ") ~= nil, true, "PTX")
end)

tap.done()
