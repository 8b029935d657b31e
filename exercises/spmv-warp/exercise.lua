-- SPDX-License-Identifier: Apache-2.0
-- Columns of a row lie side by side, from a place of the row's own, so that
-- loads of x are as good as the others.
local function fill(case, rng)
  local rows, columns = case.rows, case.columns or 512
  local lengths = rng:ints(rows, case.least or 0, case.most or 0)
  local first = rng:ints(rows, 0, columns - 1)
  local start, column = rng:full(rows + 1, 0), {}
  for r = 0, rows - 1 do
    local length = lengths[r]
    if case.wedding then length = r % 32 == 0 and case.wedding or 2 end
    for k = 0, length - 1 do
      column[#column + 1] = (first[r] + k) % columns
    end
    start[r + 1] = #column
  end
  local c = rng:full(math.max(1, #column), 0)
  for k, at in ipairs(column) do c[k - 1] = at end
  return {
    start = start, column = c, value = rng:steps(#c, -4, 4, 1 / 8),
    x = rng:steps(columns, -4, 4, 1 / 8), y = rows, rows = rows,
  }, {blocks_for(32 * rows, case.block or 128), case.block or 128}
end

return {
  title = "Shared rows",
  task = "Make the kernel fast: a matrix in compressed rows times x, with 32"
    .. " threads for each row.",
  needs = {"spmv", "warp-sum"},
  minutes = 20,
  kernel = "spmv",
  signature = {
    {"in", "const int *", "start"},
    {"in", "const int *", "column"},
    {"in", "const float *", "value"},
    {"in", "const float *", "x"},
    {"out", "float *", "y"},
    {"value", "int", "rows"},
  },
  reference = "spmv",
  tolerance = {
    ulp = 0,
    reason = "products are multiples of 1/64 within 16, and at most 512 are"
      .. " added: 19 bits, exact in any order",
  },
  budget = 20000,
  make = fill,
  cases = {
    {name = "64 rows of 64", rows = 64, least = 64, most = 64},
    {name = "every 32nd row has 400", rows = 96, wedding = 400},
    {name = "one row", rows = 1, least = 33, most = 33},
    {name = "no entries at all", rows = 20, most = 0},
    {name = "0 to 70 entries", rows = 101, most = 70},
    {name = "blocks of 96", rows = 50, most = 40, block = 96},
    {name = "large", rows = 700, most = 100, block = 256, hidden = true},
  },
  goal = {
    {"load_sectors_per_request <= 8", cases = {"64 rows of 64"}},
    {"active_lanes >= 16", cases = {"every 32nd row has 400"}},
  },
  hints = {
    "Let a warp do a row: r is the thread's number in the grid divided by 32,"
      .. " and lane the rest.",
    "Lane 0 takes the row's entries 0, 32, 64, lane 1 takes 1, 33, 65: begin at"
      .. " start[r] + lane, and go on by 32.",
    "Then the 32 sums are added by __shfl_down_sync, for far = 16, 8, 4, 2, 1.",
    "All 32 lanes of a warp have the same r, so they leave together or not at"
      .. " all. Lane 0 writes y[r].",
  },
  editorial = "A row of n entries takes n / 32 rounds, rounded up, whose loads"
    .. " of value and column are side by side, and five shuffles; no barrier."
    .. " A row of 4 entries leaves 28 lanes idle: let 2, 4 or 8 lanes share a"
    .. " row then, by what the lengths are. A single very long row is still"
    .. " one warp's: next would be to cut the entries into equal pieces.",
  mutants = {
    {
      name = "a-thread-for-each",
      breaks = "load_sectors_per_request <= 8",
      replace = {[=[
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r] + lane; k < start[r + 1]; k += 32)
    sum += value[k] * x[column[k]];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (lane == 0) y[r] = sum;]=], [=[
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  int length = start[r + 1] - start[r];
  for (int k = 0; k < length; k++)
    sum += value[start[r] + k] * x[column[start[r] + k]];
  y[r] = sum;]=]},
      explain = "A thread for each row still: threads side by side read entries"
        .. " that lie a whole row apart.",
    },
    {
      name = "lane-0-alone",
      breaks = "active_lanes >= 16",
      replace = {[=[
  for (int k = start[r] + lane; k < start[r + 1]; k += 32)
    sum += value[k] * x[column[k]];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);]=], [=[
  if (lane == 0)
    for (int k = start[r]; k < start[r + 1]; k++)
      sum += value[k] * x[column[k]];]=]},
      explain = "Each row has a warp, and lane 0 does all of it.",
    },
    {
      name = "all-begin-alike",
      replace = {"start[r] + lane; k", "start[r]; k"},
      explain = "All lanes begin at the row's first entry: they add the same"
        .. " entries, 32 times.",
    },
    {
      name = "no-step",
      replace = {"k += 32", "k++"},
      explain = "Lanes go on by 1, so that they come to entries that belong to"
        .. " others: each has every 32nd.",
    },
    {
      name = "four-rounds",
      replace = {"far = 16", "far = 8"},
      explain = "The sums of lanes 16 to 31 never come to lane 0: 32 lanes take"
        .. " five rounds, the farthest over 16.",
    },
    {
      name = "wrong-lane",
      replace = {"if (lane == 0) y", "if (lane == 31) y"},
      explain = "After __shfl_down_sync lane 0 has the whole sum, and lane 31"
        .. " its own alone.",
    },
    {
      name = "lane-of-the-block",
      replace = {[[
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r] + lane;]], [[
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r] + threadIdx.x;]]},
      explain = "threadIdx.x is the thread's place in its block: the second"
        .. " warp begins 32 entries too late. Its place in the warp is"
        .. " threadIdx.x % 32.",
    },
    {
      name = "last-round-missing",
      replace = {"far > 0", "far > 1"},
      explain = "The odd lanes' sums never come to lane 0: one round has to go"
        .. " to the next lane, over a distance of 1.",
    },
    {
      name = "thread-for-row",
      replace = {"(blockIdx.x * blockDim.x + threadIdx.x) / 32",
        "blockIdx.x * blockDim.x + threadIdx.x"},
      explain = "r is the thread's number: lanes of a warp have different rows"
        .. " then, and add them up together.",
    },
    {
      name = "warp-of-the-block",
      replace = {"(blockIdx.x * blockDim.x + threadIdx.x) / 32",
        "threadIdx.x / 32"},
      explain = "r is the warp's number within its block, so every block does"
        .. " the same rows: blockIdx.x is missing.",
    },
    {
      name = "no-guard",
      replace = {"  if (r >= rows) return;\n", ""},
      explain = "Warps behind the last row read past the end of start.",
    },
  },
}
