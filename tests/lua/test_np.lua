-- SPDX-License-Identifier: Apache-2.0
-- np: printing, views, assignment, errors, files, random numbers.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

-- ---- Printing ----

local texts = {
  {np.arange(1, 4097, "f32"),
    "array([1, 2, 3, ..., 4094, 4095, 4096], f32)"},
  {np.array{1.5, 2.25, 3}, "array([1.5, 2.25, 3], f64)"},
  {np.array({0.1, 0.2}, "f32"), "array([0.1, 0.2], f32)"},
  {np.array{1 / 3, 100}, "array([0.33333333, 100], f64)"},
  {np.array{1e-10, 1}, "array([1e-10, 1e+00], f64)"},
  {np.array{1.5e300, -2}, "array([1.5e+300, -2.0e+00], f64)"},
  -- With an exponent, digits that are there fill up what the others need.
  {np.array({1/3, 2.349301e-04}, "f32"),
    "array([3.3333334e-01, 2.3493011e-04], f32)"},
  {np.array({1/3, 2e-7, 1e3}, "f16"),
    "array([3.333e-01, 1.788e-07, 1.000e+03], f16)"},
  {np.array{np.nan, -1, np.inf}, "array([nan, -1, inf], f64)"},
  {np.array{true, false}, "array([true, false], bool)"},
  {np.array({{1, -20}, {300, 4}}, "i32"),
    "array([[  1, -20],\n       [300,   4]], i32)"},
  {np.array{{1.5, 20}, {-0.25, np.nan}},
    "array([[ 1.5 , 20   ],\n       [-0.25,   nan]], f64)"},
  {np.array{{1e10, -1.5}},
    "array([[ 1.0e+10, -1.5e+00]], f64)"},
  {np.zeros({2, 2, 1}, "u8"),
    "array([[[0],\n        [0]],\n\n       [[0],\n        [0]]], u8)"},
  {np.zeros(0), "array([], f64)"},
  {np.zeros({0, 3}, "i8"), "array([], shape=(0, 3), i8)"},
  {np.asarray(3), "array(3, i64)"},
  {np.array({18446744073709551615.0}, "u64"),
    "array([18446744073709551615], u64)"},
  {np.zeros({1001, 2}, "i8"),
    "array([[0, 0],\n       [0, 0],\n       [0, 0],\n       ...,\n" ..
    "       [0, 0],\n       [0, 0],\n       [0, 0]], i8)"},
  {np.arange(0, 60), "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, "
    .. "12, 13, 14, 15, 16,\n       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, "
    .. "27, 28, 29, 30, 31, 32, 33,\n       34, 35, 36, 37, 38, 39, 40, 41, "
    .. "42, 43, 44, 45, 46, 47, 48, 49, 50,\n       51, 52, 53, 54, 55, 56, "
    .. "57, 58, 59], i64)"},
}
for i, t in ipairs(texts) do
  test("prints like NumPy, " .. i, function() equal(tostring(t[1]), t[2]) end)
end

test("np.set_printoptions says how arrays are printed", function()
  local x = np.array{1 / 3, 2e-5, 100}
  do
    local _ <close> = np.printoptions{precision = 3, suppress = true}
    equal(tostring(x), "array([0.333, 0, 100], f64)")
    np.set_printoptions{threshold = 4, edgeitems = 1}
    equal(tostring(np.arange(9)), "array([0, ..., 8], i64)")
    np.set_printoptions{floatmode = "fixed", nanstr = "-", infstr = "Inf"}
    equal(tostring(np.array{1, np.nan, -np.inf / 1}),
      "array([1.000, -, -Inf], f64)")
    np.set_printoptions{floatmode = "unique"}
    equal(tostring(np.array{1 / 3}), "array([0.3333333333333333], f64)")
    np.set_printoptions{threshold = math.huge, linewidth = 30}
    equal(tostring(np.arange(12)), "array([ 0,  1,  2,  3,  4,\n"
      .. "        5,  6,  7,  8,  9,\n       10, 11], i64)")
    raises("argument", "there is no argument named width",
      function() np.set_printoptions{width = 3} end)
    raises("argument", "precision is a whole number",
      function() np.set_printoptions{precision = -1} end)
    raises("argument", 'floatmode is "maxprec", "unique" or "fixed"',
      function() np.set_printoptions{floatmode = "all"} end)
  end
  equal(tostring(x), "array([3.33333333e-01, 2.00000000e-05, 1.00000000e+02], "
    .. "f64)")
  equal(np.get_printoptions().threshold, 1000)
end)

test("np.array2string is the text without the type", function()
  local m = np.arange(4):reshape(2, 2)
  equal(np.array2string(m), "[[0 1]\n [2 3]]")
  equal(np.array2string(m, {separator = ", "}), "[[0, 1],\n [2, 3]]")
  equal(np.array2string(m, {separator = ",", prefix = "m = "}),
    "[[0,1],\n     [2,3]]")
  equal(np.array2string({0.25, 1 / 3}, {precision = 2}), "[0.25 0.33]")
  equal(np.array2string(np.zeros(0)), "[]")
  equal(np.array2string(5), "5")
  equal(np.array_str{1, 2}, "[1 2]")
  equal(np.array_repr{1, 2}, "array([1, 2], i64)")
end)

-- ---- Making ----

test("tables decide the type", function()
  equal(np.array{1, 2}.dtype, "i64")
  equal(np.array{1, 2.5}.dtype, "f64")
  equal(np.array{true}.dtype, "bool")
  equal(np.array({1, 2}, "float32").dtype, "f32")
  equal(np.array({1, 2}, np.uint8).dtype, np.u8)
  equal(np.array{np.arange(3), {7, 8, 9}}:tolist(), {{0, 1, 2}, {7, 8, 9}})
  equal(np.array{}.shape, {0})
end)

test("wrong tables are named", function()
  raises("argument", "rows differ", function() np.array{{1, 2}, {3}} end)
  raises("argument", "some items at depth 1",
    function() np.array{{1}, 2} end)
  raises("argument", "a string cannot be an element",
    function() np.array{1, "x"} end)
  raises("argument", "300 does not fit into type u8",
    function() np.array({300}, "u8") end)
  raises("argument", 'no dtype "i7"', function() np.zeros(3, "i7") end)
  local deep = {}
  for _ = 1, 20 do deep = {deep} end
  raises("argument", "nested deeper", function() np.array(deep) end)
  local loop = {}
  loop[1] = loop
  raises("argument", "nested deeper", function() np.array(loop) end)
end)

test("sizes that no machine has are errors", function()
  raises("out-of-memory", "(1000000000, 1000000000)",
    function() np.zeros({1000000000, 1000000000}, "u8") end)
  raises("out-of-memory", "more bytes than",
    function() np.zeros({1 << 40, 1 << 40}) end)
  raises("argument", "negative", function() np.zeros{-1} end)
  raises("argument", "never ends", function() np.arange(0, 1, 1e-300) end)
  raises("out-of-memory", "more bytes than",
    function() np.zeros({1 << 40, 0, 1 << 40}) end)
  raises("out-of-memory", "more bytes than",
    function() np.broadcast_to(1, {1 << 40, 1 << 40}) end)
end)

-- ---- Indexing ----

test("x[i] counts from 0 and from the end", function()
  local x = np.array{5, 6, 7}
  equal({x[0], x[2], x[-1], x[-3]}, {5, 7, 7, 5})
  raises("argument", "index 7 is out of bounds for axis 0 with size 3",
    function() return x[7] end)
  raises("argument", "index -4 is out of bounds", function() x[-4] = 1 end)
  raises("argument", "the first element is x[0]",
    function() return x[3] end)
  raises("argument", "1.5 is not a whole number",
    function() return x[1.5] end)
  raises("argument", "too many indices", function() return x["0, 1"] end)
  raises("argument", "did you mean shape?", function() return x.shpae end)
  raises("argument", "the step of a slice is 0",
    function() return x["::0"] end)
  raises("argument", "cannot be set", function() x.shape = 3 end)
end)

test("views share, copies do not", function()
  local x = np.arange(12):reshape(3, 4)
  x["1"][2] = -1
  x.T[0] = {7, 8, 9}
  x:ravel()[3] = 33
  x:copy()[0] = 99
  x["::-1, -1"]["0"] = 44
  equal(x:tolist(), {{7, 1, 2, 33}, {8, 5, -1, 7}, {9, 9, 10, 44}})
  local flat = x.T:ravel() -- not contiguous: a copy
  flat[0] = 1000
  equal(x["0, 0"], 7)
end)

test("assignment through every kind of index", function()
  local x = np.zeros({2, 3}, "i32")
  x["..., 0"] = 1
  x[1] = {4, 5, 6}
  x[x:gt(4)] = -x[x:gt(4)]
  equal(x:tolist(), {{1, 0, 0}, {4, -5, -6}})
  x[{0, 0}] = 2
  equal(x:tolist(), {{2, 2, 2}, {4, -5, -6}})
  x["1, ::2"] = np.array{8.9, 9.9}
  equal(x:tolist(), {{2, 2, 2}, {8, -5, 9}})
  local y = np.arange(5)
  y["1:"] = y[":-1"] -- overlapping
  equal(y:tolist(), {0, 0, 1, 2, 3})
  raises("argument", "the value's shape (2,) does not fit into shape (3,)",
    function() x[0] = {1, 2} end)
  raises("argument", "nil cannot be stored", function() x[0] = nil end)
  raises("argument", "cannot be written", function()
    local b = np.broadcast_to(np.arange(3), {2, 3})
    b[b:gt(1)] = 1
  end)
  raises("argument", "cannot be written",
    function() np.broadcast_to(np.arange(3), {2, 3})[0] = 1 end)
end)

-- Whole blocks are copied where they are contiguous, elements otherwise.
test("positions and masks of every size and layout", function()
  for _, t in ipairs {"bool", "u8", "f16", "i32", "f64"} do
    local x = np.arange(24):astype(t):reshape(6, 4)
    local columns = np.array(x).T
    for _, a in ipairs {x, columns, x["::2"], x[":, 1:3"], x["::-1"]} do
      local at = np.array{1, -1, 0, 1}
      local got, rows = a[at], {}
      for i = 0, 3 do rows[i + 1] = a[at[i]]:tolist() end
      equal(got:tolist(), rows)
      local new = got:reshape(-1)["::-1"]:copy():reshape(got.shape)
      local b = np.zeros_like(a)
      b[at[{"1:"}]] = new[{"1:"}]
      for i = 1, 3 do rows[at[i]] = new[i]:tolist() end
      for i = -1, 1 do equal(b[i]:tolist(), rows[i]) end
      local mask = a:gt(np.array(a):mean())
      local c, kept = np.array(a), a[mask].size
      c[mask] = 0
      equal(np.count_nonzero(c),
            np.count_nonzero(a) - np.count_nonzero(a[mask]))
      equal(kept, np.count_nonzero(mask))
    end
  end
  local x = np.arange(6, "f64")
  x[np.array{0, 5}] = 7
  x[x:eq(3)] = -1
  equal(x:tolist(), {7, 1, 2, -1, 4, 7})
  raises("argument", "index 6 is out of bounds for axis 0 with size 6",
    function() x[np.array{0, 6}] = 1 end)
  raises("argument", "index -7 is out of bounds for axis 0 with size 6",
    function() return x[np.array{-7, 0}] end)
end)

-- What is stored is where to store: the positions of before count.
test("an array at its own positions", function()
  local k = np.array{3, 2, 1, 0}
  k[k] = 1 << 40
  equal(k:tolist(), {1 << 40, 1 << 40, 1 << 40, 1 << 40})
  local m = np.array{true, false, true}
  m[m] = false
  equal(m:tolist(), {false, false, false})
  m = np.array{true, false, true}
  m[{"::-1"}][m] = false
  equal(m:tolist(), {false, false, false})
end)

test("a view keeps its storage alive", function()
  local v = np.arange(1000)["500:"]
  collectgarbage()
  collectgarbage()
  equal({v[0], v[-1]}, {500, 999})
end)

-- ---- Rules ----

test("Lua's < and == are explained or plain", function()
  local x = np.arange(3)
  raises("argument", "x:lt(y) or np.less", function() return x < 2 end)
  raises("argument", "np.less_equal", function() return x >= x end)
  equal(x == x, true)
  equal(x == np.arange(3), false) -- identity: np.array_equal compares
  equal(np.array_equal(x, np.arange(3)), true)
end)

test("numbers are weak", function()
  equal((np.ones(2, "f32") * 2.5).dtype, "f32")
  equal((np.ones(2, "u8") + 1).dtype, "u8")
  equal((np.ones(2, "u8") + 1.0).dtype, "f64")
  equal((1 - np.ones(2, "f16")).dtype, "f16")
  raises("argument", "300 does not fit", function()
    return np.ones(2, "u8") + 300
  end)
  equal(np.sqrt(16), 4.0)
  equal(math.type(np.add(1, 2)), "integer")
end)

test("errors name shapes, types and the way out", function()
  raises("argument", "add: shapes (2, 3) and (2,) do not broadcast",
    function() return np.zeros{2, 3} + np.zeros(2) end)
  raises("argument", "inner sizes differ: 3 of (2, 3) and 2 of (2, 3)",
    function() np.matmul(np.zeros{2, 3}, np.zeros{2, 3}) end)
  raises("argument", "nil (is its name right?) is no array",
    function() return np.zeros(2) + nil end)
  raises("argument", "axis 2 is out of bounds",
    function() np.zeros{2, 3}:sum(2) end)
  raises("argument", "no element to choose from",
    function() np.zeros(0):max() end)
  raises("argument", "cannot have shape (4,)",
    function() np.zeros(3):reshape(4) end)
  raises("argument", "negative integer powers",
    function() return np.arange(3) ^ -1 end)
  raises("argument", "bitwise_and is not defined for type f64",
    function() return np.ones(2) & np.ones(2) end)
end)

test("empty and axis-free arrays", function()
  equal(np.zeros(0):sum(), 0.0)
  equal(np.zeros(0):prod(), 1.0)
  equal(np.zeros({0, 3}):sum(0):tolist(), {0, 0, 0})
  equal((np.zeros({3, 0}) + 1).shape, {3, 0})
  equal(np.asarray(3).ndim, 0)
  equal((np.asarray(3) + 4):item(), 7)
  equal(np.asarray(3):reshape(1, 1).shape, {1, 1})
  equal(np.matmul(np.zeros{2, 0}, np.zeros{0, 2}):tolist(), {{0, 0}, {0, 0}})
end)

test("16-bit floats are stored rounded once", function()
  equal(np.array({1.0009765625, 65520, 1e-8}, "f16"):tolist(),
    {1.0009765625, 1 / 0, 0})
  equal(np.array({1.00390625, 1.01171875, 3e38}, "bf16"):tolist(),
    {1.0, 1.015625, 2.990429e38 * 0 + np.array({3e38}, "bf16")[0]})
  for bits = 0, 65535, 7 do
    local f = np.array({bits}, "u16")
    equal(f:astype("f64")[0], bits)
  end
  equal(np.promote_types("f16", "bf16"), "f32")
end)

test("floats become the nearest integer that there is", function()
  equal(np.array{300.7, -5, 0 / 0, 1e30}:astype("u8"):tolist(),
    {255, 0, 0, 255})
  equal(np.array{1e30, -1e30}:astype("i64"):tolist(),
    {math.maxinteger, math.mininteger})
end)

test("sums are pairwise", function()
  local x = np.full(1 << 20, 0.1, "f32")
  local e = math.abs(x:sum() / (1 << 20) - np.asarray(0.1):astype("f32")
    :item())
  assert(e < 1e-7, e)
end)

test("out receives the result", function()
  local x, out = np.arange(3), np.zeros(3, "f32")
  np.multiply(x, 2, out)
  equal(out:tolist(), {0, 2, 4})
end)

test("stack, concatenate, where, clip, allclose", function()
  equal(np.stack({np.arange(2), np.arange(2)}, 1):tolist(), {{0, 0}, {1, 1}})
  equal(np.concatenate({{1}, {2.5, 3}}):tolist(), {1, 2.5, 3})
  equal(np.where({true, false}, 1, 2.5):tolist(), {1, 2.5})
  equal(np.clip(np.arange(5), 1, 3):tolist(), {1, 1, 2, 3, 3})
  equal(np.allclose({1, 1 / 0}, {1 + 1e-9, 1 / 0}), true)
  equal(np.allclose({1, 2}, {1, 1 / 0}), false)
  equal(np.allclose(0 / 0, 0 / 0), false)
  np.testing.assert_allclose({1, 2}, {1, 2})
  raises("argument", "the shapes differ: got (2,), want (3,)", function()
    np.testing.assert_allclose({1, 2}, {1, 2, 3})
  end)
end)

test("assertions sum up what differs, as NumPy", function()
  local t = np.testing
  t.assert_array_equal({1, np.nan}, {1, np.nan})
  t.assert_array_almost_equal({1.0000001}, {1})
  t.assert_array_less({1, 2}, 3)
  t.assert_allclose(np.ones{2, 2}, 1.05, {rtol = 0.1})
  local e = raises("argument", "assert_allclose: 2 of 4 elements differ, the "
    .. "first at [0, 1]: got 2.5, want 2.0", function()
    t.assert_allclose({{1, 2.5}, {3, 5}}, {{1, 2.0}, {3, 4}})
  end)
  for _, text in ipairs{"\nNot equal to tolerance rtol=1e-07, atol=0",
      "Mismatched elements: 2 / 4 (50%)\n",
      "Max absolute difference among violations: 1\n",
      "Max relative difference among violations: 0.25\n",
      " ACTUAL: array([[1  , 2.5]", " DESIRED: array([[1, 2]"} do
    assert(e.message:find(text, 1, true), e.message)
  end
  raises("argument", "not equal to 6 decimals", function()
    t.assert_array_almost_equal({1.00001}, {1})
  end)
  raises("argument", "not everywhere less", function()
    t.assert_array_less({1, 3}, 3)
  end)
  raises("argument", "The arrays are not equal", function()
    t.assert_array_equal({1, np.nan}, {1, 2})
  end)
end)

-- ---- Files ----

local function with_file(bytes, f)
  local name = os.tmpname()
  local path = name .. ".npy" -- np.save would add it
  local h = assert(io.open(path, "wb"))
  h:write(bytes or "")
  h:close()
  local ok, e = pcall(f, path)
  os.remove(path)
  os.remove(name)
  if not ok then error(e, 0) end
end

test(".npy files come back as they were", function()
  for _, t in ipairs{"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32",
      "u64", "f16", "f32", "f64"} do
    with_file(nil, function(path)
      local x = np.arange(6):reshape(2, 3):astype(t).T
      np.save(path, x)
      local y = np.load(path)
      equal({y.dtype, y.shape, y:tolist()}, {t, {3, 2}, x:tolist()})
    end)
  end
end)

local function npy(version, header, data)
  local length = version == 1 and string.pack("<I2", #header)
    or string.pack("<I4", #header)
  return "\x93NUMPY" .. string.char(version, 0) .. length .. header .. data
end

test("other versions and orders are read", function()
  local data = string.pack(">i2i2i2i2", 1, 2, 3, 4)
  local header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n"
  for version = 1, 3 do
    with_file(npy(version, header, data), function(path)
      equal(np.load(path):tolist(), {{1, 3}, {2, 4}})
    end)
  end
end)

test("wrong .npy files are errors that say why", function()
  local function header(descr, shape)
    return ("{'descr': %s, 'fortran_order': False, 'shape': %s, }\n")
      :format(descr, shape)
  end
  local wrong = {
    {"", "not a .npy file"},
    {"PK\3\4 something longer", "not a .npy file"},
    {"\x93NUMPY\9\0\0\0", "version"},
    {"\x93NUMPY\1\0\255\0{", "within its header"},
    {"\x93NUMPY\2\0\255\255\255\255", "longer than 64 KiB"},
    {npy(1, header("'|O'", "(3,)"), "x"), "pickled"},
    {npy(1, header("'<c8'", "(3,)"), "x"), "element type"},
    {npy(1, header("'<f4'", "(3"), "x"), "no shape"},
    {npy(1, header("'<f4'", "(-3,)"), "x"), "no shape"},
    {npy(1, header("'<f4'", "(3,)"), "12345678"), "shorter"},
    {npy(1, header("'<f4'", "(4000000000, 4000000000)"), "1"), "shorter"},
    {npy(1, header("'<f4'", "(99999999999999999999,)"), "1"), "no shape"},
  }
  for _, w in ipairs(wrong) do
    with_file(w[1], function(path)
      raises("argument", w[2], function() np.load(path) end)
    end)
  end
  raises("io", "No such file", function() np.load("/nowhere/x.npy") end)
end)

-- ---- Random numbers ----

test("random numbers repeat", function()
  local a = np.random.default_rng(7):normal(10, 2, {50000})
  equal(np.array_equal(a, np.random.default_rng(7):normal(10, 2, 50000)), true)
  assert(math.abs(a:mean() - 10) < 0.05 and math.abs(a:std() - 2) < 0.05)
  -- Known values: whoever changes the method must notice.
  equal(("%.13g"):format(np.random.default_rng(1):standard_normal()),
    "0.3455841920648") -- NumPy's
  np.random.seed(3)
  local x = np.random.rand(4)
  np.random.seed(3)
  equal(np.array_equal(x, np.random.rand(4)), true)
  raises("argument", "no integer lies in [5, 5)",
    function() np.random.default_rng(1):integers(5, 5) end)
end)

test("x.mT exchanges the last two axes, on the same memory", function()
  local x = np.arange(6):reshape(1, 2, 3)
  equal(x.mT.shape, {1, 3, 2})
  x.mT["0, 2, 1"] = 9
  equal(x["0, 1, 2"], 9)
  raises("argument", "at least two axes", function() return np.ones(2).mT end)
end)

-- ---- Help ----

test("every public function has help, and its examples are right", function()
  local help = {}
  for _, part in ipairs{"np", "np_math", "np_stats", "np_join", "np_product",
                       "np_linalg", "np_fft", "np_random",
                       "np_file", "np_common"} do
    for name, text in pairs(dofile("lua/help/" .. part .. ".lua")) do
      help[name] = text
    end
  end
  for prefix, functions in pairs{["np."] = np, ["np.testing."] = np.testing,
                               ["np.linalg."] = np.linalg,
                               ["np.fft."] = np.fft,
                               ["np.random."] = np.random} do
    for name, v in pairs(functions) do
      if type(v) == "function" then
        assert(help[prefix .. name], prefix .. name ..
          " has no help: add it to its part of lua/help/np*.lua")
      end
    end
  end
  for name, text in pairs(help) do
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      local got = tostring((assert(load("return " .. code))()))
      equal(want:find("\n") and got or got:match("^[^\n]*"), want, name)
    end
  end
end)

test("floats show the digits that their type needs", function()
  -- NumPy's own texts, but for the padding and the points of whole numbers.
  equal(tostring(np.array({2.1, 0.1, 1 / 3}, "f32")),
        "array([2.1, 0.1, 0.33333334], f32)")
  equal(tostring(np.array({2.1e10, 3.456e12, 1}, "f32")),
        "array([2.100e+10, 3.456e+12, 1.000e+00], f32)")
  equal(tostring(np.array({1 / 3, 2 / 3}, "f16")),
        "array([0.3333, 0.6665], f16)")
  equal(tostring(np.array({16777216, 0.5}, "f32")),
        "array([1.6777216e+07, 5.0000000e-01], f32)")
end)

tap.done()
