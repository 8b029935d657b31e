-- Another library hands over an array as the array interface does: memory, a
-- list of all its numbers, and where the array lies in it. Element (i, j) of
-- the array is
--   memory[start + i * row_step + j * column_step]
-- with i below rows and j below columns. Steps may be negative, and no number
-- is meant twice. halve halves every element of the array where it lies, and
-- nothing else. It gives the memory, and a (rows, columns) array of what the
-- elements are now.
function halve(memory, start, rows, columns, row_step, column_step)
  -- BEGIN SOLUTION
  local i = np.arange(rows):reshape(rows, 1)
  local j = np.arange(columns)
  local places = start + i * row_step + j * column_step
  memory[places] = memory[places] / 2
  return memory, memory[places]
  -- END SOLUTION
  -- STARTER: local first = memory[":" .. rows * columns]
  -- STARTER: return memory, first:reshape(rows, columns)
end
