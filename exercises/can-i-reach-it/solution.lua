-- A program is to run on one of several machines. It was made for a version of
-- CUDA, {12, 10} for 12.10, needs a compute capability, {8, 6} for 8.6, and so
-- many MiB of a device's memory. Machine i says in row i of drivers up to which
-- version of CUDA its driver goes ({0, 0}: there is no driver), in row i of
-- devices which capability its device has, and in free[i] how many MiB are
-- free.
-- can_i_reach_it gives for each machine what is in the way, the first of these:
--   1  there is no driver
--   2  the driver is too old for the program's CUDA
--   3  the device's capability is too low
--   4  too little memory is free
--   0  nothing: it can be reached
function can_i_reach_it(drivers, devices, free, version, capability, memory)
  local why = np.zeros(#free, "i32")
  -- BEGIN SOLUTION
  local function is_below(have, want)
    return have[0] < want[0] or have[0] == want[0] and have[1] < want[1]
  end
  for i = 0, #free - 1 do
    if drivers[i][0] == 0 then
      why[i] = 1
    elseif is_below(drivers[i], version) then
      why[i] = 2
    elseif is_below(devices[i], capability) then
      why[i] = 3
    elseif free[i] < memory then
      why[i] = 4
    end
  end
  -- END SOLUTION
  -- STARTER: for i = 0, #free - 1 do
  -- STARTER:   if drivers[i][0] == 0 then why[i] = 1 end
  -- STARTER: end
  return why
end
