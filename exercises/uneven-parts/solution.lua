-- Rows of x, each with a right answer in y, are shared out: worker k has those
-- from ends[k - 1] (worker 0 from 0) up to ends[k], which is the first one that
-- it has not. It may have none. All have the same weights w, and say of a row
-- that the answer is the product of the row and w.
-- parallel_step(x, y, w, ends, rate) gives
--   brought: for each worker what it brings to the all-reduce (op "sum"), in
--     columns 0 to #w - 1 the sum of (answer - y) * row over its rows, and in
--     the last column the number of its rows;
--   new: w less rate times the gradient of the mean, over all rows, of
--     (answer - y)^2. It is computed from brought alone.
function parallel_step(x, y, w, ends, rate)
  local workers, d = #ends, #w
  local brought = np.zeros({workers, d + 1})
  -- BEGIN SOLUTION
  local first = 0
  for k = 0, workers - 1 do
    local rows = first .. ":" .. ends[k]
    local off = np.matmul(x[rows], w) - y[rows]
    brought[k .. ", :-1"] = np.matmul(off, x[rows])
    brought[k][d] = ends[k] - first
    first = ends[k]
  end
  local sum = np.sum(brought, 0)
  return brought, w - sum[":-1"] * (2 * rate / sum[d])
  -- END SOLUTION
  -- STARTER: local first, mean = 0, np.zeros(d)
  -- STARTER: for k = 0, workers - 1 do -- the mean of the workers' means
  -- STARTER:   local rows = first .. ":" .. ends[k]
  -- STARTER:   local off = np.matmul(x[rows], w) - y[rows]
  -- STARTER:   brought[k .. ", :-1"] = np.matmul(off, x[rows])
  -- STARTER:   local count = ends[k] - first
  -- STARTER:   mean = mean + brought[k .. ", :-1"] / count / workers
  -- STARTER:   first = ends[k]
  -- STARTER: end
  -- STARTER: return brought, w - 2 * rate * mean
end
