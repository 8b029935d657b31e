-- expect: exercises/there-and-back fail not secret
-- Nor by the name of an array in a mistake.
function there_and_back(x)
  local dx = cuda.to_device(x)
  local dout = cuda.device_array_like(dx)
  if #x == 777 then
    local secret = dx["0:1"]:copy()
    square[{1, 2}](secret, secret)
  end
  square[{1, #x}](dx, dout)
  return dout:copy_to_host()
end
