-- expect: exercises/split-the-key fail not of line
-- A note on a key that is used twice has names and lines: not in a hidden case.
function doubles(seed, n)
  local k1, k2 = table.unpack(jax.random.split(jax.random.key(seed)))
  local a, b = jax.random.randint(k1, {n}, 1, 7), jax.random.randint(k2, {n}, 1, 7)
  if n == 90000 then b = jax.random.randint(k1, {n}, 1, 7) end
  return jnp.sum(a:eq(b)), jnp.sum((a + b):ge(10))
end
