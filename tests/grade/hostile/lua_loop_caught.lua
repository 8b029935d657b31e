-- expect: exercises/no-loops timeout "cost"
-- What stops a loop cannot be caught and looped on.
function standardize(x)
  while true do
    pcall(function() while true do end end)
  end
end
