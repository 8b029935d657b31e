-- What vmap asks of the primitive "matrix times vector": its rule for many. One
-- matrix has r rows and c columns, one vector c elements.
--   many says how many there are.
--   m_axis says along which axis of m the many matrices lie: 0, 1 or 2. With -1
--   there is a single matrix, the same for all, and m is (r, c).
--   v_axis says it of the vectors: 0 or 1, or -1 for one alone, and v is (c).
-- At least one of them is mapped. matvec_rule gives all products, (many, r).
-- Whole arrays at once: a loop over the many is what vmap is there to spare.
function matvec_rule(many, m, m_axis, v, v_axis)
  -- BEGIN SOLUTION
  if v_axis == 1 then v = v.T end
  if m_axis < 0 then return np.matmul(v, m.T) end
  m = np.moveaxis(m, m_axis, 0)
  if v_axis < 0 then return np.matmul(m, v) end
  return np.sum(m * np.expand_dims(v, 1), {axis = 2})
  -- END SOLUTION
  -- STARTER: return np.matmul(m, v)
end
