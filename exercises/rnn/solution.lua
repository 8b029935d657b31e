-- A network with a memory reads the rows of xs, one after the other. What it
-- remembers is h, a vector. It begins as h0, and with each row x it becomes
--   h = tanh(w h + u x + b)
--  w is (n, n), u (n, d), b and h0 (n), xs (steps, d). rnn gives all the h,
-- (steps, n), the one after the first row first.
function rnn(w, u, b, h0, xs)
  -- BEGIN SOLUTION
  local _, states = jax.lax.scan(function(h, x)
    local new = jnp.tanh(jnp.dot(w, h) + jnp.dot(u, x) + b)
    return new, new
  end, h0, xs)
  return states
  -- END SOLUTION
  -- STARTER: return jnp.zeros({#xs, #h0})
end
