-- SPDX-License-Identifier: Apache-2.0
-- Programs of np, jnp and jax where this library once gave another result:
-- beside each what NumPy 2.4.6 and JAX 0.10.2 give. A row is the program's
-- text and its result as `shown` writes it; ! is a refusal with these words.
local tap = dofile("tests/lua/tap.lua")
jax.config.update("jax_default_matmul_precision", "highest")

local function numbers(v)
  if type(v) ~= "table" then
    return type(v) == "number" and v == math.floor(v) and v - v == 0 and
           ("%d"):format(v) or ("%s"):format(v):gsub("^%-nan$", "nan")
  end
  local parts = {}
  for i, x in ipairs(v) do parts[i] = numbers(x) end
  return "[" .. table.concat(parts, " ") .. "]"
end

-- Type, * where it is weak, and elements; a number of Lua's has no type.
local function shown(v)
  if type(v) ~= "userdata" then return numbers(v) end
  local host = np.asarray(v)
  local is_weak = v ~= host and v.weak_type
  return v.dtype .. (is_weak and "* " or " ") .. numbers(host:tolist())
end

local function results(program)
  local f = load("return " .. program) or assert(load(program))
  local made = table.pack(f())
  for i = 1, made.n do made[i] = shown(made[i]) end
  return table.concat(made, ", ")
end

local function compare(rows)
  for _, row in ipairs(rows) do
    local program, want = row[1], row[2]
    if want:sub(1, 1) == "!" then
      tap.raises("argument", want:sub(2), function() results(program) end)
    else
      tap.equal(results(program), want, program)
    end
  end
end

local function beside(name, rows)
  tap.test(name, function() compare(rows) end)
end

local rng = "local g = np.random.default_rng(7) return "

beside("options of a generator stand in any place", {
  {rng .. "g:choice(10, 10, {replace = false})",
   "i64 [4 1 5 9 8 0 7 6 2 3]"},
  {rng .. "g:choice(4, 6, {p = {0, 1, 0, 0}})", "i64 [1 1 1 1 1 1]"},
  {rng .. "g:choice(4, 6, {p = {0.1, 0.2, 0.3, 0.4}})",
   "i64 [3 3 3 1 2 3]"},
  {rng .. "g:multivariate_normal({0, 1}, {{1, 0}, {0, 2}}, {size = 2}).shape",
   "[2 2]"},
  {rng .. "g:permutation(np.arange(6):reshape(2, 3), {axis = 1})",
   "i64 [[0 2 1] [3 5 4]]"},
  {"local g, x = np.random.default_rng(7), np.arange(6):reshape(2, 3) " ..
   "g:shuffle(x, {axis = 1}) return x", "i64 [[0 2 1] [3 5 4]]"},
  {rng .. "g:binomial(10, 0.4, 5)", "i64 [4 6 5 3 3]"},
  {"jax.random.binomial(jax.random.key(3), 10, 0.4, {4})", "f32 [1 2 4 5]"},
})

local third = [[
  local f = jax.custom_vjp(function(a, b, c) return a * b * c end)
  f:defvjp(function(a, b, c) return a * b * c, nil end,
           function(_, g) return nil, nil, g * 5 end)
  return jax.grad(f, %d)(1.0, 2.0, 3.0)]]
local linear = [[
  local y, move = jax.linearize(function(x) return %s end, 2.0)
  return y, move(1.0)]]
local own = [[
  local f = jax.custom_jvp(function(x) return x ^ 3 end)
  f:defjvp(function(p, t) return p[1] ^ 2 * 7, t[1] * p[1] ^ 4 end)
  return %s]]

beside("derivatives", {
  {third:format(2), "f32* 5"},
  {third:format(0), "f32* 0"},
  {linear:format("(jax.lax.scan(function(c) return c * x, c end, x, nil, 3))"),
   "f32* 16, f32* 32"},
  {linear:format("jax.lax.fori_loop(0, 3, function(_, c) return c * x end, x)"),
   "f32* 16, f32* 32"},
  {linear:format("jax.lax.while_loop(function(c) return c:lt(10) end, " ..
                 "function(c) return c * x end, x)"), "f32* 16, f32* 32"},
  {own:format("jax.grad(f)(2.0)"), "f32* 16"},
  {own:format("jax.grad(jax.grad(f))(2.0)"), "f32* 32"},
  {own:format("jax.jvp(f, {2.0}, {1.0})"), "f32* 28, f32* 16"},
  {"jax.grad(jnp.abs)(0.0), jax.grad(jnp.abs)(-0.0)", "f32* 1, f32* 1"},
  {"jax.grad(function(x) return jnp.copysign(x, 2.0) end)(0.0), " ..
   "jax.grad(function(x) return jnp.copysign(x, -2.0) end)(1.0)",
   "f32* 1, f32* -1"},
})

beside("arithmetic of np", {
  {"np.einsum('i,i,i->i', np.array({200, 100}, 'u8'), " ..
   "np.array({100, 50}, 'u8'), np.array({0.5, 2}, 'f32'))",
   "f32 [10000 10000]"},
  {"np.convolve({math.huge, 1, 2}, {1, 2})", "f64 [inf inf 4 4]"},
  {"np.convolve({math.huge, 1, 2}, {1, 0})", "f64 [inf nan 2 0]"},
  {"np.polymul({math.huge, 1, 2}, {1, 2})", "f64 [inf inf 4 4]"},
  {"np.polymul({0.0, 0, 1, 2}, {0.0, 1, 2})", "f64 [1 4 4]"},
  {"np.polymul({0.0, 0}, {0.0, 1})", "f64 [0]"},
  {"np.sum(np.array({true, false, true}), {initial = 2.5})", "4"},
  {"np.array({1, 2.5}, 'f16') % 0.001",
   "f16 [0.00059604644775391 0.00098991394042969]"},
  {"np.clip(np.array({0, 5}, 'u8'), -1, 1)", "u8 [0 1]"},
  {"np.where({true, false}, np.array({5, 6}, 'u8'), -1)", "u8 [5 255]"},
  {"np.array({0, 5}, 'u8'):le(-1)", "bool [false false]"},
})

beside("what jax computes", {
  {"return jax.jit(function(e, i) return jnp.matmul(e[i], e.T) end)" ..
   "(jnp.ones{11, 8}, jnp.zeros(5, 'i32')).shape", "[5 11]"},
  {"return jax.vmap(function(d) return d.w * d.b end, " ..
   "{in_axes = {w = 0, b = false}})({w = jnp.arange(3.0), b = 2.0})",
   "f32 [0 2 4]"},
  {"jnp.linalg.norm(jnp.array({3.0, 4}, 'f16'))", "f16 5"},
  {"jnp.linalg.norm(jnp.array({3.0, 4}, 'bf16'))", "bf16 5"},
  {"jnp.clip(jnp.array({0, 5}, 'u8'), -1, 1)", "u8 [1 1]"},
  {"jnp.where(jnp.array({true, false}), jnp.array({5, 6}, 'u8'), -1)",
   "u8 [5 255]"},
  {"jnp.array({0, 5}, 'u8'):le(-1)", "bool [true true]"},
  {"jnp.float32(0.5), jnp.zeros(1, jnp.float32)", "f32 0.5, f32 [0]"},
  {"jnp.split(jnp.arange(6), 3)", "i32 [0 1], i32 [2 3], i32 [4 5]"},
})

beside("types and refusals", {
  {"np.quantile(np.array({1, 2, 3, 4}, 'f32'), {0.4}, {method = 'nearest'})",
   "f32 [2]"},
  {"np.quantile(np.array({1, 2, 3, 4}, 'i16'), {0.4}, {method = 'higher'})",
   "i16 [3]"},
  {"np.apply_along_axis(np.sum, 1, np.ones({2, 3}, 'f32'))", "f32 [3 3]"},
  {"jnp.array({1.0, 2}, 'f16').at[0]:divide(jnp.float32(2))", "f16 [0.5 2]"},
  {"jnp.polyder(jnp.array{1, 2, 3})", "f32 [2 2]"},
  {"np.vecdot(np.ones(4), np.ones(1))", "!vecdot"},
  {"jnp.vecdot(jnp.ones(4), jnp.ones(1))", "!vecdot"},
  {"np.sum(np.ones(3), {where = np.ones(3)})", "!bool"},
  {"jnp.sum(jnp.ones(3), {where = jnp.ones(3)})", "!where"},
  {"jnp.split(jnp.arange(4), {2, 9})", "!split"},
  {"jnp.split(jnp.arange(4), {5, 2})", "!split"},
  {"jnp.split(jnp.arange(4), 3)", "!split"},
  {"jnp.diff(jnp.array(2.0), {n = 0}), np.diff(np.array{2.0}, 0)",
   "f32* 2, f64 [2]"},
  {"jnp.diff(jnp.array{2.0}, -1)", "!order must be non-negative"},
  {"table.unpack(np.split(np.arange(4), {2, 9}))",
   "i64 [0 1], i64 [2 3], i64 []"},
})

beside("a power of a known whole number keeps the base's type", {
  {"jnp.array({0, 3, 10}, 'u16') ^ jnp.array(7, 'i32')",
   "u16 [0 2187 38528]"},
  {"jnp.array({2, 3}, 'u32') ^ jnp.array(2, 'i8')", "u32 [4 9]"},
  {"local two = jnp.array(2, 'i32') return " ..
   "jax.jit(function(x) return x ^ two end)(jnp.array({2, 3}, 'i8'))",
   "i8 [4 9]"},
  {"jnp.array({2, 3}, 'u16') ~ jnp.array(7, 'i32')", "i32 [5 4]"},
  {"jnp.array({2, 3}, 'u16') ^ jnp.array(-1)", "!negative"},
})

beside("quantiles fall where JAX's do", {
  {"jnp.quantile(jnp.arange(5.0), 0.5, {method = 'midpoint'})", "f32 2"},
  {"jnp.quantile(jnp.array{1.0, 2, math.huge}, 0.5)", "f32 2"},
  {"jnp.quantile(jnp.arange(4.0), 0.5, {method = 'nearest'})", "f32 1"},
  {"jnp.nanquantile(jnp.arange(8.0), 0.25, {method = 'nearest'})", "f32 2"},
  {"jnp.percentile(jnp.arange(24.0), 100, {method = 'lower'})", "f32 22"},
  {"jnp.percentile(jnp.arange(11.0), 50, {method = 'midpoint'})", "f32 4.5"},
  {"jnp.percentile(jnp.arange(11.0), 50, {method = 'higher'})", "f32 5"},
  {"jnp.nanmedian(jnp.zeros(0, 'bf16'), {keepdims = true})", "!zero-size"},
  {"jnp.nanmedian(jnp.zeros{0, 3}, 1).shape", "[0]"},
  {"jnp.median(2.0, {keepdims = true}), jnp.nanmedian(jnp.array(2.0))",
   "f32 [2], f32 2"},
  {"jnp.quantile(2.0, jnp.array{0, 0.5}, {keepdims = true})",
   "f32 [[2] [2]]"},
  {"jnp.median(2.0, 0)", "!axis"},
  {"jnp.quantile(jnp.arange(3.0), jnp.array{{0.5, 1}})", "!rank <= 1"},
  {"np.quantile(np.arange(3.0), {{0.5, 1.0}})", "f64 [[1 2]]"},
})

beside("quantiles beside infinity", {
  {"np.percentile(np.array{1, 2, math.huge}, {50})", "f64 [nan]"},
  {"np.percentile(np.array{1, 2, math.huge}, {25})", "f64 [1.5]"},
  {"np.percentile(np.array{1, 2, math.huge}, {50}, {method = 'lower'})",
   "f64 [2]"},
  {"np.median(np.array{{1, 2, math.huge}}, 1)", "f64 [2]"},
  {"np.quantile(np.array{1, 2, math.huge}, {0, 1})", "f64 [1 inf]"},
  {"np.quantile(np.array{1, 2, math.huge}, {0.0, 1.0})", "f64 [1 nan]"},
  {"np.quantile(np.array({1, 2, 3}, 'u8'), {0, 1})", "u8 [1 3]"},
  {"np.percentile(np.array({1, 2, 3}, 'u8'), {0, 100})", "f64 [1 3]"},
})

beside("arange makes its first two elements as numbers", {
  {"np.arange(-3, 3, {dtype = 'u8'})", "!-3 does not fit into type u8"},
  {"np.arange(-3.0, 3, {dtype = 'u64'})", "!-3 does not fit into type u64"},
  {"np.arange(250, 300, 10, {dtype = 'u8'})", "!260 does not fit"},
  {"np.arange(0, -3, -1, 'u8')", "!-1 does not fit"},
  {"np.arange(3, -3, -1, 'u8')", "u8 [3 2 1 0 255 254]"},
  {"np.arange(-0.5, 3, {dtype = 'u8'})", "u8 [0 0 0 0]"},
  {"np.arange(0.5, 9, 1.5, 'i32')", "i32 [0 2 4 6 8 10]"},
  {"np.arange(254.0, 258, 1, 'u8')", "u8 [254 255 0 1]"},
  {"np.arange(1.0, 1.35, 0.1) - {1, 1.1, 1.2, 1.3}",
   "f64 [0 0 2.2204460492503e-16 2.2204460492503e-16]"},
  {"np.arange(1.0, 2, 0.3, 'f16'), np.arange(0.1, 1, 0.3, 'f32')[2]",
   "f16 [1 1.2998046875 1.599609375 1.8994140625], 0.70000004768372"},
  {"np.arange(-3, -5, {dtype = 'u8'}), np.arange(0, -1, -1, 'u8')",
   "u8 [], u8 [0]"},
  {"np.arange(0, 300, 100, 'u8'), np.arange(-128, 3, 100, 'i8')",
   "u8 [0 100 200], i8 [-128 -28]"},
  {"np.arange(3, {dtype = 'bool'})", "!there are two bools"},
  {"np.arange(1, 3, {dtype = 'bool'})", "bool [true true]"},
  {"jnp.arange(-3, 3, {dtype = 'u8'})", "u8 [253 254 255 0 1 2]"},
})

-- The elements with a share in the sum of x[index].
local function shares(index)
  return ("local x = jnp.arange(24.0):reshape(2, 3, 4) return jax.grad(" ..
          "function(y) return y['%s']:sum() end)(x):ravel():nonzero()")
    :format(index)
end

beside("an index past the end", {
  {"jnp.arange(24.0):reshape(2, 3, 4)['::2, 4, 0']", "f32 [8]"},
  {shares("::2, 4, 0"), "i32 []"},
  {shares(":, 4, 0"), "i32 [8 20]"},
  {shares("::-1, 4, 0"), "i32 [8 20]"},
  {shares("::2, 2, 0"), "i32 [8]"},
})

beside("bools and whole numbers", {
  {"jax.nn.softmax(jnp.zeros(0, 'bool'))", "!not bool"},
  {"jax.nn.log_softmax(jnp.zeros(3, 'bool'))", "!not bool"},
  {"jax.nn.log_softmax(jnp.zeros(0, 'i16'))", "f32 []"},
  {"jnp.rint(jnp.array({1, 2}, 'i8'))", "f32 [1 2]"},
  {"jax.config.update('jax_enable_x64', true) " ..
   "local a, b = jnp.rint(jnp.ones(1, 'i32')), jnp.rint(jnp.ones(1, 'f16')) " ..
   "jax.config.update('jax_enable_x64', false) return a, b",
   "f64 [1], f16 [1]"},
})

beside("of nothing there is no power", {
  {"np.zeros({0, 3}, 'i16') ^ np.array({{1, -10, 0}}, 'i16')", "i16 []"},
  {"(np.zeros(0, 'i32') ^ -1).dtype", "i32"},
  {"np.array{2} ^ -1", "!negative"},
})

beside("there is no least of nothing, nor of several nothings", {
  {"np.min(np.zeros{0, 0}, 1)", "!no element"},
  {"np.ptp(np.zeros{0, 2, 0}, {0, 1})", "!no element"},
  {"np.nanmax(np.zeros{2, 0, 0}, 1)", "!no element"},
  {"np.argmin(np.zeros{0, 2, 0}, 0)", "!no element"},
  {"np.min(np.zeros{0, 3}, 1), np.argmax(np.zeros{0, 2, 0}, 1).shape",
   "f64 [], [0 0]"},
  {"np.max(np.zeros{0, 0}, 1, {initial = 2})", "f64 []"},
})

tap.done()
