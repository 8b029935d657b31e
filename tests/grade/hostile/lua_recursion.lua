-- expect: exercises/no-loops not-pass
local function deeper(n) return 1 + deeper(n + 1) end
function standardize(x)
  return deeper(0)
end
