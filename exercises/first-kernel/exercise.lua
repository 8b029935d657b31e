-- SPDX-License-Identifier: Apache-2.0
return {
  title = "A first kernel",
  task = "out[i] = x[i] + by, for each thread i of one block.",
  needs = {"hello-threads"},
  minutes = 10,
  kernel = "shift_up",
  signature = {
    {"in", "const float *", "x"},
    {"out", "float *", "out"},
    {"value", "float", "by"},
  },
  reference = "first_kernel",
  tolerance = {
    ulp = 0,
    reason = "the inputs are multiples of 1/256 below 2^10, so that a sum is"
      .. " exact",
  },
  budget = 20000,
  make = function(case, rng)
    local by = case.by or rng:steps(1, -8, 8, 1 / 256)[0]
    return {x = rng:steps(case.n, -512, 512, 1 / 256), out = case.n, by = by},
      {1, case.n}
  end,
  cases = {
    {name = "8 elements", n = 8, by = 1},
    {name = "33 elements", n = 33},
    {name = "1 element", n = 1},
    {name = "nothing added", n = 50, by = 0},
    {name = "1024 elements", n = 1024, hidden = true},
  },
  requires = {"min_threads = 32"},
  hints = {
    "What it is given stands in the brackets: x is read, out is written, by is"
      .. " one number, the same for all threads.",
    "int i = threadIdx.x; gives the thread its element.",
    "out[i] = x[i] + by;",
  },
  editorial = "One load, one store and one addition a thread: 8 bytes are"
    .. " moved for one operation. by comes along with the launch, one number"
    .. " for all threads. One block of at most 1024 threads is all that this"
    .. " reaches; vector-add takes several blocks, and a guard for the last"
    .. " one.",
  mutants = {
    {
      name = "fixed-step",
      replace = {"x[i] + by", "x[i] + 1"},
      explain = "This is what you get when 1 is added whatever by says.",
    },
    {
      name = "minus",
      replace = {"x[i] + by", "x[i] - by"},
      explain = "This is what you get when by is taken away, not added.",
    },
    {
      name = "first-element",
      replace = {"x[i] + by", "x[0] + by"},
      explain = "This is what you get when every thread reads x[0]: each has an"
        .. " element of its own, x[i].",
    },
    {
      name = "without-x",
      replace = {"= x[i] + by", "= i + by"},
      explain = "This is what you get when the thread's number takes the place"
        .. " of its element: i is where, x[i] is what.",
    },
    {
      name = "times",
      replace = {"x[i] + by", "x[i] * by"},
      explain = "This is what you get when x[i] is multiplied by `by`; the task"
        .. " is to add it.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 32",
      replace = {[[
  int i = threadIdx.x;
  out[i] = x[i] + by;]], [[
  if (threadIdx.x > 0) return;
  for (int i = 0; i < blockDim.x; i++) out[i] = x[i] + by;]]},
      explain = "One thread does all elements, one after the other, and the"
        .. " others have nothing to do.",
    },
  },
}
