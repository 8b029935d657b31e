-- expect: exercises/no-loops timeout "cost"
-- Few instructions, many elements; the loop over all of them is what the budget
-- of this exercise is for.
function standardize(x)
  local much = np.ones(100000)
  for _ = 1, 10000 do much = np.sin(much) end
  return x, much
end
