-- why_again(goal, rates) walks from zeros towards goal: a step for each of the
-- rates, w - rate * (w - goal), each one jitted. It gives where it ends. What
-- the starter gives is right, and each step is traced anew: once is enough.
function why_again(goal, rates)
  local w = jnp.zeros(#goal)
  -- BEGIN SOLUTION
  local step = jax.jit(function(at, to, rate) return at - rate * (at - to) end)
  for i = 0, #rates - 1 do
    w = step(w, goal, rates[i])
  end
  -- END SOLUTION
  -- STARTER: for i = 0, #rates - 1 do
  -- STARTER:   local rate = rates[i]
  -- STARTER:   local step = jax.jit(function(at, to)
  -- STARTER:     return at - rate * (at - to)
  -- STARTER:   end)
  -- STARTER:   w = step(w, goal)
  -- STARTER: end
  return w
end
