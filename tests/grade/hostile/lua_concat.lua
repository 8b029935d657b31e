-- expect: exercises/no-loops timeout "cost"
-- Copies that no call makes.
function standardize(x)
  local s = ("x"):rep(500000)
  while true do local _ = s .. "y" end
end
