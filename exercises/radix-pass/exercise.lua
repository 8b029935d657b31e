-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Digit by digit",
  task = "Sort numbers from 0 to 65535 upwards by four passes of three"
    .. " launches, 4 bits a pass: write count and place.",
  needs = {"histogram-shared", "scan-block"},
  minutes = 35,
  kernels = {
    {name = "count", signature = {
      {"in", "const int *", "keys"},
      {"out", "int *", "counts"},
      {"value", "int", "n"},
      {"value", "int", "shift"},
    }},
    {name = "starts", signature = {
      {"inout", "int *", "counts"},
      {"value", "int", "m"},
    }},
    {name = "place", signature = {
      {"in", "const int *", "keys"},
      {"in", "const int *", "counts"},
      {"out", "int *", "out"},
      {"value", "int", "n"},
      {"value", "int", "shift"},
    }},
  },
  signature = {
    {"in", "const int *", "keys"},
    {"out", "int *", "out"},
    {"scratch", "int *", "one"},
    {"scratch", "int *", "two"},
    {"scratch", "int *", "counts"},
    {"value", "int", "n"},
  },
  launches = function(args, kernels)
    local n, blocks = args.n, blocks_for(args.n, 128)
    local from = {args.keys, args.one, args.two, args.one}
    local to = {args.one, args.two, args.one, args.out}
    for pass = 1, 4 do
      local shift = 4 * (pass - 1)
      kernels.count[{blocks, 128}](from[pass], args.counts, n, shift)
      kernels.starts[{1, 32}](args.counts, 16 * blocks)
      kernels.place[{blocks, 128}](from[pass], args.counts, to[pass], n,
        shift)
    end
  end,
  reference = "radix_pass",
  tolerance = {ulp = 0, reason = "values are compared and moved, not computed"},
  budget = 100000,
  make = function(case, rng)
    local n = case.n
    local keys = rng:ints(n, 0, case.most or 65535)
    for i = 0, n - 1 do
      if case.order then keys[i] = case.order * i % 65536 end
    end
    return {
      keys = keys, out = n, one = n, two = n,
      counts = 16 * blocks_for(n, 128), n = n,
    }
  end,
  cases = {
    {name = "500 keys, 4 blocks", n = 500},
    {name = "one block", n = 128},
    {name = "one key", n = 1},
    {name = "below 16: one digit counts", n = 300, most = 15},
    {name = "all equal", n = 200, most = 0},
    {name = "sorted", n = 257, order = 1},
    {name = "sorted downwards", n = 257, order = -1},
    {name = "large", n = 3001, hidden = true},
  },
  rank = {case = "500 keys, 4 blocks", n = 1 << 20},
  requires = {{"min_threads = 32", kernel = "place"}},
  hints = {
    "count is a histogram with 16 bins: a tally in shared memory, zeros first,"
      .. " then 16 threads hand it in at counts[d * gridDim.x + b].",
    "place: a key's place is where its block's keys of this digit begin, and"
      .. " behind it as many as stand before the key in the block and have the"
      .. " same digit.",
    "Put the digits of the block into shared memory, wait for all, and let each"
      .. " thread count the equal ones among those below its own.",
    "out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[i]. In a block"
      .. " that is not full, only those below you have to have a digit.",
  },
  editorial = "Twelve launches. In a pass each key is loaded once by count and"
    .. " twice by place, and stored once; it looks at up to 127 digits before"
    .. " its own. starts is one warp: 16 counts for each block, 32 at a time."
    .. " Next: count the equal digits by votes of warps, and scan the counts"
    .. " by many blocks. bench/ladders has a sort with 8 bits and one launch a"
    .. " pass.",
  mutants = {
    {
      name = "without-rank",
      replace = {"blockIdx.x] + rank]", "blockIdx.x]]"},
      explain = "All keys of a block with the same digit go to one place: the"
        .. " rank among them is missing.",
    },
    {
      name = "tickets",
      replace = {[=[
  int digit = digits[t], rank = 0;
  for (int k = 0; k < t; k++) rank += digits[k] == digit;]=], [=[
  int digit = digits[t], rank = 0;
  for (int k = t + 1; k < 128; k++)
    rank += i - t + k < n && digits[k] == digit;]=]},
      explain = "The keys of a digit stand in the opposite order: a pass has to"
        .. " keep the order of the one before it.",
    },
    {
      name = "itself-counted",
      replace = {"k < t; k++", "k <= t; k++"},
      explain = "Each key counts itself, too, so all ranks are one too many.",
    },
    {
      name = "block-by-block",
      replace = {"counts[t * gridDim.x + blockIdx.x]",
        "counts[blockIdx.x * 16 + t]"},
      explain = "The counts lie block by block: they have to lie digit by"
        .. " digit, so that all zeros come before all ones.",
    },
    {
      name = "no-zeros",
      replace = {"  if (t < 16) own[t] = 0;\n  __syncthreads();\n", ""},
      explain = "Shared memory is not empty at the start: write zeros first.",
    },
    {
      name = "no-barrier",
      replace = {"15], 1);\n  __syncthreads();", "15], 1);"},
      explain = "The tally is handed in before all threads have counted.",
    },
    {
      name = "no-barrier-behind-digits",
      replace = {"& 15;\n  __syncthreads();", "& 15;"},
      explain = "Threads look at digits that others have perhaps not yet"
        .. " written.",
    },
    {
      name = "plain-count",
      replace = {"atomicAdd(&own[keys[i] >> shift & 15], 1)",
        "own[keys[i] >> shift & 15]++"},
      explain = "Threads of a block meet in a bin: that takes atomicAdd in"
        .. " shared memory, too.",
    },
    {
      name = "no-shift",
      replace = {"atomicAdd(&own[keys[i] >> shift & 15], 1)",
        "atomicAdd(&own[keys[i] & 15], 1)"},
      explain = "count looks at the lowest digit in each pass, and place at"
        .. " that of the pass.",
    },
    {
      name = "one-thread",
      breaks = "place: min_threads = 32",
      replace = {[=[
  if (i < n) digits[t] = keys[i] >> shift & 15;
  __syncthreads();
  if (i >= n) return;
  int digit = digits[t], rank = 0;
  for (int k = 0; k < t; k++) rank += digits[k] == digit;
  out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[i];]=], [=[
  if (t > 0) return;
  for (int j = i; j < i + 128 && j < n; j++)
    digits[j - i] = keys[j] >> shift & 15;
  for (int j = i; j < i + 128 && j < n; j++) {
    int digit = digits[j - i], rank = 0;
    for (int k = 0; k < j - i; k++) rank += digits[k] == digit;
    out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[j];
  }]=]},
      explain = "The first thread of each block carries all of its"
        .. " keys.",
    },
  },
}
