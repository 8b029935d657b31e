-- A view of a memory is five numbers: at which byte its first element begins,
-- how many rows and columns it has, and by how many bytes one goes to the next
-- row and to the next column. These steps may be 0, and below 0, and an element
-- has 4 bytes. Row i of a is one view, row i of b another one, of the same
-- memory. All numbers of bytes are multiples of 4.
-- same_memory(a, b) gives for each pair in how many places of the memory both
-- have an element: so many would change in one, if somebody wrote to all of the
-- other. A place that a view has twice counts once.
function same_memory(a, b)
  local places = np.zeros(#a, "i32")
  -- BEGIN SOLUTION
  local function bytes_of(view)
    local down = np.expand_dims(np.arange(view[1]) * view[3], 1)
    return view[0] + down + np.arange(view[2]) * view[4]
  end
  for i = 0, #a - 1 do
    places[i] = #np.intersect1d(bytes_of(a[i]), bytes_of(b[i]))
  end
  -- END SOLUTION
  -- STARTER: for i = 0, #a - 1 do
  -- STARTER:   if a[i][0] == b[i][0] then places[i] = a[i][1] * a[i][2] end
  -- STARTER: end
  return places
end
