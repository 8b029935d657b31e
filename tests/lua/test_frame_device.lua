-- SPDX-License-Identifier: Apache-2.0
-- frame on the device in use: columns stay there, and do not mix with others.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local function people()
  return frame.DataFrame{{"name", {"b", "a", "b", frame.NA}},
    {"x", {1, 2, 3, 4}}, {"y", {1.5, frame.NA, 2.5, 1}}}
end

test("columns stay on the device", function()
  local here = people()
  local df = here:to_device()
  local id = df.device
  equal(id ~= "host", true)
  equal(here.device, "host")
  df.z = df.x * 2 + df.y
  df.one = 1
  equal({df.z.device, df.one.device}, {id, id})
  local few = df[df.x:gt(1) & df.name:eq("b")]
  equal(few.device, id)
  equal(few.x:tolist(), {3})
  equal(df:sort_values("y"):head(2).device, id)
  equal(df:groupby("name").x:max().device, id)
  equal(df:merge(df, {on = "name"}).device, id)
  equal(df:to_host().device, "host")
  equal(tostring(df), tostring(df:to_host()))
end)

test("rows and groups stay there, and numbers alone come home", function()
  local n = 4000
  local df = frame.DataFrame{{"k", np.arange(n) % 7},
    {"x", np.arange(n) % 13 * 1.5}}:to_device()
  local days = frame.DataFrame{{"k", np.arange(7)},
    {"day", np.arange(7) * 2}}:to_device()
  local mask = df.x:gt(6)
  for what, f in pairs{
    filter = function() return df[mask] end,
    order = function() return df:sort_values("x") end,
    group = function() return df:groupby("k").x:mean() end,
    sum = function() return df.x:sum() end,
    merge = function() return df:merge(days, {on = "k"}) end,
    astype = function() return df.k:astype("f64"), mask:astype("i64") end,
  } do
    local moved = cuda.calls(f)
    local bytes = moved.bytes_to_host + moved.bytes_to_device
    equal(bytes < 200, true, what .. ": " .. bytes)
  end
  equal(df[mask].x:tolist(), df:to_host()[mask:to_host()].x:tolist())
  equal(#df[df.x:gt(100)], 0)
  equal(df.k:astype("i64").dtype, "i64")
end)

test("a file's columns on the device", function()
  local path = os.tmpname()
  people():to_csv(path, {index = false})
  equal(frame.read_csv(path, {device = true}).device ~= "host", true)
  raises("argument", "device = true puts the columns on the device in use",
    function() frame.read_csv(path, {device = "gpu"}) end)
  os.remove(path)
end)

test("host and device do not mix", function()
  local here = people()
  local there = here:to_device()
  for what, f in pairs{
    ["+"] = function() return here.x + there.x end,
    concat = function() return frame.concat({here, there}) end,
    merge = function() return here:merge(there, {on = "name"}) end,
  } do
    local e = raises("argument", "df:to_host() brings them together", f)
    equal(e.message:find(what, 1, true) ~= nil, true, e.message)
  end
end)

test("a function of agg's may yield", function()
  local gb = people():to_device():groupby("name", {as_index = false})
  local run = coroutine.wrap(function()
    return gb[{"x"}]:agg(function(x)
      coroutine.yield("out")
      return x:sum()
    end)
  end)
  local last, outs = run(), 0
  while last == "out" do last, outs = run(), outs + 1 end
  equal({outs, last.x:tolist()}, {2, {2, 4}})
end)

-- The host has the texts, and so their order: no key is sorted on the device.
test("groups of texts stand in the order of the texts", function()
  local df = frame.DataFrame{{"name", {"Zoë", "Ann", frame.NA, "bob", "Ann",
                                       "Zoë"}},
    {"x", np.arange(6) * 1.0}}
  local there = df:to_device()
  there:groupby("name")
  local moved = cuda.calls(function() there:groupby("name") end)
  equal(moved.launches <= 3, true, "launches: " .. moved.launches)
  for _, f in ipairs{"mean", "count", "first"} do
    local want, got = df:groupby("name"), there:groupby("name")
    equal(tostring(got[f](got):to_host()), tostring(want[f](want)))
  end
  equal(tostring(there:groupby{"name", "x"}:sum():to_host()),
        tostring(df:groupby{"name", "x"}:sum()))
  equal(#there[there.x:gt(9)]:groupby("name"), 0)
end)

test("many rows", function()
  local n = 20000
  local k = np.arange(n) * 7919 % 500
  local df = frame.DataFrame{k = k, v = np.arange(n) * 1.5}
  local want, got = df:groupby("k").v, df:to_device():groupby("k").v
  for _, f in ipairs{"sum", "min", "max", "median", "std", "count", "first"} do
    local a, b = want[f](want):to_numpy(), got[f](got):to_host():to_numpy()
    np.testing.assert_allclose(b, a, {rtol = 1e-12})
  end
end)

tap.done()
