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
    if case.popular then length = r % 32 == 0 and case.popular or 2 end
    for k = 0, length - 1 do
      column[#column + 1] = (first[r] + k) % columns
    end
    start[r + 1] = #column
  end
  local c = rng:full(math.max(1, #column), 0)
  for k, at in ipairs(column) do c[k - 1] = at end
  local high = case.high or 4
  return {
    start = start, column = c,
    score = rng:steps(#c, case.low or -high, high, 1 / 8),
    x = rng:steps(columns, -4, 4, 1 / 8), heard = rows, rows = rows,
  }, {blocks_for(32 * rows, case.block or 128), case.block or 128}
end

return {
  title = "Hearsay",
  task = "Make the kernel fast: for each compressed row the mean of x, weighted"
    .. " by the softmax of the row's scores, with 32 threads a row and one"
    .. " walk.",
  needs = {"spmv-warp", "softmax-online"},
  minutes = 30,
  kernel = "hearsay",
  signature = {
    {"in", "const int *", "start"},
    {"in", "const int *", "column"},
    {"in", "const float *", "score"},
    {"in", "const float *", "x"},
    {"out", "float *", "heard"},
    {"value", "int", "rows"},
  },
  reference = "hearsay",
  tolerance = {
    abs = 1 / 2 ^ 9,
    reason = "a row has at most 400 entries; each multiplies by an exponential"
      .. " that is off by 2 ulp and rounds a product and a sum, 6 times 2^-24"
      .. " together: 400 of these in both sums, times x of at most 4, are"
      .. " 2^-9.8",
  },
  budget = 60000,
  make = fill,
  cases = {
    {name = "64 rows of 64", rows = 64, least = 64, most = 64},
    {name = "every 32nd knows 400", rows = 96, popular = 400},
    {name = "one row", rows = 1, least = 33, most = 33},
    {name = "nobody knows anybody", rows = 20, most = 0},
    {name = "scores up to 200", rows = 40, most = 50, high = 200},
    {name = "scores below -200", rows = 33, least = 1, most = 40, low = -300,
      high = -200},
    {name = "blocks of 96", rows = 50, most = 40, block = 96},
    {name = "large", rows = 500, most = 100, block = 256, hidden = true},
  },
  goal = {
    {"load_sectors_per_request <= 8", cases = {"64 rows of 64"}},
    {"global_load_requests <= 600", cases = {"64 rows of 64"}},
    {"active_lanes >= 16", cases = {"every 32nd knows 400"}},
  },
  hints = {
    "Two exercises in one: a warp for each row as in spmv-warp, and in each"
      .. " lane softmax-online over every 32nd entry.",
    "A lane keeps three numbers: the greatest score so far, the sum of the"
      .. " exponentials, and the sum of exponentials times x. A greater score"
      .. " makes both sums smaller by exp(before - now).",
    "Two lanes are put together in the same way: each one's sums times exp(its"
      .. " greatest - the greater of both). Five rounds of __shfl_xor_sync.",
    "Begin with a greatest score of -1e30f: it is below all others, and the"
      .. " difference of two such is 0. Minus infinity less itself is NaN.",
  },
  editorial = "Each entry is read once: column, score and x, side by side; then"
    .. " 15 shuffles and ten exponentials a lane for the five rounds, whatever"
    .. " the row's length. That is attention over a graph, as networks on"
    .. " graphs do it. For rows of a few entries the rounds cost more than the"
    .. " walk: let 8 lanes share a row there.",
  mutants = {
    {
      name = "a-thread-for-each",
      breaks = "load_sectors_per_request <= 8",
      replace = {[=[
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float most = -1e30f, sum = 0, all = 0;
  for (int k = start[r] + lane; k < start[r + 1]; k += 32) {
    float greater = fmaxf(most, score[k]);
    float less = expf(most - greater), weight = expf(score[k] - greater);
    sum = sum * less + weight;
    all = all * less + weight * x[column[k]];
    most = greater;
  }
  for (int far = 16; far > 0; far /= 2) {
    float other = __shfl_xor_sync(0xffffffff, most, far);
    float greater = fmaxf(most, other);
    float mine = expf(most - greater), theirs = expf(other - greater);
    sum = sum * mine + __shfl_xor_sync(0xffffffff, sum, far) * theirs;
    all = all * mine + __shfl_xor_sync(0xffffffff, all, far) * theirs;
    most = greater;
  }
  if (lane == 0) heard[r] = sum > 0 ? all / sum : 0;]=], [=[
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float most = -1e30f, sum = 0, all = 0;
  for (int k = start[r]; k < start[r + 1]; k++) {
    float greater = fmaxf(most, score[k]);
    float less = expf(most - greater), weight = expf(score[k] - greater);
    sum = sum * less + weight;
    all = all * less + weight * x[column[k]];
    most = greater;
  }
  heard[r] = sum > 0 ? all / sum : 0;]=]},
      explain = "A thread for each row still: threads side by side read entries"
        .. " that lie a whole row apart.",
    },
    {
      name = "two-walks",
      breaks = "global_load_requests <= 600",
      replace = {
        "  for (int k = start[r] + lane; k < start[r + 1]; k += 32) {\n"
        .. "    float greater = fmaxf(most, score[k]);",
        "  for (int k = start[r] + lane; k < start[r + 1]; k += 32)\n"
        .. "    most = fmaxf(most, score[k]);\n"
        .. "  for (int k = start[r] + lane; k < start[r + 1]; k += 32) {\n"
        .. "    float greater = fmaxf(most, score[k]);"},
      explain = "The scores are walked along twice, first for the greatest one:"
        .. " sums that are corrected need no walk of its own for that.",
    },
    {
      name = "lane-0-alone",
      breaks = "active_lanes >= 16",
      replace = {"for (int k = start[r] + lane; k < start[r + 1]; k += 32) {",
        "for (int k = start[r]; lane == 0 && k < start[r + 1]; k++) {"},
      explain = "Each row has a warp, and lane 0 does all of it.",
    },
    {
      name = "not-corrected",
      replace = {"sum = sum * less + weight", "sum = sum + weight"},
      explain = "When a greater score turns up, the sum so far belongs to the"
        .. " one before: multiply it by exp(before - now).",
    },
    {
      name = "mean-not-corrected",
      replace = {"all = all * less + weight", "all = all + weight"},
      explain = "Both sums belong to the greatest score so far: the one with x"
        .. " has to be corrected as well.",
    },
    {
      name = "lanes-not-corrected",
      replace = {
        "sum = sum * mine + __shfl_xor_sync(0xffffffff, sum, far) * theirs",
        "sum = sum + __shfl_xor_sync(0xffffffff, sum, far)"},
      explain = "Two lanes have two greatest scores: before their sums are"
        .. " added, each is multiplied by exp(its own - the greater).",
    },
    {
      name = "no-maximum",
      replace = {"float greater = fmaxf(most, score[k]);",
        "float greater = 0;"},
      explain = "The exponential of a large score is infinity: subtract the"
        .. " greatest one first.",
    },
    {
      name = "infinity",
      replace = {"-1e30f", "-INFINITY"},
      explain = "A lane without an entry keeps minus infinity, and minus"
        .. " infinity less itself is NaN.",
    },
    {
      name = "who-knows-nobody",
      replace = {"sum > 0 ? all / sum : 0", "all / sum"},
      explain = "Who knows nobody has the sum 0, and 0 / 0 is NaN: such a row"
        .. " is 0.",
    },
    {
      name = "four-rounds",
      replace = {"far = 16", "far = 8"},
      explain = "The sums of lanes 16 to 31 never come to lane 0: 32 lanes take"
        .. " five rounds, the farthest over 16.",
    },
    {
      name = "no-weights",
      replace = {"weight * x[column[k]]", "x[column[k]]"},
      explain = "Each x counts with its own weight, the exponential of its"
        .. " score.",
    },
    {
      name = "no-step",
      replace = {"k += 32", "k++"},
      explain = "Lanes go on by 1, so that they come to entries that belong to"
        .. " others: each has every 32nd.",
    },
    {
      name = "no-guard",
      replace = {"  if (r >= rows) return;\n", ""},
      explain = "Warps behind the last row read past the end of start.",
    },
  },
}
