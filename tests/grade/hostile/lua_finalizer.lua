-- expect: exercises/no-loops crash __gc is not for submissions
-- A finalizer is called without a count.
function standardize(x)
  setmetatable({}, {__gc = function() while true do end end})
  return x, x
end
