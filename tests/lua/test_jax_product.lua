-- SPDX-License-Identifier: Apache-2.0
-- Matrix products: the kernels, and what a vendor's library is asked for. Where
-- there is no such library (the virtual GPU), its part is played by loops over
-- the memory that the request describes.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises
local is_on_host = os.getenv("JAX_PLATFORMS") == "cpu"
local lax = jax.lax

local function filled(shape, dtype)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  local x = np.reshape(np.arange(n, "f32"), shape)
  return jnp.array((np.sin(x * 1.7) * 3):astype(dtype or "f32"))
end

-- The same by the definition, on the host and in f64.
local function wanted(x, y, numbers)
  local letters, n = "abcdefghijkl", 0
  local xs, ys, out = {}, {}, {}
  local function letter()
    n = n + 1
    return letters:sub(n, n)
  end
  for i, d in ipairs(numbers[2][1]) do
    local c = letter()
    xs[d + 1], ys[numbers[2][2][i] + 1] = c, c
    out[#out + 1] = c
  end
  for i, d in ipairs(numbers[1][1]) do
    local c = letter()
    xs[d + 1], ys[numbers[1][2][i] + 1] = c, c
  end
  for _, pair in ipairs{{x, xs}, {y, ys}} do
    for d = 1, #pair[1].shape do
      if not pair[2][d] then
        pair[2][d] = letter()
        out[#out + 1] = pair[2][d]
      end
    end
  end
  local spec = table.concat(xs) .. "," .. table.concat(ys) .. "->" ..
               table.concat(out)
  return np.einsum(spec, np.asarray(x):astype("f64"),
                   np.asarray(y):astype("f64"))
end

local cases = {
  {"matrices", {70, 40}, {40, 90}, {{{1}, {0}}, {{}, {}}}},
  {"left transposed", {40, 70}, {40, 90}, {{{0}, {0}}, {{}, {}}}},
  {"right transposed", {70, 40}, {90, 40}, {{{1}, {1}}, {{}, {}}}},
  {"both", {40, 70}, {90, 40}, {{{0}, {1}}, {{}, {}}}},
  {"a batch", {3, 70, 40}, {3, 40, 90}, {{{2}, {1}}, {{0}, {0}}}},
  {"a batch behind", {70, 40, 3}, {40, 3, 90}, {{{1}, {0}}, {{2}, {1}}}},
  {"two batch axes", {2, 3, 70, 8}, {2, 3, 8, 90},
   {{{3}, {2}}, {{0, 1}, {0, 1}}}},
  {"two inner axes", {70, 5, 8}, {5, 8, 90}, {{{1, 2}, {0, 1}}, {{}, {}}}},
  {"inner axes in another order", {70, 5, 8}, {8, 5, 90},
   {{{1, 2}, {1, 0}}, {{}, {}}}},
  {"free axes around", {10, 8, 9}, {8, 90}, {{{1}, {0}}, {{}, {}}}},
  {"inner of one", {70, 1}, {1, 90}, {{{1}, {0}}, {{}, {}}}},
  {"a vector", {70, 40}, {40}, {{{1}, {0}}, {{}, {}}}},
  {"a dot", {3000}, {3000}, {{{0}, {0}}, {{}, {}}}},
}

local function compare(name, f)
  for _, c in ipairs(cases) do
    local x, y = filled(c[2]), filled(c[3])
    local got = np.asarray(f(x, y, c[4]))
    local want = wanted(x, y, c[4])
    np.testing.assert_allclose(got, np.asarray(want, "f32"), 2e-5, 2e-4,
                               name .. ", " .. c[1])
  end
end

test("products of all layouts", function()
  compare("eager", lax.dot_general)
  compare("jit", function(x, y, numbers)
    return jax.jit(function(a, b)
      return lax.dot_general(a, b, numbers)
    end)(x, y)
  end)
end)

test("a product that is transposed at once", function()
  local x, y = filled({3, 70, 40}), filled({3, 40, 90})
  local numbers = {{{2}, {1}}, {{0}, {0}}}
  local function f(a, b)
    return lax.transpose(lax.dot_general(a, b, numbers), {0, 2, 1})
  end
  local got = jax.jit(f)(x, y)
  equal(table.concat(got.shape, " "), "3 90 70")
  np.testing.assert_allclose(np.asarray(got),
    np.transpose(np.asarray(wanted(x, y, numbers), "f32"), {0, 2, 1}),
    2e-5, 2e-4)
end)

test("operands that are computed on the way", function()
  local x, y = filled({70, 40}), filled({90, 40})
  local numbers = {{{1}, {0}}, {{}, {}}}
  local function f(a, b)
    return lax.dot_general(jnp.tanh(a) * 2.0, lax.transpose(b, {1, 0}), numbers)
  end
  local want = wanted(jnp.array(np.tanh(np.asarray(x)) * 2), y,
                      {{{1}, {1}}, {{}, {}}})
  np.testing.assert_allclose(np.asarray(jax.jit(f)(x, y)), want:astype("f32"),
                             2e-5, 2e-4)
end)

test("half precision with sums in f32", function()
  for _, t in ipairs{"f16", "bf16"} do
    local x, y = filled({70, 40}, t), filled({40, 90}, t)
    local numbers = {{{1}, {0}}, {{}, {}}}
    local z = lax.dot_general(x, y, numbers, nil, "f32")
    equal(z.dtype, "f32")
    np.testing.assert_allclose(np.asarray(z),
                               wanted(x, y, numbers):astype("f32"), 2e-5, 2e-4)
    equal(lax.dot_general(x, y, numbers).dtype, t)
    equal(lax.dot_general(x, y, numbers, {preferred_element_type = "f32"})
      .dtype, "f32")
  end
end)

test("gradients of products with a type of their own", function()
  local numbers = {{{1}, {0}}, {{}, {}}}
  for _, row in ipairs{{"bf16", "f32"}, {"f32", "bf16"}, {"f16", "f32"}} do
    local factors, sums = table.unpack(row)
    local x, y = filled({20, 24}, factors), filled({24, 30}, factors)
    local function loss(a, b)
      local z = lax.dot_general(a, b, numbers, nil, sums)
      return jnp.sum(z:astype("f32") * 2.0)
    end
    local dx, dy = table.unpack(jax.jit(jax.grad(loss, {argnums = {0, 1}}))(x,
                                                                            y))
    equal({dx.dtype, dy.dtype}, {factors, factors})
    local ones = jnp.full({20, 30}, 2.0, "f32")
    np.testing.assert_allclose(np.asarray(dx):astype("f32"),
      wanted(ones, y, {{{1}, {1}}, {{}, {}}}):astype("f32"), 1e-2, 1e-2)
    np.testing.assert_allclose(np.asarray(dy):astype("f32"),
      wanted(x, ones, {{{0}, {0}}, {{}, {}}}):astype("f32"), 1e-2, 1e-2)
  end
end)

-- By default TF32 where a GPU has it: 80 is capability 8.0.
test("which products are rounded to TF32", function()
  local use = debug.getregistry()["warpshop.jax.use"]
  local is_tf32 = use("compile/plan").is_tf32
  equal({is_tf32(nil, "f32", 0), is_tf32(nil, "f32", 75),
         is_tf32(nil, "f32", 80), is_tf32(nil, "f32", 90)},
        {false, false, true, true})
  equal(is_tf32(nil, "f64", 90), false)
  equal(is_tf32("float32", "f32", 90), false)
  equal(is_tf32("tensorfloat32", "f32", 75), true)
end)

local function use_config()
  return debug.getregistry()["warpshop.jax.use"]("core/config")
end

test("the precision of products", function()
  local x = filled({64, 64})
  local numbers = {{{1}, {0}}, {{}, {}}}
  raises("argument", "there is no matmul precision int4", function()
    lax.dot_general(x, x, numbers, "int4")
  end)
  raises("argument", "there is no matmul precision int4", function()
    lax.dot_general(x, x, numbers, {"highest", "int4"})
  end)
  -- A pair has one for each side.
  for _, pair in ipairs{{"highest", "highest"}, {"default", "highest"}} do
    local text = tostring(jax.make_jaxpr(function(a)
      return lax.dot_general(a, a, numbers, {precision = pair})
    end)(x))
    equal(text:find("dot_general", 1, true) ~= nil, true)
    equal(use_config().product_precision(pair), "float32")
    equal(jnp.matmul(x, x, {precision = pair}).shape, {64, 64})
  end
  jax.config.update("jax_default_matmul_precision", nil)
  local calls = 0
  local f = jax.jit(function(a)
    calls = calls + 1
    return lax.dot_general(a, a, numbers)
  end)
  local function text()
    return tostring(jax.make_jaxpr(function(a)
      return lax.dot_general(a, a, numbers)
    end)(x))
  end
  f(x)
  f(x)
  equal(calls, 1)
  jax.default_matmul_precision("tensorfloat32", function() f(x) end)
  equal(calls, 2)
  f(x)
  equal(calls, 2)
  equal(#text() > 0, true)
  -- By JAX's names, and back to none.
  local name = "jax_default_matmul_precision"
  equal(jax.config[name], nil)
  for _, known in ipairs{"default", "bfloat16", "fastest"} do
    jax.config.update(name, known)
    equal(jax.config[name], known)
    f(x)
    equal(calls, 2)
  end
  for _, known in ipairs{"high", "TF32_TF32_F32"} do
    jax.config.update(name, known)
    f(x)
    equal(calls, 2) -- TF32's program is there already
  end
  for _, known in ipairs{"highest", "float32", "F32_F32_F32"} do
    jax.config.update(name, known)
    f(x)
    equal(calls, 3) -- and f32's is one more
  end
  jax.config.update(name, nil)
  equal(jax.config[name], nil)
  jax.config.update(name, "highest")
end)

-- What lies at a matrix's memory, by loops that know no shapes.
local function element(m, memory, bytes, batch, row, column)
  if m.is_transposed then row, column = column, row end
  return memory[m.offset // bytes + batch * m.step + row * m.pitch + column]
end

local function play_library(p, inputs, shape)
  local bytes = p.type == "f64" and 8 or 4
  local memory = {}
  for i, x in ipairs(inputs) do
    memory[i] = {}
    for k, v in ipairs(np.asarray(x):reshape(-1):tolist()) do
      memory[i][k - 1] = v
    end
  end
  local out, n = {}, 0
  for batch = 0, p.count - 1 do
    for row = 0, p.rows - 1 do
      for column = 0, p.columns - 1 do
        local sum = 0
        for k = 0, p.inner - 1 do
          sum = sum + element(p.a, memory[1], bytes, batch, row, k) *
                element(p.b, memory[2], bytes, batch, k, column)
        end
        n = n + 1
        out[n] = sum
      end
    end
  end
  return jnp.array(np.reshape(np.array(out, "f32"), shape))
end

-- f() with a library that is played; see() is given each product. Gives how
-- many there were.
local function with_library(f, see)
  local use = debug.getregistry()["warpshop.jax.use"]
  local plan, real_has = use("compile/plan"), use.has_products
  local real_make, few = plan.make, plan.few
  plan.few = 0
  local played = 0
  use.has_products = function() return true end
  plan.make = function(...)
    local e = real_make(...)
    for i, step in ipairs(e.steps) do
      if step.product then
        local out = step.places[3]
        e.steps[i] = {name = "product",
                      inputs = {step.places[1], step.places[2]},
                      outputs = {out}, run = function(values)
          played = played + 1
          if see then see(step.product) end
          return {play_library(step.product, values, out.aval.shape)}
        end}
      end
    end
    return e
  end
  jax.clear_caches()
  local ok, e = pcall(f, use, plan)
  plan.make, plan.few, use.has_products = real_make, few, real_has
  jax.clear_caches()
  if not ok then error(e, 0) end
  return played
end

test("what the library is asked for", function()
  if is_on_host then return end
  local played = with_library(function()
    compare("library", function(x, y, numbers)
      return jax.jit(function(a, b)
        return lax.dot_general(a, b, numbers)
      end)(x, y)
    end)
    -- Views of memory: slices, transposes, repeated matrices.
    local x, y = filled({80, 50}), filled({40, 90})
    local numbers = {{{1}, {0}}, {{}, {}}}
    local got = jax.jit(function(a, b)
      return lax.dot_general(lax.slice(a, {5, 3}, {75, 43}), b, numbers)
    end)(x, y)
    local part = np.asarray(x)["5:75, 3:43"]:copy()
    np.testing.assert_allclose(np.asarray(got),
      wanted(jnp.array(part), y, numbers):astype("f32"), 2e-5, 2e-4)
    got = jax.jit(function(a, b)
      local many = lax.broadcast_in_dim(b, {3, 40, 90}, {1, 2})
      return lax.dot_general(lax.transpose(a, {0, 2, 1}), many,
                             {{{2}, {1}}, {{0}, {0}}})
    end)(filled({3, 40, 70}), y)
    equal(got.shape[3], 90)
    np.testing.assert_allclose(np.asarray(got),
      wanted(filled({3, 40, 70}), jnp.array(np.stack({np.asarray(y),
             np.asarray(y), np.asarray(y)})), {{{1}, {1}}, {{0}, {0}}})
      :astype("f32"), 2e-5, 2e-4)
  end)
  equal(played, 13)
end)

-- The tensor cores want what is summed to lie together in TF32 factors.
test("TF32 factors that lie badly are turned where that is quicker", function()
  if is_on_host then return end
  local seen
  local function see(p) seen = p end
  -- How the sides lie, "N" by rows and "T" by columns, and what is asked for.
  local function ask(left, right, capability, precision, from)
    with_library(function(use, plan)
      local real_capability, real_from = use.capability, plan.turned_from
      use.capability = function() return capability end
      plan.turned_from = from or {neither = 1, right = 1}
      local x = filled(left == "T" and {40, 70} or {70, 40})
      local y = filled(right == "T" and {90, 40} or {40, 90})
      local numbers = {{{left == "T" and 0 or 1}, {right == "T" and 1 or 0}},
                       {{}, {}}}
      local ok, got = pcall(jax.jit(function(a, b)
        return lax.dot_general(a, b, numbers, precision)
      end), x, y)
      use.capability, plan.turned_from = real_capability, real_from
      if not ok then error(got, 0) end
      np.testing.assert_allclose(np.asarray(got),
        wanted(x, y, numbers):astype("f32"), 2e-5, 2e-4)
    end, see)
    return (seen.a.is_transposed and "T" or "N") ..
           (seen.b.is_transposed and "T" or "N")
  end
  local tf32 = "tensorfloat32"
  equal(ask("N", "T", 90, tf32), "NT")
  equal(ask("N", "N", 90, tf32), "NT")
  equal(ask("T", "T", 90, tf32), "TT")
  equal(ask("T", "N", 90, tf32), "NN") -- the left one is the smaller one
  -- Small ones, older devices and whole f32 stay as they are.
  equal(ask("N", "N", 90, tf32, {neither = 1, right = 71}), "NN")
  equal(ask("T", "N", 90, tf32, {neither = 91, right = 1}), "TN")
  equal(ask("T", "N", 80, tf32), "TN")
  equal(ask("T", "N", 90, "highest"), "TN")
end)

-- Whole numbers lose nothing by it: to the digit, by a library where one is.
test("turned factors give the same", function()
  if is_on_host then return end
  local plan = debug.getregistry()["warpshop.jax.use"]("compile/plan")
  local from, few = plan.turned_from, plan.few
  plan.turned_from, plan.few = {neither = 1, right = 1}, 0
  jax.clear_caches()
  local function whole(shape)
    local count = 1
    for _, d in ipairs(shape) do count = count * d end
    return jnp.array(np.reshape(np.arange(count, "f32") % 7, shape))
  end
  local ok, e = pcall(function()
    for _, c in ipairs(cases) do
      local x, y = whole(c[2]), whole(c[3])
      local got = jax.jit(function(a, b)
        return lax.dot_general(a, b, c[4], "tensorfloat32")
      end)(x, y)
      equal((np.asarray(got) - wanted(x, y, c[4])):any(), false, c[1])
    end
  end)
  plan.turned_from, plan.few = from, few
  jax.clear_caches()
  if not ok then error(e, 0) end
end)

test("the floors say which products are rounded to TF32", function()
  if is_on_host then return end
  local use = debug.getregistry()["warpshop.jax.use"]
  local real_has, real_capability = use.has_products, use.capability
  local plan = use("compile/plan")
  local few = plan.few
  plan.few = 0
  local function lowered(precision, capability)
    jax.clear_caches()
    use.has_products = function() return true end
    use.capability = function() return capability end
    local low = jax.lower(function(x, y)
      return jnp.matmul(x, y, {precision = precision})
    end, filled{64, 64}, filled{64, 64})
    return low:program(), low:floors()
  end
  local old = jax.config.jax_default_matmul_precision
  local ok, e = pcall(function()
    jax.config.update("jax_default_matmul_precision", nil)
    local program, floors = lowered(nil, 90)
    local tf32 = "a library: dot_general, factors of f32 rounded to TF32"
    equal(program:find(tf32, 1, true) ~= nil, true, program)
    equal(floors:find(tf32, 1, true) ~= nil, true, floors)
    for _, row in ipairs{{"highest", 90}, {nil, 75}} do
      program = lowered(row[1], row[2])
      equal(program:find("factors of f32 as they are", 1, true) ~= nil, true,
            program)
    end
  end)
  plan.few, use.has_products, use.capability = few, real_has, real_capability
  jax.config.update("jax_default_matmul_precision", old)
  jax.clear_caches()
  if not ok then error(e, 0) end
end)

tap.done()
