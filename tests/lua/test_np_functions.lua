-- SPDX-License-Identifier: Apache-2.0
-- np's functions beyond what np_numpy compares: named arguments, results in
-- place, errors that name the way out. Without jax: tests/unit/lua_np runs
-- test_np*.lua with np alone.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

-- The least of what is seen from both ends of a line that is long enough for
-- several lanes, and of parts of it.
test("positions of extremes, with NaN and equals", function()
  for _, n in ipairs{1, 7, 64, 127, 1000, 4099} do
    for _, t in ipairs{"i8", "f32", "f64"} do
      local x = (np.arange(n) * 37 % 101):astype(t)
      local list, low, high = x:tolist(), 1, 1
      for i, v in ipairs(list) do
        if v < list[low] then low = i end
        if v > list[high] then high = i end
      end
      equal(np.argmin(x), low - 1)
      equal(np.argmax(x), high - 1)
      equal(np.argmax(np.stack({x, x}, 1)[":, 0"]), high - 1)
      equal(np.min(x), list[low])
      equal(np.max(x), list[high])
    end
    local y = np.zeros(n)
    equal(np.argmax(y), 0)
    y[n // 2] = np.nan
    equal(np.argmax(y), n // 2)
    equal(np.argmin(y), n // 2)
  end
end)

-- More sizes than plans are kept, each twice, aligned and not.
test("fft of many sizes", function()
  local function slow(re, im)
    local n = #re
    local k = np.arange(n, "f64")
    local turn = np.outer(k, k) % n * (-2 * math.pi / n)
    local c, s = np.cos(turn), np.sin(turn)
    return np.matmul(c, re) - np.matmul(s, im),
           np.matmul(s, re) + np.matmul(c, im)
  end
  local all = np.sin(np.arange(60) * 5.1)
  local zeros = np.zeros(60)
  for _ = 1, 2 do
    for n = 1, 40 do
      local x = all[("3:%d"):format(3 + n)]
      local a, b = slow(x, zeros[("0:%d"):format(n)])
      local z = np.fft.fft(x)
      np.testing.assert_allclose(z.real, a, {atol = 1e-12})
      np.testing.assert_allclose(z.imag, b, {atol = 1e-12})
      local w = np.complex(x, x["::-1"])
      a, b = slow(x, x["::-1"])
      z = np.fft.fft(w)
      np.testing.assert_allclose(z.real, a, {atol = 1e-12})
      np.testing.assert_allclose(z.imag, b, {atol = 1e-12})
      local back = np.fft.ifft(z)
      np.testing.assert_allclose(back.imag, x["::-1"], {atol = 1e-12})
      np.testing.assert_allclose(np.fft.irfft(np.fft.rfft(x), n), x,
                                 {atol = 1e-12})
      np.testing.assert_allclose(np.fft.ifft(x).imag, np.fft.ifft(
        np.complex(x, zeros[("0:%d"):format(n)])).imag, {atol = 1e-12})
    end
  end
end)

test("positions may lie in the array that is written", function()
  local x = np.array{1, 2, 0, 3}
  np.put(x, x, {5, 6, 7, 8})
  equal(x:tolist(), {7, 5, 6, 8})
  x = np.array{1, 2, 0, 3}
  np.put_along_axis(x, x, np.array{5, 6, 7, 8}, 0)
  equal(x:tolist(), {7, 5, 6, 8})
end)

test("repeat stretches each item", function()
  for _, n in ipairs{0, 1, 3, 9} do
    local x = np.arange(6):reshape(2, 3)
    equal(np.repeat_(x, n, 1).shape, {2, 3 * n})
    equal(np.repeat_(x, n):tolist(),
          (np.arange(6 * n) // math.max(n, 1)):tolist())
    equal(np.repeat_(x, n, 0):tolist(),
          x[np.arange(2 * n) // math.max(n, 1)]:tolist())
  end
end)

test("arguments may be named", function()
  local m = np.arange(6):reshape(2, 3)
  equal(np.sum(m, {axis = 0}):tolist(), {3, 5, 7})
  equal(m:sum(0, {keepdims = true}).shape, {1, 3})
  equal(m:sum(0, true).shape, {1, 3})
  equal(m:sum(0, "f32").dtype, "f32")
  equal(m:max({axis = 1, initial = 4}):tolist(), {4, 5})
  equal(np.sum(m, {}), 15)
  raises("argument", "sum: there is no argument named axs",
    function() np.sum(m, {axs = 1}) end)
  raises("argument", "sum: axis is given twice",
    function() np.sum(m, 0, {axis = 1}) end)
  raises("argument", "mean: axis 0 is named twice",
    function() np.mean(m, {axis = {0, -2}}) end)
end)

test("borders that are computed", function()
  local x = np.array{{1, 4, 9}, {2, 0, 5}}
  local function row(...) return np.pad(x, ...)[-1]:tolist() end
  equal(row({{0, 1}, {1, 2}}, "maximum"), {9, 2, 4, 9, 9, 9})
  equal(row({{0, 1}, {1, 1}}, {mode = "minimum", stat_length = 1}),
        {2, 2, 0, 5, 5})
  equal(row({{0, 1}, {1, 1}}, "mean"), {4, 2, 2, 7, 4})
  equal(row({{0, 0}, {1, 1}}, "median"), {2, 2, 0, 5, 2})
  equal(row({{0, 0}, {2, 3}}, {mode = "linear_ramp", end_values = {8, -1}}),
        {8, 5, 2, 0, 5, 3, 1, -1})
  equal(row({{0, 0}, {4, 1}}, {mode = "reflect", reflect_type = "odd"}),
        {-4, -6, -1, 4, 2, 0, 5, 10})
  equal(row({{0, 0}, {2, 4}}, {mode = "symmetric", reflect_type = "odd"}),
        {4, 2, 2, 0, 5, 5, 10, 8, 8})
  equal(np.pad(np.array{1.5}, 2, {mode = "reflect", reflect_type = "odd"})
    :tolist(), {1.5, 1.5, 1.5, 1.5, 1.5})
  raises("argument", "pad: stat_length is at least 1",
    function() np.pad(x, 1, {mode = "mean", stat_length = 0}) end)
  raises("argument", "pad: reflect_type is",
    function() np.pad(x, 1, {mode = "reflect", reflect_type = "odds"}) end)
end)

test("covariances, edges and places have NumPy's types", function()
  local x = np.array({{1, 2, 4}, {2, 1, 7}}, "f32")
  equal(np.cov(x).dtype, "f64")
  np.testing.assert_allclose(
    np.cov(x, {fweights = {1, 2, 3}, aweights = {0.5, 1, 2}}),
    {{1.310344827586207, 3.241379310344828},
     {3.241379310344828, 8.758620689655173}}, 1e-14)
  local _, edges = np.histogram(x, {bins = 4, range = {0, 8}})
  equal(edges.dtype, "f32")
  equal(np.unravel_index(np.array({5}, "i32"), {2, 3}).dtype, "i64")
  np.testing.assert_allclose(np.interp({-0.5, 0.25, 3.75}, {0.5, 0, 1.5},
    {1, 3, 5}, {period = 2}), {5, 2, 4}, 1e-14)
end)

test("an empty list of axes reduces none", function()
  local m = np.array({{1, 2}, {3, -4}}, "i8")
  equal(np.sum(m, {axis = {}}):tolist(), m:tolist())
  equal(np.sum(m, {axis = {}}).dtype, "i64")
  equal(np.max(m, {axis = {}, keepdims = true}).shape, {2, 2})
  equal(np.var(m, {axis = {}}):tolist(), {{0, 0}, {0, 0}})
  equal(np.count_nonzero(m, {axis = {}}):tolist(), {{1, 1}, {1, 1}})
  equal(np.median(m, {axis = {}}):tolist(), m:tolist())
  equal(np.ptp(m, {axis = {}}):tolist(), {{0, 0}, {0, 0}})
  equal(np.cumsum(m, {}):tolist(), {1, 3, 6, 2})
  equal(np.nancumsum(m):tolist(), {1, 3, 6, 2})
  equal(np.nancumprod({2, np.nan, 3}):tolist(), {2, 2, 6})
end)

test("masks are inverted to masks", function()
  local m = np.array({true, false, true})
  for _, no in ipairs{~m, np.invert(m), np.bitwise_not(m)} do
    equal(no:tolist(), {false, true, false})
    equal(no:view("u8"):tolist(), {0, 1, 0})
  end
  equal(np.sum(~m), 1)
  equal(np.arange(3)[~m]:tolist(), {1})
  equal((~np.array({0, 5}, "u8")):tolist(), {255, 250})
end)

test("medians beside infinity and NaN", function()
  local inf, nan = np.inf, np.nan
  equal(np.median({2, inf}), inf)
  equal(np.median({inf, 1, inf}), inf)
  equal(tostring(np.median({-inf, inf})):gsub("-", ""), "nan")
  equal(np.nanmedian({nan, -1}), -1)
  equal(np.nanquantile({nan, 2, 3}, 1), 3)
  equal(np.quantile({-inf, 1, 2}, 0), -inf)
  equal(np.quantile({-inf, 1, 2}, 0.0), nan) -- 0 times infinity, as NumPy
  equal(np.median(np.zeros({2, 0, 3}), {axis = 2}).shape, {2, 0})
  equal(np.median(np.zeros({2, 0, 3}, "f32"), 1).dtype, "f32")
  raises("argument", "median: axis 3 is out of bounds",
    function() np.median(np.zeros({2, 0}), 3) end)
end)

test("types that elementwise functions give", function()
  local small, eight = np.array({1, -2}, "f16"), np.array({1, 3}, "u8")
  equal(np.nextafter(small, 9.0):tolist(), {1.0009765625, -1.9990234375})
  equal(np.nextafter(small:astype("bf16"), 9.0):tolist(),
        {1.0078125, -1.9921875})
  equal(np.spacing(np.array({3}, "i32")):tolist(), {4.440892098500626e-16})
  equal(np.spacing(eight).dtype, "f16")
  equal(np.ldexp(eight, np.array{2, 3}).dtype, "f16")
  equal(np.ldexp(eight, np.array{2, 3}):tolist(), {4, 24})
  equal(np.sinc(eight).dtype, "f64")
  equal(np.i0(eight).dtype, "f64")
  equal(np.ptp(np.array({-100, 100}, "i8")), -56)
  equal(np.ptp({1.5, 4}), 2.5)
  raises("argument", "sort: an array without axes has no order",
    function() np.sort(np.array(3)) end)
  raises("argument", "an index can only have a single ellipsis",
    function() return np.zeros({2, 2})["..., ..."] end)
end)

test("out receives reductions and running sums", function()
  local m, out = np.arange(6):reshape(2, 3), np.zeros(3, "f32")
  equal(rawequal(np.sum(m, {axis = 0, out = out}), out), true)
  equal(out:tolist(), {3, 5, 7})
  np.max(m, 0, out)
  equal(out:tolist(), {3, 4, 5})
  local one = np.zeros({}, "i64")
  np.sum(m, {out = one})
  equal(one:item(), 15)
  local all = np.zeros(6)
  np.cumsum(m, {out = all})
  equal(all:tolist(), {0, 1, 3, 6, 10, 15})
  np.take(m, {5, 0, 1}, {out = out})
  equal(out:tolist(), {5, 0, 1})
end)

test("elementwise functions write into out, where a mask holds", function()
  local x, out = np.arange(4), np.full(4, -1.0)
  equal(rawequal(np.add(x, 1, {out = out, where = {true, false, true, false}}),
    out), true)
  equal(out:tolist(), {1, -1, 3, -1})
  np.negative(x, {out = out})
  equal(out:tolist(), {0, -1, -2, -3})
  np.sqrt(x, out)
  equal(out[1], 1.0)
  raises("argument", "add: `where` leaves elements out",
    function() np.add(x, 1, {where = {true, false, true, false}}) end)
  raises("argument", "exp: there is no argument named axis",
    function() np.exp(x, {axis = 1}) end)
  raises("argument", "the value's shape (4,) does not fit into shape (3,)",
    function() np.add(x, 1, np.zeros(3)) end)
end)

test("masks and initial values of reductions", function()
  local x = np.array{1, 5, 2}
  equal(x:sum{where = {true, false, true}}, 3)
  equal(x:mean{where = {true, false, true}}, 1.5)
  equal(np.max(np.zeros(0), {initial = -1}), -1.0)
  raises("argument", "give `initial` as well",
    function() x:max{where = {true, false, true}} end)
  raises("argument", "argmax: there is no element to choose from",
    function() np.argmax(np.zeros{0}) end)
  raises("argument", "max: there is no element to choose from",
    function() np.max(np.zeros{2, 0}, 1) end)
  equal(np.max(np.zeros{0, 2}, 1).shape, {0})
end)

test("a sum has the same bits along every axis", function()
  local rng = np.random.default_rng(5)
  for _, n in ipairs{1, 7, 8, 100, 129, 1000, 4099} do
    for _, t in ipairs{"f32", "f64"} do
      local x = rng:standard_normal({n, 3}):astype(t)
      local wide = rng:standard_normal({n, 70}):astype(t)
      for _, a in ipairs{x, wide} do
        equal(a:sum(0):tolist(), a.T:copy():sum(1):tolist())
        equal(a:sum(0)[1], a[":, 1"]:sum())
        equal(a:max(0):tolist(), a.T:copy():max(1):tolist())
        equal(a:argmin(0):tolist(), a.T:copy():argmin(1):tolist())
        equal(a:cumsum(0):tolist(), a.T:copy():cumsum(1).T:tolist())
      end
    end
  end
end)

test("columns with NaN", function()
  local x = np.ones{9, 5}
  x["4, 2"], x["6, 2"], x["8, 0"] = np.nan, np.nan, np.nan
  equal(x:argmax(0):tolist(), {8, 0, 4, 0, 0})
  equal(x:argmin(0):tolist(), {8, 0, 4, 0, 0})
  equal(np.isnan(x:max(0)):tolist(), {true, false, true, false, false})
  equal(np.isnan(x:min(0)):tolist(), {true, false, true, false, false})
end)

test("sorting is right for every type and size", function()
  local rng = np.random.default_rng(3)
  for _, t in ipairs{"i8", "u16", "i32", "u64", "i64", "f16", "bf16", "f32",
      "f64"} do
    for _, n in ipairs{2, 47, 48, 49, 300, 5000} do
      local x = (rng:standard_normal(n) * 50):astype(t)
      local y = np.sort(x)
      equal(np.any(np.greater(y[":-1"], y["1:"])), false, t)
      local at = np.argsort(x)
      equal(np.array_equal(x[at], y), true, t)
      equal(np.array_equal(np.sort(at), np.arange(n)), true, t)
      -- Equal elements keep their order.
      local same = np.equal(y[":-1"], y["1:"])
      equal(np.all(np.less(at[":-1"][same], at["1:"][same])), true, t)
    end
  end
  local b = np.array({3, np.nan, -1, 0}, "bf16")
  equal(np.sort(b)[":3"]:tolist(), {-1, 0, 3})
  equal(np.isnan(np.sort(b)[3]), true)
end)

test("selections write in place and say when they cannot", function()
  local x = np.zeros(4)
  np.put(x, {0, 9}, {1, 2}, "clip")
  equal(x:tolist(), {1, 0, 0, 2})
  raises("argument", "cannot be written", function()
    np.put(np.broadcast_to(1, {4}), 0, 5)
  end)
  raises("argument", "cannot be written", function()
    np.put_along_axis(np.broadcast_to(1, {4}), {0}, 5, 0)
  end)
  raises("argument", "put: index 4 is out of bounds for a size of 4",
    function() np.put(x, 4, 1) end)
  raises("argument", "place: the mask has 3 elements and the array 4",
    function() np.place(x, {true, false, true}, 1) end)
  raises("argument", "place: a table cannot be written; np.array(x) can",
    function() np.place({1}, {true}, 1) end)
  raises("argument", 'the mode is "raise", "wrap" or "clip", not "skip"',
    function() np.take(x, 0, {mode = "skip"}) end)
  raises("argument", "take: elements of type f64 cannot be positions",
    function() np.take(x, {0.5}) end)
  raises("argument", "the positions have 2 axes and the array has 1",
    function() np.take_along_axis(x, {{0}}) end)
end)

test("searching and counting explain what they need", function()
  raises("argument", 'the side is "left" or "right", not "up"',
    function() np.searchsorted({1, 2}, 1, "up") end)
  raises("argument", "the sorted array has 2 axes",
    function() np.searchsorted({{1, 2}}, 1) end)
  raises("argument", "bincount: element 1 is -2",
    function() np.bincount{1, -2} end)
  raises("argument", 'are no whole numbers: x:astype("i64")',
    function() np.bincount{1.5} end)
  raises("argument", "there are 1 weights for 2 elements",
    function() np.bincount({1, 2}, {0.5}) end)
  raises("argument", "the range [nan, nan] is not finite",
    function() np.histogram{np.nan, 1} end)
  raises("argument", "the edges must not descend",
    function() np.histogram({1}, {2, 1}) end)
  raises("argument", "the bins must ascend or descend",
    function() np.digitize({1}, {2, 1, 3}) end)
  raises("argument", "choose: there are 2 choices, and elements from 0 to 2",
    function() np.choose({0, 2}, {{1, 1}, {2, 2}}) end)
  raises("argument", "condition 1 is of type i64 and not bool",
    function() np.select({{1, 0}}, {{1, 2}}) end)
  raises("argument", "kth is 5, and axis 0 has 3 elements",
    function() np.partition({1, 2, 3}, 5) end)
  raises("argument", "quantile: 1.5 is not between 0 and 1",
    function() np.quantile({1, 2}, 1.5) end)
  raises("argument", "percentile: 101 is not between 0 and 100",
    function() np.percentile({1, 2}, 101) end)
  raises("argument", "there is no method cubic",
    function() np.quantile({1, 2}, 0.5, {method = "cubic"}) end)
  raises("argument", "nanargmax: there is nothing but NaN to choose from",
    function() np.nanargmax({{np.nan}, {1}}, 1) end)
  raises("argument", "the weights sum to zero",
    function() np.average({1, 2}, {weights = {1, -1}}) end)
  raises("argument", "interp: the period is 0",
    function() np.interp(1, {1, 2}, {1, 2}, {period = 0}) end)
  raises("argument", "interp: `left` is a number, not \"extrapolate\"",
    function() np.interp(1, {1, 2}, {1, 2}, "extrapolate") end)
  equal(np.histogram_bin_edges({true, false}, 2):tolist(), {0, 0.5, 1})
  raises("argument", "interp: xp has 2 points and fp 1",
    function() np.interp(1, {1, 2}, {1}) end)
  raises("argument", "`size` is there for all elements, not along an axis",
    function() np.unique({{1}, {1}}, {axis = 0, size = 1}) end)
end)

test("np.random: orders, choices and what they refuse", function()
  local rng = np.random.default_rng(2)
  local t = {1, 2, 3, 4, 5}
  rng:shuffle(t)
  table.sort(t)
  equal(t, {1, 2, 3, 4, 5})
  equal(np.unique(rng:choice(100, {size = {10, 10}, replace = false})).size,
    100)
  equal(type(rng:choice({5, 6})), "number")
  equal(rng:normal(0, 1, {2, 3}, "f32").dtype, "f32")
  equal(rng:normal({size = 4, scale = 2}).shape, {4})
  equal(math.type(rng:poisson(3)), "integer")
  np.random.seed(4)
  local x = np.random.normal(1, 2, 3)
  equal(np.array_equal(x, np.random.RandomState(4):normal(1, 2, 3)), true)
  equal(np.random.randint(3, 4), 3)
  raises("argument", "normal: scale is -1, and must not be negative",
    function() rng:normal(0, -1) end)
  raises("argument", "gamma: shape is missing", function() rng:gamma() end)
  raises("argument", "geometric: p is 2, and must be over 0 and at most 1",
    function() rng:geometric(2) end)
  raises("argument", "triangular: 3, 2, 1 do not ascend",
    function() rng:triangular(3, 2, 1) end)
  raises("argument", "loc is a number, not a table",
    function() rng:normal({1, 2}, 1, 2) end)
  raises("argument", "a seed lies between 0 and 2^32 - 1",
    function() np.random.seed(-1) end)
  raises("argument", "numbers from 0 to 256 are no u8",
    function() rng:integers(0, 257, 2, "u8") end)
  raises("argument", "5 different elements are asked for, and there are 3",
    function() rng:choice(3, 5, false) end)
  raises("argument", "the probabilities add up to 0.9, not 1",
    function() rng:choice(2, 1, true, {0.5, 0.4}) end)
  raises("argument", "2 have a probability above 0", function()
    rng:choice(3, {size = 3, replace = false, p = {0.5, 0.5, 0}})
  end)
  raises("argument", "there is no argument named sizes",
    function() rng:choice(3, {sizes = 2}) end)
end)

-- NumPy 2.4's words.
test("numbers as bits", function()
  for _, case in ipairs{
    {0, nil, "0"}, {0, 3, "000"}, {5, nil, "101"}, {5, 3, "101"},
    {5, 8, "00000101"}, {-5, nil, "-101"}, {-1, 1, "1"}, {-1, 4, "1111"},
    {-4, 3, "100"}, {-5, 4, "1011"}, {-5, 70, ("1"):rep(67) .. "011"},
    {0xffffffff, 32, ("1"):rep(32)}, {math.maxinteger, nil, ("1"):rep(63)},
    {math.mininteger, nil, "-1" .. ("0"):rep(63)},
    {math.mininteger, 64, "1" .. ("0"):rep(63)},
    {np.array({6}, "u8")[0], {width = 4}, "0110"},
  } do
    equal(np.binary_repr(case[1], case[2]), case[3])
  end
  raises("argument", "binary_repr: 5 has 3 bits, more than the width 2",
    function() np.binary_repr(5, 2) end)
  raises("argument", "binary_repr: -5 has 4 bits, more than the width 3",
    function() np.binary_repr(-5, 3) end)
  raises("argument", "binary_repr: 2.5 is not a whole number",
    function() np.binary_repr(2.5) end)
  raises("argument", "binary_repr: x is not a whole number",
    function() np.binary_repr(5, "x") end)
end)

test("a function for each line takes its arguments by name", function()
  local x = np.ones{2, 3}
  equal(np.apply_along_axis(np.sum, {axis = 0, arr = x}):tolist(), {2, 2, 2})
  equal(np.apply_along_axis{func1d = np.sum, axis = 1, arr = x}:tolist(),
    {3, 3})
  -- Behind the array they are the function's.
  equal(np.apply_along_axis(np.sum, 1, x, {keepdims = true}):tolist(),
    {{3}, {3}})
  raises("argument", "there is no argument named axes",
    function() np.apply_along_axis(np.sum, {axes = 0, arr = x}) end)
end)

test("tile repeats along as many axes as an array has", function()
  local shape, counts = {}, {}
  for d = 1, 10 do shape[d], counts[d] = 1, 2 end
  shape[1], shape[10] = 2, 3
  local x = np.arange(6):reshape(shape)
  local r = np.tile(x, counts)
  equal(r.shape, {4, 2, 2, 2, 2, 2, 2, 2, 2, 6})
  equal(np.ravel(r["3, 1, 0, 1, 0, 1, 0, 1, 0"]):tolist(), {3, 4, 5, 3, 4, 5})
  equal(np.ravel(r["2, 0, 1, 0, 1, 0, 1, 0, 1"]):tolist(), {0, 1, 2, 0, 1, 2})
  counts[4] = 0
  equal(np.tile(x, counts).size, 0)
end)

test("append needs what is appended, and rot90 two axes", function()
  raises("argument", "nil", function() np.append(np.ones{2, 2}, nil, 0) end)
  for _, axes in ipairs{0, {0}} do
    raises("argument", "rot90: it takes two axes",
      function() np.rot90(np.ones{2, 2}, 1, axes) end)
  end
end)

tap.done()
