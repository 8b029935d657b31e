-- SPDX-License-Identifier: Apache-2.0
return {
  title = "One barrier",
  task = "Make it faster: out[b] = the sum of block b's elements, by shuffles"
    .. " in each warp, with at most two barriers and few visits to shared"
    .. " memory.",
  needs = {"warp-sum", "block-sum"},
  minutes = 20,
  kernel = "sum_shuffle",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  reference = "block_sum",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/1024 within 1, so that 1024 of"
      .. " them sum exactly in any order",
  },
  budget = 50000,
  make = function(case, rng)
    local n, block = case.n, case.block or 256
    local grid = blocks_for(n, block)
    local x = case.ones and rng:full(n, 1) or rng:steps(n, -1, 1, 1 / 1024)
    return {x = x, out = grid, n = n}, {grid, block}
  end,
  cases = {
    {name = "64 blocks of 256", n = 16384},
    {name = "n=1", n = 1},
    {name = "n=1009, a prime", n = 1009},
    {name = "blocks of one warp", n = 100, block = 32},
    {name = "blocks of 96", n = 1000, block = 96},
    {name = "blocks of 1024", n = 5000, block = 1024},
    {name = "ones", n = 1000, block = 512, ones = true},
    {name = "blocks of 992", n = 3000, block = 992, hidden = true},
    {name = "large", n = 100003, hidden = true},
  },
  rank = {case = "64 blocks of 256", n = 1 << 24, bytes = 1 << 26},
  requires = {"shuffle", "min_threads = 64"},
  goal = {
    {"barriers <= 1024", cases = {"64 blocks of 256"}},
    {"shared_load_requests <= 512", cases = {"64 blocks of 256"}},
  },
  hints = {
    "First every warp on its own: five rounds of __shfl_down_sync, and lane 0"
      .. " has the warp's sum.",
    "A block has at most 32 warps. Lane 0 of each puts its sum into part[t /"
      .. " 32]; then all meet, once.",
    "The first warp takes the sums from part, one for each lane, and does five"
      .. " rounds more. A lane beyond the number of warps takes a 0.",
    "How many warps has the block? blockDim.x / 32. So: sum = t < blockDim.x /"
      .. " 32 ? part[t] : 0;",
  },
  editorial = "One barrier a block: 512 in the first case, of the 1024 that"
    .. " are allowed. The desk is 128 bytes; each warp stores one number"
    .. " there, and one warp loads them. Five shuffles a lane, and five more"
    .. " in the first warp, whatever the block's size is. Each thread still"
    .. " does a single element; dot and sum let it add many before the block"
    .. " meets.",
  mutants = {
    {
      name = "no-barrier",
      replace = {"\n  __syncthreads();", ""},
      explain = "The first warp reads the sums before the others have put them"
        .. " into part.",
    },
    {
      name = "all-cells",
      replace = {"t < blockDim.x / 32 ? part[t] : 0", "part[t]"},
      explain = "A block of fewer than 32 warps leaves cells unwritten: lanes"
        .. " beyond the number of warps take a 0.",
    },
    {
      name = "eight-warps",
      replace = {"t < blockDim.x / 32 ?", "t < 8 ?"},
      explain = "8 warps are those of 256 threads; a block may have more of"
        .. " them, or fewer: blockDim.x / 32.",
    },
    {
      name = "too-few-rounds",
      replace = {[[part[t] : 0;
    for (int far = 16;]], [[part[t] : 0;
    for (int far = 4;]]},
      explain = "Rounds from 4 on add up 8 sums. A block may have 32 warps.",
    },
    {
      name = "no-guard",
      replace = {"i < n ? x[i] : 0", "x[i]"},
      explain = "In the last block some threads read past the end of x: they"
        .. " have no element, and add 0.",
    },
    {
      name = "left-early",
      replace = {"float sum = i < n ? x[i] : 0;",
        "if (i >= n) return;\n  float sum = x[i];"},
      explain = "The threads without an element have left, and lanes that stay"
        .. " read from them.",
    },
    {
      name = "only-one-warp",
      replace = {"if (t == 0) out[blockIdx.x] = sum;",
        "if (t == 0) out[blockIdx.x] = part[0];"},
      explain = "part[0] is the sum of the first warp alone.",
    },
    {
      name = "shifted-cells",
      replace = {"part[t / 32] = sum", "part[t % 32] = sum"},
      explain = "t % 32 is the lane, 0 for all that write: every warp puts its"
        .. " sum into the same cell.",
    },
    {
      name = "starts-low",
      replace = {[[
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;]], [[
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;]]},
      explain = "This is what you get when the rounds of each warp begin with"
        .. " 8: what lanes 16 to 31 hold is never added.",
    },
    {
      name = "starts-low-twice",
      replace = {[[
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)]], [[
  for (int far = 8; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 8; far > 0; far /= 2)]]},
      explain = "This is what you get when both loops of rounds begin with 8:"
        .. " what lanes 16 to 31 hold is never added.",
    },
    {
      name = "one-for-none",
      replace = {"i < n ? x[i] : 0", "i < n ? x[i] : 1"},
      explain = "This is what you get when a thread without an element brings a"
        .. " 1: what changes no sum is 0.",
    },
    {
      name = "one-for-no-warp",
      replace = {"part[t] : 0", "part[t] : 1"},
      explain = "This is what you get when the lanes beyond the number of warps"
        .. " bring a 1: what changes no sum is 0.",
    },
    {
      name = "everybody-adds",
      breaks = "shared_load_requests <= 512",
      replace = {[[if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) out[blockIdx.x] = sum;
  }]], [[sum = 0;
  for (int k = 0; k < blockDim.x / 32; k++) sum += part[k];
  if (t == 0) out[blockIdx.x] = sum;]]},
      explain = "Every thread adds up the sums of all warps, one after the"
        .. " other; one warp, or one thread, is enough.",
    },
    {
      name = "a-barrier-a-round",
      breaks = "barriers <= 1024",
      replace = {[[for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32]], [[for (int far = 16; far > 0; far /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, far);
    __syncthreads();
  }
  if (t % 32]]},
      explain = "Shuffles need no barrier: only the sums of the warps, which"
        .. " go by way of the desk, do.",
    },
    {
      name = "all-at-one-cell",
      breaks = "shuffle",
      replace = {[[__shared__ float part[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = i < n ? x[i] : 0;
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) out[blockIdx.x] = sum;
  }]], [[__shared__ float part[1];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t == 0) part[0] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&part[0], x[i]);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = part[0];]]},
      explain = "All threads queue up at one cell of the desk, one after the"
        .. " other; a warp can add up its values before it goes there.",
    },
    {
      name = "one-lane-tells",
      breaks = "min_threads = 64",
      replace = {[[
  __shared__ float part[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = i < n ? x[i] : 0;
  for (int far = 16; far > 0; far /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, far);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0;
    for (int far = 16; far > 0; far /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, far);
    if (t == 0) out[blockIdx.x] = sum;
  }]], [[
  int t = threadIdx.x, i = blockIdx.x * blockDim.x;
  float sum = 0;
  if (t == 1)
    for (int end = min(i + blockDim.x, n); i < end; i++) sum += x[i];
  sum = __shfl_sync(0xffffffff, sum, 1);
  if (t == 0) out[blockIdx.x] = sum;]]},
      explain = "One thread adds up all elements of its block and hands the sum"
        .. " on; the others have nothing to do.",
    },
  },
}
