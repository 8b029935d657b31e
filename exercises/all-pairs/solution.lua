-- p holds n places, (n, d), and q holds m, (m, d). pairs gives the distance of
-- each of p to each of q, (n, m), and for each of p the number of the one of q
-- that is nearest, (n); of two that are equally near, the first.
function pairs_of(p, q)
  -- BEGIN SOLUTION
  local function distance(a, b) return jnp.sqrt(jnp.sum((a - b) ^ 2)) end
  local to_all = jax.vmap(distance, {false, 0})
  local table_of = jax.vmap(to_all, {0, false})
  local distances = table_of(p, q)
  return distances, jnp.argmin(distances, {axis = 1})
  -- END SOLUTION
  -- STARTER: return jnp.zeros({#p, #q}), jnp.zeros(#p, "i32")
end
