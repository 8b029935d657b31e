-- SPDX-License-Identifier: Apache-2.0
-- The reference adds in double: 53 digits for numbers of 24, so that its own
-- error is far below the float's. Kahan's sum is off by at most about two units
-- of 2^-24 of the sum of all sizes (Higham, Accuracy and Stability of Numerical
-- Algorithms, section 4.3); as all numbers are positive, of the sum itself.
local function make(case, rng)
  local rows, columns = case.rows, case.columns
  local x = rng:floats(rows * columns, 0.5, 1)
  if case.tenths then x = rng:full(rows * columns, 0.1) end
  for row = 0, rows - 1 do
    if case.first then x[row * columns] = case.first + row end
    if case.last then x[row * columns + columns - 1] = case.last end
  end
  local grid = (rows + case.block - 1) // case.block
  return {x = x, out = rows, rows = rows, columns = columns}, {grid, case.block}
end

return {
  title = "Kahan's sum",
  task = "out[r] = the sum of row r, with the digits that each addition loses"
    .. " given back at the next one. In float.",
  needs = {"transpose-naive"},
  minutes = 20,
  kernel = "row_sums",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "row_sums",
  tolerance = {
    ulp = 2,
    reason = "all numbers are positive, so that Kahan's sum is off by at most 2"
      .. " units of 2^-24 of the sum and a little, which is at most 2 ulp, and"
      .. " the reference, in double, is rounded once",
  },
  budget = 200000,
  make = make,
  cases = {
    {name = "tenths, 4 rows of 5000", rows = 4, columns = 5000, block = 32,
      tenths = true},
    {name = "a large number first", rows = 33, columns = 400, block = 32,
      first = 1e6},
    {name = "a large number last", rows = 5, columns = 300, block = 32,
      last = 65536},
    {name = "one element", rows = 1, columns = 1, block = 64},
    {name = "101 rows of 97", rows = 101, columns = 97, block = 64,
      first = 1e5},
    {name = "other floats", rows = 70, columns = 900, block = 16, first = 3e6,
      hidden = true},
  },
  requires = {"min_threads = 16"},
  goal = {"fp64 <= 0"},
  hints = {
    "Two floats are needed: the sum, and what the last addition lost.",
    "Take the lost part away from the next number, then add: more = x - lost;"
      .. " next = sum + more.",
    "What has arrived is next - sum. What was lost is that, minus what should"
      .. " have arrived.",
    "float more = x[row * columns + k] - lost; float next = sum + more;"
      .. " lost = (next - sum) - more; sum = next;",
  },
  editorial = "Four additions or subtractions a number in place of one, all in"
    .. " float, and one load as before. One thread has a row, so lanes read"
    .. " whole rows apart: 32 sectors a request where a row has 8 numbers or"
    .. " more. In dot a block does a row. Adding in a tree, as the lesson"
    .. " shared-memory does, also loses less, as a rule, than adding one after"
    .. " the other.",
  mutants = {
    {
      name = "plain",
      replace = {"lost = (next - sum) - more;", ""},
      explain = "This is what you get when the floats are added as they come:"
        .. " every addition loses digits, and nothing gives them back.",
    },
    {
      name = "wrong-sign",
      replace = {"- lost;", "+ lost;"},
      explain = "This is what you get when the lost part is added: (next - sum)"
        .. " - more is what arrived too much, so take it away.",
    },
    {
      name = "lost-is-added-up",
      replace = {"lost = (next - sum) - more", "lost += (next - sum) - more"},
      explain = "This is what you get when lost is added up over the rounds:"
        .. " what was lost before has been given back already, in more.",
    },
    {
      name = "other-sign",
      replace = {"(next - sum) - more", "more + (next - sum)"},
      explain = "This is what you get when lost is more + (next - sum): it is"
        .. " the difference between what arrived and what should have.",
    },
    {
      name = "sum-too-soon",
      replace = {"lost = (next - sum) - more;\n    sum = next;",
        "sum = next;\n    lost = (next - sum) - more;"},
      explain = "This is what you get when sum is changed before lost is"
        .. " computed: next - sum is 0 then.",
    },
    {
      name = "last-left-out",
      replace = {"k < columns", "k < columns - 1"},
      explain = "This is what you get when the last column is left out.",
    },
    {
      name = "first-column-alone",
      replace = {"x[row * columns + k]", "x[row + k]"},
      explain = "This is what you get when row r begins at element r: it begins"
        .. " at r * columns.",
    },
    {
      name = "in-double",
      breaks = "fp64 <= 0",
      replace = {[[
    float more = x[row * columns + k] - lost;
    float next = sum + more;
    lost = (next - sum) - more;
    sum = next;
  }
  out[row] = sum;]], [[
    sum += x[row * columns + k];
  }
  double again = 0;
  for (int k = 0; k < columns; k++) again += x[row * columns + k];
  out[row] = again;]]},
      explain = "A sum in double has digits enough, and takes many times as"
        .. " long on most devices. Do it with two floats.",
    },
    {
      name = "no-guard",
      replace = {"if (row >= rows) return;", ""},
      explain = "Some threads have no row: let them return.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 16",
      replace = {[[
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0, lost = 0;
  for (int k = 0; k < columns; k++) {
    float more = x[row * columns + k] - lost;
    float next = sum + more;
    lost = (next - sum) - more;
    sum = next;
  }
  out[row] = sum;]], [[
  if (threadIdx.x > 0) return;
  int row = blockIdx.x * blockDim.x;
  for (int end = min(row + blockDim.x, rows); row < end; row++) {
    float sum = 0, lost = 0;
    for (int k = 0; k < columns; k++) {
      float more = x[row * columns + k] - lost;
      float next = sum + more;
      lost = (next - sum) - more;
      sum = next;
    }
    out[row] = sum;
  }]]},
      explain = "The first thread of each block does all of its rows, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
