-- expect: exercises/missing-wait
-- Two events, back and forth, and the host waits for the last one.
function missing_wait(x, y)
  local n, out = #x, cuda.pinned_array(#x, "f32")
  local blocks = (n + 127) // 128
  local s, t = cuda.stream(), cuda.stream()
  local here, there = cuda.event(), cuda.event()
  local dx, dy = cuda.to_device(x, s), cuda.to_device(y, t)
  twice{grid = blocks, block = 128, stream = s}(dx, dx, n)
  here:record(s)
  t:wait(here)
  add{grid = blocks, block = 128, stream = t}(dx, dy, dx, n)
  there:record(t)
  s:wait(there)
  dx:copy_to_host(out, s)
  here:record(s)
  here:synchronize()
  return out
end
