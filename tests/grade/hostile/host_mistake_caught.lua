-- expect: exercises/there-and-back fail oob-read
-- A kernel's mistake counts, whether Lua goes on or not.
function there_and_back(x)
  local dx = cuda.to_device(x)
  local dout = cuda.device_array_like(dx)
  pcall(function() square[{1, 1024}](dx["0:1"], dout["0:1"]) end)
  square[{1, #x}](dx, dout)
  return dout:copy_to_host()
end
