-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Strips",
  task = "Mend the starter: strips(x, n, devices, rounds) makes each row the"
    .. " mean of itself and its neighbours, and the neighbours of a strip's"
    .. " edges are on other devices.",
  minutes = 20,
  entry = "strips",
  signature = {
    {"in", "f32[]", "x"},
    {"value", "i32", "n"},
    {"value", "i32", "devices"},
    {"value", "i32", "rounds"},
    {"out", "f32[]", "y"},
  },
  reference = function(args)
    local n, m = args.n, #args.x // args.n
    local from, to = {}, {}
    for i = 0, #args.x - 1 do from[i] = args.x[i] end
    for _ = 1, args.rounds do
      for r = 0, n - 1 do
        local above, below = math.max(r - 1, 0), math.min(r + 1, n - 1)
        for c = 0, m - 1 do
          to[r * m + c] = (from[above * m + c] + from[r * m + c]
            + from[below * m + c]) / 3
        end
      end
      from, to = to, from
    end
    for i = 0, #args.y - 1 do args.y[i] = from[i] end
  end,
  tolerance = {abs = 1e-4, reason = "at most 9 rounds, each off by less than"
    .. " 4e-6 of numbers below 32, and a mean makes no error larger"},
  make = function(case, rng)
    local n, m = case.rows, case.columns
    return {x = rng:floats(n * m, -32, 32), n = n, devices = case.devices,
            rounds = case.rounds, y = n * m},
      {x = {n, m}, y = {n, m}}
  end,
  cases = {
    {name = "4 devices", devices = 4, rows = 12, columns = 2, rounds = 1},
    {name = "5 rounds", devices = 3, rows = 12, columns = 3, rounds = 5},
    {name = "one row each", devices = 4, rows = 4, columns = 2, rounds = 2},
    {name = "one device", devices = 1, rows = 5, columns = 2, rounds = 2},
    {name = "two devices", devices = 2, rows = 6, columns = 1, rounds = 3},
    {name = "more of them", devices = 6, rows = 30, columns = 7, rounds = 9,
      hidden = true},
  },
  hints = {
    "jax.lax.ppermute(part[\"-1:\"], \"rows\", {{0, 1}, {1, 2}}) hands the last"
      .. " row of device 0 to device 1, and that of 1 to 2. Who is handed"
      .. " nothing gets zeros.",
    "Two lists of pairs: {k - 1, k} brings what is above, {k, k - 1} what is"
      .. " below, for k from 1 to devices - 1.",
    "jax.lax.axis_index(\"rows\") says which device it is. Device 0 takes its"
      .. " own first row in place of the zeros: jnp.where(here:eq(0), ...,"
      .. " ...).",
  },
  editorial = "Two rows a device travel in each round, however thick the strip"
    .. " is: 16 times the rows, and the same bytes. Where a message's start is"
    .. " what takes long, strips exchange two rows and go two rounds: more is"
    .. " computed, and half as many messages go.",
  mutants = {
    {
      name = "zeros-above",
      replace = {
        "    above = jnp.where(here:eq(0), part[\":1\"], above)\n", ""},
      explain = "Above the first row there is nobody, and ppermute gives zeros"
        .. " there. The row itself is to count.",
    },
    {
      name = "zeros-below",
      replace = {
        "    below = jnp.where(here:eq(devices - 1), part[\"-1:\"], below)\n",
        ""},
      explain = "Below the last row there is nobody, and ppermute gives zeros"
        .. " there. The row itself is to count.",
    },
    {
      name = "turned-round",
      replace = {"{k - 1, k}, {k, k - 1}", "{k, k - 1}, {k - 1, k}"},
      explain = "Pairs are {from, to}: a last row goes down to the next device,"
        .. " a first row up to the one before.",
    },
    {
      name = "wrong-edge-above",
      replace = {"jax.lax.ppermute(part[\"-1:\"], \"rows\", down)",
        "jax.lax.ppermute(part[\":1\"], \"rows\", down)"},
      explain = "What lies above a strip is the last row of the strip before"
        .. " it, not its first.",
    },
    {
      name = "wrong-edge-below",
      replace = {"jax.lax.ppermute(part[\":1\"], \"rows\", up)",
        "jax.lax.ppermute(part[\"-1:\"], \"rows\", up)"},
      explain = "What lies below a strip is the first row of the strip behind"
        .. " it, not its last.",
    },
    {
      name = "each-for-itself",
      replace = {"here:eq(0)", "here:ge(0)"},
      explain = "Each strip takes its own first row as what is above: the"
        .. " strips know nothing of each other there.",
    },
    {
      name = "a-ring",
      replace = {"    above = jnp.where(here:eq(0), part[\":1\"], above)\n"
        .. "    below = jnp.where(here:eq(devices - 1), part[\"-1:\"],"
        .. " below)\n",
        "    local first = jax.lax.all_gather(part[\":1\"], \"rows\")[0]\n"
        .. "    local last = jax.lax.all_gather(part[\"-1:\"], \"rows\")"
        .. "[devices - 1]\n"
        .. "    above = jnp.where(here:eq(0), last, above)\n"
        .. "    below = jnp.where(here:eq(devices - 1), first, below)\n"},
      explain = "The last row has become the neighbour of the first: a ring of"
        .. " rows. At the ends of all, a row is its own neighbour.",
    },
  },
}
