-- expect: exercises/no-loops timeout "cost"
function standardize(x)
  return ("x"):rep(1 << 40)
end
