-- expect: exercises/no-loops not-pass
-- More memory than there is for arrays, in one.
function standardize(x)
  return np.zeros(10 ^ 12 // 1), np.empty({1 << 20, 1 << 20})
end
