-- expect: exercises/there-and-back not-pass
-- Blocks without end, each with its thousand threads.
function there_and_back(x)
  local dx = cuda.to_device(x)
  local dout = cuda.device_array_like(dx)
  square[{2147483647, #x}](dx, dout)
  return dout:copy_to_host()
end
