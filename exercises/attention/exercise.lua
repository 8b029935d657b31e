-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Whom to listen to",
  task = "Attention: out[i] is the mean of the rows of v, weighted by the"
    .. " softmax of query i's scores with the keys, and the threads of a block"
    .. " share the scores.",
  needs = {"softmax", "matmul"},
  minutes = 40,
  kernel = "attention",
  signature = {
    {"in", "const float *", "q"},
    {"in", "const float *", "k"},
    {"in", "const float *", "v"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
    {"value", "int", "d"},
  },
  reference = "attention",
  tolerance = {
    abs = 2e-4,
    reason = "products of the inputs are multiples of 1/64 and their sums"
      .. " exact, d is a power of four; an exponential is off by 2 ulp, and"
      .. " 200 steps of a product, a sum and a correction, 6 times 2^-24 of a"
      .. " mean of numbers within 2, twice, come to 1.5e-4",
  },
  budget = 400000,
  make = function(case, rng)
    local n, d, scale = case.n, case.d, case.scale or 1
    local q = rng:steps(case.queries * d, -scale, scale, scale / 8)
    local k = rng:steps(n * d, -1, 1, 1 / 8)
    for i = 0, case.own and n - 1 or -1 do -- each query has a key of its own
      for c = 0, d - 1 do
        q[i * d + c], k[i * d + c] = i == c and 800 or 0, i == c and 1 or 0
      end
    end
    return {
      q = q, k = k, v = rng:steps(n * d, -2, 2, 1 / 8),
      out = case.queries * d, n = n, d = d,
    }, {case.queries, 64}
  end,
  cases = {
    {name = "3 queries, 10 keys of 4", queries = 3, n = 10, d = 4},
    {name = "16 queries, 64 keys of 16", queries = 16, n = 64, d = 16},
    {name = "one key", queries = 2, n = 1, d = 16},
    {name = "one number a row", queries = 5, n = 33, d = 1},
    {name = "rows of 64, more keys than threads", queries = 3, n = 150, d = 64},
    {name = "scores of some hundreds", queries = 4, n = 20, d = 16,
      scale = 256},
    {name = "one key far above the others", queries = 16, n = 16, d = 16,
      own = true},
    {name = "large", queries = 12, n = 199, d = 64, hidden = true},
  },
  requires = {"min_threads = 32"},
  -- 2048 where each score is made once; every thread by itself is far above.
  goal = {{"global_load_requests <= 6144",
    cases = {"16 queries, 64 keys of 16"}}},
  hints = {
    "First the scores: thread t does keys t, t + 64 and so on, and puts each"
      .. " into score[j]. Then all meet.",
    "The greatest score is subtracted from all before expf, as in softmax.",
    "Then threads change their task: thread t below d makes element t of the"
      .. " result, and walks down column t of v: v[j * d + t].",
    "In that walk it can add up the weights as well, and divide once at the"
      .. " end.",
  },
  editorial = "A query costs n d products for the scores and n d for the"
    .. " result; each block reads all of k and v. Each of d threads computes"
    .. " all n weights: n d times expf. Next: compute each weight once and"
    .. " share it, n times expf. The scores have to fit into 4 KiB here;"
    .. " corrected as in softmax-online they need not be kept, and n may be"
    .. " anything.",
  mutants = {
    {
      name = "unscaled",
      replace = {"score[j] = dot / sqrtf(d)", "score[j] = dot"},
      explain = "The scores are not divided by the root of d.",
    },
    {
      name = "divided-by-d",
      replace = {"dot / sqrtf(d)", "dot / d"},
      explain = "The scores are divided by d; it is to be its root.",
    },
    {
      name = "unshifted",
      replace = {"expf(score[j] - most)", "expf(score[j])"},
      explain = "Without taking off the greatest score, expf is infinite for"
        .. " scores above 88, and infinity by infinity is no number.",
    },
    {
      name = "undivided",
      replace = {"total / sum", "total"},
      explain = "The weights do not add up to 1 before they are divided by"
        .. " their sum.",
    },
    {
      name = "v-for-row",
      replace = {"v[j * d + t]", "v[t * n + j]"},
      explain = "Element t of row j of v is v[j * d + t]: rows have d"
        .. " elements.",
    },
    {
      name = "plain-mean",
      replace = {"total += weight * v[j * d + t]", "total += v[j * d + t]"},
      explain = "All values count alike here: each is to be weighted.",
    },
    {
      name = "too-few-keys",
      replace = {"int j = t; j < n; j += blockDim.x",
        "int j = t; j < d; j += blockDim.x"},
      explain = "There are n keys, not d.",
    },
    {
      name = "hasty",
      replace = {"  __syncthreads();\n", ""},
      explain = "Threads read scores that others have yet to write.",
    },
    {
      name = "alone",
      breaks = "global_load_requests <= 6144",
      replace = {[[  float most = score[0];
  for (int j = 1; j < n; j++) most = fmaxf(most, score[j]);
  if (t < d) {
    float sum = 0, total = 0;
    for (int j = 0; j < n; j++) {
      float weight = expf(score[j] - most);]], [[
  float most = -3e38f;
  for (int j = 0; j < n; j++) {
    float dot = 0;
    for (int c = 0; c < d; c++) dot += q[i * d + c] * k[j * d + c];
    most = fmaxf(most, dot / sqrtf(d));
  }
  if (t < d) {
    float sum = 0, total = 0;
    for (int j = 0; j < n; j++) {
      float dot = 0;
      for (int c = 0; c < d; c++) dot += q[i * d + c] * k[j * d + c];
      float weight = expf(dot / sqrtf(d) - most);]]},
      explain = "Every thread computes all scores by itself: those on the desk"
        .. " are not used.",
    },
    {
      name = "one-thread-scores",
      breaks = "min_threads = 32",
      replace = {[[int j = t; j < n; j += blockDim.x]],
        [[int j = 0; t == 0 && j < n; j++]]},
      explain = "The first thread makes all the scores while the others wait"
        .. " for it: thread t does keys t, t + 64 and so on.",
    },
  },
}
