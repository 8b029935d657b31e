-- expect: exercises/split-the-key fail "code": "key-reuse"
-- Two draws from one key: the note has both lines.
function doubles(seed, n)
  local key = jax.random.key(seed)
  local a = jax.random.randint(key, {n}, 1, 7)
  local b = jax.random.randint(key, {n}, 1, 7)
  return jnp.sum(a:eq(b)), jnp.sum((a + b):ge(10))
end
