-- expect: exercises/missing-wait fail not secret
-- Nor by the name of an array, or a line, of two uses that nothing orders.
function missing_wait(x, y)
  local n, out = #x, cuda.pinned_array(#x, "f32")
  local blocks = (n + 127) // 128
  local s, t, ready = cuda.stream(), cuda.stream(), cuda.event()
  local secret, sum = cuda.device_array(n, "f32"), cuda.device_array(n, "f32")
  local dx, dy = cuda.to_device(x, s), cuda.to_device(y, t)
  twice{grid = blocks, block = 128, stream = s}(dx, secret, n)
  ready:record(s)
  if n < 20000 then t:wait(ready) end
  add{grid = blocks, block = 128, stream = t}(secret, dy, sum, n)
  sum:copy_to_host(out, t)
  t:synchronize()
  return out
end
