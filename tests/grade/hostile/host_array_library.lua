-- expect: exercises/there-and-back crash line 5
-- An operation on device arrays would be a kernel that somebody compiles.
function there_and_back(x)
  local d = np.sin(cuda.to_device(x))
  return d:copy_to_host()
end
