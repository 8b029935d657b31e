-- Mend this. surprise(x) is -x log(x) where x is above 0, and 0 elsewhere; and
-- the slopes by x, -log(x) - 1 above 0 and 0 elsewhere. The values are right.
-- Of the slopes, some are no numbers.
function surprise(x)
  local function one(v)
    -- BEGIN SOLUTION
    local is_above = v:gt(0)
    local safe = jnp.where(is_above, v, 1)
    local bits = -jnp.log(safe)
    return jnp.where(is_above, safe * bits, 0)
    -- END SOLUTION
    -- STARTER: local is_above = v:gt(0)
    -- STARTER: local bits = -jnp.log(v)
    -- STARTER: return jnp.where(is_above, v * bits, 0)
  end
  x = jnp.asarray(x)
  return one(x), jax.vmap(jax.grad(one))(x)
end
