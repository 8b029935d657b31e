-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Each with each",
  task = "pairs_of(p, q): the distance of each place of p to each of q, and the"
    .. " nearest of q for each of p.",
  needs = {"batch-matvec"},
  minutes = 15,
  entry = "pairs_of",
  signature = {
    {"in", "f32[]", "p"},
    {"in", "f32[]", "q"},
    {"out", "f32[]", "distances"},
    {"out", "i32[]", "nearest"},
  },
  reference = function(args)
    local n = #args.nearest
    local m, d = #args.distances // n, #args.p // n
    for i = 0, n - 1 do
      local best
      for j = 0, m - 1 do
        local sum = 0
        for k = 0, d - 1 do
          sum = sum + (args.p[i * d + k] - args.q[j * d + k]) ^ 2
        end
        args.distances[i * m + j] = math.sqrt(sum)
        if not best or sum < best then best, args.nearest[i] = sum, j end
      end
    end
  end,
  tolerance = {ulp = 2,
    reason = "the places are multiples of 1/8 within 8, so that squares and"
      .. " their"
      .. " sums are exact, and the root rounds once"},
  make = function(case, rng)
    local n, m, d = case.n, case.m, case.d
    return {
      p = rng:steps(n * d, -8, 8, 1 / 8), q = rng:steps(m * d, -8, 8, 1 / 8),
      distances = n * m, nearest = n,
    }, {p = {n, d}, q = {m, d}, distances = {n, m}}
  end,
  cases = {
    {name = "3 places and 4, in the plane", n = 3, m = 4, d = 2},
    {name = "one and one", n = 1, m = 1, d = 1},
    {name = "as many as the others", n = 4, m = 4, d = 4},
    {name = "on a line", n = 30, m = 20, d = 1},
    {name = "one with many", n = 1, m = 50, d = 3},
    {name = "many", n = 83, m = 61, d = 3, hidden = true},
  },
  hints = {
    "Write the distance of two places first: a function of two vectors.",
    "jax.vmap(distance, {false, 0}) is from one to all; a vmap around it, {0,"
      .. " false}, from each to all.",
    "jnp.argmin(distances, {axis = 1}) looks along each row.",
  },
  editorial = "n * m distances of d coordinates each; the differences are an"
    .. " array of n * m * d numbers before they are summed. The sum of a^2 +"
    .. " b^2 - 2 a b needs a product of matrices only, but loses digits where"
    .. " two places are close. Who wants the nearest alone needs no table:"
    .. " assign finds it in a kernel.",
  mutants = {
    {
      name = "no-root",
      replace = {"jnp.sqrt(jnp.sum((a - b) ^ 2))", "jnp.sum((a - b) ^ 2)"},
      explain = "Those are the squares of the distances: the root is missing.",
    },
    {
      name = "around-the-block",
      replace = {"jnp.sqrt(jnp.sum((a - b) ^ 2))", "jnp.sum(jnp.abs(a - b))"},
      explain = "That is the way around the corners, along the axes. The"
        .. " straight"
        .. " one is the root of the sum of the squares.",
    },
    {
      name = "farthest",
      replace = {"jnp.argmin", "jnp.argmax"},
      explain = "That is the farthest one.",
    },
    {
      name = "signed",
      replace = {"jnp.sqrt(jnp.sum((a - b) ^ 2))",
        "jnp.sqrt(jnp.sum(a ^ 2)) - jnp.sqrt(jnp.sum(b ^ 2))"},
      explain = "That is how much farther one lies from zero than the other,"
        .. " and"
        .. " not how far they are from each other.",
    },
    {
      name = "mean-of-squares",
      replace = {"jnp.sum((a - b) ^ 2)", "jnp.mean((a - b) ^ 2)"},
      explain = "The sum of the squares was divided by the number of"
        .. " coordinates: the distance takes it whole.",
    },
  },
}
