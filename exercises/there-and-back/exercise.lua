-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "There and back",
  task = "there_and_back(x): the squares of x, computed by the kernel square on"
    .. " the device. Copy x there and the result back, and nothing else.",
  minutes = 5,
  kernels = "kernels.cu",
  entry = "there_and_back",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do args.out[i] = args.x[i] ^ 2 end
  end,
  tolerance = {ulp = 0, reason = "multiples of 1/64 below 16 have squares that"
    .. " fit in a float: nothing is rounded"},
  make = function(case, rng)
    return {x = rng:steps(case.n, -16, 16, 1 / 64), out = case.n}
  end,
  cases = {
    {name = "n=6", n = 6},
    {name = "one", n = 1},
    {name = "a warp and one", n = 33},
    {name = "a whole block", n = 1024},
    {name = "some", n = 777, hidden = true},
  },
  goal = {"launches >= 1", "copies <= 2", "bytes_to_device <= 4096"},
  hints = {
    "It is the page with the five steps, as a function: four lines.",
    "cuda.to_device(x) copies; cuda.device_array_like(dx) only makes room.",
    "One block, with a thread for each element of x: {1, #x}.",
    "The last line is return dout:copy_to_host().",
  },
  editorial = "One launch, two arrays on the device, and two copies: 4 bytes"
    .. " an element there, 4 back, for one product each. A single block is the"
    .. " limit here, 1024 elements; vector-add has as many blocks as the array"
    .. " needs. One product does not pay for 8 bytes on the bus: keep-it-there"
    .. " does more between the two copies.",
  mutants = {
    {
      name = "zeros-sent",
      replace = {"cuda.device_array_like(dx)",
        'cuda.to_device(np.zeros(#x, "f32"))'},
      breaks = "copies <= 2",
      explain = "Zeros crossed the bus only to be written over.",
    },
    {
      name = "twice",
      replace = {"local dout = cuda.device_array_like(dx)\n",
        "local dout = cuda.device_array_like(dx)\n"
        .. "  dx:copy_from(x)\n"},
      breaks = "bytes_to_device <= 4096",
      explain = "x crossed the bus twice.",
    },
    {
      name = "the-input-back",
      replace = {"return dout:copy_to_host()", "return dx:copy_to_host()"},
      explain = "That is x itself. The squares are in the array that the kernel"
        .. " writes, and it is to come home.",
    },
    {
      name = "four-threads",
      replace = {"square[{1, #x}](dx, dout)", "square[{1, 4}](dx, dout)"},
      explain = "Four threads square four numbers: nobody did the rest.",
    },
    {
      name = "arguments-exchanged",
      replace = {"(dx, dout)", "(dout, dx)"},
      explain = "The kernel's first argument is what it reads.",
    },
    {
      name = "not-launched",
      replace = {"  square[{1, #x}](dx, dout)\n", ""},
      explain = "Nobody has written the result: the launch is missing.",
    },
    {
      name = "on-the-host",
      replace = {"square[{1, #x}](dx, dout)\n  return dout:copy_to_host()",
        "return x * x"},
      breaks = "launches >= 1",
      explain = "The squares are right, but the host made them: no kernel ran.",
    },
  },
}
