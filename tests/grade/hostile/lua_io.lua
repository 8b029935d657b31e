-- expect: exercises/no-loops crash line 3
function standardize(x)
  local file = io.open("/etc/passwd")
  error(file:read("a"))
end
