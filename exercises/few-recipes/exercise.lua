-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "One recipe for all lengths",
  task = "few_recipes(x, lengths): the mean square of each row's first"
    .. " lengths[r] numbers. The starter is right and is traced for each"
    .. " length; let it be traced once.",
  needs = {"why-again"},
  minutes = 15,
  entry = "few_recipes",
  signature = {
    {"in", "f32[]", "x"},
    {"in", "i32[]", "lengths"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    local rows = #args.lengths
    local columns = #args.x // rows
    for r = 0, rows - 1 do
      local sum = 0
      for k = r * columns, r * columns + args.lengths[r] - 1 do
        sum = sum + args.x[k] ^ 2
      end
      args.out[r] = sum / args.lengths[r]
    end
  end,
  tolerance = {ulp = 2, reason = "multiples of 1/16 below 8 have squares of 14"
    .. " bits, of which 1000 add up exactly in a float; the quotient is rounded"
    .. " once, and once more where it is a product with 1 / length"},
  make = function(case, rng)
    local rows, columns = case.rows, case.columns
    local x = rng:steps(rows * columns, -8, 8, 1 / 16)
    local lengths = rng:ints(rows, 1, columns)
    if case.whole then lengths = rng:full(rows, columns) end
    for r = 0, rows - 1 do
      for k = lengths[r], columns - 1 do
        x[r * columns + k] = k % 3 == 0 and 0 / 0 or 1000
      end
    end
    return {x = x, lengths = lengths, out = rows}, {x = {rows, columns}}
  end,
  cases = {
    {name = "6 rows of up to 20", rows = 6, columns = 20},
    {name = "one row", rows = 1, columns = 7},
    {name = "rows of one number", rows = 5, columns = 1},
    {name = "whole rows", rows = 4, columns = 33, whole = true},
    {name = "30 rows of up to 100", rows = 30, columns = 100},
    {name = "many", rows = 40, columns = 61, hidden = true},
  },
  goal = {"traces <= 1", "traces >= 1"},
  hints = {
    "A shape is a part of the recipe. What if every call had a row of the same"
      .. " shape, and were told how much of it counts?",
    "Hand over the whole row, and its length as a second argument: a number"
      .. " that changes from call to call is no new kind.",
    "jnp.less(jnp.arange(#row), length) says for each place whether it counts.",
    "NaN times 0 is NaN: choose by jnp.where, do not multiply.",
  },
  editorial = "One trace, whatever the lengths are. Each row costs all its"
    .. " columns, also those that do not count. jnp.where is needed, as a"
    .. " product with 0 would keep a NaN. The next thing to go is the loop"
    .. " over the rows: jax.vmap, from lesson 36-vmap, does all of them in one"
    .. " call; batch-matvec begins with it.",
  mutants = {
    {
      name = "static-length",
      breaks = "traces <= 1",
      replace = {"/ length\n  end)", "/ length\n  end, {static_argnums = 1})"},
      explain = "A static argument is a part of the recipe: each length is"
        .. " traced anew.",
    },
    {
      name = "cut-before",
      breaks = "traces <= 1",
      replace = {"jnp.asarray(x[r]), lengths[r]",
        'jnp.asarray(x[r][("0:%d"):format(lengths[r])]), lengths[r]'},
      explain = "The row is cut before the call, and its shape is a new one for"
        .. " each length.",
    },
    {
      name = "not-jitted",
      breaks = "traces >= 1",
      replace = {"jax.jit(function(row, length)", "(function(row, length)"},
      explain = "Nothing is traced, as nothing is jitted: each step is a launch"
        .. " of its own.",
    },
    {
      name = "times-nothing",
      replace = {"jnp.where(counts, row * row, 0)", "row * row * counts"},
      explain = "A NaN from behind the row's numbers gets into the sum. NaN"
        .. " times 0 is NaN as well: let jnp.where put a 0 in its place.",
    },
    {
      name = "one-too-many",
      replace = {"jnp.less(", "jnp.less_equal("},
      explain = "Places count from 0: the numbers of the row are at places"
        .. " below its length.",
    },
    {
      name = "all-count",
      replace = {"jnp.where(counts, row * row, 0)", "row * row"},
      explain = "What stands behind the row's numbers is added as well.",
    },
    {
      name = "whole-width",
      replace = {"jnp.sum(jnp.where(counts, row * row, 0)) / length",
        "jnp.mean(jnp.where(counts, row * row, 0))"},
      explain = "The mean is taken over the whole width: the sum is to be"
        .. " divided by the row's own length.",
    },
    {
      name = "not-divided",
      replace = {"0)) / length", "0))"},
      explain = "That is the sum of the squares, not their mean.",
    },
    {
      name = "not-squared",
      replace = {"row * row, 0", "row, 0"},
      explain = "That is the mean of the numbers, not of their squares.",
    },
  },
}
