-- cos(x)^2 + sin(x)^2 is 1, which is dull. blend gives a * cos(x)^2 + b *
-- sin(x)^2 for each element of x, with the a and the b of the same place: from
-- a, where x is 0, to b, where x is a quarter of a turn.
function blend(x, a, b)
  -- BEGIN SOLUTION
  return a * np.cos(x) ^ 2 + b * np.sin(x) ^ 2
  -- END SOLUTION
  -- STARTER: return a
end
