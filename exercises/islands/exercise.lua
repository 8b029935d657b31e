-- SPDX-License-Identifier: Apache-2.0
local maps = {}

function maps.any(case, rng)
  local draw = rng:ints(case.rows * case.columns, 0, 9)
  return function(row, column)
    return draw[row * case.columns + column] < (case.land or 6) and 1 or 0
  end
end

-- Rows of land, each joined to the next at one end, in turns.
function maps.snake(case)
  return function(row, column)
    if row % 2 == 0 then return 1 end
    return column == (row % 4 == 1 and case.columns - 1 or 0) and 1 or 0
  end
end

-- Cells that touch at their corners alone.
function maps.board()
  return function(row, column) return (row + column) % 2 end
end

-- An island whose ways lead up and to the left.
function maps.comb(case)
  return function(row, column)
    return (row == case.rows - 1 or column % 3 == 1) and 1 or 0
  end
end

return {
  title = "Islands",
  task = "Each cell of land gets its island's label: steps in which every cell"
    .. " takes the least label around it, until nothing changes.",
  needs = {"bfs"},
  minutes = 20,
  kernels = {
    {name = "begin", signature = {
      {"in", "const int *", "land"},
      {"out", "int *", "label"},
      {"value", "int", "n"},
    }},
    {name = "spread", signature = {
      {"in", "const int *", "from"},
      {"out", "int *", "to"},
      {"inout", "int *", "changed"},
      {"value", "int", "rows"},
      {"value", "int", "columns"},
    }},
  },
  signature = {
    {"in", "const int *", "land"},
    {"out", "int *", "label"},
    {"scratch", "int *", "other"},
    {"scratch", "int *", "changed"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  launches = function(args, kernels, case)
    local n, bx, by = args.rows * args.columns, case.bx or 16, case.by or 8
    local grid = {blocks_for(args.columns, bx), blocks_for(args.rows, by)}
    kernels.begin[{blocks_for(n, 128), 128}](args.land, args.label, n)
    repeat
      args.changed[0] = 0
      kernels.spread[{grid, {bx, by}}](args.label, args.other, args.changed,
        args.rows, args.columns)
      kernels.spread[{grid, {bx, by}}](args.other, args.label, args.changed,
        args.rows, args.columns)
    until args.changed[0] == 0
  end,
  most_launches = 400,
  reference = "islands",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 100000,
  make = function(case, rng)
    local n = case.rows * case.columns
    local is_land, land = maps[case.map or "any"](case, rng), rng:full(n, 0)
    for at = 0, n - 1 do
      land[at] = is_land(at // case.columns, at % case.columns)
    end
    return {land = land, label = n, other = n, changed = 1, rows = case.rows,
            columns = case.columns}
  end,
  cases = {
    {name = "24 x 40", rows = 24, columns = 40},
    {name = "a long way", rows = 13, columns = 10, map = "snake"},
    {name = "corners do not touch", rows = 9, columns = 12, map = "board"},
    {name = "up and to the left", rows = 17, columns = 16, map = "comb"},
    {name = "all land", rows = 16, columns = 32, land = 10},
    {name = "all water", rows = 5, columns = 33, land = 0},
    {name = "one cell", rows = 1, columns = 1, land = 10},
    {name = "one row", rows = 1, columns = 70, land = 8, bx = 32, by = 2},
    {name = "one column", rows = 70, columns = 1, land = 8},
    {name = "large", rows = 50, columns = 77, bx = 32, by = 4, hidden = true},
  },
  requires = {{"min_threads = 16", kernel = "spread"}},
  hints = {
    "A thread for each cell. Its place is row * columns + column; the cell to"
      .. " its left is one less, the one above `columns` less.",
    "At the border there are fewer than four neighbours. The cell one less than"
      .. " the first of a row is the last of the row before.",
    "Water has a label larger than any place, so it never wins. But it must not"
      .. " take one, either.",
    "Write to[i] in any case, also where nothing changes: the next step reads"
      .. " it.",
  },
  editorial = "A step costs five loads and one store for an inner cell of"
    .. " land. News travels one cell a step: a long island takes as many steps"
    .. " as its way is long. Next: several steps in shared memory for each"
    .. " launch. Or leaps: a label is the place of a cell of the same island,"
    .. " whose own label may be smaller already, so go and look there.",
  mutants = {
    {
      name = "over-the-left-edge",
      replace = {"if (column > 0) least", "if (i > 0) least"},
      explain = "The cell in front of the first of a row is the last of the row"
        .. " above: the two do not touch.",
    },
    {
      name = "over-the-right-edge",
      replace = {"if (column < columns - 1) least",
        "if (i < rows * columns - 1) least"},
      explain = "The cell behind the last of a row is the first of the row"
        .. " below: the two do not touch.",
    },
    {
      name = "water-joins",
      replace = {"if (own < 1000000) {", "{"},
      explain = "Water takes labels as well, and so all islands become one.",
    },
    {
      name = "nothing-from-the-right",
      replace = {
        "    if (column < columns - 1) least = min(least, from[i + 1]);\n", ""},
      explain = "News travels to the right and not to the left: a cell takes"
        .. " nothing from its right neighbour.",
    },
    {
      name = "nothing-from-below",
      replace = {
        "    if (row < rows - 1) least = min(least, from[i + columns]);\n", ""},
      explain = "News travels down and not up: a cell takes nothing from the"
        .. " one below.",
    },
    {
      name = "nobody-says-so",
      replace = {"    if (least < own) atomicExch(changed, 1);\n", ""},
      explain = "Nobody says that something has changed, and so the host stops"
        .. " after two steps.",
    },
    {
      name = "always-changed",
      replace = {"if (least < own) atomicExch", "atomicExch"},
      explain = "Every cell of land says that something has changed, and the"
        .. " host goes on for ever.",
    },
    {
      name = "changed-alone",
      replace = {"  to[i] = least;", "  if (least < own) to[i] = least;"},
      explain = "A cell whose label stays is not written: the next step reads"
        .. " what nobody has put there.",
    },
    {
      name = "last-neighbour",
      replace = {"if (row > 0) least = min(least, from[i - columns])",
        "if (row > 0) least = min(own, from[i - columns])"},
      explain = "What the left and right neighbours said is forgotten: the"
        .. " least of all is asked for.",
    },
    {
      name = "corner",
      replace = {"if (row > 0) least = min(least, from[i - columns])",
        "if (row > 0) least = min(least, from[i - columns]);\n"
        .. "    if (row > 0 && column > 0)"
        .. " least = min(least, from[i - columns - 1])"},
      explain = "A cell at the corner does not touch: only left, right, above"
        .. " and below count.",
    },
    {
      name = "one-thread",
      breaks = "spread: min_threads = 16",
      replace = {[[
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  int i = row * columns + column, own = from[i], least = own;
  if (own < 1000000) {
    if (column > 0) least = min(least, from[i - 1]);
    if (column < columns - 1) least = min(least, from[i + 1]);
    if (row > 0) least = min(least, from[i - columns]);
    if (row < rows - 1) least = min(least, from[i + columns]);
    if (least < own) atomicExch(changed, 1);
  }
  to[i] = least;]], [[
  if (threadIdx.x + threadIdx.y > 0) return;
  for (int k = 0; k < blockDim.x * blockDim.y; k++) {
    int column = blockIdx.x * blockDim.x + k % blockDim.x;
    int row = blockIdx.y * blockDim.y + k / blockDim.x;
    if (row >= rows || column >= columns) continue;
    int i = row * columns + column, own = from[i], least = own;
    if (own < 1000000) {
      if (column > 0) least = min(least, from[i - 1]);
      if (column < columns - 1) least = min(least, from[i + 1]);
      if (row > 0) least = min(least, from[i - columns]);
      if (row < rows - 1) least = min(least, from[i + columns]);
      if (least < own) atomicExch(changed, 1);
    }
    to[i] = least;
  }]]},
      explain = "The first thread of each block does all of its cells,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
