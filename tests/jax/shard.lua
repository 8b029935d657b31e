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

return tap.done()
