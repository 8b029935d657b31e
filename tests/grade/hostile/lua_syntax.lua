-- expect: exercises/no-loops compile-error line 4
function standardize(x)
  return x +
end
