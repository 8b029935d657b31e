-- expect: exercises/no-loops timeout million units of work
function standardize(x)
  while true do end
end
