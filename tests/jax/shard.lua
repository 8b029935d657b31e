-- SPDX-License-Identifier: Apache-2.0
-- Programs over the devices of a mesh beside JAX's own values, errors and
-- printed forms (tests/fixtures/jax/shard/shard.py). Needs eight devices:
-- WARPSHOP_VIRTUAL_DEVICES=8. With TEXT only cases whose text contains it.
local tap = dofile("tests/lua/tap.lua")
local json = dofile("tests/jax/json.lua")
local lib = dofile("tests/jax/lib.lua")
local only = ...

jax.config.update("jax_default_matmul_precision", "highest")
local fixture = json.read("tests/fixtures/jax/shard/shard.json")
local arrays = {}
for i, packed in ipairs(fixture.arrays) do arrays[i] = lib.array(packed) end

-- ---- The names of the texts ----

local lax = jax.lax
local function mesh(sizes, names) return jax.make_mesh(sizes, names) end
local space = {
  jnp = jnp, jax = jax, lax = lax, nn = jax.nn, P = jax.P, mesh = mesh,
  M1 = mesh({8}, {"i"}), M2 = mesh({4, 2}, {"x", "y"}),
  M3 = mesh({2, 2, 2}, {"a", "b", "c"}),
  sharding = jax.sharding.NamedSharding, True = true, False = false,
  T = function(...)
    local list = {...}
    for i = 1, select("#", ...) do
      if list[i] == nil then list[i] = false end
    end
    return list
  end,
  part = function(s, shape) return s:shard_shape(shape) end,
}
function space.sm(f, in_specs, out_specs, on, check)
  return jax.shard_map(f, {mesh = on or space.M1, in_specs = in_specs,
                           out_specs = out_specs, check_vma = check})
end
function space.laid(x, on, ...)
  return jax.device_put(x, jax.sharding.NamedSharding(on, jax.P(...)))
end
function space.gather(x, name, axis, tiled)
  return lax.all_gather(x, name, {axis = axis, tiled = tiled})
end
function space.scatter(x, name, d, tiled)
  return lax.psum_scatter(x, name, {scatter_dimension = d, tiled = tiled})
end
function space.a2a(x, name, s, c, tiled)
  return lax.all_to_all(x, name, s, c, {tiled = tiled})
end
function space.pmap(f, name, i, o)
  if o == nil then o = 0 end
  return jax.pmap(f, {axis_name = name or "i", in_axes = i, out_axes = o})
end
function space.scan(f, c, xs)
  local last, ys = lax.scan(function(...)
    return table.unpack(f(...))
  end, c, xs)
  return {last, ys}
end
function space.total(pair)
  return jnp.sum(jnp.sin(pair[1])) + jnp.sum(pair[2] ^ 2)
end
function space.vary(x, name) return lax.pcast(x, name, {to = "varying"}) end
function space.vjp(f, x, ct)
  local _, back = jax.vjp(f, x)
  return back(ct)
end

-- [x | x + 1 |] is a function.
local function lua_of(text)
  text = text:gsub(",%)", ")"):gsub("None", "false")
  local count
  repeat
    text, count = text:gsub("%[([%w, ]*)| ([^%[%]]-) |%]",
                            "function(%1) return %2 end")
  until count == 0
  return (text:gsub("P%(false%)", "P(nil)"))
end

local function function_of(row)
  local names = lib.sorted_names(row.args)
  local code = ("return function(%s) return %s end"):format(
    table.concat(names, ", "), lua_of(row.text))
  local f = assert(load(code, "=" .. row.text, "t", space))()
  local args = {}
  for i, name in ipairs(names) do
    args[i] = jnp.array(arrays[row.args[name] + 1])
  end
  return f, args
end

-- ---- Values ----

local function check(row, f, args)
  local want, got = {}, lib.leaves{f(table.unpack(args))}
  for i, n in ipairs(row.want) do want[i] = arrays[n + 1] end
  tap.equal(#got, #want, "results")
  for i, x in ipairs(got) do
    lib.check_values(x, want[i], lib.tolerance(row.tol), row, i)
    lib.check_type(x, want[i])
  end
end

local function is_wanted(row)
  return not only or row.text:find(only, 1, true)
end

for _, row in ipairs(fixture.cases) do
  if is_wanted(row) then
    tap.test(row.text, function() check(row, function_of(row)) end)
    tap.test(row.text .. ": jitted", function()
      local f, args = function_of(row)
      f = jax.jit(f)
      check(row, f, args)
      check(row, f, args) -- without being traced
    end)
  end
end

for _, row in ipairs(fixture.texts) do
  if is_wanted(row) then
    tap.test("printed: " .. row.text, function()
      local f, args = function_of(row)
      local got = tostring(f(table.unpack(args)))
      if got == "true" or got == "false" then
        got = got:gsub("^%l", string.upper)
      end
      tap.equal(got, row.want)
    end)
  end
end

-- ---- Errors ----

for _, row in ipairs(fixture.errors) do
  if is_wanted(row) then
    tap.test("refused: " .. row.text, function()
      local f, args = function_of(row)
      local ok, e = pcall(f, table.unpack(args))
      tap.equal(ok, false)
      local said = tostring(e):gsub("%s+", " ")
      for _, word in ipairs{row.name, table.unpack(row.words)} do
        if not said:find(word, 1, true) then
          error(("%q is not in: %s"):format(word, said), 0)
        end
      end
    end)
  end
end

-- ---- What JAX says otherwise, or not at all ----

if only then return tap.done() end
local equal, raises = tap.equal, tap.raises
local P, NamedSharding = jax.P, jax.sharding.NamedSharding

local function over_i(f, in_specs, out_specs, more)
  local options = {mesh = space.M1, in_specs = in_specs, out_specs = out_specs}
  for k, v in pairs(more or {}) do options[k] = v end
  return jax.shard_map(f, options)
end

tap.test("an array laid over a mesh has its parts on the devices", function()
  local x = jnp.arange(32, "f32"):reshape(8, 4)
  local a = jax.device_put(x, NamedSharding(space.M2, P("x", "y")))
  local shards = a.addressable_shards
  equal(#shards, 8)
  for r, s in ipairs(shards) do
    equal({s.device.id, s.data.device, s.replica_id},
          {r - 1, "virtual:" .. r - 1, 0})
    equal(s.data:tolist(), x[s.index]:tolist())
  end
  local b = jax.device_put(x, NamedSharding(space.M2, P(nil, "y")))
  local copies = {}
  for r, s in ipairs(b.addressable_shards) do copies[r] = s.replica_id end
  equal(copies, {0, 0, 1, 1, 2, 2, 3, 3})
  equal({#x.addressable_shards, tostring(x.sharding)},
        {1, "SingleDeviceSharding(device=VirtualDevice(id=0))"})
  equal(a.sharding == NamedSharding(space.M2, P("x", "y")), true)
  equal(a.sharding == b.sharding, false)
  equal(NamedSharding(space.M2, P("x")) ==
        NamedSharding(space.M2, P("x", nil)), true)
  local one = jax.sharding.SingleDeviceSharding(jax.devices()[3])
  equal(jax.device_put(x, one).device, "virtual:2")
end)

tap.test("parts that are there are taken as they are", function()
  local a = jax.device_put(jnp.arange(64, "f32"),
                           NamedSharding(space.M1, P("i")))
  local f = over_i(function(x) return x * 2 end, P("i"), P("i"))
  f(a)
  local calls = cuda.calls(function() f(f(a)) end)
  local parted = cuda.calls(function() f(jnp.arange(64, "f32")) end)
  -- 256 bytes whole for each result; no part goes to a device again.
  equal(calls.bytes_to_device, 2 * 256)
  equal(parted.bytes_to_device > 256, true)
end)

-- Device d of 8 has column d, or rows 2 d and 2 d + 1, and counts d + 1 times.
tap.test("what is gathered or scattered along axis 1 goes back", function()
  local weights = jnp.arange(1, 17, "f32"):reshape(2, 8)
  local function times() return (lax.axis_index("i") + 1):astype("f32") end
  local function gradient(f, in_specs, shape)
    local total = over_i(function(x)
      return lax.psum(jnp.sum(f(x) * times()), "i")
    end, in_specs, P())
    return np.asarray(jax.grad(total)(jnp.ones(shape, "f32"))):tolist()
  end
  local want = (np.asarray(weights) * 36):tolist() -- 1 + 2 + ... + 8
  equal(gradient(function(x)
    return space.gather(x, "i", 1, true) * weights
  end, P(nil, "i"), {2, 8}), want)
  equal(gradient(function(x)
    return space.gather(x[":, 0"], "i", 1, false) * weights
  end, P(nil, "i"), {2, 8}), want)
  -- Column d of the sum of all comes to device d.
  local column = jnp.array({{1}, {10}}, "f32")
  local row = {}
  for d = 1, 8 do row[d] = d end
  local rows = {}
  for d = 1, 8 do
    rows[2 * d - 1], rows[2 * d] = row, (np.array(row, "f32") * 10):tolist()
  end
  equal(gradient(function(x)
    return space.scatter(x, "i", 1, true) * column
  end, P("i"), {16, 8}), rows)
  equal(gradient(function(x)
    return space.scatter(x, "i", 1, false) * column[":, 0"]
  end, P("i"), {16, 8}), rows)
end)

tap.test("each device computes its own part", function()
  local seen = {}
  local y = over_i(function(x) return x + 1 end, P("i"), P("i"))(jnp.arange(8))
  for r, s in ipairs(y.addressable_shards) do
    seen[r] = s.data.device .. " " .. s.data:tolist()[1]
  end
  equal(seen, {"virtual:0 1", "virtual:1 2", "virtual:2 3", "virtual:3 4",
               "virtual:4 5", "virtual:5 6", "virtual:6 7", "virtual:7 8"})
  equal({y.device, cuda.device().id}, {"virtual:0", "virtual:0"})
end)

tap.test("sums go in the order of the devices", function()
  local x = jnp.array({1e8, 1, -1e8, 3, 0, 1e8, -1e8, 1}, "f32")
  local f = over_i(function(v) return jax.lax.psum(v, "i") end, P("i"), P())
  equal(f(x):tolist(), {1}) -- the 3 is lost beside 1e8, the last 1 is not
  equal(f(jax.lax.rev(x, {0})):tolist(), {0})
end)

tap.test("devices that go apart are an error", function()
  local f = over_i(function(x)
    return jax.lax.while_loop(function(c) return jnp.less(c[0], 3) end,
      function(c) return c + 1 + 0 * jax.lax.psum(c, "i") end, x)
  end, P("i"), P("i"), {check_vma = false})
  raises("launch", "rank 0 waits in psum, and rank 3 has come to its end",
         function() f(jnp.arange(8)) end)
  local g = over_i(function(x)
    return jax.lax.cond(jnp.less(jax.lax.axis_index("i"), 4),
      function(v) return jax.lax.psum(v, "i") end,
      function(v) return jax.lax.pmax(v, "i") end, x)
  end, P("i"), P("i"), {check_vma = false})
  raises("launch", "rank 0 waits in psum, and rank 4 in pmax", function()
    g(jnp.arange(8))
  end)
  local same = over_i(function(x) return x end, P("i"), P("i"))
  equal(same(jnp.arange(8)):tolist(), {0, 1, 2, 3, 4, 5, 6, 7})
end)

tap.test("what other devices had queued is over when one gives up", function()
  local calls = 0
  local function bad(x)
    calls = calls + 1
    if calls == 2 then error("rank 1 gives up", 0) end
    local past_end = cuda.module[[
      extern "C" __global__ void past_end(float *x) { x[1 << 20] = 1; }
    ]].past_end
    past_end[{1, 1}](cuda.device_array(4, "f32"))
    return x
  end
  local f = over_i(function(x)
    return jax.pure_callback(bad, jax.ShapeDtypeStruct({1}, "f32"), x)
  end, P("i"), P("i"))
  local ok, e = pcall(f, jnp.arange(8, "f32"))
  equal({ok, e}, {false, "rank 1 gives up"})
  cuda.synchronize() -- rank 0's device: its kernel failed, and nobody asks
end)

tap.test("options and arguments that are none", function()
  local function same(x) return x end
  local o = {mesh = space.M1, in_specs = P("i"), out_specs = P("i")}
  local function refused(words, f)
    raises("argument", words, f)
  end
  refused("jax.shard_map(f, {mesh = ...}), not a jax.sharding.Mesh",
          function() jax.shard_map(same, space.M1) end)
  for _, half in ipairs{space.M1, P("i")} do
    refused("takes jax.sharding.NamedSharding(mesh, jax.P(...)): a mesh or a",
            function() jax.device_put(jnp.arange(8), half) end)
  end
  refused("the options of vmap are a table, jax.vmap(f, {in_axes = ...}), not",
          function() jax.vmap(same, space.M1) end)
  refused("jax.sharding.Mesh(devices, names, {axis_types = ...}), not the num",
          function() jax.sharding.Mesh(jax.devices(), {"i"}, 3) end)
  refused("make_mesh has no option device; did you mean devices?",
          function() jax.make_mesh({8}, {"i"}, {device = {}}) end)
  refused("make_mesh: devices is a list of devices, such as jax.devices()",
          function() jax.make_mesh({8}, {"i"}, {devices = 8}) end)
  refused("pmap: devices is a list of devices, such as jax.devices()",
          function() jax.pmap(same, {devices = {0, 1}}) end)
  refused("shard_map: an argument is nil",
          function() jax.shard_map(same, o)(nil, jnp.ones(8)) end)
  refused("pmap: an argument is nil",
          function() jax.pmap(same)(nil, jnp.ones(8)) end)
  o.axis_names = 3
  refused("axis_names is a list of the names of the mesh's axes, not the num",
          function() jax.shard_map(same, o) end)
  o.axis_names = "i" -- as {"i"}
  equal(jax.shard_map(same, o)(jnp.arange(8)):tolist()[8], 7)
end)

tap.test("what is not there says so", function()
  local x = jnp.arange(8)
  raises("unsupported", "axis type Explicit; all axes are Auto", function()
    jax.make_mesh({8}, {"i"},
                  {axis_types = {jax.sharding.AxisType.Explicit}})
  end)
  equal(jax.make_mesh({8}, {"i"}, {axis_types = {"Auto"}}) == space.M1, true)
  raises("unsupported", "a shard_map or pmap inside of another", function()
    over_i(function(v)
      return over_i(function(u) return u end, P("i"), P("i"))(v)
    end, P("i"), P("i"))(x)
  end)
  raises("unsupported", "axis_names leaves axes of the mesh out", function()
    jax.shard_map(function(v) return v end,
                  {mesh = space.M2, in_specs = P(), out_specs = P(),
                   axis_names = {"x"}})
  end)
  raises("argument", "requires 9 logical devices, but only 8", function()
    jax.pmap(function(v) return v end)(jnp.arange(9))
  end)
end)

-- As a submission does, whose jax is on the host.
tap.test("the host plays several devices", function()
  local before = jax.config.jax_platforms
  jax.config.update("jax_platforms", "cpu")
  local ok, e = pcall(function()
    local x, cpu = jnp.arange(4), jax.devices()[1]
    local function summed(v) return jax.lax.psum(v, "i") end
    raises("argument", "jax.sharding.Mesh({cpu, cpu}, names)",
           function() jax.make_mesh({2}, {"i"}) end)
    local of_cpus = jax.sharding.Mesh({cpu, cpu}, "i")
    equal(jax.shard_map(summed, {mesh = of_cpus, in_specs = P("i"),
                                 out_specs = P()})(x):tolist(), {2, 4})
    raises("argument", "pmap(f, {devices = {cpu, cpu}})", function()
      jax.pmap(summed, {axis_name = "i"})(x:reshape(2, 2))
    end)
    local mapped = jax.pmap(summed, {axis_name = "i", devices = {cpu, cpu}})
    equal(mapped(x:reshape(2, 2)):tolist(), {{2, 4}, {2, 4}})
  end)
  jax.config.update("jax_platforms", before)
  if not ok then error(e, 0) end
end)

tap.test("printed values come from every device", function()
  local said, real = {}, print
  print = function(text) said[#said + 1] = text end -- luacheck: ignore
  local ok, e = pcall(over_i(function(x)
    jax.debug.print("{}", x)
    return x
  end, P("i"), P("i")), jnp.arange(8))
  print = real -- luacheck: ignore
  if not ok then error(e, 0) end
  equal(said, {"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]"})
end)

return tap.done()
