-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Downhill with a memory",
  task = "descend(x, y, rate, momentum, steps): v = momentum * v - rate *"
    .. " slope,"
    .. " w = w + v, from zeros; the last w, and the loss before each step.",
  needs = {"mlp"},
  minutes = 20,
  entry = "descend",
  signature = {
    {"in", "f32[]", "x"},
    {"in", "f32[]", "y"},
    {"value", "f32", "rate"},
    {"value", "f32", "momentum"},
    {"value", "i32", "steps"},
    {"out", "f32[]", "w"},
    {"out", "f32[]", "losses"},
  },
  reference = function(args)
    local rows, d, w, v = #args.y, #args.w, {}, {}
    for i = 0, d - 1 do w[i], v[i] = 0, 0 end
    for step = 0, args.steps - 1 do
      local loss, g = 0, {}
      for i = 0, d - 1 do g[i] = 0 end
      for r = 0, rows - 1 do
        local off = -args.y[r]
        for i = 0, d - 1 do off = off + args.x[r * d + i] * w[i] end
        loss = loss + off * off / rows
        for i = 0, d - 1 do
          g[i] = g[i] + 2 * off * args.x[r * d + i] / rows
        end
      end
      args.losses[step] = loss
      for i = 0, d - 1 do
        v[i] = args.momentum * v[i] - args.rate * g[i]
        w[i] = w[i] + v[i]
      end
    end
    for i = 0, d - 1 do args.w[i] = w[i] end
  end,
  tolerance = {rel = 1e-4, abs = 2e-4,
    reason = "the slope changes at most 12 times as fast as w, and 12 times the"
      .. " rate is below 2, so that no error grows; a slope is a dozen"
      .. " operations on numbers within 4, off by 3e-6, a tenth of which"
      .. " counts,"
      .. " ten times over with a momentum of 0.9, in at most 60 steps"},
  make = function(case, rng)
    local rows, d = case.rows, case.d
    return {
      x = rng:floats(rows * d, -1, 1), y = rng:floats(rows, -2, 2),
      rate = case.rate, momentum = case.momentum, steps = case.steps,
      w = d, losses = case.steps,
    }, {x = {rows, d}}
  end,
  cases = {
    {name = "two steps, by hand", rows = 3, d = 2, steps = 2, rate = 0.1,
      momentum = 0.5},
    {name = "one step", rows = 4, d = 3, steps = 1, rate = 0.1, momentum = 0.9},
    {name = "20 steps", rows = 12, d = 3, steps = 20, rate = 0.1,
      momentum = 0.9},
    {name = "no momentum", rows = 6, d = 2, steps = 10, rate = 0.2,
      momentum = 0},
    {name = "one number", rows = 1, d = 1, steps = 7, rate = 0.1,
      momentum = 0.5},
    {name = "longer", rows = 40, d = 6, steps = 60, rate = 0.1, momentum = 0.8,
      hidden = true},
  },
  hints = {
    "The carry of the scan is a table of two arrays, {w =, v =}; what is"
      .. " written"
      .. " down is the loss.",
    "jax.lax.scan(body, start, nil, {length = steps}) goes that many rounds"
      .. " without an array to go along.",
    "jax.value_and_grad(loss)(now.w) gives both: what to write down, and g.",
    "local v = momentum * now.v - rate * g, and return {w = now.w + v, v = v}"
      .. " beside the value.",
  },
  editorial = "A step walks x there and back, O(rows d), and hands on w and v,"
    .. " 2 d numbers, however many steps there are. The body is traced once."
    .. " The loss comes with its slopes from value_and_grad and costs no walk"
    .. " of its own. Where rows are many, each step takes some of them by"
    .. " turns: they would come to the body as what scan goes along.",
  mutants = {
    {
      name = "no-memory",
      replace = {"momentum * now.v - rate * g", "-rate * g"},
      explain = "The velocity forgets what it was: this is plain descent.",
    },
    {
      name = "uphill",
      replace = {"momentum * now.v - rate * g", "momentum * now.v + rate * g"},
      explain = "A slope points uphill: it is taken away, not added.",
    },
    {
      name = "old-velocity",
      replace = {"w = now.w + v, v = v", "w = now.w + now.v, v = v"},
      explain = "w goes on with the velocity of the step before: the new one"
        .. " belongs to this step.",
    },
    {
      name = "loss-after",
      replace = {"v = v}, value", "v = v}, loss(now.w + v)"},
      explain = "The loss is written down after the step: the one before it is"
        .. " asked for, so that the first is the loss of zeros.",
    },
    {
      name = "velocity-counted",
      replace = {"momentum * now.v - rate * g",
        "momentum * now.v - (1 - momentum) * rate * g"},
      explain = "Some weigh the slope with 1 - momentum. Here it counts in"
        .. " full.",
    },
    {
      name = "half-slope",
      replace = {"return jnp.mean((jnp.dot(x, w) - y) ^ 2)",
        "return 0.5 * jnp.mean((jnp.dot(x, w) - y) ^ 2)"},
      explain = "The loss is the mean of the squares, not half of it; its slope"
        .. " is half as large, too.",
    },
  },
}
