-- A bank's accounts: holder[i] is the number of the one who holds account i,
-- from 0 on and below `holders`, and balance[i] what is on it. by_holder gives,
-- for each holder, the largest balance (0 for whoever has no account), how many
-- accounts there are, and the mean balance (0 where there is none).
function by_holder(holder, balance, holders)
  -- BEGIN SOLUTION
  local count = jnp.zeros(holders, "i32").at[holder]:add(1)
  local most = jnp.full(holders, -jnp.inf).at[holder]:max(balance)
  local sum = jnp.zeros(holders).at[holder]:add(balance)
  return jnp.where(count:gt(0), most, 0), count, sum / jnp.maximum(count, 1)
  -- END SOLUTION
  -- STARTER: return jnp.zeros(holders), jnp.zeros(holders, "i32"),
  -- STARTER:        jnp.zeros(holders)
end
