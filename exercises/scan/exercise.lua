-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Balances of a whole year",
  task = "out[i] = the sum of all elements before x[i], for up to 16 million,"
    .. " with two kernels that are launched floor by floor.",
  needs = {"scan-block"},
  minutes = 30,
  kernels = {
    {name = "scan_parts", signature = {
      {"in", "const int *", "x"},
      {"out", "int *", "out"},
      {"out", "int *", "totals"},
      {"value", "int", "n"},
    }},
    {name = "add_before", signature = {
      {"inout", "int *", "out"},
      {"in", "const int *", "before"},
      {"value", "int", "n"},
    }},
  },
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"scratch", "int *", "totals"},
    {"scratch", "int *", "before"},
    {"scratch", "int *", "tops"},
    {"scratch", "int *", "above"},
    {"out", "int *", "all"},
    {"value", "int", "n"},
  },
  launches = function(args, kernels)
    local x, out, n = args.x, args.out, args.n
    local blocks = blocks_for(n, 256)
    local floors = blocks_for(blocks, 256)
    kernels.scan_parts[{blocks, 256}](x, out, args.totals, n)
    kernels.scan_parts[{floors, 256}](args.totals, args.before,
      args.tops, blocks)
    kernels.scan_parts[{1, 256}](args.tops, args.above, args.all, floors)
    kernels.add_before[{floors, 256}](args.before, args.above, blocks)
    kernels.add_before[{blocks, 256}](out, args.before, n)
  end,
  reference = "scan",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 50000,
  make = function(case, rng)
    local n = case.n
    local blocks = blocks_for(n, 256)
    local floors = blocks_for(blocks, 256)
    return {
      x = case.ones and rng:full(n, 1) or rng:ints(n, -1000, 1000), out = n,
      totals = blocks, before = blocks, tops = floors, above = floors, all = 1,
      n = n,
    }
  end,
  cases = {
    {name = "four blocks of 256", n = 1024},
    {name = "one block of 256", n = 256},
    {name = "n=1", n = 1},
    {name = "n=1009, a prime", n = 1009},
    {name = "ones", n = 2000, ones = true},
    {name = "large", n = 20011, hidden = true},
    {name = "two floors", n = 70001, hidden = true},
  },
  rank = {case = "four blocks of 256", n = 1 << 22, bytes = 1 << 24},
  requires = {
    {"shared", kernel = "scan_parts"},
    {"max_chain = 64", kernel = "scan_parts"},
  },
  hints = {
    "scan_parts is scan-block with two changes: x[i] itself is left out of"
      .. " out[i], and the block's total is stored.",
    "An inclusive sum minus the own element is an exclusive one: keep x[i] in a"
      .. " variable.",
    "The last thread of a block has the inclusive sum of all its elements:"
      .. " totals[blockIdx.x] = sum. Threads without an element have 0.",
    "before is an exclusive scan of the totals: before[b] is what all blocks"
      .. " ahead of b have. So add_before is one line and its guard.",
  },
  editorial = "Five launches for up to 16,777,216 elements. An element is"
    .. " carried four times: x is loaded and out stored, then out loaded and"
    .. " stored again with what stands before. In a block a thread does five"
    .. " shuffles, one barrier and up to seven additions from shared memory."
    .. " Next: a scan in one launch carries it twice; the last paper of lesson"
    .. " 23-scan tells how its blocks wait for those before them.",
  mutants = {
    {
      name = "inclusive",
      replace = {"out[i] = sum - own", "out[i] = sum"},
      explain = "x[i] itself is in out[i]. This scan is exclusive: out[0] is"
        .. " 0.",
    },
    {
      name = "no-barrier",
      replace = {"sums[t / 32] = sum;\n  __syncthreads();",
        "sums[t / 32] = sum;"},
      explain = "A warp reads the sums of the others before they are there.",
    },
    {
      name = "total-without-last",
      replace = {"totals[blockIdx.x] = sum;",
        "totals[blockIdx.x] = sum - own;"},
      explain = "The total of a block has its last element in it, although"
        .. " out of that element has not.",
    },
    {
      name = "parts-alone",
      replace = {"out[i] += before[blockIdx.x]", "out[i] += 0"},
      explain = "Each block begins with 0 again: what stands before it is"
        .. " missing.",
    },
    {
      name = "not-added",
      replace = {"out[i] += before", "out[i] = before"},
      explain = "add_before puts what stands before the block in the place of"
        .. " the block's own scan: it has to be added.",
    },
    {
      name = "warps-alone",
      replace = {
        "for (int warp = 0; warp < t / 32; warp++) sum += sums[warp];", ""},
      explain = "Each warp begins with 0 again: the sums of the warps before it"
        .. " are not added.",
    },
    {
      name = "reads-past-the-end",
      replace = {"i < n ? x[i] : 0, sum = own", "x[i], sum = own"},
      explain = "The last block has more threads than elements are left.",
    },
    {
      name = "first-thread",
      replace = {"if (t == 255) totals", "if (t == 0) totals"},
      explain = "Thread 0 has its own element alone. The total is with thread"
        .. " 255.",
    },
    {
      name = "alone",
      breaks = "scan_parts: shared",
      replace = {"if (i < n) out[i] = sum - own;\n"
        .. "  if (t == 255) totals[blockIdx.x] = sum;",
        [[sum = 0;
  for (int k = i - t; k < i && k < n; k++) sum += x[k];
  if (i < n) out[i] = sum;
  if (t == 255) totals[blockIdx.x] = sum + own;]]},
      explain = "Each thread adds up everything before it by itself.",
    },
    {
      name = "the-clerk",
      breaks = "scan_parts: max_chain = 64",
      replace = {"if (i < n) out[i] = sum - own;\n"
        .. "  if (t == 255) totals[blockIdx.x] = sum;",
        [[__shared__ int all[257];
  all[t + 1] = own;
  __syncthreads();
  if (t == 0) {
    all[0] = 0;
    for (int k = 1; k < 257; k++) all[k] += all[k - 1];
  }
  __syncthreads();
  if (i < n) out[i] = all[t];
  if (t == 255) totals[blockIdx.x] = all[256];]]},
      explain = "One thread adds up the whole block, as the bank clerk does,"
        .. " while the others wait.",
    },
  },
}
