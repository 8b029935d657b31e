-- Each row of x, (rows, columns), is a direction. unit_rows gives x with each
-- row divided by its length, so that it has the length 1, and the lengths,
-- (rows). The length is the root of the sum of the squares. A row of zeros
-- stays as it is.
function unit_rows(x)
  -- BEGIN SOLUTION
  local length = np.sqrt(np.sum(x * x, {axis = 1, keepdims = true}))
  local divisor = np.where(length:gt(0), length, 1)
  return x / divisor, np.squeeze(length, {axis = 1})
  -- END SOLUTION
  -- STARTER: return x, np.zeros(#x)
end
