-- expect: exercises/no-loops timeout "cost"
-- 100^20 ways to fit.
function standardize(x)
  return (("a"):rep(100)):find(("a*"):rep(20) .. "b")
end
