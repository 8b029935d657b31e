-- expect: exercises/no-loops timeout "cost"
function standardize(x)
  local all = {}
  while true do all[#all + 1] = {} end
end
