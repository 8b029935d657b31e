-- The kernel is the lesson's, and is there already. Each of its threads writes
-- how many it has seen above the limit:
--   __global__ void count_above(const float *x, int *seen, float limit, int n)
-- only_the_answer(x, limit) gives the number of readings above the limit. x has
-- to cross the bus, once; at most 4096 bytes come back.
function only_the_answer(x, limit)
  -- BEGIN SOLUTION
  local dx = cuda.to_device(x)
  local seen = cuda.device_array(256, "i32")
  count_above[{1, 256}](dx, seen, limit, #x)
  return np.sum(seen:copy_to_host())
  -- END SOLUTION
  -- STARTER: local dx = cuda.to_device(x)
  -- STARTER: local home = dx:copy_to_host()
  -- STARTER: return np.sum(home:gt(limit))
end
