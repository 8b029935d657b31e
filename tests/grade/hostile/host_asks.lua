-- expect: exercises/there-and-back timeout "cost"
-- And a question whether anything is done.
function there_and_back(x)
  local dx, done = cuda.to_device(x), cuda.event()
  done:record()
  while true do
    done:query()
  end
end
