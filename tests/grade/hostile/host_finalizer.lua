-- expect: exercises/there-and-back crash line 3
function there_and_back(x)
  setmetatable({}, {__gc = function() while true do end end})
  return x
end
