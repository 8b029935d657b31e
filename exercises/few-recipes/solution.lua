-- Row r of x has lengths[r] numbers; what stands behind them in the row is not
-- meant, and may be anything, NaN as well.
-- few_recipes(x, lengths) gives for each row the mean of the squares of its
-- numbers, by a function that is jitted. The starter is right, and each length
-- is a shape of its own: it is traced for each anew. Let one recipe do for all
-- rows.
function few_recipes(x, lengths)
  local out = np.zeros(#x, "f32")
  -- BEGIN SOLUTION
  -- The row comes whole, and its length as a number: the shape is always the
  -- same. A few squares are computed for nothing, which costs less than a
  -- trace.
  local mean_square = jax.jit(function(row, length)
    local counts = jnp.less(jnp.arange(#row), length)
    return jnp.sum(jnp.where(counts, row * row, 0)) / length
  end)
  for r = 0, #x - 1 do
    out[r] = mean_square(jnp.asarray(x[r]), lengths[r]):item()
  end
  -- END SOLUTION
  -- STARTER: local mean_square = jax.jit(function(row)
  -- STARTER:   return jnp.sum(row * row) / #row
  -- STARTER: end)
  -- STARTER: for r = 0, #x - 1 do
  -- STARTER:   local row = x[r][("0:%d"):format(lengths[r])]
  -- STARTER:   out[r] = mean_square(jnp.asarray(row)):item()
  -- STARTER: end
  return out
end
