-- expect: exercises/there-and-back timeout "cost"
function there_and_back(x)
  local dx = cuda.to_device(x)
  local function again() while true do square[{1, #x}](dx, dx) end end
  while true do pcall(again) end
end
