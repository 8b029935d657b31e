-- A polynomial: c[0] + c[1] x + c[2] x^2 + c[3] x^3. From each number of
-- starts, walk `steps` steps of Newton: x becomes x - p(x) / slope of p at x.
-- newton gives where each stands then, and p there. Let jax find the slope.
function newton(c, starts, steps)
  -- BEGIN SOLUTION
  local function p(x) return c[0] + x * (c[1] + x * (c[2] + x * c[3])) end
  local slope = jax.vmap(jax.grad(p))
  local x = starts
  for _ = 1, steps do x = x - p(x) / slope(x) end
  return x, p(x)
  -- END SOLUTION
  -- STARTER: return starts, starts
end
