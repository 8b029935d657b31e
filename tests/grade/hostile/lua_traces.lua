-- expect: exercises/why-again fail traces <= 1
-- A function of the library's in between hides no trace.
function why_again(goal, rates)
  local w = jnp.zeros(#goal)
  for i = 0, #rates - 1 do
    local function one(at, to) return at - rates[i] * (at - to) end
    w = jax.jit(jax.vmap(one), {name = "_own"})(w, jnp.asarray(goal))
  end
  return w
end
