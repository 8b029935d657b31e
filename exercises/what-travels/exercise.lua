-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "What travels",
  task = "what_travels(n, m, devices): the bytes that one device of several"
    .. " sends for a mean, a gather, a turned table and a stencil.",
  minutes = 10,
  entry = "what_travels",
  signature = {
    {"in", "i32[]", "n"},
    {"in", "i32[]", "m"},
    {"in", "i32[]", "devices"},
    {"out", "f64[]", "means"},
    {"out", "f64[]", "gathered"},
    {"out", "f64[]", "turned"},
    {"out", "f64[]", "halos"},
  },
  reference = function(args)
    for i = 0, #args.n - 1 do
      local n, m, D = args.n[i], args.m[i], args.devices[i]
      args.means[i], args.gathered[i] = 0, 0
      args.turned[i], args.halos[i] = 0, 0
      for other = 1, D - 1 do
        args.means[i] = args.means[i] + 2 * 4 * m / D -- down and up
        args.gathered[i] = args.gathered[i] + 4 * n * m / D
        args.turned[i] = args.turned[i] + 4 * n * m / D / D
        if other <= 2 then args.halos[i] = args.halos[i] + 4 * m end
      end
    end
  end,
  tolerance = {rel = 1e-12, reason = "a product in place of a sum of at most 16"
    .. " equal terms: each addition is off by 2^-53 at most"},
  make = function(case, rng)
    local count, D = #case.devices, rng:full(#case.devices, 0)
    local n, m = rng:ints(count, 1, 900), rng:ints(count, 1, 900)
    for i, d in ipairs(case.devices) do
      D[i - 1] = d
      n[i - 1], m[i - 1] = n[i - 1] * d, m[i - 1] * d
    end
    return {n = n, m = m, devices = D, means = count, gathered = count,
            turned = count, halos = count}
  end,
  cases = {
    {name = "four devices", devices = {4, 4, 4}},
    {name = "two devices", devices = {2, 2}},
    {name = "three devices", devices = {3}},
    {name = "one device", devices = {1, 1}},
    {name = "more and more", devices = {1, 2, 4, 8, 16}, hidden = true},
  },
  hints = {
    "A strip is 4 * n * m / devices bytes. To whom does a device send all of"
      .. " it, and to whom a piece?",
    "A ring has devices - 1 steps in a round, with one piece in each. An"
      .. " all-reduce goes round twice, a gather once.",
    "For the turned table a strip is cut into one piece for each device, and"
      .. " one of them stays. np.minimum(devices - 1, 2) counts neighbours.",
  },
  editorial = "With twice as many devices a mean and a halo cost each of them"
    .. " the same, a turned table half, and a gather a little more: but all"
    .. " of them have less to compute meanwhile. So a gather is what to look"
    .. " for in a program that grows no faster.",
  mutants = {
    {
      name = "own-piece",
      replace = {"strip / devices * others", "strip"},
      explain = "One of the pieces of a strip is for the device itself, and"
        .. " does not travel.",
    },
    {
      name = "whole-strip-to-all",
      replace = {"strip / devices * others", "strip * others"},
      explain = "For the turned table each other device wants one piece of the"
        .. " strip, not all of it. (That is the gather.)",
    },
    {
      name = "once-round",
      replace = {"2.0 * others * 4", "1.0 * others * 4"},
      explain = "After one round each device has one finished piece of the"
        .. " sums. They go round once more, so that all have all.",
    },
    {
      name = "rows-for-means",
      replace = {"others * 4 * m / devices", "others * 4 * n / devices"},
      explain = "A sum for each column travels, and there are m columns.",
    },
    {
      name = "its-own-too",
      replace = {"local gathered = others * strip",
        "local gathered = devices * strip"},
      explain = "In a ring of that many devices a strip has come to all after"
        .. " one step less than there are devices.",
    },
    {
      name = "always-two",
      replace = {"np.minimum(others, 2)", "2"},
      explain = "Of two devices each has one neighbour, and one alone has"
        .. " none.",
    },
    {
      name = "one-edge",
      replace = {"np.minimum(others, 2)", "np.minimum(others, 1)"},
      explain = "A device in the middle has a neighbour on either side, and"
        .. " sends a row to both.",
    },
    {
      name = "columns-as-edges",
      replace = {"4.0 * m * neighbours", "4.0 * n * neighbours"},
      explain = "The strips are cut along the rows: an edge is a row, and has m"
        .. " numbers.",
    },
  },
}
