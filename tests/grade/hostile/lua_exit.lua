-- expect: exercises/no-loops crash line 3
function standardize(x)
  os.exit(0)
end
