-- ms holds k matrices, (k, r, c), vs a vector for each, (k, c), and w one
-- vector for all, (c). products gives each matrix times its own vector, (k, r),
-- and each matrix times w, (k, r).
function products(ms, vs, w)
  -- BEGIN SOLUTION
  local own = jax.vmap(jnp.dot)
  local shared = jax.vmap(jnp.dot, {0, false})
  return own(ms, vs), shared(ms, w)
  -- END SOLUTION
  -- STARTER: return jnp.zeros({ms.shape[1], ms.shape[2]}),
  -- STARTER:        jnp.zeros({ms.shape[1], ms.shape[2]})
end
