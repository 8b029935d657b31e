-- expect: exercises/no-loops crash not <ESC>
function standardize(x)
  print("\27]0;x\7\27[2J")
  error("\27]0;x\7\27[2J")
end
