-- Five machines, as in the lesson: machine i needs host[i] microseconds for
-- each element on its host. On its device it needs start[i] microseconds for
-- the trip, and device[i] more for each element.
-- break_even(start, host, device) gives for each machine the least whole number
-- of elements for which the device is quicker, and 0 where it never is. Who
-- takes equally long is not quicker.
function break_even(start, host, device)
  local from = np.zeros(#start, "i32")
  for i = 0, #start - 1 do
    -- BEGIN SOLUTION
    -- What an element brings has to pay for the trip. Next: what if the array
    -- is on the device already, and only the launch is to be paid for?
    local gain = host[i] - device[i]
    if gain > 0 then from[i] = start[i] // gain + 1 end
    -- END SOLUTION
    -- STARTER: -- Which n makes host[i] * n and start[i] + device[i] * n equal?
  end
  return from
end
