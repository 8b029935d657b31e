-- expect: exercises/no-loops
jax.config.update("jax_enable_x64", true)
local one = jax.vmap(function(row)
  local deviation = jnp.sqrt(jnp.mean((row - jnp.mean(row)) ^ 2))
  return {(row - jnp.mean(row)) / deviation, deviation}
end)
function standardize(x)
  local both = one(jnp.asarray(x))
  return both[1], both[2]
end
