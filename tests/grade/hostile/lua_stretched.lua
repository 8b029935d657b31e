-- expect: exercises/no-loops timeout "cost"
-- A view of 10^14 elements that takes no memory.
function standardize(x)
  return np.sum(np.broadcast_to(np.ones(1), {10000000, 10000000})), 1
end
