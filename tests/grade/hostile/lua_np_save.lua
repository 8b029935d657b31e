-- expect: exercises/no-loops crash line 3
function standardize(x)
  np.save("/tmp/warpshop-was-here.npy", x)
  return x, x
end
