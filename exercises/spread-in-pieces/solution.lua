-- x is cut into pieces: piece k is x[ends[k - 1]] (piece 0: x[0]) up to the one
-- before x[ends[k]]. It may be empty. The pieces lie on different workers, and
-- of each only three numbers travel:
--   parts[k]: how many elements it has, their mean, and the sum of their
--     squared distances from that mean (0, 0, 0 of an empty piece).
-- spread_in_pieces(x, ends) gives parts, and from them alone the mean of all
-- elements and their variance: the mean of the squared distances from it.
function spread_in_pieces(x, ends)
  local parts, first = np.zeros({#ends, 3}), 0
  local n, mean, squares = 0, 0, 0
  -- BEGIN SOLUTION
  for k = 0, #ends - 1 do
    if ends[k] > first then
      local v = x[first .. ":" .. ends[k]]
      local m = np.mean(v)
      parts[k] = np.array({#v, m, np.sum((v - m) ^ 2)})
    end
    first = ends[k]
  end
  for k = 0, #ends - 1 do
    local count, m, s = parts[k][0], parts[k][1], parts[k][2]
    if count > 0 then
      local off, all = m - mean, n + count
      squares = squares + s + off * off * n * count / all
      mean = mean + off * count / all
      n = all
    end
  end
  -- END SOLUTION
  -- STARTER: for k = 0, #ends - 1 do -- as if all pieces were alike
  -- STARTER:   local v = x[first .. ":" .. ends[k]]
  -- STARTER:   local m = np.mean(v)
  -- STARTER:   parts[k] = np.array({#v, m, np.sum((v - m) ^ 2)})
  -- STARTER:   n, mean = n + #v, mean + m / #ends
  -- STARTER:   squares = squares + np.sum((v - m) ^ 2)
  -- STARTER:   first = ends[k]
  -- STARTER: end
  return parts, mean, squares / n
end
