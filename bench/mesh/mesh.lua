-- SPDX-License-Identifier: Apache-2.0
-- Programs over the devices of a mesh: warpshop run --device cuda:0
-- bench/mesh/mesh.lua [DEVICES [PART]]. Prints rows of name, value and unit;
-- mesh.py prints the same. With PART, sizes are divided by it.
local count = tonumber(arg[1]) or cuda.device_count()
local part = tonumber(arg[2]) or 1
local P, lax = jax.P, jax.lax
local mesh = jax.make_mesh({count}, {"i"})
jax.config.update("jax_default_matmul_precision", "tensorfloat32")

local function row(name, seconds)
  print(("warpshop %s on %d\t%.4g\tms"):format(name, count, seconds * 1e3))
end

local function laid(x, ...)
  return jax.device_put(x, jax.sharding.NamedSharding(mesh, P(...)))
end

local function settle(x)
  for _, y in ipairs(type(x) == "table" and x or {x}) do
    y:block_until_ready()
  end
end

-- Seconds of one of `calls` calls in a row: the best of five. state =
-- f(state); what it returned before is garbage.
local function seconds(f, state, calls)
  state = f(state)
  settle(state)
  local best = math.huge
  for _ = 1, 5 do
    local from = cuda.clock()
    for _ = 1, calls do state = f(state) end
    settle(state)
    best = math.min(best, (cuda.clock() - from) / calls)
  end
  return best, state
end

-- ---- A step of training, each device with its rows of the data ----

local function step()
  local rows, inner, outer = 65536 // part, 4096 // part, 1024 // part
  local key = jax.random.key(0)
  local keys = jax.random.split(key, 4)
  local x = laid(jax.random.normal(keys[0], {rows, outer}), "i")
  local y = laid(jax.random.normal(keys[1], {rows, outer}), "i")
  local w1 = laid(jax.random.normal(keys[2], {outer, inner}) / 32)
  local w2 = laid(jax.random.normal(keys[3], {inner, outer}) / 64)
  local function loss(a, b, some, want)
    local h = jnp.maximum(jnp.matmul(some, a), 0)
    return jnp.mean((jnp.matmul(h, b) - want) ^ 2)
  end
  -- a and b are whole on each device, so that their gradients are summed.
  local f = jax.jit(jax.shard_map(function(a, b, some, want)
    local da, db = table.unpack(jax.grad(loss, {argnums = {0, 1}})(a, b, some,
                                                                   want))
    return a - da * (0.1 / count), b - db * (0.1 / count)
  end, {mesh = mesh, in_specs = {P(), P(), P("i"), P("i")},
        out_specs = {P(), P()}}))
  local s, state = seconds(function(w) return {f(w[1], w[2], x, y)} end,
                           {w1, w2}, 10)
  row("training step", s)
  print(("# the weights' sums: %.6g %.6g"):format(
    jnp.sum(state[1] ^ 2):item(), jnp.sum(state[2] ^ 2):item()))
end

-- ---- x + x.T - x.mean(0), by rows ----

local function transposed()
  local n = 16384 // part
  local own = n // count
  local x = laid(jax.random.normal(jax.random.key(1), {n, n}), "i")
  local f
  if count == 1 then
    f = jax.jit(function(y) return y + y.T - jnp.mean(y, 0) end)
    x = jnp.asarray(x)
  else
    f = jax.jit(jax.shard_map(function(y)
      local cut = y:reshape{own, count, own}:transpose{1, 2, 0}
      local got = lax.all_to_all(cut, "i", 0, 0, {tiled = true})
      return y + got:transpose{1, 0, 2}:reshape{own, n} -
             lax.pmean(jnp.mean(y, 0), "i")
    end, {mesh = mesh, in_specs = {P("i")}, out_specs = P("i")}))
  end
  local y = f(x)
  print(("# a sum: %.6g"):format(jnp.sum(y * y):item()))
  y = nil
  row("x + x.T - mean", seconds(function() return f(x) end, y, 10))
end

step()
collectgarbage()
transposed()
