-- expect: exercises/no-loops fail a table
-- Something that looks like an array.
function standardize(x)
  local z = setmetatable({shape = x.shape, dtype = "f64"},
    {__name = "np.array", __index = x})
  return z, z
end
