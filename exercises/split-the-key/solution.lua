-- doubles(seed, n) throws two dice n times and counts how often both show the
-- same, and how often they show ten or more together: about n / 6 times each.
-- The starter counts n of n and n / 3: why?
function doubles(seed, n)
  local key = jax.random.key(seed)
  -- BEGIN SOLUTION
  local k1, k2 = table.unpack(jax.random.split(key))
  local a = jax.random.randint(k1, {n}, 1, 7)
  local b = jax.random.randint(k2, {n}, 1, 7)
  -- END SOLUTION
  -- STARTER: local a = jax.random.randint(key, {n}, 1, 7)
  -- STARTER: local b = jax.random.randint(key, {n}, 1, 7)
  return jnp.sum(a:eq(b)), jnp.sum((a + b):ge(10))
end
