-- expect: exercises/no-loops crash line 4
-- Nor is there a way to other text, other threads and the library's insides.
function standardize(x)
  assert(load or require or package or debug or coroutine or cuda, "none")
  return x, x
end
