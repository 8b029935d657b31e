-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A bent line and its slope",
  task = "selu_and_slope(x): 1.05 x above 0, 1.05 * 1.67 * (exp(x) - 1)"
    .. " elsewhere, for each x; and the slope at each, by jax.",
  minutes = 15,
  entry = "selu_and_slope",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "y"},
    {"out", "f32[]", "slope"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do
      local x = args.x[i]
      args.y[i] = 1.05 * (x > 0 and x or 1.67 * (math.exp(x) - 1))
      args.slope[i] = 1.05 * (x > 0 and 1 or 1.67 * math.exp(x))
    end
  end,
  tolerance = {rel = 1e-5, abs = 1e-6,
    reason = "exp(x) is at most 1 where it is used, and its rounding, 2^-24 of"
      .. " it, stays when 1 is taken off; a few operations more"},
  make = function(case, rng)
    local x = rng:floats(case.n, case.low, case.high)
    if case.zero then x[case.zero] = 0 end
    return {
      x = x, y = case.n, slope = case.n,
    }
  end,
  cases = {
    {name = "both sides", n = 24, low = -3, high = 3},
    {name = "one number", n = 1, low = -1, high = 1},
    {name = "below", n = 17, low = -8, high = -0.5},
    {name = "above", n = 5, low = 0.5, high = 8},
    {name = "a zero", n = 9, low = -1, high = 1, zero = 4},
    {name = "many", n = 5003, low = -5, high = 5, hidden = true},
  },
  hints = {
    "jnp.where(mask, this, that) takes from two arrays, one of which fits;"
      .. " x:gt(0) is such a mask.",
    "jax.grad(f) is the slope of a function of one number: jax.vmap makes it"
      .. " one of an array of them.",
    "Write selu as a local function, and return selu(x) beside"
      .. " jax.vmap(jax.grad(selu))(x).",
  },
  editorial = "selu runs twice over x, once for the values and once on the way"
    .. " to the slopes. jnp.where computes both sides, so there is an exp for"
    .. " each number, also above 0. There it can overflow: at x = 100 the"
    .. " slope is a NaN, though the value is right. No case goes so far, and"
    .. " nan-gradient has the cure.",
  mutants = {
    {
      name = "no-minus-one",
      replace = {"(jnp.exp(v) - 1)", "jnp.exp(v)"},
      explain = "exp(0) is 1, so without - 1 the line jumps at 0. The slope"
        .. " does not see it: a constant has none.",
    },
    {
      name = "sides-exchanged",
      replace = {"v:gt(0)", "v:lt(0)"},
      explain = "The mask is true where the first of the two is taken: the"
        .. " straight line belongs above 0.",
    },
    {
      name = "one-factor",
      replace = {"return 1.05 * jnp.where", "return jnp.where"},
      explain = "1.05 stretches both sides.",
    },
    {
      name = "factor-above",
      replace = {"v, 1.67 * (jnp.exp(v) - 1))", "v * 1.67, jnp.exp(v) - 1)"},
      explain = "1.67 belongs to the bent side, below 0.",
    },
    {
      name = "slope-of-x",
      replace = {"jax.vmap(jax.grad(selu))(jnp.asarray(x))",
        "jnp.ones_like(jnp.asarray(x))"},
      explain = "1 is the slope of x itself; jax.grad(selu) is that of selu.",
    },
  },
}
