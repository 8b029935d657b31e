-- expect: exercises/there-and-back crash line 4
-- Another device would be another process.
function there_and_back(x)
  return x:to("virtual:1"):copy_to_host()
end
