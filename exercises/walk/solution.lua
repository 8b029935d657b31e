-- Coins are thrown, and somebody walks: coins is (walks, n), 1 for a step to
-- the right and 0 for one to the left. Every walk begins at 0. walk gives where
-- each stands after each step, (walks, n); how far from 0 each has been at
-- most, (walks); and how often each has come back to 0, (walks). No loop over
-- the steps.
function walk(coins)
  -- BEGIN SOLUTION
  local steps = jnp.where(coins:eq(1), 1, -1)
  local places = jnp.cumsum(steps, {axis = 1})
  local farthest = jnp.max(jnp.abs(places), {axis = 1})
  return places, farthest, jnp.sum(places:eq(0), {axis = 1})
  -- END SOLUTION
  -- STARTER: local walks = coins.shape[1]
  -- STARTER: return coins, jnp.zeros(walks, "i32"), jnp.zeros(walks, "i32")
end
