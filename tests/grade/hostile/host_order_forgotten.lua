-- expect: exercises/missing-wait fail line 15
-- What was found is kept where no Lua comes to.
function missing_wait(x, y)
  local n, out = #x, cuda.pinned_array(#x, "f32")
  local blocks = (n + 127) // 128
  local s, t = cuda.stream(), cuda.stream()
  local doubled = cuda.device_array(n, "f32")
  local dx, dy = cuda.to_device(x, s), cuda.to_device(y, t)
  for i = 1, 3 do
    pcall(function() cuda.unordered() end)
    if i == 2 then
      twice{grid = blocks, block = 128, stream = s}(dx, doubled, n)
    end
  end
  add{grid = blocks, block = 128, stream = t}(doubled, dy, doubled, n)
  doubled:copy_to_host(out, t)
  t:synchronize()
  return out
end
