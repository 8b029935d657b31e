-- expect: exercises/no-loops compile-error line 3
function standardize(x)
  return x +
end
