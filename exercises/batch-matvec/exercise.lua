-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "A vector for each, and one for all",
  task = "products(ms, vs, w): each matrix of ms times its vector of vs, and"
    .. " each"
    .. " times w.",
  minutes = 10,
  entry = "products",
  signature = {
    {"in", "f32[]", "ms"},
    {"in", "f32[]", "vs"},
    {"in", "f32[]", "w"},
    {"out", "f32[]", "own"},
    {"out", "f32[]", "shared"},
  },
  reference = function(args)
    local c = #args.w
    local k = #args.vs // c
    local r = #args.own // k
    for b = 0, k - 1 do
      for i = 0, r - 1 do
        local own, shared = 0, 0
        for j = 0, c - 1 do
          local m = args.ms[(b * r + i) * c + j]
          own = own + m * args.vs[b * c + j]
          shared = shared + m * args.w[j]
        end
        args.own[b * r + i], args.shared[b * r + i] = own, shared
      end
    end
  end,
  tolerance = {ulp = 0,
    reason = "the numbers are multiples of 1/8 within 4: products and sums of"
      .. " 50"
      .. " of them are exact"},
  make = function(case, rng)
    local k, r, c = case.k, case.r, case.c
    return {
      ms = rng:steps(k * r * c, -4, 4, 1 / 8),
      vs = rng:steps(k * c, -4, 4, 1 / 8), w = rng:steps(c, -4, 4, 1 / 8),
      own = k * r, shared = k * r,
    }, {ms = {k, r, c}, vs = {k, c}, own = {k, r}, shared = {k, r}}
  end,
  cases = {
    {name = "4 matrices of 2 by 3", k = 4, r = 2, c = 3},
    {name = "one number", k = 1, r = 1, c = 1},
    {name = "all sizes alike", k = 3, r = 3, c = 3},
    {name = "as many as columns", k = 5, r = 2, c = 5},
    {name = "single rows", k = 9, r = 1, c = 4},
    {name = "larger", k = 40, r = 17, c = 50, hidden = true},
  },
  hints = {
    "jnp.dot does it for one matrix and one vector. jax.vmap(jnp.dot) walks"
      .. " along"
      .. " both.",
    "For w, the same for all: jax.vmap(jnp.dot, {0, false}).",
  },
  editorial = "Each result takes k * r * c products, and there is no loop over"
    .. " k. The matrices are read twice, once for their own vectors and once"
    .. " for w. Both vectors side by side, as a matrix of two columns for each"
    .. " matrix, would read them once. How such a rule for many comes about,"
    .. " vmap-rule asks.",
  mutants = {
    {
      name = "first-for-all",
      replace = {"own(ms, vs), shared(ms, w)",
        "shared(ms, jnp.asarray(vs)[0]), shared(ms, w)"},
      explain = "Every matrix met the first vector of vs: each has its own.",
    },
    {
      name = "exchanged",
      replace = {"own(ms, vs), shared(ms, w)", "shared(ms, w), own(ms, vs)"},
      explain = "The two results are exchanged: first the products with vs.",
    },
    {
      name = "twice-the-same",
      replace = {"own(ms, vs), shared(ms, w)", "own(ms, vs), own(ms, vs)"},
      explain = "The second result is the first once more: there, all are to"
        .. " meet"
        .. " w.",
    },
    {
      name = "sizes-of-products",
      replace = {"own(ms, vs), shared(ms, w)",
        "jnp.abs(own(ms, vs)), jnp.abs(shared(ms, w))"},
      explain = "The products have lost their signs.",
    },
    {
      name = "other-way-round",
      replace = {"own(ms, vs), shared(ms, w)",
        "jnp.flip(own(ms, vs), 0), jnp.flip(shared(ms, w), 0)"},
      explain = "The results stand in the opposite order: the first matrix"
        .. " comes"
        .. " first.",
    },
  },
}
