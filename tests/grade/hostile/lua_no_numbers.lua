-- expect: exercises/no-loops fail values wrong
function standardize(x)
  return x * np.nan, x[{":", 0}] * np.nan
end
