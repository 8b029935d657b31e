-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A softmax across devices",
  task = "Mend the starter: softmax_across(x, m, devices) is the softmax of"
    .. " rows of which each device has some columns.",
  needs = {"softmax"},
  minutes = 15,
  entry = "softmax_across",
  signature = {
    {"in", "f32[]", "x"},
    {"value", "i32", "m"},
    {"value", "i32", "devices"},
    {"out", "f32[]", "y"},
  },
  reference = function(args)
    local m = args.m
    for row = 0, #args.x // m - 1 do
      local top, sum = -math.huge, 0
      for i = row * m, row * m + m - 1 do top = math.max(top, args.x[i]) end
      for i = row * m, row * m + m - 1 do
        sum = sum + math.exp(args.x[i] - top)
      end
      for i = row * m, row * m + m - 1 do
        args.y[i] = math.exp(args.x[i] - top) / sum
      end
    end
  end,
  tolerance = {rel = 1e-4, abs = 1e-7, reason = "the exponent is off by an ulp"
    .. " of a number below 256, 1.5e-5, and exp hands that on; values below"
    .. " 1e-7 are noise beside a sum of 1"},
  make = function(case, rng)
    local n, m = case.rows, case.devices * case.columns
    local x = rng:floats(n * m, case.low or -2, case.high or 2)
    for i = 0, n * m - 1 do -- what the devices have differs by `apart`
      x[i] = x[i] + (case.apart or 0) * (i % m // case.columns)
    end
    return {x = x, m = m, devices = case.devices, y = n * m},
      {x = {n, m}, y = {n, m}}
  end,
  cases = {
    {name = "4 devices", devices = 4, rows = 2, columns = 3},
    {name = "devices apart", devices = 3, rows = 3, columns = 2, apart = 4},
    {name = "large numbers", devices = 4, rows = 2, columns = 2, low = 90,
      high = 120},
    {name = "below zero", devices = 4, rows = 2, columns = 2, low = -130,
      high = -100},
    {name = "far apart", devices = 2, rows = 3, columns = 4, low = -120,
      high = 120},
    {name = "one column each", devices = 5, rows = 3, columns = 1},
    {name = "one device", devices = 1, rows = 2, columns = 5},
    {name = "many", devices = 6, rows = 9, columns = 11, apart = -3,
      hidden = true},
  },
  hints = {
    "Each device knows the greatest of its own columns. All must subtract the"
      .. " same number, or their values do not fit together.",
    "jax.lax.pmax(top, \"columns\") is the greatest of what the devices have,"
      .. " jax.lax.psum(sum, \"columns\") the sum.",
    "In this order: own greatest, pmax, exp, own sum, psum, divide.",
  },
  editorial = "Two numbers a row travel, however long the rows are, in two"
    .. " messages that wait for each other. With a greatest and a sum of its"
    .. " own, each device can send both at once, and correct its sum by"
    .. " exp(own - top) afterwards: the trick of softmax-online, across"
    .. " devices. Long contexts are attended to in that way.",
  mutants = {
    {
      name = "own-top",
      replace = {"    top = jax.lax.pmax(top, \"columns\")\n", ""},
      explain = "Each device subtracted the greatest number of its own columns."
        .. " Then the summands of psum are not of one kind.",
    },
    {
      name = "own-sum",
      replace = {"jax.lax.psum(sum, \"columns\")", "sum"},
      explain = "Each device divided by its own sum: a row comes to as many"
        .. " ones as there are devices.",
    },
    {
      name = "no-top",
      replace = {"jnp.exp(part - top)", "jnp.exp(part)"},
      explain = "exp(100) is infinite in a float, and infinity by infinity is"
        .. " no number.",
    },
    {
      name = "sum-of-tops",
      replace = {"jax.lax.pmax(top, \"columns\")",
                 "jax.lax.psum(top, \"columns\")"},
      explain = "The sum of the greatest numbers is far from each of them: exp"
        .. " of the difference is 0, or infinite, where numbers are large.",
    },
    {
      name = "mean-of-sums",
      replace = {"jax.lax.psum(sum", "jax.lax.pmean(sum"},
      explain = "pmean divides by the number of devices: a row comes to as many"
        .. " ones as there are devices.",
    },
    {
      name = "greatest-sum",
      replace = {"jax.lax.psum(sum", "jax.lax.pmax(sum"},
      explain = "Divided by the greatest of the devices' sums, a row comes to"
        .. " more than one.",
    },
    {
      name = "of-all-rows",
      replace = {"jnp.sum(e, 1, {keepdims = true})", "jnp.sum(e)"},
      explain = "Each row has a sum of its own. This is the sum of all rows.",
    },
  },
}
