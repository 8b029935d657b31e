-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Shares of a whole",
  task = "Softmax of each row: exp(x - the row's maximum), divided by the"
    .. " row's sum of these; a block does a row, its threads share it.",
  needs = {"block-sum"},
  minutes = 35,
  kernel = "softmax",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "softmax",
  tolerance = {
    rel = 1040 / 2 ^ 24,
    reason = "the differences to the maximum are multiples of 1/64 and exact;"
      .. " two exponentials are off by 2 ulp each, a sum of at most 1024"
      .. " positive terms by 1023 times 2^-24, the division by half an ulp",
  },
  budget = 800000,
  make = function(case, rng)
    local n = case.n * case.rows
    local x = rng:steps(n, -8, 8, 1 / 64)
    for i = 0, n - 1 do x[i] = x[i] + (case.shift or 0) end
    for r = 0, case.peaks and case.rows - 1 or -1 do
      for i = 0, case.n - 1 do
        x[r * case.n + i] = r == i and 100 or -100
      end
    end
    return {x = case.equal and rng:full(n, 3) or x, out = n, n = case.n},
      {case.rows, case.block or 64}
  end,
  cases = {
    {name = "4 rows of 100", rows = 4, n = 100},
    {name = "8 rows of 256, blocks of 256", rows = 8, n = 256, block = 256},
    {name = "rows of 1", rows = 3, n = 1},
    {name = "fewer elements than threads", rows = 5, n = 7},
    {name = "numbers around 1000", rows = 3, n = 90, shift = 1000},
    {name = "numbers around -1000", rows = 3, n = 90, shift = -1000},
    {name = "one far above the others", rows = 100, n = 100, peaks = true},
    {name = "the same in blocks of 32", rows = 70, n = 70, peaks = true,
      block = 32},
    {name = "all equal", rows = 2, n = 64, equal = true},
    {name = "blocks of 32", rows = 3, n = 130, block = 32},
    {name = "large", rows = 3, n = 521, block = 128, hidden = true},
  },
  requires = {"min_threads = 32"},
  -- A walk is 64 requests, however the threads meet: four walks would do.
  goal = {{"global_load_requests <= 256",
    cases = {"8 rows of 256, blocks of 256"}}},
  hints = {
    "Three walks over the row: the maximum, the sum, the quotients. In each,"
      .. " thread t does the elements t, t + blockDim.x and so on.",
    "The threads' maxima meet in a tree in shared memory, as sums do, with"
      .. " fmaxf in the place of +. So do the sums in the second walk.",
    "A thread without elements must not win: begin with -3e38f, not with 0.",
    "All threads read part[0] before anybody writes the sums into part: there"
      .. " must be a barrier between.",
  },
  editorial = "Three loads, one store and two expf for each element; two trees"
    .. " in shared memory, with 256 threads 19 barriers. One expf can be saved"
    .. " where the quotient's numerator is kept in out, for one more store."
    .. " Next: softmax-online needs one walk less. A row that fits into shared"
    .. " memory or registers has to be loaded only once.",
  mutants = {
    {
      name = "unshifted",
      replace = {"sum += expf(x[i] - most);\n  part",
        "sum += expf(x[i]);\n  part"},
      explain = "The sum is that of exp(x), without the maximum taken off, but"
        .. " the quotients are made with it.",
    },
    {
      name = "no-maximum",
      replace = {[[
  for (int i = t; i < n; i += blockDim.x) sum += expf(x[i] - most);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) out[i] = expf(x[i] - most) / part[0];
]], [[
  for (int i = t; i < n; i += blockDim.x) sum += expf(x[i]);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) out[i] = expf(x[i]) / part[0];
]]},
      explain = "The maximum is not taken off: above 88 the exponential of a"
        .. " float is infinite, and below -104 it is 0.",
    },
    {
      name = "one-element-each",
      replace = {[[
  for (int i = t; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
  part[t] = most;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += expf(x[i] - most);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) out[i] = expf(x[i] - most) / part[0];
]], [[
  if (t < n) most = x[t];
  part[t] = most;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  part[t] = t < n ? expf(x[t] - most) : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < n) out[t] = expf(x[t] - most) / part[0];
]]},
      explain = "Each thread takes one element of the row: where the row is"
        .. " longer than the block, the rest is left out.",
    },
    {
      name = "max-from-zero",
      replace = {"float most = -3e38f", "float most = 0"},
      explain = "A maximum that begins with 0 is wrong for rows that are all"
        .. " negative: at -1000 every exponential is 0.",
    },
    {
      name = "sum-of-a-block",
      replace = {"part[t] += part[t + half]", "part[t] = part[t + half]"},
      explain = "The tree passes on one half and forgets the other: both are"
        .. " to be added.",
    },
    {
      name = "overtaken",
      replace = {"most = part[0];\n  __syncthreads();", "most = part[0];"},
      explain = "A fast thread writes its sum into part[0] while a slow one"
        .. " has yet to read the maximum there.",
    },
    {
      name = "undivided",
      replace = {"expf(x[i] - most) / part[0]", "expf(x[i] - most)"},
      explain = "The exponentials are not divided by their sum: a row has to"
        .. " add up to 1.",
    },
    {
      name = "first-row-only",
      replace = {"  x += blockIdx.x * n;\n", ""},
      explain = "All blocks read the first row.",
    },
    {
      name = "one-stride",
      replace = {"i += blockDim.x) sum +=", "i += n) sum +="},
      explain = "The sum is that of the first blockDim.x elements only.",
    },
    {
      name = "quotient-unshifted",
      replace = {"out[i] = expf(x[i] - most)", "out[i] = expf(x[i])"},
      explain = "The sum is that of exp(x - maximum), and the quotients are of"
        .. " exp(x): both take the same number off.",
    },
    {
      name = "alone",
      breaks = "global_load_requests <= 256",
      replace = {"out[i] = expf(x[i] - most) / part[0];", [[{
    float m = -3e38f, s = 0;
    for (int k = 0; k < n; k++) m = fmaxf(m, x[k]);
    for (int k = 0; k < n; k++) s += expf(x[k] - m);
    out[i] = expf(x[i] - m) / s;
  }]]},
      explain = "Every thread finds the row's maximum and sum by itself, and so"
        .. " each element is loaded by all of them.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {
        "for (int i = t; i < n; i += blockDim.x) sum += expf(x[i] - most);\n"
        .. "  part[t] = sum;", [[
  if (t < 2) {
    most = x[0];
    for (int k = 1; k < n; k++) most = fmaxf(most, x[k]);
    for (int i = t; i < n; i += 2) sum += expf(x[i] - most);
  }
  part[t] = sum;
  __syncthreads();
  if (t < 2)
    for (int i = t; i < n; i += 2)
      out[i] = expf(x[i] - most) / (part[0] + part[1]);
  return;]]},
      explain = "Two threads do the row, and the others wait.",
    },
  },
}
