-- expect: exercises/there-and-back not-pass
function there_and_back(x)
  local all = {}
  for i = 1, 1000 do all[i] = cuda.device_array(1 << 25, "f32") end
  return x
end
