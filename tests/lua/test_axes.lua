-- SPDX-License-Identifier: Apache-2.0
-- Axes, orders and indices: the same of host arrays, jax's and the device's.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

test("what makes and shapes arrays takes names, too", function()
  equal(np.zeros({2}, {dtype = "f32"}).dtype, "f32")
  equal(np.ones({shape = {2, 1}, dtype = "i8"}).shape, {2, 1})
  equal(np.full({2}, {fill_value = 3}):tolist(), {3, 3})
  equal(np.full_like(np.ones(2), 3, {dtype = "u8", shape = {1}}):tolist(), {3})
  equal(np.array({1, 2}, {dtype = "f16"}).dtype, "f16")
  equal(np.asarray({1, 2}, {dtype = "f16"}).dtype, "f16")
  equal(np.ones(2):astype{dtype = "u8"}.dtype, "u8")
  equal(np.arange(3, {dtype = "f32"}).dtype, "f32")
  equal(np.arange(1, 8, {step = 3}):tolist(), {1, 4, 7})
  equal(np.arange{start = 1, stop = 3}:tolist(), {1, 2})
  local m = np.arange(6):reshape(2, 3)
  equal(np.concatenate({m, m}, {axis = 1, dtype = "f32"}).shape, {2, 6})
  equal(np.clip(m, {a_min = 1, a_max = 2}):tolist(), {{1, 1, 2}, {2, 2, 2}})
  equal(np.var(m, {correction = 1}), 3.5)
  for _, xp in ipairs{np, jnp} do
    local a = xp.asarray(m)
    equal(xp.transpose(a, {axes = {1, 0}}).shape, {3, 2})
    equal(xp.broadcast_to(a, {shape = {1, 2, 3}}).shape, {1, 2, 3})
    equal(xp.swapaxes(a, {axis1 = 0, axis2 = 1}).shape, {3, 2})
    equal(xp.full_like(a, {fill_value = 2}):tolist(), {{2, 2, 2}, {2, 2, 2}})
    equal(xp.fft.fft(a, {n = 4, axis = 0, norm = "ortho"}).real.shape, {4, 3})
  end
  raises("argument", "np.zeros: there is no argument named type",
    function() np.zeros({2}, {type = "f32"}) end)
  raises("argument", "full: argument 2 is missing: fill_value",
    function() np.full({2}) end)
end)

test("axes change places by numbers, too", function()
  local a = np.arange(24):reshape(2, 3, 4)
  for _, x in ipairs{a, jnp.array(a), cuda.to_device(a)} do
    equal(x:transpose(1, 0, 2).shape, {3, 2, 4})
    equal(x:transpose({2, 0, 1}).shape, {4, 2, 3})
  end
  equal(a:transpose(1, 0, 2)[2]:tolist(), a[":, 2"]:tolist())
  raises("argument", "transpose: 1 axes are named and the array has 3",
    function() np.transpose(a, 1) end)
  raises("argument", "transpose: axis 0 is named twice",
    function() a:transpose(0, 0, 1) end)
end)

test("one index for each axis, arrays among them", function()
  local a = np.arange(24):reshape(2, 3, 4)
  local rows, columns = np.array{{0}, {1}}, np.array{0, -1, 2}
  for _, x in ipairs{a, jnp.array(a)} do
    equal(x[{rows, 1, columns}]:tolist(), {{4, 7, 6}, {16, 19, 18}})
    equal(x[{":", columns, 0}]:tolist(), {{0, 8, 8}, {12, 20, 20}})
    -- Arrays with something between them come first.
    equal(x[{rows, ":", columns}].shape, {2, 3, 3})
    equal(x[{0, ":", columns}]:tolist(), x["0"].T[columns]:tolist())
    equal(x[{"..., None", columns}].shape, {2, 3, 1, 3})
    equal(x[{np.array{true, false}, "::-1"}]:tolist(), {x["0, ::-1"]:tolist()})
    equal(x[{0, np.array{true, false, true}, ":2"}]:tolist(), {{0, 1}, {8, 9}})
  end
  equal(a[{1, "2, 3"}], 23)
  equal(a[{np.array(1), 2, np.array(3)}], 23)
  local y = np.zeros({3, 4}, "i32")
  y[{np.array{0, 2}, np.array{1, 3}}] = 5
  y[{":", np.array{0}}] = {{7}, {8}, {9}}
  y[{1, "1:"}] = {1, 2, 3}
  equal(y:tolist(), {{7, 5, 0, 0}, {8, 1, 2, 3}, {9, 0, 0, 5}})
  y[{"::2", y[0]:gt(4)}] = np.array{{10, 11}, {12, 13}}
  equal(y:tolist(), {{10, 11, 0, 0}, {8, 1, 2, 3}, {12, 13, 0, 5}})
  raises("argument", "too many indices: the array has 2 axes, and 3",
    function() return y[{":", ":", columns}] end)
  raises("argument", "could not be broadcast together: (3,) and (2,)",
    function() return y[{columns, np.array{0, 1}}] end)
  raises("argument", "index 4 is out of bounds for axis 1",
    function() return y[{":", np.array{4}}] end)
  raises("argument", "a mask's axis of 2 elements does not fit axis 1",
    function() return y[{":", np.array{true, false}}] end)
  raises("argument", "type f64 cannot be an index",
    function() return y[{":", np.ones(2)}] end)
end)

test("elements go in Fortran's order where asked", function()
  local m = np.arange(6):reshape(2, 3)
  for _, x in ipairs{m, jnp.array(m)} do
    equal(x:ravel("F"):tolist(), {0, 3, 1, 4, 2, 5})
    equal(x:flatten{order = "F"}:tolist(), {0, 3, 1, 4, 2, 5})
    equal(x:reshape({3, 2}, "F"):tolist(), {{0, 4}, {3, 2}, {1, 5}})
    equal(x:reshape(3, -1, {order = "F"}):tolist(), {{0, 4}, {3, 2}, {1, 5}})
  end
  raises("argument", "ravel: the order is", function() m:ravel("G") end)
end)

tap.done()
