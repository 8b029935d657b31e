-- expect: exercises/no-loops fail a table
-- What jit traces with, carried out of it.
function standardize(x)
  local kept
  jax.jit(function(v) kept = v return v end)(x)
  return kept, kept
end
