-- SPDX-License-Identifier: Apache-2.0
-- np: what joining, products, linear algebra and Fourier transforms say about
-- wrong arguments, and what holds for every input.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local la, fft = np.linalg, np.fft
local close = np.testing.assert_allclose

local function errors(name, cases)
  test(name .. ": wrong arguments are named", function()
    for _, case in ipairs(cases) do raises("argument", case[1], case[2]) end
  end)
end

errors("polynomials", {
  {"roots: the coefficients are an array with one axis, and p has 2",
   function() np.roots{{1, 2}, {3, 4}} end},
})

errors("joining", {
  {"stack: all arrays must have one shape; the first has (2,), number 1 has " ..
   "(3,)", function() np.stack{{1, 2}, {1, 2, 3}} end},
  {"stack: there is no array", function() np.stack{} end},
  {"stack: axis 3 is out of bounds for an array with 2 axes",
   function() np.stack({{1}, {2}}, 3) end},
  {"split: 5 items along axis 0 do not make 2 equal parts",
   function() np.split({1, 2, 3, 4, 5}, 2) end},
  {"hsplit: the array has 0 axes", function() np.hsplit(3, 1) end},
  {"repeat: 2 counts for 3 items",
   function() np.repeat_({1, 2, 3}, {1, 2}) end},
  {"repeat: counts are whole numbers",
   function() np.repeat_({1, 2}, {1, -1}) end},
  {"flip: there is no argument named axes (there are m, axis)",
   function() np.flip({1}, {axes = 0}) end},
  {"flip: axis 0 is named twice", function() np.flip({1}, {0, -1}) end},
  {"delete: index 3 is out of bounds",
   function() np.delete({1, 2, 3}, 3) end},
  {"insert: index 4 is out of bounds",
   function() np.insert({1, 2, 3}, 4, 0) end},
  {"pad: there is no mode \"no\"", function() np.pad({1}, 1, "no") end},
  {"pad: widths are whole numbers", function() np.pad({1}, -1) end},
  {"pad: pad_width is a number, {before, after} or one pair",
   function() np.pad({1}, {1, 2, 3}) end},
  {"pad: pad_width has 3 pairs and the array 2 axes",
   function() np.pad({{1}}, {{1, 1}, {1, 1}, {1, 1}}) end},
  {"pad: axis 0 is empty", function() np.pad(np.zeros(0), 1, "edge") end},
  {"moveaxis: 2 axes are moved to 1 places",
   function() np.moveaxis(np.zeros({2, 2}), {0, 1}, {0}) end},
  {"broadcast_shapes: shapes do not broadcast: (2,), (3,)",
   function() np.broadcast_shapes({2}, {3}) end},
  {"diagonal: the two axes are the same",
   function() np.diagonal({{1}}, 0, 0, 0) end},
  {"unravel_index: an index is out of bounds for size 6",
   function() np.unravel_index(6, {2, 3}) end},
  {"linspace: -1 points", function() np.linspace(0, 1, -1) end},
  {"geomspace: the sequence cannot contain 0",
   function() np.geomspace(0, 1) end},
  {"geomspace: start and stop must have one sign",
   function() np.geomspace(-1, 1) end},
})

errors("products", {
  {"matmul: inner sizes differ: 3 of (2, 3) and 2 of (2, 3)",
   function() np.matmul(np.zeros({2, 3}), np.zeros({2, 3})) end},
  {"matmul: the stacks of shapes (2, 1, 1) and (3, 1, 1) do not broadcast: 2 "
   .. "and 3 matrices",
   function() np.matmul(np.zeros({2, 1, 1}), np.zeros({3, 1, 1})) end},
  {"a number is no matrix", function() np.matmul(2, {1, 2}) end},
  {"tensordot: the axes {1} of (2, 3) and {0} of (2, 2) differ",
   function() np.tensordot(np.zeros({2, 3}), np.zeros({2, 2}), 1) end},
  {"einsum: \"ij,jk->ik\": `j` is 3 long in one array and 2 in another",
   function() np.einsum("ij,jk->ik", np.zeros({2, 3}), np.zeros({2, 2})) end},
  {"\"ij\" names 2 axes and that array has 1",
   function() np.einsum("ij", {1, 2}) end},
  {"`k` of the result is in no array",
   function() np.einsum("ij->k", np.zeros({2, 2})) end},
  {"`i` occurs twice in the result",
   function() np.einsum("i->ii", {1}) end},
  {"1 terms for 2 arrays", function() np.einsum("i", {1}, {2}) end},
  {"it has more terms than there are arrays",
   function() np.einsum("i,i", {1}) end},
  {"`i` is 1 long and 3 long in one array, and only a square",
   function() np.einsum("ii", np.ones{1, 3}) end},
  {"`1` is no letter", function() np.einsum("i1", {1}) end},
  {"convolve: an array is empty",
   function() np.convolve({1}, np.zeros(0)) end},
  {"convolve: there is no mode \"no\"",
   function() np.convolve({1}, {1}, "no") end},
  {"cross: shapes (2,) and (2,)", function() np.cross({1, 2}, {3, 4}) end},
})

errors("linalg", {
  {"linalg.inv: LinAlgError: the matrix of shape (2, 2) is singular (pivot 1 "
   .. "is 0)", function() la.inv{{1, 2}, {2, 4}} end},
  {"linalg.inv: LinAlgError: matrix 1 of the stack of shape (2, 2, 2) is "
   .. "singular",
   function() la.inv(np.stack{np.eye(2), np.zeros({2, 2})}) end},
  {"linalg.solve: LinAlgError: the matrix of shape (1, 1) is singular",
   function() la.solve({{0}}, {1}) end},
  {"linalg.solve: 2 rows of (2, 2) and 3 of (3,)",
   function() la.solve(np.eye(2), {1, 2, 3}) end},
  {"are not square", function() la.det(np.zeros({2, 3})) end},
  {"is no matrix", function() la.svd{1, 2} end},
  {"linalg.cholesky: LinAlgError: the matrix of shape (2, 2) is not positive "
   .. "definite: its leading minor of order 2 is not positive",
   function() la.cholesky{{1, 2}, {2, 1}} end},
  {"holds a NaN", function() la.svd{{np.nan, 1}, {1, 1}} end},
  {"there is no mode \"no\"", function() la.qr(np.eye(2), "no") end},
  {"there is no norm frob of matrices",
   function() la.norm(np.eye(2), "frob") end},
  {"a norm is of one axis or two, not 3",
   function() la.norm(np.zeros({1, 1, 1}), 2) end},
  {"UPLO is \"L\" or \"U\"", function() la.eigh(np.eye(2), "X") end},
  {"arrays of type f16 are not supported",
   function() la.inv(np.zeros({2, 2}, "f16")) end},
})

errors("fft", {
  {"fft.fftn: 1 sizes for 2 axes",
   function() fft.fftn({{1, 2}, {3, 4}}, {2}, {0, 1}) end},
  {"fft.irfftn: 2 sizes for 3 axes",
   function() fft.irfftn(np.ones{2, 2, 2}, {2, 2}, {0, 1, 2}) end},
  {"fft.fft: a transform of 0 points", function() fft.fft({1}, 0) end},
  {"fft.fft: a number has no axis", function() fft.fft(3) end},
  {"fft.fft: norm is", function() fft.fft({1}, nil, nil, "no") end},
  {"fft.rfft: the input is complex",
   function() fft.rfft(fft.fft{1, 2}) end},
  {"this array is complex, and a real one is needed",
   function() np.sum(fft.fft{1, 2}) end},
  {"this array is complex", function() np.stack{fft.fft{1, 2}} end},
  {"np.array: a table with named fields is no array",
   function() np.array({real = 1}) end},
})

test("products of every shape agree with sums in Lua", function()
  local rng = np.random.default_rng(3)
  for _, size in ipairs{{1, 1, 1}, {3, 5, 7}, {4, 300, 16}, {5, 2, 33},
                        {9, 513, 1}, {1, 40, 70}, {17, 0, 3}} do
    local m, k, n = table.unpack(size)
    for _, t in ipairs{"f32", "f64", "i32", "u8", "i64"} do
      local a = rng:integers(-9, 9, {m, k}):astype(t)
      local b = rng:integers(-9, 9, {k, n}):astype(t)
      local want = {}
      local x, y = a:tolist(), b:tolist()
      for i = 1, m do
        want[i] = {}
        for j = 1, n do
          local sum = 0
          for p = 1, k do sum = sum + x[i][p] * y[p][j] end
          want[i][j] = sum
        end
      end
      want = np.array(want, "i64"):astype(t):reshape(m, n)
      equal(np.array_equal(np.matmul(a, b), want), true)
      local at, bt = np.transpose(a):copy().T, np.transpose(b):copy().T
      equal(np.array_equal(np.matmul(at, bt), want), true)
      equal(np.array_equal(np.matmul(np.flip(np.flip(a, 1), 1), b), want),
            true)
    end
  end
end)

test("factors multiply to what was factored, for odd shapes", function()
  local rng = np.random.default_rng(5)
  for _, s in ipairs{{1, 1}, {7, 3}, {3, 7}, {31, 31}, {0, 3}, {3, 0}} do
    local a = rng:standard_normal(s)
    local q, r = la.qr(a)
    close(np.matmul(q, r), a, 0, 1e-12)
    local q2, r2 = la.qr(a, "complete")
    close(np.matmul(q2, r2), a, 0, 1e-12)
    close(np.matmul(q2.T, q2), np.eye(s[1]), 0, 1e-12)
    local u, sv, vh = la.svd(a)
    close(np.matmul(u.T, u), np.eye(s[1]), 0, 1e-12)
    close(np.matmul(vh, vh.T), np.eye(s[2]), 0, 1e-12)
    equal(sv.shape[1], math.min(s[1], s[2]))
  end
end)

test("linalg keeps f32, and LAPACK's errors leave nothing behind", function()
  local a = np.array({{2, 1}, {1, 3}}, "f32")
  equal(la.inv(a).dtype, "f32")
  equal(la.svd(a).dtype, "f32")
  for _ = 1, 300 do pcall(la.inv, np.zeros({20, 20})) end
  close(np.matmul(la.inv(a), a), np.eye(2), 0, 1e-6)
end)

test("the largest of nothing is 0 as a norm", function()
  equal(np.linalg.norm(np.zeros(0), np.inf), 0.0)
  equal(np.linalg.norm(np.zeros({2, 0}), {ord = np.inf, axis = 1}):tolist(),
        {0, 0})
  equal(np.linalg.norm({3, -4, np.nan}, np.inf) ~= 4, true)
end)

test("transforms of every length invert, of large primes too", function()
  local rng = np.random.default_rng(9)
  for _, n in ipairs{1, 2, 3, 17, 64, 97, 1009, 1000} do
    local x = rng:standard_normal(n)
    close(fft.ifft(fft.fft(x)).real, x, 0, 1e-12)
    close(fft.irfft(fft.rfft(x), n), x, 0, 1e-12)
    local z = fft.fft(x)
    close(np.sum(np.square(z:abs())) / n, np.sum(np.square(x)), 1e-12)
  end
end)

test("views stay views, copies are copies", function()
  local a = np.zeros({2, 3})
  np.flip(a)["0, 0"] = 7
  equal(a["1, 2"], 7.0)
  np.split(a, 3, 1)[1]["0, 0"] = 5
  equal(a["0, 0"], 5.0)
  np.swapaxes(a, 0, 1)["0, 1"] = 4
  equal(a["1, 0"], 4.0)
  local p = np.pad(a, 0)
  p["0, 0"] = 9
  equal(a["0, 0"], 5.0)
  local t = np.tile(a, 1)
  t["0, 0"] = 9
  equal(a["0, 0"], 5.0)
end)

test("a fit says which singular values it counted", function()
  local x, y = {0, 1, 2, 3}, {1, 3, 5, 7.5}
  equal((select(5, np.polyfit(x, y, 1, {full = true}))), 4 * 2.0^-52)
  equal((select(5, np.polyfit(x, y, 1, 0.5, true))), 0.5)
  equal((select(3, np.polyfit(x, y, 1, 0.5, true))), 1)
end)

tap.done()
