-- SPDX-License-Identifier: Apache-2.0
-- Kernels from what happens to one element: cuda.vectorize and guvectorize
-- (Numba), ElementwiseKernel, ReductionKernel and fuse (CuPy).
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local function host(x)
  x = np.asarray(x)
  return x.device == "host" and x or x:copy_to_host()
end
local function same(got, want)
  got, want = host(got), host(want)
  equal(got.dtype, want.dtype)
  equal(got.shape, want.shape)
  np.testing.assert_array_equal(got, want)
end
local function close(got, want, rtol)
  np.testing.assert_allclose(host(got), host(want), rtol or 1e-6)
end

local x = np.arange(10, "f32"):reshape(2, 5)
local y = np.arange(5, "f32") + 1
local dx, dy = cuda.to_device(x), cuda.to_device(y)

-- ---- ElementwiseKernel ----

local squared = cuda.ElementwiseKernel("float32 x, float32 y", "float32 z",
                                       "z = (x - y) * (x - y)", "squared")

test("elementwise: arrays are broadcast, numbers pass", function()
  same(squared(dx, dy), (x - y) * (x - y))
  same(squared(dx, 5), (x - 5) * (x - 5))
  same(squared(2, dy), (2 - y) * (2 - y))
  same(squared(cuda.to_device(np.ones({3, 1, 1}, "f32")), dx),
       (np.ones({3, 1, 1}, "f32") - x) * (np.ones({3, 1, 1}, "f32") - x))
  same(squared(cuda.to_device(np.zeros({0, 5}, "f32")), dy),
       np.zeros({0, 5}, "f32"))
  equal(squared(dx, dy).device, dx.device)
end)

test("elementwise: host arrays give host arrays", function()
  local z = squared(x, y)
  equal(z.device, "host")
  same(z, (x - y) * (x - y))
  local out = np.zeros({2, 5}, "f32")
  squared(x, y, out)
  same(out, z)
  raises("argument", "brings them together", function() squared(x, dy) end)
end)

test("elementwise: types by letters, raw arrays, several outputs", function()
  local reversed = cuda.ElementwiseKernel("T x, raw T y", "T z",
                                          "z = x + y[_ind.size() - i - 1]", "r")
  for _, t in ipairs{"f32", "f64", "i32", "u8", "f16"} do
    local a = np.arange(5, t)
    same(reversed(a, a), np.full(5, 4, t))
  end
  local two = cuda.ElementwiseKernel("T x", "T s, float64 c",
                                     "s = x + 1; c = x * 0.5")
  local s, c = two(y)
  same(s, y + 1)
  same(c, y:astype("f64") * 0.5)
  local raw = cuda.ElementwiseKernel("raw T x", "raw T z", "z[i * 2] = x[i]")
  local z = cuda.to_device(np.zeros(10, "f32"))
  raw(dy, z, {size = 5})
  same(z, np.array({1, 0, 2, 0, 3, 0, 4, 0, 5, 0}, "f32"))
  local twice = "template <class T> __device__ T twice(T v) { return 2 * v; }"
  local add = cuda.ElementwiseKernel("T x, T y", "T z", "z = x + twice(y)",
                                     "add", {preamble = twice})
  same(add(dy, dy), y * 3)
  raises("argument", "T is f32 in one argument and f64 in y", function()
    add(y, y:astype("f64"))
  end)
end)

test("elementwise: an output is written in place", function()
  local z = cuda.to_device(np.ones(5, "f32"))
  cuda.ElementwiseKernel("T x", "T z", "z += x")(dy, z)
  same(z, y + 1)
  local large = cuda.to_device(np.arange(300001, "i32"))
  same(cuda.ElementwiseKernel("int32 x", "int64 z", "z = x * 3LL")(large),
       np.arange(300001, "i64") * 3)
end)

test("elementwise: mistakes", function()
  local e = raises("compile", 'identifier "q" is undefined', function()
    cuda.ElementwiseKernel("T x", "T z", "z = x;\nz = q", "bad")(dy)
  end)
  equal({e.diagnostics[1].file, e.diagnostics[1].line}, {"bad", 2})
  raises("argument", "does not broadcast", function()
    squared(dx, cuda.to_device(np.ones(4, "f32")))
  end)
  raises("argument", "the output z has the shape (3,)", function()
    squared(dx, dy, cuda.device_array(3, "f32"))
  end)
  raises("argument", 'astype("f32")', function()
    squared(x, y:astype("f64"))
  end)
  raises("argument", "takes 2 arguments, or 3", function() squared(dx) end)
  raises("argument", "is no type", function()
    cuda.ElementwiseKernel("flot x", "T y", "y = x")
  end)
  raises("argument", "is taken (another parameter)", function()
    cuda.ElementwiseKernel("T x", "T x", "x = x")
  end)
  raises("argument", "add {size = n}", function()
    cuda.ElementwiseKernel("raw T x", "T y", "y = x[0]")(dy)
  end)
end)

-- ---- ReductionKernel ----

local norm = cuda.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)",
                                  "0", "norm")

test("reductions: all axes, some, none left", function()
  close(norm(dx), np.sqrt(np.sum(x * x)))
  close(norm(dx, {axis = 0}), np.sqrt(np.sum(x * x, 0)))
  close(norm(dx, {axis = -1, keepdims = true}),
        np.sqrt(np.sum(x * x, 1)):reshape(2, 1))
  local z = np.random.default_rng(1):random({7, 11, 13})
  for _, axis in ipairs{0, 1, 2, {0, 2}, {1, 2}, {0, 1, 2}} do
    close(norm(z, {axis = axis}), np.sqrt(np.sum(z * z, axis)), 1e-12)
  end
  equal(norm(cuda.to_device(np.zeros(0, "f32"))):copy_to_host():item(), 0.0)
  close(norm(np.arange(100003, "f64")),
        np.sqrt(np.sum(np.square(np.arange(100003, "f64")))), 1e-12)
end)

test("reductions: several inputs, a type of its own, an output", function()
  local dot = cuda.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a",
                                   "0", "dot", {reduce_type = "f64"})
  close(dot(dx, dy, {axis = 1}), np.sum(x * y, 1))
  local out = cuda.device_array(2, "f32")
  dot(dx, dy, out, {axis = 1})
  close(out, np.sum(x * y, 1))
  local most = cuda.ReductionKernel("int32 x", "int32 y", "x", "max(a, b)",
                                    "y = a", "-2147483647 - 1")
  equal(most(np.array({-5, -3, -9}, "i32")):item(), -3)
  raises("argument", "axis 2 of an array of 2 axes", function()
    norm(dx, {axis = 2})
  end)
end)

-- ---- vectorize ----

for _, target in ipairs{"cuda", "cpu", "parallel"} do
  test("vectorize, target " .. target, function()
    local f = cuda.vectorize("f32(f32, f32)", function(a, b)
      return a * b - a + 1
    end, {target = target})
    local want = x * y - x + 1
    same(f(x, y), want)
    same(f(dx, dy), want)
    equal(f(dx, dy).device, dx.device)
    equal(f(3, 2), 4.0)
    same(f(np.arange(3, "i8"), 1), np.ones(3, "f32"))
    local g = cuda.vectorize({"i32(i32, i32)", "f64(f64, f64)"},
                             function(a, b) return a + b end, {target = target})
    same(g(np.arange(4, "i32"), 1), np.arange(4, "i32") + 1)
    same(g(np.arange(4, "f64"), 0.5), np.arange(4, "f64") + 0.5)
    for _, n in ipairs{1, 2, 7, 64, 101} do
      local v = np.arange(n, "i32")
      same(g:reduce(v), np.array((n - 1) * n // 2, "i32"))
      same(g:accumulate(v), np.cumsum(v):astype("i32"))
    end
    local m = np.arange(12, "i32"):reshape(3, 4)
    same(g:reduce(m, 1), np.sum(m, 1):astype("i32"))
    same(g:accumulate(m, -1), np.cumsum(m, 1):astype("i32"))
    same(g:outer(np.arange(2, "i32"), np.arange(3, "i32")),
         np.array({{0, 1, 2}, {1, 2, 3}}, "i32"))
    local long = np.linspace(0, 1, 200001)
    close(cuda.vectorize("f64(f64)", function(v) return np.exp(v) end,
                         {target = target})(long), np.exp(long), 1e-12)
  end)
end

test("vectorize: what it prints as", function()
  local f = cuda.vectorize({"f32(f32)", "i32(i32)"}, function(v) return v end,
                           {name = "id"})
  equal(tostring(f), "vectorize id: f32(f32), i32(i32) (target cuda)")
end)

test("vectorize: mistakes", function()
  local f = cuda.vectorize("f32(f32)", function(v) return v end, {name = "id"})
  raises("argument", "id has no signature for (f64); it has f32", function()
    f(np.ones(3, "f64"))
  end)
  raises("argument", "has no signature for (f32, f32)", function() f(y, y) end)
  raises("argument", "is for functions of two arguments", function()
    f:reduce(y)
  end)
  raises("argument", "is no signature", function()
    cuda.vectorize("f32", function() end)
  end)
  raises("argument", "cuda.ElementwiseKernel", function()
    cuda.vectorize("f32(f32)", "x + 1")
  end)
  raises("argument", "a `return` is missing", function()
    cuda.vectorize("f32(f32)", function() end)(y)
  end)
  raises("argument", 'no target "gpu"', function()
    cuda.vectorize("f32(f32)", function(v) return v end, {target = "gpu"})
  end)
end)

-- ---- guvectorize and fuse ----

for _, target in ipairs{"cuda", "cpu"} do
  test("guvectorize, target " .. target, function()
    local scaled = cuda.guvectorize("(n),()->(n)", function(v, s)
      return v * s
    end, {target = target})
    same(scaled(x, np.array({2, 3}, "f32")),
         x * np.array({{2}, {3}}, "f32"))
    same(scaled(y, 2), y * 2)
    local sums = cuda.guvectorize("(n)->()", function(v) return v:sum() end,
                                  {target = target})
    close(sums(np.ones({4, 2, 3}, "f32")), np.full({4, 2}, 3, "f32"))
    local both = cuda.guvectorize("(n),(n)->(n),(n)", function(a, b)
      return a + b, a - b
    end, {target = target})
    local s, d = both(x, y)
    same(s, x + y)
    same(d, x - y)
    same((both(np.ones({3, 1, 5}, "f32"), x)), np.ones({3, 1, 5}, "f32") + x)
    raises("argument", "n is 5 in argument 1 and 4 in argument 2", function()
      both(y, np.ones(4, "f32"))
    end)
    raises("argument", "needs 1 axes", function() sums(3) end)
    raises("argument", "is no layout", function()
      cuda.guvectorize("(n)", function() end)
    end)
  end)
end

test("guvectorize bodies that write their last argument", function()
  local f = cuda.guvectorize({"void(f32[:], f32, f32[:])"}, "(n),()->(n)",
    function(a, b, out)
      for i = 0, #a - 1 do out[i] = a[i] + b end
    end)
  equal(f(np.arange(6, "f32"):reshape{2, 3}, 10):tolist(),
    {{10.0, 11.0, 12.0}, {13.0, 14.0, 15.0}})
  local g = cuda.guvectorize("(n)->()", function(a, s) s[0] = a:sum() end)
  equal(g(np.ones({2, 3}, "f32")):tolist(), {3.0, 3.0})
  local h = cuda.guvectorize("(n)->(n),()", function(a, twice, last)
    twice[":"] = a * 2
    last[0] = a[#a - 1]
  end)
  local twice, last = h(np.arange(3, "i32"))
  equal(twice:tolist(), {0, 2, 4})
  equal(last:item(), 2)
  raises("argument", "cannot be told", function()
    cuda.guvectorize("(n)->(m)", function(a, out) out[0] = a[0] end)(
      np.ones(3))
  end)
end)

test("fuse", function()
  local f = cuda.fuse(function(a, b) return np.exp(-a) * b + 1 end)
  close(f(dx, dy), np.exp(-x) * y + 1)
  equal(f(dx, dy).device, dx.device)
  equal(f(x, y).device, "host")
  close(f(x:astype("f64"), 2), np.exp(-x:astype("f64")) * 2 + 1, 1e-12)
end)

tap.done()
