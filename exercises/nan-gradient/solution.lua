-- Mend this. surprise(x) is -x log(x) where x is above 0, and 0 elsewhere; and
-- the slopes by x, -log(x) - 1 above 0 and 0 elsewhere. The values are right.
-- Of the slopes, some are no numbers.
function surprise(x)
  local function one(v)
    -- BEGIN SOLUTION
    local safe = jnp.where(v:gt(0), v, 1)
    return jnp.where(v:gt(0), -safe * jnp.log(safe), 0)
    -- END SOLUTION
    -- STARTER: return jnp.where(v:gt(0), -v * jnp.log(v), 0)
  end
  x = jnp.asarray(x)
  return one(x), jax.vmap(jax.grad(one))(x)
end
