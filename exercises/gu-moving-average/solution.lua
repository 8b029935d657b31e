-- For each row of x, (rows, n), its moving average: element j becomes the mean
-- of the last `width` elements up to and with j, or of all from the first one
-- to j where there are fewer. width is at least 1, and may be more than n.
-- moving gives these means, (rows, n), and the last one of each row, (rows).
function moving(x, width)
  -- BEGIN SOLUTION
  local n = x.shape[2]
  local sums = np.cumsum(x, {axis = 1})
  local before = np.zeros_like(sums)
  if width < n then
    before[":, " .. width .. ":"] = sums[":, :" .. n - width]
  end
  local mean = (sums - before) / np.minimum(np.arange(1, n + 1), width)
  return mean, mean[":, -1"]
  -- END SOLUTION
  -- STARTER: return x, x[":, -1"]
end
