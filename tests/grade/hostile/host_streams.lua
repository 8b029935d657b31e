-- expect: exercises/there-and-back crash no more than 1023 streams
-- To know what waits for what takes more the more streams there are.
function there_and_back(x)
  local all, dx = {}, cuda.to_device(x)
  for i = 1, 1000000 do
    all[i] = cuda.stream()
    dx:copy_from(x, all[i])
    dx:copy_from(x)
  end
end
