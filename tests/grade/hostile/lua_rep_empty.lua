-- expect: exercises/no-loops timeout "cost"
-- A loop of 2^60 turns in C that makes nothing.
function standardize(x)
  return (""):rep(1 << 60)
end
