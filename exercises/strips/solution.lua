-- x, (n, m), lies on some devices in strips of n / devices rows. In a round
-- each row becomes the mean of three: the one above it, itself, and the one
-- below. Where there is none, above the first row of all and below the last,
-- the row itself counts twice. strips gives x after so many rounds.
-- Here the host plays all devices. Each runs round(part), and gets its
-- neighbours' edge rows by jax.lax.ppermute.
function strips(x, n, devices, rounds)
  local cpus = {}
  for k = 1, devices do cpus[k] = jax.devices()[1] end
  local mesh = jax.sharding.Mesh(cpus, "rows")
  local function round(part)
    -- BEGIN SOLUTION
    local down, up = {}, {}
    for k = 1, devices - 1 do
      down[k], up[k] = {k - 1, k}, {k, k - 1}
    end
    local here = jax.lax.axis_index("rows")
    local above = jax.lax.ppermute(part["-1:"], "rows", down)
    local below = jax.lax.ppermute(part[":1"], "rows", up)
    above = jnp.where(here:eq(0), part[":1"], above)
    below = jnp.where(here:eq(devices - 1), part["-1:"], below)
    -- END SOLUTION
    -- STARTER: local above, below = part[":1"], part["-1:"]
    local wide = jnp.concatenate{above, part, below}
    return (wide[":-2"] + wide["1:-1"] + wide["2:"]) / 3
  end
  local all = jax.shard_map(round, {
    mesh = mesh, in_specs = jax.P("rows"), out_specs = jax.P("rows"),
  })
  for _ = 1, rounds do x = all(x) end
  return x
end
