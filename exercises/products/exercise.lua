-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Each column with each",
  task = "For each pair of columns the sum of their products, by a block for"
    .. " each pair that adds up in shared memory.",
  needs = {"block-sum", "by-columns"},
  minutes = 20,
  kernel = "products",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "sums"},
    {"value", "int", "n"},
    {"value", "int", "d"},
  },
  reference = "products",
  tolerance = {
    ulp = 0,
    reason = "numbers are multiples of 1/8 within 8, so that a product is one"
      .. " of 1/64 within 64, and 2000 of them sum exactly in any order",
  },
  budget = 60000,
  make = function(case, rng)
    local n, d = case.n, case.d
    local x = rng:steps(n * d, -8, 8, 1 / 8)
    return {x = x, sums = d * d, n = n, d = d}, {d * d, 128}
  end,
  cases = {
    {name = "300 rows of 3", n = 300, d = 3},
    {name = "one row", n = 1, d = 4},
    {name = "one column", n = 500, d = 1},
    {name = "as many rows as threads", n = 128, d = 2},
    {name = "one row more", n = 129, d = 2},
    {name = "fewer rows than columns", n = 5, d = 7},
    {name = "large", n = 1500, d = 6, hidden = true},
  },
  requires = {"shared", "barrier", "min_threads = 64"},
  goal = {{"coalescing >= 75", cases = {"300 rows of 3"}}},
  hints = {
    "The block's number says which pair: a is blockIdx.x / d, and b the"
      .. " remainder.",
    "Thread t takes the rows t, t + 128, t + 256 ... and adds up their products"
      .. " in a variable of its own.",
    "Then it is the tree of lesson 15: the lower half adds what the upper half"
      .. " has, 64, 32, 16 ... and a barrier behind each round.",
  },
  editorial = "2 n loads a pair, and each column is read by 2 d blocks: with"
    .. " twelve columns 24 times. The result is symmetric, so that half of the"
    .. " blocks would do. A matrix product with tiles reads each column once a"
    .. " tile: np.matmul(x, x.T), which is what ml.LinearRegression does on a"
    .. " device.",
  mutants = {
    {
      name = "squares",
      replace = {"x[a * n + i] * x[b * n + i]", "x[a * n + i] * x[a * n + i]"},
      explain = "Each column was multiplied by itself. Only the pairs of equal"
        .. " columns are right then.",
    },
    {
      name = "row-by-row",
      replace = {"x[a * n + i] * x[b * n + i]", "x[i * d + a] * x[i * d + b]"},
      explain = "x lies column by column: number c of row i is at c * n + i.",
    },
    {
      name = "sum-of-sums",
      replace = {"x[a * n + i] * x[b * n + i]", "x[a * n + i] + x[b * n + i]"},
      explain = "The numbers of a row are to be multiplied, and the products"
        .. " added.",
    },
    {
      name = "first-128",
      replace = {"for (int i = t; i < n; i += 128)",
                 "int i = t;\n  if (i < n)"},
      explain = "Each thread has taken one row. There are more rows than"
        .. " threads: go on by 128.",
    },
    {
      name = "first-warps-product",
      replace = {"int half = 64;", "int half = 32;"},
      explain = "The tree began too low: of the 128 parts only the lower 64"
        .. " were added.",
    },
    {
      name = "no-barrier",
      replace = {"part[t] = sum;\n  __syncthreads();", "part[t] = sum;"},
      explain = "Parts are added that their threads have not written yet.",
    },
    {
      name = "no-barrier-between",
      replace = {"part[t + half];\n    __syncthreads();", "part[t + half];"},
      explain = "A round reads what the round before has perhaps not written"
        .. " yet: a barrier behind each.",
    },
    {
      name = "mean",
      replace = {"sums[blockIdx.x] = part[0];",
        "sums[blockIdx.x] = part[0] / n;"},
      explain = "The sums were divided by the number of rows. Sums are asked"
        .. " for.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 64",
      replace = {[[
  for (int i = t; i < n; i += 128) sum += x[a * n + i] * x[b * n + i];]], [[
  for (int i = 0; t == 0 && i < n; i++) sum += x[a * n + i] * x[b * n + i];]]},
      explain = "One thread of each block goes through all rows.",
    },
    {
      name = "atomics-at-home",
      breaks = "shared",
      replace = {[[
  part[t] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];]], [[
  if (t == 0) sums[blockIdx.x] = 0;
  part[t] = sum;
  __syncthreads();
  if (sum != 0) atomicAdd(&sums[blockIdx.x], sum);]]},
      explain = "Every thread adds to global memory, and all of a block to the"
        .. " same cell.",
    },
    {
      name = "through-the-warp",
      breaks = "barrier",
      replace = {[[
  part[t] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];]], [[
  if (t >= 32) return;
  for (int k = 1; k < 4; k++)
    for (int i = t + 32 * k; i < n; i += 128)
      sum += x[a * n + i] * x[b * n + i];
  part[t] = sum;
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncwarp();
  }
  if (t == 0) sums[blockIdx.x] = part[0];]]},
      explain = "One warp does it all, and the others have left.",
    },
    {
      name = "blocks-of-rows",
      breaks = "coalescing >= 75",
      replace = {"for (int i = t; i < n; i += 128)",
        "for (int i = t * ((n + 127) / 128); i < (t + 1) * ((n + 127) / 128)"
        .. " && i < n; i++)"},
      explain = "Each thread takes rows that stand side by side, and so lanes"
        .. " side by side are some rows apart. Let neighbours take neighbours.",
    },
  },
}
