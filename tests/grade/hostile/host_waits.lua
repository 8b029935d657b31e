-- expect: exercises/there-and-back timeout "cost"
-- So is a wait for nothing.
function there_and_back(x)
  local dx, done = cuda.to_device(x), cuda.event()
  while true do
    cuda.synchronize()
  end
end
