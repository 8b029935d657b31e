-- SPDX-License-Identifier: Apache-2.0
-- 256 bodies, blocks of 64: 8 warps go through 4 tiles, with 3 loads for each,
-- and 2 for the own body: 112 requests. Without tiles each warp has 770.
local WHOLE = {"256 bodies, blocks of 64"}

return {
  title = "Everybody pulls everybody",
  task = "Make the kernel fast: the pull of n bodies on each other, with bodies"
    .. " fetched once a block in place of once a thread.",
  needs = {"block-sum"},
  minutes = 25,
  kernel = "pull",
  signature = {
    {"in", "const float *", "x"},
    {"in", "const float *", "y"},
    {"in", "const float *", "m"},
    {"out", "float *", "ax"},
    {"out", "float *", "ay"},
    {"value", "int", "n"},
  },
  reference = "n_body",
  tolerance = {
    abs = 6e-4,
    reason = "a pull is at most 0.385 m, with m up to 1/4: 300 of them are"
      .. " below 29 together; 300 additions and 8 roundings of each are off by"
      .. " at most 308 * 2^-24 of that, 5.4e-4",
  },
  budget = 200000,
  make = function(case, rng)
    local n, block = case.n, case.block or 64
    return {
      x = rng:floats(n, -4, 4), y = rng:floats(n, -4, 4),
      m = rng:floats(n, 1 / 8, 1 / 4), ax = n, ay = n, n = n,
    }, {blocks_for(n, block), block}
  end,
  cases = {
    {name = "256 bodies, blocks of 64", n = 256},
    {name = "one body", n = 1},
    {name = "one block", n = 64},
    {name = "65: a block and one", n = 65},
    {name = "three blocks of 96", n = 288, block = 96},
    {name = "290 bodies, blocks of 256", n = 290, block = 256},
    {name = "large", n = 300, block = 128, hidden = true},
  },
  goal = {{"global_load_requests <= 300", cases = WHOLE}},
  hints = {
    "All threads of a block want the same bodies, in the same order. Who"
      .. " fetches which, so that each is fetched once?",
    "Three desks, for x, y and m. In each round thread t fetches body first +"
      .. " t; then a barrier, and all go through the desks.",
    "A second barrier at the end of the round: a fast thread must not fetch the"
      .. " next bodies while a slow one reads these.",
    "The last round may have fewer bodies: min(size, n - first). And a thread"
      .. " without a body of its own fetches and waits like all others.",
  },
  editorial = "n * n pulls, as before. Each warp asks global memory 3 times"
    .. " for each tile and twice for its own body: 112 requests in the first"
    .. " case, where the starter has 6160. A round costs two barriers; the"
    .. " desks take 3072 bytes. What is left are three loads from the desk for"
    .. " each pull. Two bodies a thread would halve them; ladder takes that"
    .. " step, for four frequencies.",
  mutants = {
    {
      name = "every-second-round",
      replace = {"first += size", "first += 2 * size"},
      explain = "This is what you get when every second round is passed over:"
        .. " the next one begins size bodies further.",
    },
    {
      name = "masses-from-afar",
      breaks = "global_load_requests <= 300",
      replace = {"ty[k] - py, tm[k]", "ty[k] - py, m[first + k]"},
      explain = "The places come from the desk, and each thread still fetches"
        .. " every mass from global memory.",
    },
    {
      name = "last-round-left",
      replace = {"first < n; first", "first + size <= n; first"},
      explain = "Only full rounds are done: the bodies behind the last full"
        .. " one pull nobody.",
    },
    {
      name = "not-its-place",
      replace = {"      add_pull(tx", "      if (k != t) add_pull(tx"},
      explain = "The place t on the desks is the thread's own body only in the"
        .. " round of its own block; in all others somebody is left out. And"
        .. " a body does not pull itself anyway: its distance is 0.",
    },
    {
      name = "full-rounds",
      replace = {"int length = min(size, n - first);", "int length = size;"},
      explain = "The last round has fewer bodies: behind them the desks hold"
        .. " bodies of the round before, or nothing.",
    },
    {
      name = "no-first-barrier",
      replace = {"    }\n    __syncthreads();\n    int", "    }\n    int"},
      explain = "The desks are read before all threads have brought their"
        .. " body.",
    },
    {
      name = "no-second-barrier",
      replace = {"&sx, &sy);\n    __syncthreads();\n  }", "&sx, &sy);\n  }"},
      explain = "A fast thread brings the next bodies while a slow one still"
        .. " reads these.",
    },
    {
      name = "own-block-only",
      replace = {"int j = first + t;", "int j = i;"},
      explain = "Every round brings the block's own bodies again: those of"
        .. " round `first` begin at first.",
    },
    {
      name = "first-round-again",
      replace = {"int j = first + t;", "int j = t;"},
      explain = "Every round brings the first bodies again: those of round"
        .. " `first` begin at first.",
    },
    {
      name = "no-guard",
      replace = {"if (j < n) {", "{"},
      explain = "In the last round some threads have no body to fetch.",
    },
    {
      name = "own-cell",
      replace = {"add_pull(tx[k] - px, ty[k] - py, tm[k], &sx, &sy)",
        "add_pull(tx[k] - px, ty[k] - py, m[i < n ? i : 0], &sx, &sy)"},
      explain = "The pull goes with the mass of the body that pulls, tm[k], and"
        .. " not with that of the one that is pulled.",
    },
    {
      name = "one-axis-twice",
      replace = {"ty[k] - py", "tx[k] - px"},
      explain = "Both distances are those in x: the second one is that in y.",
    },
    {
      name = "no-mass",
      replace = {"ty[k] - py, tm[k]", "ty[k] - py, 1"},
      explain = "Every body pulls as if its mass were 1.",
    },
    {
      name = "from-the-middle",
      replace = {"tx[k] - px, ty[k] - py", "tx[k], ty[k]"},
      explain = "The place of the other body is taken for the distance to it:"
        .. " the thread's own place has to be subtracted.",
    },
    {
      name = "pushes",
      replace = {"tx[k] - px, ty[k] - py", "px - tx[k], py - ty[k]"},
      explain = "The sign: that pushes the bodies apart.",
    },
    {
      name = "one-round",
      replace = {"first < n; first += size",
        "first < min(n, size); first += size"},
      explain = "Only the first round is done: bodies beyond the first block's"
        .. " number pull nobody.",
    },
  },
}
