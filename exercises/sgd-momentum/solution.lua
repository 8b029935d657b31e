-- Downhill with a memory. The loss of w is the mean of the squares of x w - y,
-- with x of (rows, d), y of (rows) and w of (d). Both w and the velocity v
-- begin with zeros. A step: g is the slope of the loss at w; then v becomes
-- momentum * v - rate * g, and w becomes w + v. descend gives w after so many
-- steps, and the loss before each step.
function descend(x, y, rate, momentum, steps)
  -- BEGIN SOLUTION
  local function loss(w) return jnp.mean((jnp.dot(x, w) - y) ^ 2) end
  local zeros = jnp.zeros(x.shape[2])
  local last, losses = jax.lax.scan(function(now)
    local value, g = jax.value_and_grad(loss)(now.w)
    local v = momentum * now.v - rate * g
    return {w = now.w + v, v = v}, value
  end, {w = zeros, v = zeros}, nil, {length = steps})
  return last.w, losses
  -- END SOLUTION
  -- STARTER: return jnp.zeros(#x[0]), jnp.zeros(steps)
end
