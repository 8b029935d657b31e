-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Only those above zero",
  task = "Gather the elements above zero, in their order and without gaps:"
    .. " mark, scan, move.",
  needs = {"scan"},
  minutes = 20,
  kernels = {
    {name = "mark", signature = {
      {"in", "const int *", "x"},
      {"out", "int *", "keep"},
      {"value", "int", "n"},
    }},
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
    {name = "move", signature = {
      {"in", "const int *", "x"},
      {"in", "const int *", "keep"},
      {"in", "const int *", "places"},
      {"out", "int *", "out"},
      {"out", "int *", "count"},
      {"value", "int", "n"},
    }},
  },
  signature = {
    {"in", "const int *", "x"},
    {"inout", "int *", "out"},
    {"out", "int *", "count"},
    {"scratch", "int *", "keep"},
    {"scratch", "int *", "places"},
    {"scratch", "int *", "totals"},
    {"scratch", "int *", "before"},
    {"scratch", "int *", "all"},
    {"value", "int", "n"},
  },
  launches = function(args, kernels)
    local n, blocks = args.n, blocks_for(args.n, 256)
    kernels.mark[{blocks, 256}](args.x, args.keep, n)
    kernels.scan_parts[{blocks, 256}](args.keep, args.places,
      args.totals, n)
    kernels.scan_parts[{1, 256}](args.totals, args.before, args.all,
      blocks)
    kernels.add_before[{blocks, 256}](args.places, args.before, n)
    kernels.move[{blocks, 256}](args.x, args.keep, args.places,
      args.out, args.count, n)
  end,
  reference = "compact",
  tolerance = {ulp = 0, reason = "values are moved, and whole numbers counted"},
  budget = 50000,
  make = function(case, rng)
    local n = case.n
    local blocks = blocks_for(n, 256)
    local x = case.all and rng:full(n, case.all) or rng:ints(n, -3, 3)
    if case.last then x[n - 1] = case.last end
    return {
      x = x, out = rng:full(n, -1), count = 1, keep = n, places = n,
      totals = blocks, before = blocks, all = 1, n = n,
    }
  end,
  cases = {
    {name = "n=1000", n = 1000, last = 2},
    {name = "the last one goes", n = 600, last = -2},
    {name = "n=1, and it stays", n = 1, all = 5},
    {name = "n=1, and it goes", n = 1, all = 0},
    {name = "none stays", n = 300, all = -1},
    {name = "two full blocks", n = 512, last = 3},
    {name = "all stay", n = 513, all = 7},
    {name = "large", n = 20011, hidden = true},
  },
  requires = {{"min_threads = 32", kernel = "move"}},
  hints = {
    "A comparison is 1 or 0: mark is one line and its guard.",
    "places[i] is how many before i are kept: that is the place of x[i] in out,"
      .. " if x[i] is kept.",
    "Behind the last element stand places[n - 1] + keep[n - 1] kept ones.",
  },
  editorial = "Five launches, up to 65,536 elements: one block scans the"
    .. " totals. An element that is kept costs seven loads and four stores,"
    .. " one that goes two loads and a store less. Next: scan_parts can ask"
    .. " x[i] > 0 by itself, and so can move; then keep and the launch of mark"
    .. " are not needed. One floor more, as in the exercise scan, goes to 16"
    .. " million.",
  mutants = {
    {
      name = "zeros-too",
      replace = {"x[i] > 0", "x[i] >= 0"},
      explain = "Zeros are kept as well: only what is above zero stays.",
    },
    {
      name = "all-are-moved",
      replace = {"if (keep[i]) out", "out"},
      explain = "Elements that are not kept go to the place of the next one"
        .. " that is.",
    },
    {
      name = "count-without-last",
      replace = {"places[i] + keep[i]", "places[i]"},
      explain = "places of the last element does not count that element"
        .. " itself.",
    },
    {
      name = "one-too-many",
      replace = {"places[i] + keep[i]", "places[i] + 1"},
      explain = "The last element is counted even if it is not kept.",
    },
    {
      name = "own-place",
      replace = {"out[places[i]] = x[i]", "out[i] = x[i]"},
      explain = "Each element stays at its own place, so there are gaps.",
    },
    {
      name = "first-thread-counts",
      replace = {"if (i == n - 1) count", "if (i == 0) count"},
      explain = "Before the first element nothing is kept: the last one knows"
        .. " how many there are.",
    },
    {
      name = "moves-the-mark",
      replace = {"= x[i];\n", "= keep[i];\n"},
      explain = "The mark was moved in place of the element.",
    },
    {
      name = "no-guard",
      replace = {"  if (i >= n) return;\n", ""},
      explain = "The last block has more threads than elements are left.",
    },
    {
      name = "one-thread",
      breaks = "move: min_threads = 32",
      replace = {[=[
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  if (keep[i]) out[places[i]] = x[i];
  if (i == n - 1) count[0] = places[i] + keep[i];]=], [=[
  if (threadIdx.x > 0) return;
  int first = blockIdx.x * 256;
  for (int i = first; i < first + 256 && i < n; i++) {
    if (keep[i]) out[places[i]] = x[i];
    if (i == n - 1) count[0] = places[i] + keep[i];
  }]=]},
      explain = "The first thread of each block does all of its elements,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
