-- expect: exercises/there-and-back crash not secret
-- What a hidden case is made of is told to nobody.
function there_and_back(x)
  if #x == 777 then
    print("secret", x)
    error("secret " .. tostring(x))
  end
  local dx = cuda.to_device(x)
  local dout = cuda.device_array_like(dx)
  square[{1, #x}](dx, dout)
  return dout:copy_to_host()
end
