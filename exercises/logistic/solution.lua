-- Yes or no: x is (n, d), and y has 1 for yes and 0 for no. The model says for
-- each row the number z = x w + b. The loss is the mean of log(1 + exp(z)) - y
-- z, and learn goes `steps` steps downhill from zeros, each by rate times the
-- slope. It gives w, (d), b, and the loss at the end.
function learn(x, y, rate, steps)
  -- BEGIN SOLUTION
  local function loss(m)
    local z = jnp.dot(x, m.w) + m.b
    return jnp.mean(jnp.logaddexp(0, z) - y * z)
  end
  local step = jax.jit(function(m)
    local g = jax.grad(loss)(m)
    return {w = m.w - rate * g.w, b = m.b - rate * g.b}
  end)
  local m = {w = jnp.zeros(x.shape[2]), b = jnp.zeros({})}
  for _ = 1, steps do m = step(m) end
  return m.w, m.b, loss(m)
  -- END SOLUTION
  -- STARTER: return jnp.zeros(x.shape[2]), 0.0, 0.0
end
