-- SPDX-License-Identifier: Apache-2.0
-- The same scripts on 1, 2, 4 and 8 virtual GPUs: chunks on devices, and
-- programs of jax over a mesh of them. Needs eight: WARPSHOP_VIRTUAL_DEVICES=8.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local counts = {1, 2, 4, 8}

-- The bytes of what each count of devices gives are those of the first.
local function same_on_all(name, script)
  test(name, function()
    local want
    for _, n in ipairs(counts) do
      local got = script(n)
      equal(got.device, "host")
      want = want or got
      equal({n, got.dtype, got.shape, np.array_equal(got, want)},
            {n, want.dtype, want.shape, true})
    end
  end)
end

-- With a client whose tasks must have run at n places.
local function on_devices(n, array)
  local c = scale.Client{devices = n}
  local places, seen = 0, {}
  for _, t in ipairs(array:graph():tasks()) do
    if not seen[t.place] then seen[t.place], places = true, places + 1 end
  end
  equal(places, n)
  local out = np.asarray(array:compute())
  c:close()
  return out
end

same_on_all("x + x.T - x.mean(0) in chunks", function(n)
  local x = scale.array(np.random.default_rng(3):random{48, 48}, {chunks = 6})
  return on_devices(n, x + x.T - x:mean(0))
end)

same_on_all("a product of matrices in chunks", function(n)
  local r = np.random.default_rng(4)
  local x = scale.array(r:random({32, 40}, "f32"), {chunks = {4, 10}})
  local y = scale.array(r:random({40, 16}, "f32"), {chunks = {8, 16}})
  return on_devices(n, scale.matmul(x, y))
end)

same_on_all("a function of each chunk", function(n)
  local x = scale.array(np.arange(64, "f64"), {chunks = 8})
  return on_devices(n, x:map_blocks(function(c) return c * c + 1 end))
end)

local P = jax.sharding.PartitionSpec

same_on_all("jax: a sharded program of elements and rows", function(n)
  local devices = {}
  for i = 1, n do devices[i] = jax.devices()[i] end
  local mesh = jax.make_mesh({n}, {"i"}, {devices = devices})
  local x = jnp.asarray(np.random.default_rng(5):random({16, 24}, "f32"))
  local f = jax.shard_map(function(a)
    return jnp.tanh(a) * 2 + jnp.sum(a, 1, {keepdims = true})
  end, {mesh = mesh, in_specs = P("i"), out_specs = P("i")})
  return np.array(f(x))
end)

same_on_all("jax: psum of whole numbers", function(n)
  local devices = {}
  for i = 1, n do devices[i] = jax.devices()[i] end
  local mesh = jax.make_mesh({n}, {"i"}, {devices = devices})
  local x = jnp.asarray(np.arange(64, "i32"):reshape{16, 4})
  local f = jax.shard_map(function(a)
    return jax.lax.psum(jnp.sum(a, 0), "i")
  end, {mesh = mesh, in_specs = P("i"), out_specs = P()})
  return np.array(f(x))
end)

tap.done()
