-- expect: exercises/no-loops timeout "cost"
-- 10^10 operations over a million elements.
function standardize(x)
  local a = np.ones({1000, 1000})
  return np.matmul(a, a), 1
end
