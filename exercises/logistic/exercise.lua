-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Learning yes and no",
  task = "learn(x, y, rate, steps): descend the loss of a logistic regression"
    .. " from"
    .. " zeros; give w, b and the loss.",
  needs = {"newton"},
  minutes = 20,
  entry = "learn",
  signature = {
    {"in", "f32[]", "x"},
    {"in", "f32[]", "y"},
    {"value", "f32", "rate"},
    {"value", "i32", "steps"},
    {"out", "f32[]", "w"},
    {"out", "f32", "b"},
    {"out", "f32", "loss"},
  },
  reference = function(args)
    local n, d, w, b = #args.y, #args.w, {}, 0
    for k = 0, d - 1 do w[k] = 0 end
    local function z_of(i)
      local z = b
      for k = 0, d - 1 do z = z + args.x[i * d + k] * w[k] end
      return z
    end
    for _ = 1, args.steps do
      local gw, gb = {}, 0
      for k = 0, d - 1 do gw[k] = 0 end
      for i = 0, n - 1 do
        local off = (1 / (1 + math.exp(-z_of(i))) - args.y[i]) / n
        gb = gb + off
        for k = 0, d - 1 do gw[k] = gw[k] + off * args.x[i * d + k] end
      end
      b = b - args.rate * gb
      for k = 0, d - 1 do w[k] = w[k] - args.rate * gw[k] end
    end
    local loss = 0
    for i = 0, n - 1 do
      local z = z_of(i)
      loss = loss + (math.max(z, 0) + math.log(1 + math.exp(-math.abs(z)))
        - args.y[i] * z) / n
    end
    for k = 0, d - 1 do args.w[k] = w[k] end
    args.b[0], args.loss[0] = b, loss
  end,
  tolerance = {rel = 1e-4, abs = 1e-4,
    reason = "the loss is bent upward, and the rate below 2 divided by how"
      .. " much,"
      .. " so that no step makes an error larger; 40 steps, each off by fewer"
      .. " than 30 roundings of numbers below 1"},
  make = function(case, rng)
    return {
      x = rng:floats(case.n * case.d, -1, 1), y = rng:ints(case.n, 0, 1),
      rate = case.rate, steps = case.steps, w = case.d,
    }, {x = {case.n, case.d}}
  end,
  cases = {
    {name = "6 rows, 3 steps", n = 6, d = 2, rate = 0.5, steps = 3},
    {name = "one row", n = 1, d = 1, rate = 1, steps = 2},
    {name = "no step", n = 5, d = 3, rate = 0.5, steps = 0},
    {name = "as many rows as columns", n = 4, d = 4, rate = 0.3, steps = 10},
    {name = "one step", n = 20, d = 2, rate = 1, steps = 1},
    {name = "longer", n = 60, d = 5, rate = 1, steps = 40, hidden = true},
  },
  hints = {
    "jnp.logaddexp(0, z) is log(1 + exp(z)), also where exp(z) would overflow.",
    "Keep the model in a table, {w =, b =}: its gradient is such a table, too.",
    "Each step: g = jax.grad(loss)(m), and then m.w - rate * g.w, m.b - rate *"
      .. " g.b.",
  },
  editorial = "One trace for all steps. A step reads x for the numbers z and"
    .. " once more on the way back, O(n d), and keeps w and b only. The loop"
    .. " is Lua's, a call for each step; lesson 38-trees-and-loops puts it"
    .. " into the recipe as well. mlp takes the slopes of a network with a"
    .. " layer in between in the same way.",
  mutants = {
    {
      name = "sum-for-mean",
      replace = {"return jnp.mean(", "return jnp.sum("},
      explain = "The loss is the mean over the rows. A sum is as many times as"
        .. " large as there are rows, and the steps are as well.",
    },
    {
      name = "b-left-out",
      replace = {"b = m.b - rate * g.b", "b = m.b"},
      explain = "b stays 0: it has a slope as well, and goes downhill with w.",
    },
    {
      name = "uphill",
      replace = {"w = m.w - rate * g.w", "w = m.w + rate * g.w"},
      explain = "w goes uphill: the slope is taken off.",
    },
    {
      name = "squares",
      replace = {"jnp.mean(jnp.logaddexp(0, z) - y * z)",
        "jnp.mean((z - y) ^ 2)"},
      explain = "That is the loss of a fit by squares. For yes and no it is"
        .. " log(1 + exp(z)) - y z.",
    },
    {
      name = "labels-exchanged",
      replace = {"- y * z)", "- (1 - y) * z)"},
      explain = "Yes and no are exchanged: y is 1 for yes, where z is to grow.",
    },
  },
}
