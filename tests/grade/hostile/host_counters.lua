-- expect: exercises/there-and-back fail copies <= 2
-- What was counted stays so: there is nothing here that counts anew.
function there_and_back(x)
  local dx = cuda.to_device(x)
  local dout = cuda.to_device(x)
  square[{1, #x}](dx, dout)
  local out = dout:copy_to_host()
  pcall(function() cuda.calls(function() error("again") end) end)
  pcall(function() cuda.reset_peak_memory_stats() end)
  return out
end
