-- SPDX-License-Identifier: Apache-2.0
-- np's functions of device arrays give device arrays, with NumPy's types.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local x = np.reshape(np.arange(12, "f64"), {3, 4}) / 3
local dx = cuda.to_device(x)

local function same(got, want)
  equal(got.device ~= "host", true)
  local host = got:copy_to_host()
  equal(host.dtype, want.dtype)
  np.testing.assert_allclose(host, want, 1e-14)
end

test("operators and elementwise functions", function()
  same(dx + dx, x + x)
  same(dx * 2, x * 2)
  same(1 - dx, 1 - x)
  same(-dx, -x)
  same(dx ^ 2, x ^ 2)
  same(np.sin(dx), np.sin(x))
  same(np.maximum(dx, 1.5), np.maximum(x, 1.5))
  same(dx:gt(1), x:gt(1))
  same(np.where(dx:gt(1), dx, 0.5), np.where(x:gt(1), x, 0.5))
end)

test("types are NumPy's", function()
  local i = np.array({1, 2, 3}, "i64")
  same(cuda.to_device(i) + 1, i + 1)
  same(cuda.to_device(np.array({1, 2}, "f32")) * 2.5, np.array({2.5, 5}, "f32"))
  equal((np.add(cuda.to_device(i), cuda.to_device(np.array({.5, 1, 2})))).dtype,
        "f64")
end)

test("integers become what they are on the host", function()
  for _, t in ipairs{"bool", "i8", "u8", "i16", "i32", "u32", "i64", "u64"} do
    local a = np.array({{3, 1, 0}, {5, 7, 100}}):astype(t)
    local d = cuda.to_device(a)
    for _, name in ipairs{"sqrt", "sin", "exp", "log1p", "arctan", "sinc"} do
      equal(np[name](d).dtype, np[name](a).dtype, name .. " " .. t)
    end
    for _, name in ipairs{"mean", "var", "std", "median", "cumsum", "cumprod",
                          "sum", "argsort", "argmax", "average", "sort"} do
      local got, want = np[name](d, 1), np[name](a, 1)
      equal(got.dtype, want.dtype, name .. " " .. t)
      np.testing.assert_allclose(got:copy_to_host(), want, 1e-12)
    end
    for _, name in ipairs{"divide", "arctan2", "hypot", "logaddexp",
                          "float_power", "copysign", "heaviside"} do
      equal(np[name](d, d).dtype, np[name](a, a).dtype, name .. " " .. t)
    end
  end
  local a, d = np.array({7, -7}, "i32"), cuda.to_device(np.zeros(2, "i32"))
  same(np.floor_divide(cuda.to_device(a), d), np.zeros(2, "i32"))
  same(np.copysign(dx, -1.0), np.copysign(x, -1.0))
  same(np.signbit(-dx), np.signbit(-x))
  equal(jnp.mean(jnp.array(a)).dtype, "f32")
  equal(jnp.sqrt(jnp.array(a)).dtype, "f32")
end)

test("reductions, products, joining", function()
  same(np.sum(dx, 0), np.sum(x, 0))
  same(np.max(dx, 1), np.max(x, 1))
  same(dx:mean(1), x:mean(1))
  same(np.matmul(dx, np.transpose(dx)), np.matmul(x, np.transpose(x)))
  same(np.concatenate({dx, dx}, 1), np.concatenate({x, x}, 1))
  same(np.zeros_like(dx), np.zeros_like(x))
end)

test("views of device arrays", function()
  same(dx["1:, ::2"] + 1, x["1:, ::2"] + 1)
  same(np.transpose(dx) * 2, np.transpose(x) * 2)
  same(np.exp(dx["::-1"]), np.exp(x["::-1"]))
  local part = np.reshape(dx, {4, 3})
  equal(part.device, dx.device)
  same(np.sum(part, 0), np.sum(np.reshape(x, {4, 3}), 0))
end)

test("several quantiles have the shape in which they are asked for", function()
  local a = np.array{{3, 1, 4}, {1, 5, 9}}
  local q = {{0.25, 0.5}, {0.75, 1.0}}
  same(np.quantile(cuda.to_device(a), q, 1), np.quantile(a, q, 1))
  same(np.percentile(cuda.to_device(a), {{50}}), np.percentile(a, {{50}}))
end)

test("what leads to the ends of a padded array is computed in f64", function()
  local a = np.array{1, 2, 3.5}
  same(np.pad(cuda.to_device(a), 3, "linear_ramp"),
       np.pad(a, 3, "linear_ramp"))
end)

test("positions and counts are i64, covariances f64", function()
  local a = np.array({{3, 0, 1}, {3, 2, 0}}, "f32")
  local d = cuda.to_device(a)
  local di, dj = np.nonzero(d)
  local i, j = np.nonzero(a)
  same(di, i)
  same(dj, j)
  local _, at = np.unique(d, {return_index = true})
  same(at, (select(2, np.unique(a, {return_index = true}))))
  same(np.bincount(cuda.to_device(np.array{0, 2, 2})), np.array{1, 0, 2})
  same((np.histogram(d, 3)), (np.histogram(a, 3)))
  local w = np.array({1, 2, 3, 4, 5, 6}, "f32")
  same((np.histogram(d, 3, {0, 3}, true)), (np.histogram(a, 3, {0, 3}, true)))
  same((np.histogram(d, 3, {0, 3}, false, cuda.to_device(w))),
       (np.histogram(a, 3, {0, 3}, false, w)))
  same((np.histogram(d, 3, {weights = cuda.to_device(w)})),
       (np.histogram(a, 3, {weights = w})))
  same((np.histogram(d, 3, {})), (np.histogram(a, 3)))
  same((np.histogram(d, {range = {0, 2}, density = true})),
       (np.histogram(a, {range = {0, 2}, density = true})))
  same(np.cov(d), np.cov(a))
end)

test("views that no strides describe are copied there", function()
  same(dx.T:reshape(12), x.T:reshape(12))
  same(np.ravel(dx["::-1"]), np.ravel(x["::-1"]))
  same(dx:ravel("F"), x:ravel("F"))
  same(np.reshape(dx.T, {2, 6}, "F"), np.reshape(x.T, {2, 6}, "F"))
end)

test("masks and places select on the device", function()
  local rows, columns = np.array({2, 0, -1}, "i32"), np.array{{1}, {3}}
  same(dx[dx:gt(1)], x[x:gt(1)])
  same(dx[x:gt(1)], x[x:gt(1)])
  same(dx[np.array{true, false, true}], x[np.array{true, false, true}])
  same(dx[rows], x[rows])
  same(dx[cuda.to_device(rows)], x[rows])
  same(dx[{2, 0}], x[{2, 0}])
  same(dx.T[rows], x.T[rows])
  same(dx[{":", columns}], x[{":", columns}])
  same(dx[{rows, "::-1"}], x[{rows, "::-1"}])
  same(dx[{1, "1:"}], x[{1, "1:"}])
  for _, t in ipairs{"f32", "i64", "u8", "bool"} do
    same(dx:astype(t)[rows], x:astype(t)[rows])
  end
  raises("argument", "index 3 is out of bounds for axis 0 with size 3",
    function() return dx[np.array{0, 3}] end)
  raises("argument", "index 4 is out of bounds for axis 1",
    function() return dx[{":", np.array{4}}] end)
end)

test("elements of device arrays are assigned", function()
  local y, dy = x:copy(), cuda.to_device(x)
  local function both(key, value, device_value)
    y[key] = value
    dy[key] = device_value or value
    same(dy, y)
  end
  both(0, 5)
  both("1, 2", -1)
  both("::2, 1:3", 0.5)
  both("-1", x[0], dx[0])
  both({2, 0}, 7)
  both({":", np.array{0, 3}}, 9)
  both(y:gt(6), 1)
  dy[dy:lt(1)], y[y:lt(1)] = 0, 0
  same(dy, y)
  both("1", {4, 3, 2, 1})
  local bytes, whole = np.arange(5, "u8"), cuda.to_device(np.arange(5, "u8"))
  bytes["1:3"] = 200
  whole["1:3"] = 200
  same(whole, bytes)
  whole[4] = 3
  equal(whole:tolist()[5], 3)
  raises("argument", "out of bounds", function() dy[3] = 1 end)
  raises("argument", "out of bounds", function() dy["0, 4"] = 1 end)
  raises("argument", "out of bounds", function() dy[np.array{0, 5}] = 1 end)
  raises("argument", "out of bounds", function() dy[{0, np.array{5}}] = 1 end)
  raises("argument", "the value lives on the host", function()
    dy[0] = x[0]
  end)
  raises("argument", "is part of every array", function() dy.shape = 3 end)
  same(dy, y)
end)

test("an assignment is NumPy's for every form of index", function()
  local h = np.arange(24, "i16"):reshape{2, 3, 4}
  local d = cuda.to_device(h)
  local places = {
    {0, "::2", np.array{1, 3}}, {":", np.array{0, 2}, 1},
    {np.array{0, 1}, ":", np.array{{0}, {1}}}, "..., None, 1", "::-1, 2",
    {"None", np.array{1}}, {1, 1, -1}, {":", np.array{0, -1}, "1:3"},
  }
  for n, key in ipairs(places) do
    h[key] = -n
    d[key] = -n
    same(d, h)
  end
  for _, key in ipairs{np.array{{0, 0, 0}, {1, 0, 1}}, h[0]:gt(4)} do
    local row, device_row = h[0]:copy(), cuda.to_device(h[0]:copy())
    local part = np.asarray(row[key] * 0 + 7)
    row[key], device_row[key] = part, cuda.to_device(part)
    same(device_row, row)
  end
  local v, dv = np.arange(5, "f32"), cuda.to_device(np.arange(5, "f32"))
  v[{1, 3, 1}], dv[{1, 3, 1}] = {7, 8, 9}, {7, 8, 9} -- the last one counts
  same(dv, v)
  v["1:"], dv["1:"] = v[":-1"], dv[":-1"] -- what was there before
  same(dv, v)
  v["::-1"], dv["::-1"] = v, dv
  same(dv, v)
  v["1:3"], dv["1:3"] = 2, cuda.to_device(np.array({2, 2}, "i64"))
  same(dv, v)
  dv["0:0"], dv[v:gt(100)] = 3, 3
  same(dv, v)
  raises("argument", "shape (2,) does not fit into shape (3, 4)", function()
    d[0] = {1, 2}
  end)
  raises("argument", "300000 does not fit", function() d[0] = 300000 end)
  raises("argument", "nil cannot be stored", function() d[0] = nil end)
end)

-- Nothing but what is assigned is read or written, so that elements that
-- nothing wrote stay undefined.
test("an assignment costs what is assigned", function()
  local before = cuda.device().id
  cuda.select("virtual:0") -- which counts launches with any parameters
  local n = 1 << 20
  local y = cuda.device_array(n, "f32")
  local function written(key, value)
    return cuda.profile(function() y[key] = value end).global_store_bytes
  end
  equal(written(1, 3), 4)
  equal(written("64:128", 2), 64 * 4)
  equal(written({5, 7, 9}, 1), 3 * 4)
  equal(written({np.array{n - 1}}, 4), 4)
  equal(written("128:160", y["64:96"]), 2 * 32 * 4) -- y's own are saved first
  same(y[{1, 5, 64, 159, n - 1}], np.array({3, 1, 2, 2, 4}, "f32"))
  if cuda.device().id:find("virtual") then
    for _, part in ipairs{"0:2", "4:6", "127:161", "-2:"} do
      raises("uninitialised", "before anything wrote it", function()
        return np.sum(y[part]):copy_to_host()
      end)
      y = cuda.device_array(n, "f32")
      y[1], y[5], y["128:160"], y[-1] = 1, 1, 1, 1
    end
  end
  cuda.select(before)
end)

test("a result can be written to", function()
  local y = dx + 0
  y:fill(7)
  same(y, np.full({3, 4}, 7, "f64"))
  same(dx, x)
end)

test("a host and a device array together", function()
  local e = raises("argument", "x lives on the host and dx on", function()
    return x + dx
  end)
  equal(e.message:find("cuda.to_device(x)", 1, true) ~= nil, true)
  raises("argument", "np.add", function() return np.add(dx, x) end)
  raises("argument", "np.concatenate", function()
    return np.concatenate({dx, x})
  end)
end)

test("jax's settings stay", function()
  equal(jnp.array({1.5}).dtype, "f32")
  raises("argument", "add", function()
    return dx + cuda.to_device(np.ones(5))
  end)
  equal(jnp.array({1.5}).dtype, "f32")
end)

test("one number of the device's, and all as a table", function()
  equal(np.sum(cuda.to_device(np.arange(4))):item(), 6)
  equal(dx:sum():item(), x:sum())
  equal(cuda.to_device(np.arange(4):reshape(2, 2)):tolist(), {{0, 1}, {2, 3}})
  raises("argument", "only one can become a number", function() dx:item() end)
  raises("argument", "copy the array first: dx:copy_to_host()", function()
    return dx["0, 1"]
  end)
end)

tap.done()
