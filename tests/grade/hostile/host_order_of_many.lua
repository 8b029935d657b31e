-- expect: exercises/missing-wait fail no order
-- A use is not forgotten behind many others of the same array.
function missing_wait(x, y)
  local n, out = #x, cuda.pinned_array(#x, "f32")
  local blocks = (n + 127) // 128
  local s, t = cuda.stream(), cuda.stream()
  local dx, dy = cuda.to_device(x, s), cuda.to_device(y, t)
  twice{grid = blocks, block = 128, stream = s}(dx, dx, n)
  for _ = 1, 600 do dx["0:1"]:copy_from(dx["0:1"], s) end
  add{grid = blocks, block = 128, stream = t}(dx, dy, dy, n)
  dy:copy_to_host(out, t)
  t:synchronize()
  return out
end
