-- Into how many groups do n points fall? x has a row of coordinates for each
-- point. Row r of labels is an attempt with r + 2 groups: the group of each
-- point, from 0 on. Each group of each attempt has two points at least.
--   The silhouette of a point: a is its mean distance to the other points of
-- its group, b the least of its mean distances to the points of another group;
-- (b - a) / max(a, b) is near 1 where the point lies well, else below 0.
--   choose_k gives for each attempt the mean silhouette of all points, and the
-- number of groups (2 or more) of the best attempt, the first one of equals.
function choose_k(x, labels)
  -- BEGIN SOLUTION
  -- All distances at once, then one product of matrices for each attempt: the
  -- sums of the distances from each point to each group.
  local n, attempts = #x, #labels
  local apart = np.expand_dims(x, 1) - np.expand_dims(x, 0)
  local distance = np.sqrt(np.sum(apart * apart, 2))
  local scores = np.zeros(attempts)
  for r = 0, attempts - 1 do
    local group = np.expand_dims(labels[r], 1)
    local is_in = np.equal(group, np.expand_dims(np.arange(r + 2), 0))
    local size = np.sum(is_in, 0)
    local sums = np.matmul(distance, is_in:astype("f64"))
    local own = np.sum(np.where(is_in, sums, 0), 1)
    local a = own / (np.take(size, labels[r]) - 1)
    local b = np.min(np.where(is_in, math.huge, sums / size), 1)
    scores[r] = np.sum((b - a) / np.maximum(a, b)) / n
  end
  return scores, np.argmax(scores) + 2
  -- END SOLUTION
  -- STARTER: return np.zeros(#labels), 2
end
