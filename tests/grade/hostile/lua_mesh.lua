-- expect: exercises/no-loops timeout "cost"
-- A program on a mesh of the host runs in coroutines: what it does there counts.
function standardize(x)
  local mesh = jax.sharding.Mesh({jax.devices()[1]}, "i")
  local square = jax.shard_map(function(part) return jnp.matmul(part, part) end,
    {mesh = mesh, in_specs = jax.P("i"), out_specs = jax.P("i")})
  return square(jnp.ones({700, 700})), 1
end
