-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "The NaN on the way back",
  task = "Mend surprise(x), -x log(x) above 0 and 0 elsewhere, so that its"
    .. " slopes"
    .. " are numbers everywhere.",
  needs = {"newton"},
  minutes = 10,
  entry = "surprise",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "y"},
    {"out", "f32[]", "slope"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do
      local x = args.x[i]
      args.y[i] = x > 0 and -x * math.log(x) or 0
      args.slope[i] = x > 0 and -math.log(x) - 1 or 0
    end
  end,
  tolerance = {rel = 1e-5, abs = 1e-5,
    reason = "a logarithm, a product and a difference of numbers below 20, each"
      .. " within 2^-22 of itself"},
  make = function(case, rng)
    local x = rng:floats(case.n, case.low, case.high)
    if case.zeros then
      for i = 0, case.n - 1, 3 do x[i] = 0 end
    end
    return {x = x, y = case.n, slope = case.n}
  end,
  cases = {
    {name = "both sides", n = 12, low = -2, high = 2},
    {name = "one number", n = 1, low = 0.1, high = 1},
    {name = "zeros among them", n = 15, low = 0.1, high = 3, zeros = true},
    {name = "below", n = 9, low = -5, high = -0.1},
    {name = "above", n = 9, low = 0.1, high = 5},
    {name = "many", n = 2003, low = -3, high = 3, zeros = true, hidden = true},
  },
  hints = {
    "jnp.where computes both sides. On the way back the side that was not taken"
      .. " gets the slope 0, times infinity, or times NaN.",
    "Choose before the logarithm: let it see 1 where v is not above 0.",
    "local safe = jnp.where(is_above, v, 1), and then the old lines with safe.",
  },
  editorial = "Two choices and one logarithm for each number, on either side of"
    .. " 0: jnp.where computes both sides. The first choice keeps the"
    .. " logarithm away from numbers that it cannot take, the second one sets"
    .. " the value. The same pair mends a root at 0 and a quotient by 0."
    .. " own-vjp goes on to a slope of your own.",
  mutants = {
    {
      name = "still-broken",
      replace = {"jnp.where(is_above, v, 1)", "jnp.where(v:ge(0), v, 1)"},
      explain = "At 0 itself the logarithm still sees 0: choose where v is"
        .. " above"
        .. " 0.",
    },
    {
      name = "size-of-v",
      replace = {"return jnp.where(is_above, safe * bits, 0)",
        "return -jnp.abs(v) * jnp.log(jnp.where(is_above, v, jnp.abs(v) + 1))"},
      explain = "Below 0 something else than 0 comes out. The last choice is"
        .. " needed as well.",
    },
    {
      name = "sign",
      replace = {"-jnp.log(safe)", "jnp.log(safe)"},
      explain = "The sign is missing: -x log(x).",
    },
    {
      name = "other-log",
      replace = {"-jnp.log(safe)", "-jnp.log2(safe)"},
      explain = "log2 is the logarithm to the base 2. jnp.log is the natural"
        .. " one,"
        .. " of which the slope is 1 / x.",
    },
    {
      name = "product-forgotten",
      replace = {"safe * bits", "bits"},
      explain = "That is -log(x): the factor x is missing.",
    },
  },
}
