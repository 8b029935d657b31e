-- SPDX-License-Identifier: Apache-2.0
return {
  title = "What came before",
  task = "out[i] = the sum of the elements of i's warp before i, by shuffles,"
    .. " in a few rounds.",
  needs = {"warp-sum"},
  minutes = 15,
  kernel = "warp_scan",
  signature = {
    {"in", "const int *", "x"},
    {"out", "int *", "out"},
    {"value", "int", "n"},
  },
  reference = "warp_scan",
  tolerance = {ulp = 0, reason = "whole numbers, far from overflowing"},
  budget = 20000,
  make = function(case, rng)
    local n, block = case.n, case.block or 128
    local x = case.ones and rng:full(n, 1) or rng:ints(n, -1000, 1000)
    return {x = x, out = n, n = n}, {(n + block - 1) // block, block}
  end,
  cases = {
    {name = "one warp", n = 32, block = 32},
    {name = "4 blocks of 128", n = 512},
    {name = "ones", n = 256, ones = true},
    {name = "n=1", n = 1},
    {name = "n=1009, a prime", n = 1009},
    {name = "blocks of 96", n = 400, block = 96},
    {name = "one more than a warp", n = 33, block = 64, hidden = true},
    {name = "large", n = 9973, block = 256, hidden = true},
  },
  requires = {"shuffle", "max_chain = 16"},
  goal = {"shared_load_requests <= 0"},
  hints = {
    "Five rounds: in round far = 1, 2, 4, 8, 16 each lane adds the sum of the"
      .. " lane that is far seats below.",
    "__shfl_up_sync(0xffffffff, sum, far) reads that lane. All lanes call it;"
      .. " only those with lane >= far add what they get.",
    "That is the inclusive scan. The exclusive one lacks the lane's own"
      .. " element: sum - mine.",
    "Threads without an element shuffle along, with a 0, and do not write.",
  },
  editorial = "One load and one store an element, five shuffles, no shared"
    .. " memory. A full warp makes 129 additions, where one thread would do"
    .. " with 31, but in five rounds and not in 31. The last line takes one's"
    .. " own element away again, which sums can do and maxima cannot: those"
    .. " would shuffle once more. scan-block puts up to 32 such warps"
    .. " together.",
  mutants = {
    {
      name = "inclusive",
      replace = {"sum - mine", "sum"},
      explain = "This is the inclusive scan: x[i] itself is in the sum. Asked"
        .. " for is what lies before i.",
    },
    {
      name = "always-add",
      replace = {"if (lane >= far) sum", "sum"},
      explain = "A lane with nobody `far` seats below gets its own value back,"
        .. " and adds it once more.",
    },
    {
      name = "shuffle-in-the-branch",
      replace = {[[int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;]],
        "if (lane >= far) sum += __shfl_up_sync(0xffffffff, sum, far);"},
      explain = "The shuffle stands inside the if, and the mask names all 32:"
        .. " all have to come to it.",
    },
    {
      name = "off-by-one",
      replace = {"lane >= far", "lane > far"},
      explain = "Lane `far` has somebody `far` seats below, lane 0: it has to"
        .. " add, too.",
    },
    {
      name = "four-rounds",
      replace = {"far < 32", "far < 16"},
      explain = "The last round is left out: lanes from 16 on lack what lies"
        .. " more than 16 seats below.",
    },
    {
      name = "doubling-forgotten",
      replace = {"far *= 2", "far++"},
      explain = "far goes 1, 2, 3, 4: elements are added several times. It"
        .. " doubles from round to round.",
    },
    {
      name = "down",
      replace = {"__shfl_up_sync", "__shfl_down_sync"},
      explain = "__shfl_down_sync reads higher lanes: what comes after, not"
        .. " before.",
    },
    {
      name = "sum-of-the-others",
      replace = {[[for (int far = 1; far < 32; far *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;
  }]],
        [[for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);]]},
      explain = "This is the loop of warp-sum, which brings everything to lane"
        .. " 0: it reads higher lanes. A scan reads lower ones, by"
        .. " __shfl_up_sync.",
    },
    {
      name = "what-comes-after",
      replace = {[[int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;]],
        [[int above = __shfl_down_sync(0xffffffff, sum, far);
    if (lane + far < 32) sum += above;]]},
      explain = "This is the sum of the elements after i: __shfl_down_sync"
        .. " reads higher lanes, __shfl_up_sync lower ones.",
    },
    {
      name = "butterfly",
      replace = {[[int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;]],
        "sum += __shfl_xor_sync(0xffffffff, sum, far);"},
      explain = "With __shfl_xor_sync every lane gets the sum of the whole"
        .. " warp, what comes after included.",
    },
    {
      name = "grid-for-lane",
      replace = {"lane >= far", "i >= far"},
      explain = "i counts through the whole grid, lane through the warp: it is"
        .. " the lane that has nobody `far` seats below.",
    },
    {
      name = "shifted",
      replace = {"if (i < n) out[i] = sum - mine;",
        [[sum = __shfl_up_sync(0xffffffff, sum, 1);
  if (i < n) out[i] = sum;]]},
      explain = "The shift by one seat leaves lane 0 with its own value, since"
        .. " nobody sits below: there out[i] is 0.",
    },
    {
      name = "no-guard",
      replace = {"i < n ? x[i] : 0", "x[i]"},
      explain = "In the last warp some threads read past the end of x: they"
        .. " have no element, and add 0.",
    },
    {
      name = "one-by-one",
      breaks = "max_chain = 16",
      replace = {[[for (int far = 1; far < 32; far *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;
  }]], [[for (int far = 1; far < 32; far++) {
    int below = __shfl_up_sync(0xffffffff, mine, far);
    if (lane >= far) sum += below;
  }]]},
      explain = "Each lane asks all lanes below it one after the other: 31"
        .. " rounds instead of five.",
    },
    {
      name = "alone",
      breaks = "shuffle",
      replace = {[[for (int far = 1; far < 32; far *= 2) {
    int below = __shfl_up_sync(0xffffffff, sum, far);
    if (lane >= far) sum += below;
  }]], [[for (int far = 1; far <= lane && i < n; far++)
    sum += x[i - far];]]},
      explain = "Each lane reads all elements before its own from memory, by"
        .. " itself.",
    },
    {
      name = "by-the-desk",
      breaks = "shared_load_requests <= 0",
      replace = {[[int mine = i < n ? x[i] : 0, sum = mine;]],
        [[__shared__ int desk[1024];
  desk[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  int other = desk[threadIdx.x ^ 1];
  int mine = __shfl_xor_sync(0xffffffff, other, 1), sum = mine;]]},
      explain = "The elements go by way of shared memory before they are"
        .. " shuffled.",
    },
  },
}
