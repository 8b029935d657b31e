-- SPDX-License-Identifier: Apache-2.0
-- A block that fetches its 20 x 20 cells once makes 13 requests, the plain
-- kernel 200. Along the rows and then the columns a block weighs five cells 576
-- times, in the plain way 256 times six.
return {
  title = "Two short walks",
  task = "Make the kernel fast: a picture softened with weights of 5 x 5. Fetch"
    .. " each block's tile once, and weigh along the rows first, then along the"
    .. " columns.",
  needs = {"blur", "halo"},
  minutes = 35,
  kernel = "blur5",
  signature = {
    {"in", "const float *", "in"},
    {"out", "float *", "out"},
    {"value", "int", "rows"},
    {"value", "int", "columns"},
  },
  reference = "blur_separable",
  tolerance = {
    ulp = 0,
    reason = "the inputs are whole numbers up to 255 and the weights sum to"
      .. " 256: all sums stay whole and below 2^16, and a division by 256 is"
      .. " exact",
  },
  budget = 60000,
  make = function(case, rng)
    local n = case.rows * case.columns
    return {
      ["in"] = rng:steps(n, 0, 255, 1), out = n,
      rows = case.rows, columns = case.columns,
    }, {{(case.columns + 15) // 16, (case.rows + 15) // 16}, {16, 16}}
  end,
  cases = {
    {name = "16 rows of 32", rows = 16, columns = 32},
    {name = "64 rows of 64", rows = 64, columns = 64},
    {name = "37 rows of 19", rows = 37, columns = 19},
    {name = "one cell", rows = 1, columns = 1},
    {name = "one column", rows = 33, columns = 1},
    {name = "large", rows = 101, columns = 67, hidden = true},
    {name = "whole blocks", rows = 64, columns = 48, hidden = true},
  },
  requires = {"min_threads = 64"},
  goal = {
    {"global_load_requests <= 512",
      cases = {"64 rows of 64", "whole blocks"}},
    {"flops_f32 <= 110000", cases = {"64 rows of 64", "whole blocks"}},
  },
  hints = {
    "A block's 16 x 16 cells need 20 x 20: two more on each side. 256 threads"
      .. " fetch them in a loop: k = t, then t + 256, as long as k is below"
      .. " 400.",
    "Cell k of the tile is row k / 20, column k % 20, and its place in the"
      .. " picture (top + k / 20, left + k % 20): cell() keeps it inside.",
    "The first walk makes 20 rows of 16 from 20 rows of 20: each of the 320 is"
      .. " weigh() of five cells side by side. Put them on a second desk.",
    "The second walk weighs five cells of that desk one above the other. There"
      .. " is a barrier behind the fetching and one behind the first walk.",
  },
  editorial = "A block fetches 400 cells for 256 results, in 13 requests; the"
    .. " plain kernel makes 200. It weighs five cells 320 times along the rows"
    .. " and 256 times along the columns, in place of 6 times 256. That takes"
    .. " 2880 bytes of shared memory and two barriers. Next: a tile of 32 x 32"
    .. " results fetches 36 x 36 cells, 1.27 a result in place of 1.56.",
  mutants = {
    {
      name = "half-a-tile",
      replace = {"k < 400", "k < 256"},
      explain = "Each thread fetches one cell only, 256 of 400.",
    },
    {
      name = "no-second-barrier",
      replace = {"  }\n  __syncthreads();", "  }"},
      explain = "The second walk reads what other threads write in the first:"
        .. " it has to wait for them.",
    },
    {
      name = "rows-of-16",
      replace = {"k < 320", "k < 256"},
      explain = "The first walk does 16 rows; the second one needs 20, since it"
        .. " looks two rows up and two down.",
    },
    {
      name = "not-centred",
      replace = {"left = blockIdx.x * 16 - 2", "left = blockIdx.x * 16"},
      explain = "The tile begins at the block's own first column: the picture"
        .. " moves by two cells.",
    },
    {
      name = "divided-twice",
      replace = {"sum / 256", "sum / 256 / 16"},
      explain = "The weights of both walks together sum to 256: dividing by"
        .. " more makes the picture darker.",
    },
    {
      name = "early-return",
      replace = {"  int t = threadIdx.y * 16 + threadIdx.x;", [[
  if (r >= rows || c >= columns) return;
  int t = threadIdx.y * 16 + threadIdx.x;]]},
      explain = "Threads without a cell of their own leave, but the others need"
        .. " what they would have fetched: at the right and the lower edge.",
    },
    {
      name = "one-walk",
      breaks = "flops_f32 <= 110000",
      replace = {[[  for (int k = t; k < 320; k += 256) {
    float *at = &tile[k / 16][k % 16];
    half[k / 16][k % 16] = weigh(at[0], at[1], at[2], at[3], at[4]);
  }
  __syncthreads();
  int x = threadIdx.x, y = threadIdx.y;
  float sum = weigh(half[y][x], half[y + 1][x], half[y + 2][x], half[y + 3][x],
                    half[y + 4][x]);]], [[
  float row[5];
  for (int k = 0; k < 5; k++) {
    float *at = &tile[threadIdx.y + k][threadIdx.x];
    row[k] = weigh(at[0], at[1], at[2], at[3], at[4]);
  }
  float sum = weigh(row[0], row[1], row[2], row[3], row[4]);]]},
      explain = "Each thread weighs five rows by itself. Its neighbour above"
        .. " has weighed four of them already: share them.",
    },
    {
      name = "no-tile",
      breaks = "global_load_requests <= 512",
      replace = {[[    float *at = &tile[k / 16][k % 16];
    half[k / 16][k % 16] = weigh(at[0], at[1], at[2], at[3], at[4]);]], [[
    int y = top + k / 16, z = left + k % 16;
    half[k / 16][k % 16] =
        weigh(cell(in, y, z, rows, columns), cell(in, y, z + 1, rows, columns),
              cell(in, y, z + 2, rows, columns),
              cell(in, y, z + 3, rows, columns),
              cell(in, y, z + 4, rows, columns));]]},
      explain = "The first walk reads global memory five times for each cell;"
        .. " the tile has it all.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {"  for (int k = t; k < 400; k += 256)",
        "  if (t < 16)\n   for (int k = t; k < 400; k += 16)"},
      explain = "Sixteen threads fetch the whole tile while 240 wait.",
    },
  },
}
