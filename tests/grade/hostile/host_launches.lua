-- expect: exercises/there-and-back timeout "cost"
-- Launches are work, though Lua does little for them.
function there_and_back(x)
  local dx = cuda.to_device(x)
  local dout = cuda.device_array_like(dx)
  while true do square[{1, #x}](dx, dout) end
end
