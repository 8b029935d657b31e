-- expect: exercises/there-and-back fail oob-
-- Numbers are addresses that the device knows, or they are mistakes.
function there_and_back(x)
  local dout = cuda.device_array(#x, "f32")
  square[{1, #x}](123456784, dout)
  return dout:copy_to_host()
end
