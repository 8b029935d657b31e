-- expect: exercises/missing-wait
function missing_wait(x, y)
  local n, out = #x, cuda.pinned_array(#x, "f32")
  local blocks, s = (n + 127) // 128, cuda.stream()
  local dx, dy = cuda.to_device(x, s), cuda.to_device(y, s)
  twice{grid = blocks, block = 128, stream = s}(dx, dx, n)
  add{grid = blocks, block = 128, stream = s}(dx, dy, dx, n)
  dx:copy_to_host(out, s)
  while not s:query() do end
  return out
end
