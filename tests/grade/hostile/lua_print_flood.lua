-- expect: exercises/no-loops not-pass
function standardize(x)
  for i = 1, 100000 do print("line", i, x) end
  return x, x
end
