-- expect: exercises/no-loops crash not "verdict": "pass"
-- Nothing starts a device's server from here.
function standardize(x)
  jax.config.update("jax_platforms", "cuda")
  local z = jax.jit(function(v) return v + 1 end)(jnp.ones(3))
  return z, z
end
