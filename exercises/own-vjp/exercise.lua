-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A slope that is not the true one",
  task = "coarse(x, target, limit): the sum of (round(x) - target)^2, and its"
    .. " slopes, where round lets slopes through up to the limit.",
  needs = {"logistic"},
  minutes = 15,
  entry = "coarse",
  signature = {
    {"in", "f32[]", "x"},
    {"in", "f32[]", "target"},
    {"value", "f32", "limit"},
    {"out", "f32", "loss"},
    {"out", "f32[]", "slopes"},
  },
  reference = function(args)
    local loss = 0
    for i = 0, #args.x - 1 do
      local x = args.x[i]
      local r = math.floor(x + 0.5)
      if r - x == 0.5 and r % 2 == 1 then r = r - 1 end
      local off = r - args.target[i]
      loss = loss + off * off
      args.slopes[i] = math.abs(x) <= args.limit and 2 * off or 0
    end
    args.loss[0] = loss
  end,
  tolerance = {ulp = 0,
    reason = "the targets are multiples of 1/8 within 4: squares, and sums of"
      .. " 600"
      .. " of them, are exact"},
  make = function(case, rng)
    return {
      x = rng:steps(case.n, -4, 4, 1 / 8),
      target = rng:steps(case.n, -4, 4, 1 / 8),
      limit = case.limit, slopes = case.n,
    }
  end,
  cases = {
    {name = "8 weights, limit 2", n = 8, limit = 2},
    {name = "one weight", n = 1, limit = 4},
    {name = "nothing let through", n = 7, limit = 0},
    {name = "everything let through", n = 20, limit = 9},
    {name = "at the limit", n = 200, limit = 1.5},
    {name = "many", n = 600, limit = 3, hidden = true},
  },
  hints = {
    "f = jax.custom_vjp(function(v) return jnp.round(v) end), then"
      .. " f:defvjp(fwd,"
      .. " bwd).",
    "The way back has to know x: fwd returns jnp.round(v), {v}, and bwd gets"
      .. " that"
      .. " table as its first argument.",
    "bwd returns jnp.where(jnp.abs(kept[1]):le(limit), slope, 0).",
  },
  editorial = "O(n): the way there rounds and keeps v, the way back makes one"
    .. " choice for each weight. x is walked once in each direction for the"
    .. " loss and all slopes. This is called a straight-through estimator, and"
    .. " networks whose weights have few bits are trained so. It is no true"
    .. " slope, so a small step need not go downhill.",
  mutants = {
    {
      name = "true-slope",
      replace = {"jnp.where(jnp.abs(kept[1]):le(limit), slope, 0)", "0 *"
        .. " slope"},
      explain = "All slopes are 0, as the true ones of round are. Let them"
        .. " through"
        .. " within the limit.",
    },
    {
      name = "no-limit",
      replace = {"jnp.where(jnp.abs(kept[1]):le(limit), slope, 0)", "slope"},
      explain = "Slopes are let through everywhere. Beyond the limit they are"
        .. " to"
        .. " be 0.",
    },
    {
      name = "clipped-slope",
      replace = {"jnp.where(jnp.abs(kept[1]):le(limit), slope, 0)",
        "jnp.clip(slope, -limit, limit)"},
      explain = "The slope was cut at the limit. It is x that decides: within"
        .. " the"
        .. " limit the slope is let through whole.",
    },
    {
      name = "one-side",
      replace = {"jnp.abs(kept[1]):le(limit)", "kept[1]:le(limit)"},
      explain = "Below -limit slopes were let through, too: take the absolute"
        .. " value.",
    },
    {
      name = "limit-left-out",
      replace = {":le(limit)", ":lt(limit)"},
      explain = "At the limit itself the slope is let through as well.",
    },
    {
      name = "not-rounded",
      replace = {"(round(v) - target)", "(round(v) - jnp.round(target))"},
      explain = "The target was rounded, too: it is to be met as it is.",
    },
  },
}
