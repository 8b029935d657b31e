-- The kernel is the lesson's, and is there already:
--   __global__ void halve(const float *x, float *out, int n)
-- keep_it_there(x, steps) halves x on the device so often and gives the result,
-- on the host. Between the steps nothing crosses the bus, and two arrays on the
-- device are enough for any number of them.
function keep_it_there(x, steps)
  -- BEGIN SOLUTION
  local n = #x
  local from = cuda.to_device(x)
  local to = cuda.device_array_like(from)
  for _ = 1, steps do
    halve[{(n + 255) // 256, 256}](from, to, n)
    from, to = to, from
  end
  return from:copy_to_host()
  -- END SOLUTION
  -- STARTER: local n, from, to = #x, x, np.zeros(#x, "f32")
  -- STARTER: for _ = 1, steps do
  -- STARTER:   halve[{(n + 255) // 256, 256}](from, to, n)
  -- STARTER:   from, to = to, from
  -- STARTER: end
  -- STARTER: return from
end
