-- expect: exercises/there-and-back crash line 3
function there_and_back(x)
  cuda.select("virtual:0", {memory = 1 << 40})
  return x
end
