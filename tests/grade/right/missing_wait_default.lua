-- expect: exercises/missing-wait
-- No stream at all: the default one, and a copy that waits.
function missing_wait(x, y)
  local n = #x
  local blocks = (n + 127) // 128
  local dx, dy = cuda.to_device(x), cuda.to_device(y)
  twice[{blocks, 128}](dx, dx, n)
  add[{blocks, 128}](dx, dy, dx, n)
  return dx:copy_to_host()
end
