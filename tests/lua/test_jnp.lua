-- SPDX-License-Identifier: Apache-2.0
-- jnp: each function has help; 64-bit types; types and messages of arguments.
-- Values are compared with JAX's own by tests/jax.
local tap = dofile("tests/lua/tap.lua")
-- Not rounded to TF32, as a real GPU's products are by default.
jax.config.update("jax_default_matmul_precision", "highest")
local test, equal, raises = tap.test, tap.equal, tap.raises

-- ---- Which functions there are ----

-- Functions of np that jnp has not, and why.
local lacking = {
  ["writes into its argument, and jax arrays are immutable"] = [[
    copyto fill putmask]],
  ["is NumPy's generator: jax.random has keys"] = "random",
  ["compares host arrays, also those of jax"] = "testing",
  ["reads or writes host arrays"] = [[
    asnumpy fromfile tofile genfromtxt loadtxt savetxt savez
    savez_compressed]],
  ["writes a number of the host as text, and so has JAX's NumPy none"] =
    "binary_repr",
  ["prints host arrays"] = [[
    array2string array_repr array_str get_printoptions set_printoptions
    printoptions]],
}

test("every pure function of np is in jnp", function()
  local reason = {}
  for why, names in pairs(lacking) do
    for name in names:gmatch("%S+") do reason[name] = why end
  end
  local missing = {}
  assert(jnp.abs) -- fills jnp
  for name in pairs(np) do
    local is_type = type(np[name]) == "string" -- jnp's are made when asked for
    if not rawget(jnp, name) and not reason[name] and
       not (is_type and jnp[name] == np[name]) then
      missing[#missing + 1] = name
    end
  end
  table.sort(missing)
  equal(table.concat(missing, " "), "")
  for name, why in pairs(reason) do
    assert(rawget(np, name), name .. " (" .. why .. ") is no function of np")
    assert(not rawget(jnp, name), name .. " is in jnp: " .. why)
  end
end)

test("every function of jnp has help, and its examples are right", function()
  local help = {}
  for _, part in ipairs{"jnp", "jax_linalg", "jax_index", "np_common"} do
    for name, text in pairs(dofile("lua/help/" .. part .. ".lua")) do
      help[name] = text
    end
  end
  for name, v in pairs(jnp) do
    if type(v) == "function" then
      assert(help["jnp." .. name], "jnp." .. name .. " has no help")
    end
  end
  for name, text in pairs(dofile("lua/help/jnp.lua")) do
    assert(jnp[name:sub(5)], name .. " has help, and is no function")
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      local got = tostring((assert(load("return " .. code))()))
      equal(got:match("^[^\n]*"), want, name)
    end
  end
end)

-- ---- 64 bits ----

-- Types as JAX 0.10 gives them with jax_enable_x64.
local wide = {
  {"jnp.sqrt(i8)", "f32"}, {"jnp.sqrt(jnp.arange(3, 'i32'))", "f32"},
  {"jnp.sqrt(jnp.arange(3))", "f64"}, {"jnp.sum(i8)", "i64"},
  {"jnp.sum(jnp.ones(2, 'u8'))", "u64"}, {"jnp.mean(i8)", "f32"},
  {"i8 / i8", "f32"}, {"jnp.argmax(i8)", "i64"},
  {"jnp.count_nonzero(i8)", "i64"}, {"jnp.arange(3) / 2", "f64"},
  {"jnp.ones(2, 'f32') * jnp.arange(2)", "f32"},
  {"jnp.linspace(0, 1, 3)", "f64"}, {"jnp.round(2.5)", "f64", true},
  {"i8 + 1", "i8"}, {"jnp.ones(2, 'u64') - 3", "u64"},
  {"jnp.ones(2, 'u64') + jnp.ones(2, 'i64')", "f64", true},
  {"jnp.array{true} // jnp.array{true}", "i32"},
  {"select(2, jnp.frexp(0.3))", "i32"}, {"jnp.array{1, 2}", "i64"},
  {"jnp.array{1.5}", "f64"},
}

local function with_wide(f)
  jax.config.update("jax_enable_x64", true)
  local ok, e = pcall(f)
  jax.config.update("jax_enable_x64", false)
  if not ok then error(e, 0) end
end

test("arguments by name are not taken for others", function()
  local nn, lax, x = jax.nn, jax.lax, jnp.array{{0, 1}, {2, 4.0}}
  local function same(got, want) equal(got:tolist(), want:tolist()) end
  same(nn.softmax(x, {axis = 0}), nn.softmax(x, 0))
  same(nn.log_softmax(x, {axis = 0}), nn.log_softmax(x, 0))
  same(jax.scipy.special.softmax(x, {axis = 0}), nn.softmax(x, 0))
  same(nn.gelu(x, {approximate = false}), nn.gelu(x, false))
  same(nn.glu(x, {axis = 0}), nn.glu(x, 0))
  same(nn.elu(-x, {alpha = 0.5}), nn.elu(-x, 0.5))
  same(nn.one_hot(jnp.array{0, 1}, {num_classes = 3, axis = 0}),
       jnp.array{{1, 0}, {0, 1}, {0, 0.0}})
  same(nn.softmax(x, {where = jnp.array{{true, false}, {true, true}}})[0],
       jnp.array{1, 0.0})
  same(lax.rev(x, {dimensions = {1}}), lax.rev(x, {1}))
  same(lax.reduce_max(x, {axes = {0}}), lax.reduce_max(x, {0}))
  same(lax.expand_dims(x, {dimensions = {0}}), lax.expand_dims(x, {0}))
  same(select(2, jnp.split(x, {indices_or_sections = 2, axis = 1})),
       x[":, 1:"])
  same(jnp.ravel(x, {order = "F"}), jnp.array{0, 2, 1, 4.0})
  local key = jax.random.key(0)
  equal(jax.random.split(key, {num = 3}).shape, {3})
  same(jax.random.key_data(jax.random.fold_in(key, {data = 7})),
       jax.random.key_data(jax.random.fold_in(key, 7)))
  equal(lax.associative_scan(jnp.add, x, {axis = 1}):tolist(),
        {{0, 1}, {2, 6}})
  equal(lax.associative_scan(jnp.add, x, {reverse = true}):tolist(),
        {{2, 5}, {2, 4}})
  equal(jax.scipy.linalg.qr(jnp.ones({3, 2}), {mode = "r"}).shape, {3, 2})
  equal(jax.scipy.linalg.qr(jnp.ones({3, 2}), {mode = "economic"}).shape,
        {3, 2})
  raises("unsupported", "impl = rbg",
    function() jax.random.key(0, {impl = "rbg"}) end)
  raises("argument",
    "reduce_max: there is no argument named axis (there are axes)",
    function() lax.reduce_max(x, {axis = 0}) end)
  raises("argument", "softmax: there is no argument named axes",
    function() nn.softmax(x, {axes = 0}) end)
end)

test("options of transformations by position, as in JAX", function()
  local x = jnp.ones({2, 3})
  equal(jax.vmap(jnp.sin, 0, 1)(x).shape, {3, 2})
  equal(jax.vmap(jnp.sin, 1, {out_axes = 1})(x).shape, {2, 3})
  local function product(a, b) return a * b end
  for _, name in ipairs{"grad", "jacfwd", "jacrev"} do
    equal(jax[name](product, 1)(2.0, 3.0):item(), 2)
    equal(jax[name](product, {0, 1})(2.0, 3.0)[1]:item(), 3)
  end
  equal(jax.hessian(function(a, b) return a * b ^ 3 end, 1)(2.0, 1.0):item(),
        12)
  local g, aux = jax.grad(function(a) return a * a, a + 1 end, 0, true)(3.0)
  equal(g:item(), 6)
  equal(aux:item(), 4)
  raises("argument", "the options of vmap are a table",
    function() jax.vmap(jnp.sin, 0, 0, 0) end)
  raises("argument", "the options of grad are a table",
    function() jax.grad(jnp.sin, "x") end)
end)

test("from_dlpack shares memory, or says why not", function()
  raises("argument", "is on the host", function()
    jnp.from_dlpack(np.ones(2, "f32"))
  end)
  raises("argument", "not a table", function() jnp.from_dlpack({1, 2}) end)
  if os.getenv("JAX_PLATFORMS") == "cpu" then return end
  local d = cuda.to_device(np.arange(6, "f32"):reshape(2, 3))
  local whole, column = jnp.from_dlpack(d), jax.dlpack.from_dlpack(d[":, 1"])
  d["1, 1"] = 50
  equal(np.asarray(whole)["1"]:tolist()[2], 50)
  equal(column[1]:item(), 50.0)
  equal(jnp.from_dlpack(whole), whole)
  raises("argument", "copied to f32", function()
    jnp.from_dlpack(cuda.to_device(np.ones(2, "f64")))
  end)
end)

test("what is shown tells weak types", function()
  equal(tostring(jnp.asarray(3)), "Array(3, i32, weak_type=True)")
  equal(tostring(jnp.asarray(3) * 2.5), "Array(7.5, f32, weak_type=True)")
  equal(tostring(jnp.asarray(3) + jnp.zeros(1)), "Array([3], f32)")
  equal(tostring(jnp.array{1.5, 2}), "Array([1.5, 2], f32)")
end)

test("types with jax_enable_x64", function()
  with_wide(function()
    for _, row in ipairs(wide) do
      local make = assert(load("local i8 = ...; return " .. row[1]))
      local x = make(jnp.array({1, 2}, "i8"))
      equal(x.dtype, row[2], row[1])
      equal(x.weak_type, row[3] or false, row[1])
    end
  end)
  equal(jnp.array{1.5}.dtype, "f32")
end)

test("a function is traced again when the widths change", function()
  local f = jax.jit(function(x) return x + jnp.ones(2) end)
  equal(f(1.0).dtype, "f32")
  with_wide(function() equal(f(1.0).dtype, "f64") end)
  equal(f(1.0).dtype, "f32")
end)

test("64-bit values go through unharmed", function()
  with_wide(function()
    local big = jnp.array{2^53 // 1 | 1, -(1 << 62)}
    equal((big * 2):tolist(), {2 * ((1 << 53) | 1), math.mininteger})
    equal(jnp.max(big):item(), (1 << 53) | 1)
    local u = jnp.array({1, 2}, "u64") - 3
    equal(tostring(u),
          "Array([18446744073709551614, 18446744073709551615], u64)")
    equal(jnp.sin(jnp.array{1.0}):tolist()[1], math.sin(1))
    local g =
      jax.grad(function(x) return jnp.sum(jnp.erf(x)) end)(jnp.array{0.5})
    local want = 2 / math.sqrt(math.pi) * math.exp(-0.25)
    assert(math.abs(g:tolist()[1] - want) < 1e-15)
  end)
end)

-- ---- Arguments ----

test("arguments by name, by position, and too many", function()
  local x = jnp.ones({2, 3})
  equal(x:sum{axis = 0, keepdims = true}.shape, {1, 3})
  equal(x:sum(0, true).shape, {1, 3})
  equal(x:sum(0, "f16").dtype, "f16")
  equal(jnp.sum(x, {axis = {0, 1}}):item(), 6.0)
  equal(x:reshape(3, -1).shape, {3, 2})
  equal(x:transpose{1, 0}.shape, {3, 2})
  raises("argument",
         "sum: there is no argument named axes (there are axis, dtype",
         function() return x:sum{axes = 0} end)
  raises("argument", "round: too many arguments: after the array come decimals",
         function() return jnp.round(x, 1, 2) end)
  raises("argument", "axis 2 is out of bounds for array of dimension 2",
         function() return x:sum(2) end)
  raises("argument", "add: incompatible shapes for broadcasting: (2, 3), (2,)",
         function() return x + jnp.ones(2) end)
  raises("argument", "jnp.array(t) makes an array", function()
    return jnp.sin({1, 2})
  end)
  raises("argument", "is the variable's name right?", function()
    return jnp.add(x, nil)
  end)
  raises("argument", "the size of the result would depend on a traced value",
         function() return jax.jit(jnp.arange)(3) end)
  raises("argument", "OverflowError", function() return jnp.array(1 << 40) end)
  raises("argument", "there is no dtype f33", function()
    return jnp.zeros(2, "f33")
  end)
end)

test("numbers that a function makes while it is traced", function()
  local f = jax.jit(function(x)
    local two = jnp.reshape(2, {}) -- no array: a number of the program
    return x + two:sum() + two * 3 + np.sin(two * 0.0)
  end)
  equal(f(1.0):item(), 9.0)
end)

test("arrays on both sides, and np's functions of jax arrays", function()
  local x = jnp.array{1.0, 2}
  equal(tostring(np.ones(2) + x), "Array([2, 3], f32)")
  equal(tostring(np.sin(x) * 0), "Array([0, 0], f32)")
  equal(tostring(x:logsumexp() * 0), "Array(0, f32)")
  equal(tostring(x:squeeze({})), "Array([1, 2], f32)")
  equal(x.T.dtype, "f32")
  equal(jnp.ones{2, 3}.mT.shape, {3, 2})
  equal(jax.vmap(function(m) return m.mT end)(jnp.ones{4, 2, 3}).shape,
        {4, 3, 2})
end)

test("an empty list of axes reduces none", function()
  local m = jnp.array({{1, 2}, {3, -4}}, "i8")
  equal(jnp.sum(m, {axis = {}}):tolist(), m:tolist())
end)

-- ---- Arguments by name, and traced ones ----

test("all arguments by name, where JAX takes them so", function()
  local x = jnp.array{{2.0, 0.0}, {0.0, 4.0}}
  equal(jnp.linalg.det{a = x}:item(), 8)
  equal(np.asarray(jnp.linalg.solve{a = x, b = jnp.ones(2)}):tolist(),
    {0.5, 0.25})
  equal(jnp.linalg.norm{x = x, ord = 1}:item(), 4)
  equal(jnp.can_cast{from_ = "i8", to = "i16"}, true)
  for _, name in ipairs{"tril_indices", "triu_indices"} do
    local rows = jnp[name]{n = 2, k = 0, m = 2}
    equal(np.asarray(rows):tolist(),
      name == "tril_indices" and {0, 1, 1} or {0, 0, 1})
  end
end)

test("polyint takes traced constants", function()
  local p = jnp.array{2.0, 3.0}
  local function last(k) return jnp.sum(jnp.polyint(p, 1, k)) end
  equal(jax.grad(last)(5.0):item(), 1)
  local function whole(k) return jnp.polyint(p, 1, k) end
  equal(np.asarray(jax.jit(whole)(5.0)):tolist(), {1, 3, 5})
  equal(np.asarray(jax.vmap(whole)(jnp.array{5.0, 7.0})):tolist(),
    {{1, 3, 5}, {1, 3, 7}})
end)

test("what is no type, no array and too few axes is said in words", function()
  raises("argument", "TypeError: can_cast: foo is no type",
    function() jnp.can_cast("foo", "f32") end)
  raises("argument", "TypeError: can_cast: foo is no type",
    function() jnp.can_cast("f32", "foo") end)
  raises("argument", "not nil",
    function() jnp.append(jnp.ones{2, 2}, nil, 0) end)
  raises("argument", "ValueError: rot90: it takes two axes",
    function() jnp.rot90(jnp.ones{2, 2}, 1, 0) end)
end)

tap.done()
