-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "lua",
  title = "Somebody else's memory",
  task = "halve(memory, start, rows, columns, row_step, column_step): halve the"
    .. " elements of another library's array where they lie, and give both.",
  needs = {"no-loops"},
  minutes = 15,
  entry = "halve",
  signature = {
    {"in", "f64[]", "memory"},
    {"value", "i32", "start"},
    {"value", "i32", "rows"},
    {"value", "i32", "columns"},
    {"value", "i32", "row_step"},
    {"value", "i32", "column_step"},
    {"out", "f64[]", "after"},
    {"out", "f64[]", "elements"},
  },
  reference = function(args)
    for k = 0, #args.memory - 1 do args.after[k] = args.memory[k] end
    for i = 0, args.rows - 1 do
      for j = 0, args.columns - 1 do
        local at = args.start + i * args.row_step + j * args.column_step
        args.after[at] = args.memory[at] / 2
        args.elements[i * args.columns + j] = args.after[at]
      end
    end
  end,
  tolerance = {ulp = 0, reason = "half of a number is exact"},
  make = function(case, rng)
    return {
      memory = rng:steps(case.n, -8, 8, 1 / 8), start = case.start,
      rows = case.rows, columns = case.columns, row_step = case.row_step,
      column_step = case.column_step, after = case.n,
      elements = case.rows * case.columns,
    }, {elements = {case.rows, case.columns}}
  end,
  cases = {
    {name = "rows of 4, 3 of them used", n = 14, start = 1, rows = 3,
      columns = 3, row_step = 4, column_step = 1},
    {name = "transposed", n = 12, start = 0, rows = 4, columns = 3,
      row_step = 1, column_step = 4},
    {name = "every other element", n = 24, start = 2, rows = 3, columns = 3,
      row_step = 8, column_step = 2},
    {name = "upside down", n = 12, start = 9, rows = 4, columns = 3,
      row_step = -3, column_step = 1},
    {name = "backwards", n = 9, start = 8, rows = 3, columns = 3,
      row_step = -3, column_step = -1},
    {name = "one element", n = 5, start = 3, rows = 1, columns = 1,
      row_step = 0, column_step = 0},
    {name = "one row", n = 10, start = 1, rows = 1, columns = 4, row_step = 0,
      column_step = 2},
    {name = "large", n = 40000, start = 39000, rows = 90, columns = 70,
      row_step = -400, column_step = 3, hidden = true},
  },
  hints = {
    "Compute the places of all elements first, as an array of whole numbers: i"
      .. " as a column, j as a row, and they stretch.",
    "memory[places], with an array of places, gives these elements in the shape"
      .. " of places. It is a copy.",
    "memory[places] = ... writes to these places in memory itself.",
  },
  editorial = "The work is rows * columns elements, however large the memory"
    .. " is. An array of as many places is made, and memory is indexed by it"
    .. " three times: taken, written, and taken again for the result. A view"
    .. " that knows its steps needs neither places nor a copy; same-memory"
    .. " asks what two such views have in common.",
  mutants = {
    {
      name = "halved-copy",
      replace = {"memory[places] = memory[places] / 2\n"
          .. "  return memory, memory[places]",
        "local window = memory[places] / 2\n  return memory, window"},
      explain = "A copy of the elements was halved, and the memory that the"
        .. " other library still has is as before. memory[places] is a copy,"
        .. " too.",
    },
    {
      name = "all-halved",
      replace = {"memory[places] = memory[places] / 2", "memory = memory / 2"},
      explain = "All of the memory was halved. What lies between the elements"
        .. " belongs to somebody else.",
    },
    {
      name = "steps-exchanged",
      replace = {"i * row_step + j * column_step",
        "i * column_step + j * row_step"},
      explain = "The two steps are exchanged: row_step leads from one row to"
        .. " the"
        .. " next.",
    },
    {
      name = "no-start",
      replace = {"start + i * row_step", "i * row_step"},
      explain = "The array does not begin with the memory: its first element is"
        .. " at start.",
    },
    {
      name = "side-by-side",
      replace = {"i * row_step + j * column_step", "i * columns + j"},
      explain = "That is where the elements would lie if rows followed each"
        .. " other"
        .. " without a gap. The steps say where they are.",
    },
    {
      name = "old-elements",
      replace = {"memory[places] = memory[places] / 2\n"
          .. "  return memory, memory[places]",
        "local window = memory[places]\n  memory[places] = window / 2\n"
          .. "  return memory, window"},
      explain = "The elements were copied before they were halved, and a copy"
        .. " does not change with the memory.",
    },
  },
}
