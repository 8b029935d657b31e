-- Tables of n[i] rows and m[i] columns of floats (4 bytes each) lie on
-- devices[i] devices, in strips of rows. what_travels(n, m, devices) gives the
-- bytes that one device sends to others
--   means: for the sums of all columns, by a ring of as many pieces as devices;
--   gathered: so that each gets the whole table, by a ring, strip by strip;
--   turned: for the turned table, in strips again, each piece sent straight;
--   halos: for a stencil, its edge rows to its neighbours. Of three devices or
--     more, one in the middle is meant.
function what_travels(n, m, devices)
  -- BEGIN SOLUTION
  local others = devices - 1
  local strip = 4.0 * n * m / devices
  local means = 2.0 * others * 4 * m / devices
  local gathered = others * strip
  local turned = strip / devices * others
  local neighbours = np.minimum(others, 2)
  return means, gathered, turned, 4.0 * m * neighbours
  -- END SOLUTION
  -- STARTER: local all = 4.0 * n * m -- as if all travelled, each time
  -- STARTER: return all, all, all, all
end
