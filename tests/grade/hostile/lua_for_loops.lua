-- expect: exercises/no-loops timeout "cost"
-- Right, and with a loop over elements.
function standardize(x)
  local rows, columns = x.shape[1], x.shape[2]
  local z, deviation = np.zeros({rows, columns}), np.zeros(rows)
  for i = 0, rows - 1 do
    local sum, squares = 0, 0
    for j = 0, columns - 1 do sum = sum + x[i][j] end
    for j = 0, columns - 1 do squares = squares + (x[i][j] - sum / columns) ^ 2 end
    deviation[i] = math.sqrt(squares / columns)
    for j = 0, columns - 1 do
      z[i][j] = (x[i][j] - sum / columns) / deviation[i]
    end
  end
  return z, deviation
end
