-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "Somebody else's kernels",
  task = "raw_module(x): x divided by its greatest distance from 0, by the two"
    .. " kernels of a colleague's module, with one copy each way.",
  needs = {"keep-it-there"},
  minutes = 15,
  kernels = "kernels.cu",
  entry = "raw_module",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    local far = 0
    for i = 0, #args.x - 1 do far = math.max(far, math.abs(args.x[i])) end
    for i = 0, #args.x - 1 do args.out[i] = args.x[i] / far end
  end,
  tolerance = {ulp = 0, reason = "a maximum rounds nothing, and the quotient of"
    .. " two floats is rounded once, on the device as on the host"},
  make = function(case, rng)
    local x = rng:floats(case.n, -100, 100)
    if case.far then x[case.far] = -250 end
    return {x = x, out = case.n}
  end,
  cases = {
    {name = "n=3000", n = 3000, far = 2500},
    {name = "n=1", n = 1},
    {name = "a block", n = 128, far = 127},
    {name = "a block and one, the greatest", n = 129, far = 128},
    {name = "200 blocks", n = 25600, far = 25599},
    {name = "256", n = 256, far = 0},
    {name = "large", n = 70001, far = 65000, hidden = true},
  },
  goal = {"launches >= 2", "copies <= 2",
    {"bytes_to_host >= 12000", cases = {"n=3000"}}},
  hints = {
    "Three launches: the parts, the greatest of the parts, the division. What"
      .. " does each of them read, and what does it write?",
    "Read the note for the order of the arguments: the number of elements is"
      .. " first in one kernel, and last in the other.",
    "The parts are as many as the first launch has blocks: that is the n of the"
      .. " second.",
    "cuda.to_device(x) once, cuda.device_array(blocks, \"f32\") and"
      .. " cuda.device_array(1, \"f32\") for what lies between, :copy_to_host()"
      .. " once.",
  },
  editorial = "Three launches, and two copies of 4 n bytes each; the parts and"
    .. " the greatest stay on the device. Each number is loaded twice and"
    .. " stored once: the first division has to wait for the last number. One"
    .. " cooperative launch could do both, as in two-phases, but the kernels"
    .. " here are another's, and a launch's end is a wait for all blocks as"
    .. " well.",
  mutants = {
    {
      name = "first-part",
      replace = {"  farthest_parts[{1, 128}](blocks, parts, greatest)\n", ""},
      explain = "Nobody has written the greatest of all: the parts are to be"
        .. " looked at once more.",
    },
    {
      name = "by-the-first-block",
      replace = {"(greatest, dx, n)", "(parts, dx, n)"},
      explain = "parts[0] is the greatest that block 0 has met, not the"
        .. " greatest of all.",
    },
    {
      name = "own-size-of-block",
      replace = {"farthest_parts[{blocks, 128}]",
        "farthest_parts[{blocks, 256}]"},
      explain = "The note says 128 threads: the kernel has room for no more.",
    },
    {
      name = "half-a-block",
      replace = {"farthest_parts[{blocks, 128}]",
        "farthest_parts[{blocks, 64}]"},
      explain = "The note says 128 threads: with 64, half of the kernel's"
        .. " places are never written.",
    },
    {
      name = "elements-for-parts",
      replace = {"](blocks, parts, greatest)", "](n, parts, greatest)"},
      explain = "There are as many parts as the first launch had blocks, not as"
        .. " many as there are numbers.",
    },
    {
      name = "first-block-alone",
      replace = {"farthest_parts[{blocks, 128}](n, dx, parts)",
        "farthest_parts[{blocks, 128}](math.min(n, 128), dx, parts)"},
      explain = "The kernel is told of 128 numbers alone; the others are never"
        .. " looked at.",
    },
    {
      name = "last-block-missing",
      replace = {"shrink[{(n + 255) // 256, 256}]",
        "shrink[{math.max(1, n // 256), 256}]"},
      explain = "n // 256 rounds down: the numbers behind the last whole block"
        .. " stay as they were.",
    },
    {
      name = "looks-between",
      breaks = "copies <= 2",
      replace = {"  shrink[", "  greatest:copy_to_host()\n  shrink["},
      explain = "The greatest came home, and nobody looked at it.",
    },
    {
      name = "nothing-launched",
      breaks = "launches >= 2",
      replace = {"  farthest_parts[{blocks, 128}](n, dx, parts)\n"
        .. "  farthest_parts[{1, 128}](blocks, parts, greatest)\n"
        .. "  shrink[{(n + 255) // 256, 256}](greatest, dx, n)\n",
        "  dx:copy_from(x / np.max(np.abs(x)))\n"},
      explain = "The host has done it all, and the device has kept the result"
        .. " for a moment.",
    },
    {
      name = "the-host-divides",
      breaks = "bytes_to_host >= 12000",
      replace = {"  shrink[{(n + 255) // 256, 256}](greatest, dx, n)\n"
        .. "  return dx:copy_to_host()",
        "  return x / greatest:copy_to_host()[0]"},
      explain = "The host has divided. The array was on the device already, and"
        .. " so was the kernel.",
    },
  },
}
