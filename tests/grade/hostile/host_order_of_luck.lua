-- expect: exercises/missing-wait fail no order
-- Time is no order: the first kernel is long done.
function missing_wait(x, y)
  local n, out = #x, cuda.pinned_array(#x, "f32")
  local blocks = (n + 127) // 128
  local s, t = cuda.stream(), cuda.stream()
  local dx, dy = cuda.to_device(x, s), cuda.to_device(y, t)
  twice{grid = blocks, block = 128, stream = s}(dx, dx, n)
  local sum = 0
  for i = 1, 300000 do sum = sum + i end
  add{grid = blocks, block = 128, stream = t}(dx, dy, dy, n)
  dy:copy_to_host(out, t)
  t:synchronize()
  return out
end
