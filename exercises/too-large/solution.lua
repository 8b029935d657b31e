-- k-means over more points than the device has room for. points has a row of d
-- coordinates for each of n points, centres one for each of k centres, and the
-- kernel
--   gather(const float *points, const float *centres, float *sums, int *counts,
--          int n, int d, int k)
-- adds each of n points to the sums of its nearest centre, and counts it there;
-- a thread for each point. too_large(points, centres, rounds, piece) gives the
-- centres after so many rounds, and how many points each had in the last one. A
-- centre moves to the mean of its points, and stays where it is without any.
-- The starter is right, and takes all points to the device. There is room for
-- two pieces of `piece` points there: bring them in pieces of at most so many.
function too_large(points, centres, rounds, piece)
  local n, d, k = points.shape[1], points.shape[2], centres.shape[1]
  local sums = cuda.to_device(np.zeros({k, d}, "f32"))
  local counts = cuda.to_device(np.zeros(k, "i32"))
  local had
  -- BEGIN SOLUTION
  for _ = 1, rounds do
    local where = cuda.to_device(centres)
    sums:fill(0)
    counts:fill(0)
    for first = 0, n - 1, piece do
      local part = points[("%d:%d"):format(first, math.min(first + piece, n))]
      gather[{(#part + 127) // 128, 128}](
        cuda.to_device(part), where, sums, counts, #part, d, k)
    end
    had = counts:copy_to_host()
    local column = had:reshape(k, 1)
    local means = sums:copy_to_host() / np.maximum(column, 1)
    centres = np.where(column:gt(0), means, centres):astype("f32")
  end
  -- END SOLUTION
  -- STARTER: local all = cuda.to_device(points)
  -- STARTER: for _ = 1, rounds do
  -- STARTER:   local where = cuda.to_device(centres)
  -- STARTER:   sums:fill(0)
  -- STARTER:   counts:fill(0)
  -- STARTER:   gather[{(n + 127) // 128, 128}](
  -- STARTER:     all, where, sums, counts, n, d, k)
  -- STARTER:   had = counts:copy_to_host()
  -- STARTER:   local column = had:reshape(k, 1)
  -- STARTER:   local means = sums:copy_to_host() / np.maximum(column, 1)
  -- STARTER:   centres = np.where(column:gt(0), means, centres):astype("f32")
  -- STARTER: end
  return centres, had
end
