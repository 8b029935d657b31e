-- expect: exercises/there-and-back not-pass
-- A kernel's machine code would be made by the compiler.
function there_and_back(x)
  print(square.attributes, square.sass, square:sass())
  return x
end
