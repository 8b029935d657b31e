-- SPDX-License-Identifier: Apache-2.0
-- Options are read by one reader: each function that has options takes them by
-- position and by name, and both give the same. The calls are the examples of
-- the functions' help; its signatures have the names and the defaults.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

-- How options are read is the same everywhere; on a device each example would
-- compile kernels of its own, most of the time for nothing.
jax.config.update("jax_platforms", "cpu")

local modules = {
  ["np"] = np, ["np.linalg"] = np.linalg, ["np.random"] = np.random,
  ["jnp"] = jnp, ["jnp.linalg"] = jnp.linalg, ["jax.random"] = jax.random,
  ["jax.lax"] = jax.lax,
}

local help = {}
for _, file in ipairs{
  "np", "np_common", "np_fft", "np_file", "np_join", "np_linalg", "np_math",
  "np_product", "np_random", "np_stats", "jnp", "jax_index", "jax_lax",
  "jax_lax_control", "jax_linalg", "jax_random",
} do
  for name, text in pairs(dofile("lua/help/" .. file .. ".lua")) do
    help[name] = text
  end
end

-- ---- Reading the help ----

local function escaped(name) return (name:gsub("%p", "%%%0")) end

-- {{name, default, is_optional}, ...} of "(a [, axis = -1] [, b, c])".
local function parameters(text)
  local list, depth = {}, 0
  for part, close in text:sub(2, -2):gmatch("([^,%[%]]*)([,%[%]]?)") do
    local name, default = part:match("^%s*([%a_][%w_]*)%s*=%s*(.-)%s*$")
    name = name or part:match("^%s*([%a_][%w_]*)%s*$")
    if name then
      list[#list + 1] = {name = name, default = default,
                         is_optional = depth > 0}
    end
    if close == "[" then depth = depth + 1 end
    if close == "]" then depth = depth - 1 end
  end
  return list
end

-- Where jnp's takes other options than np's.
local own_signatures = {
  ["jnp.linalg.pinv"] = "(a [, rtol])",
  ["jnp.linalg.matrix_rank"] = "(M [, rtol])",
}

-- Whose help says how it is called: another name's says "np.abs is
-- np.absolute", and jnp's functions without help of their own take what np's
-- do.
local function told_by(name)
  name = name:gsub("^rng%.", "np.random.")
  local text = help[name]
  local other = text and text:match("^%s*" .. escaped(name) ..
                                    " is (np%.[%w_.]+)")
  if other and help[other] then return other end
  local plain = name:gsub("^jnp%.", "np.")
  return not text and help[plain] and plain or name
end

-- The signature stands first: "np.f(x [, axis])", "rng:f(x), np.random.f: ...";
-- of several functions that take the same, "lax.f, g, h(x [, axis])".
local function signature_of(name)
  if own_signatures[name] then return parameters(own_signatures[name]) end
  local told = told_by(name)
  local text = (help[told] or ""):gsub("%s+", " ")
  local own = told:match("[^.]+$")
  local list = text:match("^%s*([%w_., ]+)%b()") or ""
  local found = text:match("^%s*" .. escaped(told) .. "(%b())") or
                text:match("^%s*[%w_.:]*[.:]" .. own .. "(%b())") or
                (" " .. list .. ","):find("[ .]" .. own .. ",") and
                text:match("^%s*[%w_., ]+(%b())")
  return found and parameters(found)
end

local function example_of(name)
  for code in (help[name] or ""):gmatch("Example: (.-) %-%-> ") do
    local args = code:match("%f[%w_]" .. escaped(name) .. "(%b())")
    if args then return args:sub(2, -2) end
    args = code:match("%f[%w_]" .. escaped(name) .. "(%b{})")
    if args then return args end
  end
end

-- ---- Calling ----

local function text_of(x)
  if type(x) ~= "table" or getmetatable(x) then
    return type(x) == "function" and "function" or
           (tostring(x):gsub("0x%x+", "")) -- a generator's address
  end
  local keys, out = {}, {}
  for k in pairs(x) do keys[#keys + 1] = tostring(k) end
  table.sort(keys)
  for i, k in ipairs(keys) do
    local v = x[k]
    if v == nil then v = x[tonumber(k)] end
    out[i] = k .. "=" .. text_of(v)
  end
  return "{" .. table.concat(out, ", ") .. "}"
end

local function result(f, args, n)
  np.random.seed(0)
  local out = table.pack(pcall(f, table.unpack(args, 1, n)))
  for i = 1, out.n do out[i] = text_of(out[i]) end
  return table.concat(out, " ")
end

local function is_options(x)
  return type(x) == "table" and not getmetatable(x) and
         type(next(x)) == "string"
end

-- The call's arguments: those that have no default, and the others by name.
local function taken_apart(args, list)
  local base, n, named = {}, 0, {}
  for i = 1, args.n do
    local p = list[i]
    if i == args.n and is_options(args[i]) then
      for name, v in pairs(args[i]) do named[name] = v end
    elseif p and p.is_optional then
      named[p.name] = args[i]
    else
      base[i], n = args[i], i
    end
  end
  return base, n, named
end

local function both_ways(f, list, base, n, named)
  local by_name = table.move(base, 1, n, 1, {})
  by_name[n + 1] = named
  local by_place, last = table.move(base, 1, n, 1, {}), n
  for i, p in ipairs(list) do
    if named[p.name] ~= nil then by_place[i], last = named[p.name], i end
  end
  return result(f, by_name, n + 1), result(f, by_place, last)
end

-- ---- What to call them with ----

-- Arguments of functions whose help has no example, by their names.
local matrix = {{3.0, 1.0}, {2.0, 4.0}}
local by_name = {
  key = function() return jax.random.key(0) end, n = 3, N = 3, k = 1, d = 2,
  p = 0.5, q = 0.5, scale = 1.0, loc = 0.0, shape = {2, 2},
  dtype = "f32", alpha = {1.0, 2.0}, df = 3.0, dfnum = 2.0, dfden = 3.0,
  mean = 1.0, left = 0.0, mode = 0.5, right = 1.0, concentration = 2.0,
  sizes = {1, 1}, start = 0, index = 0, repeats = 2, shift = 1, M = 3,
}
-- Values of options without a default.
local options = {
  axis = 0, axes = {1, 0}, dtype = "f32", keepdims = true, where = true,
  ddof = 1, k = 1, offset = 1, size = 2, shape = {2, 2}, initial = 2.0,
  rtol = 1e-3, atol = 1e-3, equal_nan = true, p = 2, order = "C",
  precision = "highest", fill_value = 1, n = 2, num = 2,
  side = "right", right = true, minlength = 4, assume_unique = true,
  return_index = true, return_inverse = true, return_counts = true, ord = 1,
  invert = true, rowvar = false, bias = true, decimals = 1, axisa = 0,
  count = 3, bitorder = "little", indexing = "ij", sparse = true, m = 2,
  sigma = 2.0, scale = 2.0, loc = 1.0, low = 1, high = 3, endpoint = false,
  stop = 2, dimension = 0, axis1 = 1, axis2 = 0, ind = 1,
  copy = true, include_initial = true, promote_integers = false, period = 4.0,
  discont = 4.0, trim = "f", max_rows = 1, reverse = true, length = 2,
  M = 2, bins = 3, density = true, nan = 1.0, posinf = 1.0, neginf = -1.0,
  preferred_element_type = "f16",
  kind = "quicksort", stable = true, descending = true, b = 2.0,
}

local function value(v)
  if type(v) == "function" then return v() end
  return v
end

-- A sample argument of this name for a function of this module.
local function sample(module, name)
  local v = by_name[name]
  if v then return value(v) end
  return module:find("^np") and np.array(matrix) or jnp.array(matrix)
end

local function set_of(text)
  local set = {}
  for name in text:gmatch("%S+") do set[name] = true end
  return set
end

-- Not compared: what stands in memory, files, functions as results, lists of
-- any length, a first argument that may be left out, and what is only here
-- (complex pairs).
local not_compared = set_of[[
np.empty np.empty_like np.fromfile np.savetxt np.tofile np.vectorize
np.meshgrid jnp.meshgrid np.arange np.random.integers rng.integers
np.complex jnp.complex np.random.shuffle rng.shuffle
jax.lax.all_gather
]]

-- Not compared either: other names of functions, and those whose help has no
-- signature in words. A new function is in the first list, or is put here.
local without_signature = set_of[[
jax.lax.all_to_all jax.lax.axis_size jax.lax.pcast jax.lax.pmax jax.lax.pmean
jax.lax.pmin jax.lax.psum_scatter jax.lax.pvary
jax.lax.abs jax.lax.acos jax.lax.acosh jax.lax.add jax.lax.add_any jax.lax.and
jax.lax.argmax jax.lax.argmin jax.lax.asin jax.lax.asinh jax.lax.atan
jax.lax.atan2 jax.lax.atanh jax.lax.bitcast_convert_type jax.lax.bitwise_and
jax.lax.bitwise_not jax.lax.bitwise_or jax.lax.bitwise_xor
jax.lax.broadcast_in_dim jax.lax.broadcast_shapes jax.lax.cbrt jax.lax.ceil
jax.lax.clamp jax.lax.clz jax.lax.complex jax.lax.concatenate jax.lax.conj
jax.lax.convert_element_type jax.lax.copy jax.lax.cos jax.lax.cosh
jax.lax.cumlogsumexp jax.lax.cummax jax.lax.cummin jax.lax.cumprod
jax.lax.digamma jax.lax.div jax.lax.dot jax.lax.dot_general
jax.lax.dynamic_index_in_dim jax.lax.dynamic_slice jax.lax.dynamic_slice_in_dim
jax.lax.dynamic_update_index_in_dim jax.lax.dynamic_update_slice
jax.lax.dynamic_update_slice_in_dim jax.lax.elementwise jax.lax.empty jax.lax.eq
jax.lax.erf jax.lax.erf_inv jax.lax.erfc jax.lax.exp jax.lax.exp1 jax.lax.exp2
jax.lax.expand_dims jax.lax.expi jax.lax.expm1 jax.lax.floor jax.lax.full
jax.lax.full_like jax.lax.ge jax.lax.gt jax.lax.imag jax.lax.integer_pow
jax.lax.is_finite jax.lax.jit jax.lax.le jax.lax.lgamma jax.lax.like jax.lax.log
jax.lax.log1p jax.lax.logistic jax.lax.lt jax.lax.matmul_precision jax.lax.max
jax.lax.min jax.lax.move_axis jax.lax.mul jax.lax.ne jax.lax.neg
jax.lax.nextafter jax.lax.not jax.lax.open_branches jax.lax.or jax.lax.pad
jax.lax.polygamma jax.lax.population_count jax.lax.pow jax.lax.real
jax.lax.reciprocal jax.lax.reduce_and jax.lax.reduce_max jax.lax.reduce_min
jax.lax.reduce_or jax.lax.reduce_prod jax.lax.reduce_sum jax.lax.rem
jax.lax.reshape jax.lax.rev jax.lax.round jax.lax.rsqrt jax.lax.scatter
jax.lax.scatter_add jax.lax.scatter_max jax.lax.scatter_min jax.lax.scatter_mul
jax.lax.scatter_sub jax.lax.select_n jax.lax.set_matmul_precision
jax.lax.shift_left jax.lax.shift_right_arithmetic jax.lax.shift_right_logical
jax.lax.sign jax.lax.sin jax.lax.sinh jax.lax.slice jax.lax.slice_in_dim
jax.lax.sqrt jax.lax.square jax.lax.squeeze jax.lax.stack jax.lax.sub
jax.lax.take_along jax.lax.tan jax.lax.tanh jax.lax.threefry2x32 jax.lax.tile
jax.lax.top_k jax.lax.transpose jax.lax.unstack jax.lax.without_derivative
jax.lax.xor jnp.linalg.multi_dot np.abs np.acos np.acosh np.around np.asin
np.asinh np.atan np.atan2 np.atanh np.bitwise_invert np.bitwise_left_shift
np.bitwise_not np.bitwise_right_shift np.column_stack np.degrees np.dstack np.eq
np.gammaln np.ge np.gt np.hstack np.le np.linalg.multi_dot np.lt np.ne np.pow
np.printoptions np.psi np.radians np.random.randint np.random.random_sample
np.remainder np.repeat np.set_printoptions np.sigmoid np.true_divide np.vstack
rng.randint rng.random_sample
]]

-- Calls that neither an example nor these names make.
local calls = {
  ["jax.lax.conv_transpose"] = 'jnp.ones{1, 2, 1}, jnp.ones{2, 1, 1}, {2}, ' ..
    '"VALID", {rhs_dilation = {1}}',
  ["np.squeeze"] = "np.ones{1, 2}, 0",
  ["rng.beta"] = "1.0, 2.0, 3", ["rng.gamma"] = "2.0, 1.0, 3",
  ["rng.multivariate_normal"] = "{0.0, 0.0}, {{1.0, 0.0}, {0.0, 1.0}}, 2",
  ["rng.pareto"] = "2.0, 3", ["rng.power"] = "2.0, 3",
  ["rng.standard_gamma"] = "2.0, 3", ["rng.weibull"] = "2.0, 3",
  ["jax.lax.collapse"] = "jnp.ones{2, 3}, 0, 2",
  ["jax.lax.split"] = "jnp.arange(4), {2, 2}, 0",
  ["jax.lax.sort_key_val"] = "jnp.array{2, 1}, jnp.array{3, 4}, 0",
  ["jax.random.multinomial"] =
    "jax.random.key(0), 5.0, jnp.array{0.5, 0.5}, {3, 2}",
  ["jax.random.dirichlet"] = "jax.random.key(0), jnp.array{1.0, 2.0}, {3}",
  ["jax.random.multivariate_normal"] =
    "jax.random.key(0), jnp.zeros(2), jnp.eye(2), {3}",
  ["jnp.array_split"] = "jnp.arange(5), 2, 0",
  ["jnp.split"] = "jnp.arange(4), 2, 0",
  ["jnp.can_cast"] = '"i32", "f32", "safe"',
  ["np.can_cast"] = '"i32", "f32", "safe"',
  ["jnp.ediff1d"] = "jnp.arange(3), 5",
  ["jnp.linalg.cholesky"] = "jnp.eye(2) * 2 + 1, {upper = true}",
  ["jnp.linalg.lstsq"] = "jnp.eye(2) * 2 + 1, jnp.ones(2), 1e-3",
  ["jnp.linalg.matrix_rank"] = "jnp.eye(2), 1e-3",
  ["jnp.linalg.pinv"] = "jnp.eye(2), 1e-3",
  ["jnp.linalg.tensorinv"] = "jnp.eye(4):reshape{2, 2, 2, 2}, 2",
  ["jnp.linalg.tensorsolve"] = "jnp.eye(2), jnp.ones(2), {0}",
  ["jnp.histogram2d"] = "jnp.arange(4.0), jnp.arange(4.0), 2",
  ["jnp.mask_indices"] = "3, jnp.triu, 1",
  ["jnp.unpackbits"] = 'jnp.array({7}, "u8"), 0, 3',
  ["jnp.unwrap"] = "jnp.array{0.0, 6.0, 1.0}, 4.0",
  ["np.linalg.cholesky"] = "{{2.0, 1.0}, {1.0, 2.0}}, {upper = true}",
  ["np.linalg.lstsq"] = "{{1.0, 2.0}, {3.0, 4.0}}, {1.0, 2.0}, 1e-6",
  ["np.linalg.matrix_rank"] = "{{1.0, 2.0}, {3.0, 4.0}}, 1e-3",
  ["np.polyfit"] = "{0.0, 1.0, 2.0, 3.0}, {1.0, 2.0, 4.0, 8.0}, 1, 1e-9",
  ["np.put"] = 'np.arange(4), {1}, {5}, "wrap"',
}

local function sampled(module, list, is_whole)
  local base, n = {}, 0
  for i, p in ipairs(list) do
    if not p.is_optional then
      base[i], n = sample(module, p.name), i
      if is_whole and type(base[i]) == "userdata" then
        base[i] = base[i]:astype("i32")
      end
    end
  end
  return {base, n, {}}
end

-- Ways to call it: {arguments, how many, options by name}.
local function ways_of(module, name, list)
  local code = calls[name] or
               calls[name:gsub("^np%.random%.", "rng.")] or example_of(name)
  local make = code and load("return table.pack(" .. code .. ")")
  local ways = {sampled(module, list), sampled(module, list, true)}
  local ok, args = pcall(make or error)
  if ok then table.insert(ways, 1, {taken_apart(args, list)}) end
  return ways
end

local function default_of(p)
  local f = p.default and load("return " .. p.default)
  local ok, v = pcall(f or error)
  return ok and v or nil
end

-- All options, one by one, and together those of the example.
local function tries_of(f, list, base, n, named)
  local tries = {}
  if next(named) then tries[1] = named end
  for _, p in ipairs(list) do
    local v = default_of(p)
    if v == nil then v = options[p.name] end
    if p.name == "out" then
      local ok, x = pcall(f, table.unpack(base, 1, n))
      if ok and type(x) == "userdata" then v = x end
    end
    if v ~= nil and p.is_optional then tries[#tries + 1] = {[p.name] = v} end
  end
  return tries
end

-- How many options were taken, both ways alike; and where they were not.
local function compare(module, name, f, list)
  local good, differing = 0, {}
  for _, way in ipairs(ways_of(module, name, list)) do
    local base, n, named = table.unpack(way, 1, 3)
    for _, try in ipairs(tries_of(f, list, base, n, named)) do
      local a, b = both_ways(f, list, base, n, try)
      if a ~= b then
        table.insert(differing, ("%s %s:\n  %s\n  %s"):format(
          name, text_of(try), a:sub(1, 150), b:sub(1, 150)))
      elseif a:find("^true") then
        good = good + 1
      end
    end
  end
  return good, differing
end

modules.rng = {}
for name in pairs(getmetatable(np.random.default_rng(0)).__index) do
  modules.rng[name] = function(...)
    local rng = np.random.default_rng(0)
    return rng[name](rng, ...)
  end
end

local has_options = {}
for module, functions in pairs(modules) do
  for short, f in pairs(functions) do
    local name = module .. "." .. short
    local list = type(f) == "function" and signature_of(name)
    for _, p in ipairs(list or {}) do
      if p.is_optional then has_options[name] = {module, f, list} end
    end
    if type(f) == "function" and not list then has_options[name] = false end
  end
end

test("each option by position is the one by name", function()
  local differing = {}
  for name, row in pairs(has_options) do
    if row and not not_compared[name] then
      local good, own = compare(row[1], name, row[2], row[3])
      table.move(own, 1, #own, #differing + 1, differing)
      if good == 0 then
        differing[#differing + 1] = name .. ": no call has an option: " ..
                                    "`calls` here can have one"
      end
    end
  end
  table.sort(differing)
  equal(table.concat(differing, "\n"), "")
end)

test("no function is in neither list", function()
  local unknown = {}
  for name, row in pairs(has_options) do
    if not row and not without_signature[name] then
      unknown[#unknown + 1] = name
    end
  end
  table.sort(unknown)
  equal(table.concat(unknown, " "), "")
end)

test("the list names what exists and has no signature", function()
  local too_many = {}
  for name in pairs(without_signature) do
    if has_options[name] ~= false then too_many[#too_many + 1] = name end
  end
  table.sort(too_many)
  equal(table.concat(too_many, " "), "")
end)

tap.done()
