-- expect: exercises/there-and-back fail is on a device
function there_and_back(x)
  return cuda.to_device(x)
end
