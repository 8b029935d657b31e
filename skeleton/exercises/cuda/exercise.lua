-- SPDX-License-Identifier: Apache-2.0
-- docs/exercises.md explains every field.
local function make(case, rng)
  local n = case.n
  local grid = (n + case.block - 1) // case.block
  return {x = rng:floats(n, -8, 8), out = n, n = n}, {grid, case.block}
end

return {
  title = "Twice as much",
  task = "out[i] = 2 * x[i] for any n.",
  minutes = 5,
  kernel = "twice",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "int", "n"},
  },
  -- Or the name of one that warpshop has in C: docs/exercises.md, References.
  reference = function(args)
    for i = 0, args.n - 1 do args.out[i] = 2 * args.x[i] end
  end,
  tolerance = {ulp = 0, reason = "doubling a float is exact"},
  budget = 200000,
  make = make,
  cases = {
    {name = "n=1", n = 1, block = 64},
    {name = "n=1009, a prime", n = 1009, block = 64},
    {name = "n=1024", n = 1024, block = 256},
    {name = "large", n = 20011, block = 256, hidden = true},
  },
  -- How the result must come about: here by many threads.
  requires = {"min_threads = 32"},
  hints = {
    "blockIdx.x * blockDim.x + threadIdx.x is the thread's number.",
    "Some threads of the last block have no element.",
  },
  -- Shown after the first pass: what the solution costs, and what is next.
  editorial = "Each element is read once and written once, 8 bytes in all: a copy"
    .. " takes as long. Next: fewer threads than elements.",
  mutants = {
    {
      name = "no-guard",
      replace = {"if (i < n) ", ""},
      explain = "The last block has more threads than elements are left.",
    },
    {
      name = "local-index",
      replace = {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"},
      explain = "threadIdx.x starts again at 0 in every block.",
    },
    {
      name = "off-by-one",
      replace = {"i < n", "i < n - 1"},
      explain = "The last index is n - 1, and n - 1 is below n.",
    },
    {
      name = "not-doubled",
      replace = {"2 * x[i]", "x[i]"},
      explain = "x was copied without being doubled.",
    },
    {
      -- Right, and not what is asked: each requirement has such a mutant.
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {"  if (i < n) out[i] = 2 * x[i];",
        "  if (i == 0)\n    for (int k = 0; k < n; k++) out[k] = 2 * x[k];"},
      explain = "One thread does all elements, and the others have nothing to do.",
    },
  },
}
