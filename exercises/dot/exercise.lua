-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A block a row",
  task = "out[r] = the sum of x[r][c] * y[r][c] over the columns c: block r"
    .. " does row r, all its threads together.",
  needs = {"sum-shuffle"},
  minutes = 20,
  kernel = "dot",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "y"},
    {"out", "float *", "out"},
    {"value", "int", "columns"},
  },
  reference = "dot",
  tolerance = {
    ulp = 0,
    reason = "products of multiples of 1/16 within 1 are multiples of 1/256,"
      .. " and 65536 of them sum exactly in any order",
  },
  budget = 50000,
  make = function(case, rng)
    local n = case.rows * case.columns
    local function draw()
      return case.ones and rng:full(n, 1) or rng:steps(n, -1, 1, 1 / 16)
    end
    return {x = draw(), y = draw(), out = case.rows, columns = case.columns},
      {case.rows, case.block or 128}
  end,
  cases = {
    {name = "4 rows of 1000", rows = 4, columns = 1000},
    {name = "one row of 128", rows = 1, columns = 128},
    {name = "3 rows of 5", rows = 3, columns = 5},
    {name = "one column", rows = 10, columns = 1},
    {name = "rows of 1009, a prime", rows = 2, columns = 1009},
    {name = "blocks of one warp", rows = 3, columns = 100, block = 32},
    {name = "blocks of 1024", rows = 2, columns = 3000, block = 1024},
    {name = "blocks of 992", rows = 2, columns = 2500, block = 992},
    {name = "ones", rows = 2, columns = 777, ones = true},
    {name = "blocks of 96", rows = 5, columns = 400, block = 96, hidden = true},
    {name = "large", rows = 3, columns = 9001, block = 256, hidden = true},
  },
  rank = {
    case = "4 rows of 1000",
    rows = 2048, columns = 4096, bytes = 1 << 26,
  },
  requires = {"min_threads = 32", "max_chain = 128"},
  goal = {{"coalescing >= 75", each_line = true,
    cases = {"4 rows of 1000"}}},
  hints = {
    "Thread t of the block takes the columns t, t + blockDim.x and so on: a"
      .. " grid-stride loop for one block.",
    "Row r begins at element r * columns, and r is blockIdx.x.",
    "Then it is the sum of a block, as before: shuffles, one cell for each"
      .. " warp, a barrier, shuffles.",
    "sum += x[row + c] * y[row + c]; in the loop, and a thread without a"
      .. " column keeps its 0.",
  },
  editorial = "Two loads an element, side by side, one barrier and 128 bytes"
    .. " of desk a row. No sum is longer than columns / blockDim.x additions,"
    .. " rounded up, and ten more. Wide loads, as in by-fours, would save"
    .. " requests, but only where rows begin at multiples of 16 bytes."
    .. " spmv-warp gives a row to a warp in place of a block, and softmax has"
    .. " three walks over a row.",
  mutants = {
    {
      name = "one-round",
      replace = {"for (int c = t; c < columns; c += blockDim.x)",
        "int c = t;\n  if (c < columns)"},
      explain = "Each thread does one column: a row that is longer than the"
        .. " block is cut off.",
    },
    {
      name = "no-guard",
      replace = {"c < columns;", "c < columns + 1;"},
      explain = "Column `columns` is the first of the next row, and for the"
        .. " last row it is past the end.",
    },
    {
      name = "wrong-row",
      replace = {"row = blockIdx.x * columns", "row = blockIdx.x * blockDim.x"},
      explain = "A row has `columns` elements, not blockDim.x.",
    },
    {
      name = "grid-stride",
      replace = {"c += blockDim.x", "c += gridDim.x * blockDim.x"},
      explain = "A block has its row for itself: the stride is its own width,"
        .. " blockDim.x. With gridDim.x columns are left out.",
    },
    {
      name = "no-barrier",
      replace = {"\n  __syncthreads();", ""},
      explain = "The first warp reads the sums before the others have put them"
        .. " into part.",
    },
    {
      name = "all-cells",
      replace = {"t < blockDim.x / 32 ? part[t] : 0", "part[t]"},
      explain = "A block of fewer than 32 warps leaves cells unwritten: lanes"
        .. " beyond the number of warps take a 0.",
    },
    {
      name = "odd-halves",
      replace = {[[__shared__ float part[32];
  int t = threadIdx.x, row = blockIdx.x * columns;
  float sum = 0;
  for (int c = t; c < columns; c += blockDim.x)
    sum += x[row + c] * y[row + c];
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) out[blockIdx.x] = sum;
  }]], [[__shared__ float part[1024];
  int t = threadIdx.x, row = blockIdx.x * columns;
  part[t] = 0;
  for (int c = t; c < columns; c += blockDim.x)
    part[t] += x[row + c] * y[row + c];
  __syncthreads();
  for (int far = blockDim.x / 2; far > 0; far /= 2) {
    if (t < far) part[t] += part[t + far];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];]]},
      explain = "Half of an odd number leaves one cell over, which nobody adds:"
        .. " a tree needs a power of two, and a block may have 96 or 992"
        .. " threads.",
    },
    {
      name = "sum-of-x",
      replace = {"x[row + c] * y[row + c]", "x[row + c] * x[row + c]"},
      explain = "This is x times itself: y takes no part.",
    },
    {
      name = "first-warp",
      replace = {"t < blockDim.x / 32 ?", "t < 1 ?"},
      explain = "Only the first warp's sum is taken from part.",
    },
    {
      name = "starts-low",
      replace = {[[
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;]], [[
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;]]},
      explain = "This is what you get when the rounds of each warp begin with"
        .. " 8: what lanes 16 to 31 hold is never added.",
    },
    {
      name = "starts-low-twice",
      replace = {[[
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)]], [[
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 8; far > 0; far /= 2)]]},
      explain = "This is what you get when both loops of rounds begin with 8:"
        .. " what lanes 16 to 31 hold is never added.",
    },
    {
      name = "one-for-no-warp",
      replace = {"part[t] : 0", "part[t] : 1"},
      explain = "This is what you get when the lanes beyond the number of warps"
        .. " bring a 1: what changes no sum is 0.",
    },
    {
      name = "begins-with-one",
      replace = {"float sum = 0;", "float sum = 1;"},
      explain = "This is what you get when the sum of each thread begins with"
        .. " 1: what changes no sum is 0.",
    },
    {
      name = "last-alone",
      replace = {"sum += x[row + c]", "sum = x[row + c]"},
      explain = "This is what you get when each thread keeps its last product"
        .. " alone: the ones before are to be added, with +=.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"if (t == 0) out[blockIdx.x] = sum;", [[if (t == 0) {
      sum = 0;
      for (int c = 0; c < columns; c++) sum += x[row + c] * y[row + c];
      out[blockIdx.x] = sum;
    }]]},
      explain = "One thread does the whole row.",
    },
    {
      name = "one-adder",
      breaks = "max_chain = 128",
      replace = {"if (t == 0) out[blockIdx.x] = sum;", [[
    __shared__ float all[1024];
    for (int k = t; k < blockDim.x; k += 32) all[k] = 0;
    for (int c = t; c < columns; c += 32)
      all[c % blockDim.x] += x[row + c] * y[row + c];
    __syncwarp();
    if (t == 0) {
      sum = 0;
      for (int k = 0; k < blockDim.x; k++) sum += all[k];
      out[blockIdx.x] = sum;
    }]]},
      explain = "One thread adds up what all others have multiplied, one after"
        .. " the other.",
    },
    {
      name = "own-pieces",
      breaks = "coalescing >= 75",
      replace = {[[for (int c = t; c < columns; c += blockDim.x)
    sum]], [[int piece = (columns + blockDim.x - 1) / blockDim.x;
  for (int c = t * piece; c < t * piece + piece; c++)
    if (c < columns) sum]]},
      explain = "Each thread takes a piece of its own, so that neighbours read"
        .. " far apart: side by side is t, t + blockDim.x and so on.",
    },
  },
}
