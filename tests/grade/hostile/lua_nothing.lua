-- expect: exercises/no-loops fail nil (is its name right?)
function standardize(x) end
