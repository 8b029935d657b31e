-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "Keep it there",
  task = "keep_it_there(x, steps): x halved so often, by the kernel halve. The"
    .. " starter is right, and each of its steps crosses the bus: let x cross"
    .. " it once, and the result once.",
  minutes = 5,
  kernels = "kernels.cu",
  entry = "keep_it_there",
  signature = {
    {"in", "f32[]", "x"},
    {"value", "i32", "steps"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do args.out[i] = args.x[i] / 2 ^ args.steps end
  end,
  tolerance = {ulp = 0, reason = "to halve a float is exact"},
  make = function(case, rng)
    return {x = rng:floats(case.n, -1000, 1000), steps = case.steps,
            out = case.n}
  end,
  cases = {
    {name = "10 steps", n = 10000, steps = 10},
    {name = "one step", n = 1000, steps = 1},
    {name = "no step", n = 100, steps = 0},
    {name = "one element", n = 1, steps = 3},
    {name = "a block", n = 256, steps = 2},
    {name = "a block and one", n = 257, steps = 4},
    {name = "25 steps", n = 4099, steps = 25, hidden = true},
  },
  goal = {"copies <= 2", "allocations <= 2"},
  hints = {
    "A launch with arrays of the host copies them each time; one with arrays of"
      .. " the device copies nothing.",
    "cuda.to_device(x) before the loop, :copy_to_host() behind it.",
    "Make the second array before the loop, too: cuda.device_array_like.",
    "After each step the two arrays change places: what was written is read"
      .. " next.",
  },
  editorial = "Two copies, one array there and one back, 4 bytes an element"
    .. " each, however many steps; two arrays on the device and a launch a"
    .. " step. A step in place would do with one array. Next: only-the-answer"
    .. " brings home less than the array, and one-launch makes one launch of"
    .. " all steps.",
  mutants = {
    {
      name = "looks-each-time",
      replace = {"    from, to = to, from\n",
        "    to:copy_to_host()\n    from, to = to, from\n"},
      breaks = "copies <= 2",
      explain = "Each step's result came home, and nobody looked at it.",
    },
    {
      name = "new-array-each-time",
      replace = {"    halve[",
        "    to = cuda.device_array_like(from)\n    halve["},
      breaks = "allocations <= 2",
      explain = "Each step makes room anew; the array of the step before is"
        .. " free to be written over.",
    },
    {
      name = "places-not-changed",
      replace = {"    from, to = to, from\n", ""},
      explain = "That is x, not halved once: a step has to read what the one"
        .. " before has written, and the last one's result is to come home.",
    },
    {
      name = "one-step-too-few",
      replace = {"for _ = 1, steps do", "for _ = 2, steps do"},
      explain = "What came home was halved once less than steps says.",
    },
    {
      name = "one-step-too-many",
      replace = {"for _ = 1, steps do", "for _ = 0, steps do"},
      explain = "What came home was halved once more than steps says.",
    },
    {
      name = "the-other-array",
      replace = {"return from:copy_to_host()", "return to:copy_to_host()"},
      explain = "After the change of places the result is the one that would be"
        .. " read next.",
    },
    {
      name = "last-block-missing",
      replace = {"(n + 255) // 256, 256", "math.max(1, n // 256), 256"},
      explain = "The elements behind the last whole block are nobody's: round"
        .. " the number of blocks up.",
    },
  },
}
