-- expect: exercises/there-and-back crash line 4
-- No way to text, files, other threads and the library's insides.
function there_and_back(x)
  assert(load or require or package or debug or coroutine or io or os, "none")
  return x
end
