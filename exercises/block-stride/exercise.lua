-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A stride too short",
  task = "Mend the kernel: every element of x below n grows by y, once, for any"
    .. " number of blocks and threads.",
  needs = {"saxpy"},
  minutes = 10,
  kernel = "add_all",
  signature = {
    {"inout", "float *", "x"},
    {"value", "float", "y"},
    {"value", "int", "n"},
  },
  reference = "block_stride",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/256 below 2^10, so that a sum is"
      .. " exact",
  },
  budget = 200000,
  make = function(case, rng)
    local y = rng:steps(1, 1, 8, 1 / 256)[0]
    return {x = rng:steps(case.n, -512, 512, 1 / 256), y = y, n = case.n},
      {case.grid, case.block}
  end,
  cases = {
    {name = "one block", n = 1000, grid = 1, block = 128},
    {name = "four blocks", n = 1000, grid = 4, block = 64},
    {name = "n=1", n = 1, grid = 2, block = 32},
    {name = "more threads than elements", n = 100, grid = 4, block = 64},
    {name = "blocks of one thread", n = 61, grid = 7, block = 1},
    {name = "large", n = 100003, grid = 40, block = 256, hidden = true},
  },
  requires = {"min_threads = 8"},
  hints = {
    "One block was tried, and it is right for one. What does the second block"
      .. " do in its second round?",
    "A thread goes on by as many elements as there are threads in the whole"
      .. " grid.",
    "The grid has gridDim.x blocks of blockDim.x threads.",
  },
  editorial = "Each element is loaded once and stored once, by one thread; the"
    .. " stride is one product before the loop. A thread makes n / (blocks *"
    .. " threads of a block) rounds, rounded up or down, and any launch is"
    .. " right, even blocks of one thread. The lesson grid-stride says how"
    .. " many blocks are worth having; axpy-2d has two such loops.",
  mutants = {
    {
      name = "still-block",
      replace = {"int stride = gridDim.x * blockDim.x",
        "int stride = blockDim.x"},
      explain = "The stride is still one block's: block 0 comes to the elements"
        .. " that block 1 has done, and both add y.",
    },
    {
      name = "grid-alone",
      replace = {"int stride = gridDim.x * blockDim.x",
        "int stride = gridDim.x"},
      explain = "gridDim.x counts blocks, not threads: the whole grid has"
        .. " gridDim.x * blockDim.x threads.",
    },
    {
      name = "once",
      replace = {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
        .. " i += stride)",
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)"},
      explain = "Without a loop only as many elements are done as there are"
        .. " threads.",
    },
    {
      name = "from-zero",
      replace = {"int i = blockIdx.x * blockDim.x + threadIdx.x; i < n",
        "int i = threadIdx.x; i < n"},
      explain = "All blocks begin with the same elements: the first one of a"
        .. " thread is blockIdx.x * blockDim.x + threadIdx.x.",
    },
    {
      name = "one-too-many",
      replace = {"i < n", "i <= n"},
      explain = "An array of n elements ends at n - 1.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 8",
      replace = {[[
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    x[i] += y;]], [[
  if (threadIdx.x > 0) return;
  for (int i = blockIdx.x; i < n; i += gridDim.x) x[i] += y;]]},
      explain = "The first thread of each block does all of its elements, one"
        .. " after the other, and the others have nothing to do.",
    },
  },
}
