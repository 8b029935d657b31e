-- twice(x): an array with 2 * x[i] in place of x[i].
function twice(x)
  -- BEGIN SOLUTION
  return 2 * x
  -- END SOLUTION
  -- STARTER: return x
end
