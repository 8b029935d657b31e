-- SPDX-License-Identifier: Apache-2.0
-- What JAX 0.10 gave for these, typed at it: the type in which an update, a sum
-- or a function is computed, which results are weak, and what is refused.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local function gives(code, want)
  local text = tostring(load("return " .. code, code, "t")())
  equal(text:gsub("%s+", " "), want)
end

local function refuses(code, kind)
  local ok, e = pcall(load("return " .. code, code, "t"))
  equal(ok, false)
  equal(tostring(e.message or e):match("%u%w+Error"), kind)
end

test("x.at updates in the type where both meet, and rounds once", function()
  local a, i = 'jnp.array({4, 5, 6}, "%s")', "jnp.array{0, 0, 1, 1, 1}"
  local function at(t, rest)
    return (a:format(t) .. ".at[%s]:%s"):format(i, rest)
  end
  gives(at("i8", "multiply(0.5)"), "Array([1, 0, 6], i8)")
  gives(at("i8", "add(0.5)"), "Array([5, 6, 6], i8)")
  gives(at("u8", "subtract(2.5)"), "Array([0, 0, 6], u8)")
  gives(at("i8", "multiply(2.5)"), "Array([25, 78, 6], i8)")
  gives(at("i8", 'max(jnp.array(200, "u8"))'), "Array([-56, -56, 6], i8)")
  gives(at("i8", "max(300)"), "Array([44, 44, 6], i8)")
  gives(at("bool", "subtract(0.5)"), "Array([false, true, true], bool)")
  gives(at("i8", "power(0.5)"), "Array([1, 1, 6], i8)")
  gives("jnp.zeros(0).at[jnp.array{-1, 0}]:set(2)", "Array([], f32)")
  gives('jax.grad(function(v) return jnp.sum(jnp.ones(2).at[0]:mul(v)) ' ..
        'end)(3.)',
        "Array(1, f32, weak_type=True)")
end)

test("sums, products and running ones of truths count none", function()
  gives('jnp.sum(jnp.array{0, 0}, {dtype = "bool", initial = 0.5})',
        "Array(true, bool)")
  gives('jnp.prod(jnp.array{2, 0}, {dtype = "bool", initial = -3})',
        "Array(false, bool)")
  gives('jnp.sum(jnp.array{0.5, 0.25}, {dtype = "bool"})', "Array(true, bool)")
  gives('jnp.cumsum(jnp.array{0, -0.5, 0}, {dtype = "bool"})',
        "Array([false, true, true], bool)")
  gives('jnp.cumprod(jnp.array{-0.5, 0, 1}, {dtype = "bool"})',
        "Array([true, false, false], bool)")
end)

test("what has no elements, or none that counts", function()
  gives("jnp.cov(jnp.zeros{2, 0})", "Array([[nan, nan], [nan, nan]], f32)")
  gives('jnp.cov(jnp.zeros({1, 0}, "f16"))', "Array(nan, f16)")
  gives("jnp.bincount(jnp.array{-5, -3})", "Array([2], i32)")
  refuses("jnp.histogram(jnp.zeros(0))", "ValueError")
  refuses("jnp.histogram(jnp.ones(3), {weights = jnp.ones(2)})", "ValueError")
  refuses('jnp.histogram(jnp.ones(3), "auto")', "TypeError")
  refuses("jnp.histogram_bin_edges(jnp.ones(3), jnp.ones{2, 2})", "TypeError")
  gives("jnp.interp(jnp.ones(1), jnp.ones(2), jnp.ones(2), {period = 0})",
        "Array([nan], f32)")
  refuses("jnp.interp(jnp.ones(1), jnp.zeros(0), jnp.zeros(0))", "TypeError")
  refuses("jnp.place(jnp.ones(3), jnp.array{true}, 2, {inplace = false})",
          "ValueError")
  refuses("jnp.pad(jnp.ones(3), 1.5)", "TypeError")
  refuses("jnp.pad(jnp.ones(3), -1)", "ValueError")
  refuses('jnp.pad(jnp.ones(3), 1, "mean", {stat_length = 0})', "ValueError")
  refuses('jnp.pad(jnp.ones(3), 1, "round")', "NotImplementedError")
  gives('jnp.einsum("i1->1", jnp.ones{3, 2})', "Array([3, 3], f32)")
  refuses('jnp.einsum("ii", jnp.ones{1, 3})', "ValueError")
  refuses('jnp.einsum("i")', "ValueError")
  refuses("jnp.polyfit(jnp.zeros(0), jnp.zeros(0), 1)", "TypeError")
  refuses("jnp.polyfit(jnp.zeros(3), jnp.zeros(2), 1)", "TypeError")
  gives("jnp.linalg.matrix_rank(jnp.ones(2))", "Array(1, i32)")
  refuses("jnp.linalg.lstsq(jnp.eye(2), jnp.zeros(3))", "ValueError")
  refuses("jnp.compress(jnp.array{false, true}, jnp.array{5.})", "ValueError")
  gives("jnp.compress(jnp.array{true, false}, jnp.array{5.})",
        "Array([5], f32)")
  refuses("jnp.delete(jnp.arange(3), 3)", "IndexError")
  gives("jnp.insert(jnp.arange(3), 10, 8)", "Array([0, 1, 2, 8], i32)")
  gives("jnp.insert(jnp.arange(3), -10, 8)", "Array([8, 0, 1, 2], i32)")
end)

test("negative powers of integers are refused where they are known", function()
  refuses("jnp.power(jnp.array(3), jnp.array(-6))", "TypeError")
  refuses("jnp.array{3} ^ jnp.array(-6)", "TypeError")
  gives("jnp.power(jnp.array{3}, jnp.array{6})", "Array([729], i32)")
  gives("jnp.power(jnp.array{4.}, jnp.array(-1))", "Array([0.25], f32)")
  gives("jnp.power(2, 3).weak_type", "true")
  gives("jax.jit(jnp.power)(2, 3).weak_type", "true")
  gives("jnp.power(2, jnp.array{3}).weak_type", "false")
end)

test("whole numbers between two are rounded down", function()
  gives('jnp.linspace(-2, 2, 6, {dtype = "i32"})',
        "Array([-2, -2, -1, 0, 1, 2], i32)")
  gives('jnp.pad(jnp.array{0}, 3, "linear_ramp", {end_values = -2})',
        "Array([-2, -2, -1, 0, -1, -2, -2], i32)")
end)

test("fmax chooses: all of the slope is one's", function()
  local both = "jax.grad(jnp.%s, {argnums = {0, 1}})(2., 2.)"
  for _, name in ipairs{"fmax", "fmin"} do
    local g = load("return " .. both:format(name))()
    equal(g[1]:item(), 0.0)
    equal(g[2]:item(), 1.0)
  end
  gives("jax.grad(function(x) return jnp.expm1(jnp.exp(jnp.expm1(" ..
        "jnp.fmax(x, 4.)))) end)(1.)", "Array(0, f32, weak_type=True)")
  gives("jnp.fmax(jnp.array{0/0, 1}, jnp.array{2, 0/0})", "Array([2, 1], f32)")
end)

test("einsum multiplies first what costs least", function()
  local program = tostring(jax.make_jaxpr(function(x, y)
    return jnp.einsum("i,j,j->i", x, y, y)
  end)(jnp.ones(3), jnp.ones(5)))
  equal(program:find("[3,5]", 1, true), nil)
  equal(program:find("dot_general", 1, true) ~= nil, true)
end)

test("a preferred type is that of the sums and of the result", function()
  local a = 'jnp.array({{100, 100}}, "i8")'
  local i32 = '{preferred_element_type = "i32"}'
  local h = 'jnp.array({{0.1, 0.2}}, "f16")'
  local two, to_f32 = a .. ", " .. a, '{preferred_element_type = "f32"}'
  gives(("jnp.matmul(%s, %s.T, %s)"):format(a, a, i32), "Array([[20000]], i32)")
  gives(("jnp.vecdot(%s, %s)"):format(two, i32), "Array([20000], i32)")
  gives(('jnp.einsum("ij,kj", %s, %s)'):format(two, i32),
        "Array([[20000]], i32)")
  gives(('jnp.einsum("ij,kj", {%s}, %s)'):format(two, i32),
        "Array([[20000]], i32)")
  gives(('jnp.vdot(%s, {preferred_element_type = "i16"})'):format(two),
        "Array(20000, i16)")
  gives(("jnp.tensordot(%s, %s.T, 1, %s)"):format(h, h, to_f32),
        "Array([[0.04997559]], f32)")
  gives(('jnp.inner(jnp.array{0.1, 0.2}, jnp.array{0.1, 0.2}, ' ..
         '{preferred_element_type = "f16"})'), "Array(0.05, f16)")
  gives(('jnp.tensordot(%s, {axes = 2, precision = "highest", ' ..
         'preferred_element_type = "i32"})'):format(two), "Array(20000, i32)")
  refuses(('jnp.einsum("i,i", %s, {precision = "most"})'):format(
    "jnp.ones(2), jnp.ones(2)"), "ValueError")
end)

test("what is known of a type alone is a value", function()
  gives("jnp.isfinite(jnp.array(3))", "Array(true, bool)")
  gives("jnp.signbit(jnp.array(true))", "Array(false, bool)")
end)

test("what holds no number is refused, or 0", function()
  refuses("jax.nn.silu(jnp.array{true})", "TypeError")
  gives("jnp.polymul(jnp.ones(3), jnp.zeros(0))", "Array([0, 0, 0], f32)")
  gives("np.polymul({}, {1.0, 2.0})", "array([0, 0], f64)")
  gives("jnp.repeat_(jnp.array(8), 2, -1)",
        "Array([8, 8], i32, weak_type=True)")
  gives("np.diff(np.array(3.0), {n = 0})", "array(3, f64)")
end)

test("a mask is stretched to the array, never the array to a mask", function()
  for _, name in ipairs{"sum", "prod", "mean", "any", "all"} do
    local ok, e = pcall(np[name], np.ones{3, 1},
                        {where = np.ones({3, 4}, "bool")})
    equal(ok, false)
    equal(tostring(e.message):find("`where` does not fit", 1, true) ~= nil,
          true)
  end
  gives("np.sum(np.ones{3, 2}, {where = np.array{true, false}})", "3.0")
end)

test("a mean in a narrow type is that of a sum that wraps", function()
  gives('np.mean(np.array{200, 100}, {dtype = "u8"})', "22")
  gives('np.mean(np.array{{200, 100}, {1, 3}}, 1, {dtype = "u8"})',
        "array([22, 2], u8)")
  gives('np.mean(np.array{-7, 2}, {dtype = "i32"})', "-2")
end)

test("an argument too many is no option that is passed over", function()
  local mask = "jnp.array{true, false}"
  for _, name in ipairs{"jnp.sin", "jax.nn.relu", "jax.scipy.special.erf"} do
    refuses(("%s(jnp.ones(2), {where = %s})"):format(name, mask), "TypeError")
    refuses(name .. "(jnp.ones(2), 3)", "TypeError")
  end
end)

test("weak results are those of JAX", function()
  local weak = 'jnp.clip(jnp.array({1}, "i16"), 0.25, 0.75)'
  local function check(name, want)
    gives(("jax.numpy.%s(%s).weak_type"):format(name, weak), want)
  end
  for name in ("log10 log2 deg2rad sinc diagflat"):gmatch("%S+") do
    check(name, "false")
  end
  for name in ("sin log i0 rint diag"):gmatch("%S+") do check(name, "true") end
  gives("jax.nn.relu6(jnp.array{1, 8})", "Array([1, 6], f32, weak_type=True)")
  gives("jax.nn.hard_tanh(jnp.array{1, 8})", "Array([1, 1], i32)")
  gives("jax.scipy.special.erf(jnp.array{0})", "Array([0], f32)")
  gives('jax.scipy.special.xlogy(jnp.array{0}, jnp.ones(1, "f16"))',
        "Array([0], f16)")
end)

test("places and counts are as wide as the default", function()
  jax.config.update("jax_enable_x64", true)
  local ok, e = pcall(function()
    local x = jnp.array({3, 0, 3}, "f32")
    for _, name in ipairs{"nonzero", "flatnonzero", "argwhere", "argsort"} do
      equal(jnp[name](x).dtype, "i64")
    end
    local values, counts = jnp.unique(x, {return_counts = true})
    equal(values.dtype .. counts.dtype, "f32i64")
    equal(jnp.bincount(jnp.arange(3)).dtype, "i64")
    equal(jnp.linalg.norm(jnp.arange(3, {dtype = "i8"})).dtype, "f32")
    equal(jax.nn.one_hot(jnp.arange(2), 2).dtype, "f64")
  end)
  jax.config.update("jax_enable_x64", false)
  equal(ok and "" or tostring(e), "")
end)

test("a negative number beside u64 wraps, as beside u32", function()
  jax.config.update("jax_enable_x64", true)
  local ok, e = pcall(function()
    local x = jnp.array({3, 7}, "u64")
    local function list(y)
      return table.concat(y:astype("i64"):tolist(), " ")
    end
    equal(list(x + -3), "0 4")
    equal(list(x & -3), "1 5")
    equal(list(jax.jit(function(y) return y + -3 end)(x)), "0 4")
    equal(list(jnp.full(2, -2, "u64")), "-2 -2")
    equal(pcall(jnp.array, -3, "u64"), false)
  end)
  jax.config.update("jax_enable_x64", false)
  equal(ok and "" or tostring(e), "")
end)

tap.done()
