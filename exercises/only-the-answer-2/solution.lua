-- Two tables. Account i is held at branch branch[i], from 0 on, and has
-- balance[i]. Branch b lies in region[b], from 0 on and below `regions`. Only
-- accounts with more than `limit` count. top_regions gives the k regions in
-- which these accounts have most together, the largest first: the sums, and the
-- numbers of the regions. Where two sums are equal, the smaller number comes
-- first.
function top_regions(branch, balance, region, regions, limit, k)
  -- BEGIN SOLUTION
  local where = region[branch]
  local counted = jnp.where(balance:gt(limit), balance, 0)
  local sums = jnp.zeros(regions).at[where]:add(counted)
  local order = jnp.argsort(-sums)[":" .. k]
  return sums[order], order
  -- END SOLUTION
  -- STARTER: return jnp.zeros(k), jnp.zeros(k, "i32")
end
