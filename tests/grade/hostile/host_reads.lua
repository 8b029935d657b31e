-- expect: exercises/there-and-back timeout "cost"
-- A copy of few elements is little to Lua, and two processes wake for it.
function there_and_back(x)
  local dx, done = cuda.to_device(x), cuda.event()
  while true do
    cuda.to_host(dx)
  end
end
