-- A network of two layers. x is (rows, d), y (rows): for each row of x the
-- network says a number, tanh(x w1 + b1) w2 + b2, with w1 of (d, n), b1 and w2
-- of (n) and b2 of one element. The loss is the mean of the squares of what it
-- says less y. loss_and_slopes gives the loss, and its slopes by w1, b1, w2 and
-- b2.
function loss_and_slopes(w1, b1, w2, b2, x, y)
  -- BEGIN SOLUTION
  local function loss(net)
    local hidden = jnp.tanh(jnp.matmul(x, net.w1) + net.b1)
    local said = jnp.matmul(hidden, net.w2) + net.b2
    return jnp.mean((said - y) ^ 2)
  end
  local value, slopes = jax.value_and_grad(loss)(
    {w1 = w1, b1 = b1, w2 = w2, b2 = b2})
  return value, slopes.w1, slopes.b1, slopes.w2, slopes.b2
  -- END SOLUTION
  -- STARTER: return 0.0, w1, b1, w2, b2
end
