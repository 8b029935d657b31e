-- SPDX-License-Identifier: Apache-2.0
return {
  title = "Right until 2017",
  task = "Mend the kernel: out[b] = the sum of block b's elements, where warp"
    .. " 0 alone adds up the last 32 cells, without a barrier of the block.",
  needs = {"block-sum"},
  minutes = 10,
  kernel = "last_warp",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
  },
  reference = "last_warp",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/1024 within 1, so that 512 of them"
      .. " sum exactly in any order",
  },
  budget = 20000,
  make = function(case, rng)
    local grid, block = case.grid, case.block
    local x = case.ones and rng:full(grid * block, 1)
      or rng:steps(grid * block, -1, 1, 1 / 1024)
    return {x = x, out = grid}, {grid, block}
  end,
  cases = {
    {name = "4 blocks of 256", grid = 4, block = 256},
    {name = "one block of 64", grid = 1, block = 64},
    {name = "blocks of 128", grid = 3, block = 128},
    {name = "blocks of 512", grid = 2, block = 512},
    {name = "ones", grid = 2, block = 256, ones = true},
    {name = "64 blocks of 256", grid = 64, block = 256},
    {name = "large", grid = 77, block = 512, hidden = true},
  },
  requires = {"max_chain = 32"},
  goal = {{"barriers <= 2048", cases = {"64 blocks of 256"}}},
  hints = {
    "Lane 0 reads the cell that lane 8 has just written: or has it not, yet?",
    "The lanes of warp 0 have to meet after each round. __syncwarp() is the"
      .. " barrier for one warp.",
    "The five lines hide a second race: lane 8 reads its cell 16 and writes"
      .. " cell 8, while lane 0 reads cell 8. In a round only lanes below"
      .. " `far` should add.",
    "In each round: if (t < far) part[t] += part[t + far]; and then, for all"
      .. " 32 lanes, __syncwarp();",
  },
  editorial = "With 256 threads a block has 4 barriers (behind the load, and"
    .. " in rounds 128, 64 and 32) in place of 9: 2048 in the case of 64"
    .. " blocks. Five __syncwarp() follow, which no other warp waits for. The"
    .. " rounds are as many as before, and so are the visits to the desk."
    .. " sum-shuffle does without the desk in these rounds.",
  mutants = {
    {
      name = "no-meeting",
      replace = {"\n      __syncwarp();", ""},
      explain = "Each round reads what other lanes wrote in the round before,"
        .. " and nothing brings them together in between.",
    },
    {
      name = "a-fence-is-no-barrier",
      replace = {"__syncwarp()", "__threadfence_block()"},
      explain = "A fence orders what one thread writes. It makes nobody wait.",
    },
    {
      name = "volatile-as-in-2007",
      replace = {[[
    for (int far = 16; far > 0; far /= 2) {
      if (t < far) part[t] += part[t + far];
      __syncwarp();
    }]], [[
    for (int far = 16; far > 0; far /= 2) {
      volatile float *cells = part;
      if (t < far) cells[t] += cells[t + far];
    }]]},
      explain = "volatile makes each access a real one. It makes no lane wait"
        .. " for another, and the lanes of a warp need not run in step.",
    },
    {
      name = "everybody-adds",
      replace = {"if (t < far) part[t] += part[t + far];\n      __syncwarp",
        "part[t] += part[t + far];\n      __syncwarp"},
      explain = "Lanes above `far` write cells that lower lanes read in the"
        .. " same round: only those below `far` should add.",
    },
    {
      name = "part-of-the-warp",
      replace = {"__syncwarp()", "__syncwarp(0xff)"},
      explain = "The mask names lanes 0 to 7, but lanes 8 to 15 wrote as well,"
        .. " and all 32 come.",
    },
    {
      name = "starts-low",
      replace = {"int far = 16; far > 0;", "int far = 8; far > 0;"},
      explain = "The rounds of warp 0 begin with 8: cells 16 to 31 are never"
        .. " added.",
    },
    {
      name = "stops-early",
      replace = {"int far = 16; far > 0;", "int far = 16; far > 1;"},
      explain = "The last round is left out: cell 1 still has to be added to"
        .. " cell 0.",
    },
    {
      name = "sixteen-lanes",
      replace = {"if (t < 32)", "if (t < 16)"},
      explain = "Only 16 lanes come, and __syncwarp() waits for all 32 of the"
        .. " warp.",
    },
    {
      name = "barrier-of-the-block",
      breaks = "barriers <= 2048",
      replace = {[[if (t < 32)
    for (int far = 16; far > 0; far /= 2) {
      if (t < far) part[t] += part[t + far];
      __syncwarp();
    }]], [[for (int far = 16; far > 0; far /= 2) {
    if (t < far) part[t] += part[t + far];
    __syncthreads();
  }]]},
      explain = "All warps come to five more barriers, though warp 0 alone has"
        .. " work.",
    },
    {
      name = "one-lane",
      breaks = "max_chain = 32",
      replace = {[[if (t < 32)
    for (int far = 16; far > 0; far /= 2) {
      if (t < far) part[t] += part[t + far];
      __syncwarp();
    }]], [[if (t == 0)
    for (int k = 1; k < 32; k++) part[0] += part[k];]]},
      explain = "One lane adds the last 32 cells, one after the other.",
    },
  },
}
