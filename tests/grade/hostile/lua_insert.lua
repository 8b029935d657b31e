-- expect: exercises/no-loops timeout "cost"
-- A list whose length is made up: 2^60 moves in C.
function standardize(x)
  local list = setmetatable({}, {__len = function() return 1 << 60 end})
  table.insert(list, 1, 0)
  return x, x
end
