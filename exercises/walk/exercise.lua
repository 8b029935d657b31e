-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Drunkards' walks",
  task = "walk(coins): the places of all walks, how far each went, and how"
    .. " often"
    .. " it was back at 0.",
  minutes = 10,
  entry = "walk",
  signature = {
    {"in", "i32[]", "coins"},
    {"out", "i32[]", "places"},
    {"out", "i32[]", "farthest"},
    {"out", "i32[]", "back"},
  },
  reference = function(args)
    local walks = #args.farthest
    local n = #args.coins // walks
    for w = 0, walks - 1 do
      local at, far, back = 0, 0, 0
      for j = w * n, (w + 1) * n - 1 do
        at = at + (args.coins[j] == 1 and 1 or -1)
        far = math.max(far, math.abs(at))
        if at == 0 then back = back + 1 end
        args.places[j] = at
      end
      args.farthest[w], args.back[w] = far, back
    end
  end,
  tolerance = {ulp = 0, reason = "whole numbers"},
  make = function(case, rng)
    local count = case.walks * case.n
    local shape = {case.walks, case.n}
    return {
      coins = rng:ints(count, case.low or 0, 1), places = count,
      farthest = case.walks, back = case.walks,
    }, {coins = shape, places = shape}
  end,
  cases = {
    {name = "3 walks of 12 steps", walks = 3, n = 12},
    {name = "one step", walks = 1, n = 1},
    {name = "as many walks as steps", walks = 6, n = 6},
    {name = "always to the right", walks = 2, n = 9, low = 1},
    {name = "many short ones", walks = 70, n = 4},
    {name = "long", walks = 11, n = 800, hidden = true},
  },
  hints = {
    "jnp.where(coins:eq(1), 1, -1) makes steps of the coins.",
    "A place is the sum of all steps so far: jnp.cumsum(steps, {axis = 1}).",
    "jnp.max and jnp.sum take {axis = 1}, too; a sum of true and false counts.",
  },
  editorial = "Whole arrays of walks * n numbers: the steps, their running"
    .. " sums, the distances, and where a place is 0. The running sum is n"
    .. " additions one after the other; warp-scan and scan do it by many"
    .. " threads at once. One loop that carries the place, the farthest and"
    .. " the count would need no arrays in between: lesson 38-trees-and-loops"
    .. " has jax.lax.scan for it.",
  mutants = {
    {
      name = "zero-steps",
      replace = {"jnp.where(coins:eq(1), 1, -1)", "jnp.asarray(coins)"},
      explain = "A coin that shows 0 is a step to the left, -1. Here it is no"
        .. " step"
        .. " at all.",
    },
    {
      name = "left-for-right",
      replace = {":eq(1), 1, -1)", ":eq(1), -1, 1)"},
      explain = "Right and left are exchanged: 1 is a step to the right, where"
        .. " places grow.",
    },
    {
      name = "one-long-walk",
      replace = {"jnp.cumsum(steps, {axis = 1})",
        "jnp.cumsum(steps):reshape(steps.shape[1], steps.shape[2])"},
      explain = "Each walk goes on where the one before has ended. All begin at"
        .. " 0: axis = 1.",
    },
    {
      name = "right-only",
      replace = {"jnp.max(jnp.abs(places), {axis = 1})",
        "jnp.max(places, {axis = 1})"},
      explain = "That is how far each went to the right. Left counts as well:"
        .. " take"
        .. " the absolute values.",
    },
    {
      name = "where-it-ended",
      replace = {"jnp.max(jnp.abs(places), {axis = 1})",
        "jnp.abs(places[\":, -1\"])"},
      explain = "That is how far each stands at the end, and it may have been"
        .. " farther away before.",
    },
  },
}
