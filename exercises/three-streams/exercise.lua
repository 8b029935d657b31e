-- SPDX-License-Identifier: Apache-2.0
return {
  kind = "host",
  title = "Three streams",
  task = "three_streams(x): x bent by the kernel bend, in three pieces on three"
    .. " streams, so that one piece travels while another is worked on.",
  minutes = 15,
  kernels = "kernels.cu",
  entry = "three_streams",
  signature = {
    {"in", "f32[]", "x"},
    {"out", "f32[]", "out"},
  },
  reference = function(args)
    for i = 0, #args.x - 1 do args.out[i] = args.x[i] ^ 2 + 1 end
  end,
  tolerance = {ulp = 0, reason = "multiples of 1/64 below 16: squares plus one"
    .. " fit in a float, so nothing is rounded"},
  make = function(case, rng)
    return {x = rng:steps(case.n, -16, 16, 1 / 64), out = case.n}
  end,
  cases = {
    {name = "n=3000", n = 3000},
    {name = "three elements", n = 3},
    {name = "no multiple of three", n = 1000},
    {name = "two over", n = 1001},
    {name = "whole blocks", n = 384},
    {name = "many", n = 30011, hidden = true},
  },
  goal = {"chain <= 3", "launches >= 3", "launches <= 3",
    "copies >= 6"},
  hints = {
    "A piece of an array is a slice: x[\"0:1000\"], also of an array on the"
      .. " device. With numbers: (\"%d:%d\"):format(from, to).",
    "Piece k of 3 goes from k * n // 3 to (k + 1) * n // 3: these fit together,"
      .. " whatever n is.",
    "Each piece: d[piece]:copy_from(x[piece], s), the launch with stream = s,"
      .. " d[piece]:copy_to_host(out[piece], s).",
    "A launch or a copy without a stream goes to the default stream, for which"
      .. " all streams wait.",
    "out must not be given back before all is done: one cuda.synchronize() at"
      .. " the end.",
  },
  editorial = "Three launches, six copies, one wait: a chain of 3, where one"
    .. " stream has 9. The bytes are the same, 4 n in and 4 n out. More pieces"
    .. " may overlap more, as lesson 20 counts, but each is two copies and a"
    .. " launch more. Here out is pinned; whether x is, is up to the caller:"
    .. " copies from memory that is not may wait for the host. record-it makes"
    .. " one call of several launches.",
  mutants = {
    {
      name = "one-stream",
      replace = {"  for k = 0, pieces - 1 do\n    local s = cuda.stream()\n",
        "  local s = cuda.stream()\n  for k = 0, pieces - 1 do\n"},
      breaks = "chain <= 3",
      explain = "On one stream each piece waits for the one before.",
    },
    {
      name = "default-kernel",
      replace = {"bend{grid = blocks, block = 128, stream = s}",
        "bend[{blocks, 128}]"},
      breaks = "chain <= 3",
      explain = "The kernels are on the default stream: all streams wait for"
        .. " it.",
    },
    {
      name = "plain-copy-back",
      replace = {"copy_to_host(out[piece], s)", "copy_to_host(out[piece])"},
      breaks = "chain <= 3",
      explain = "The host waits for each piece before it sends the next.",
    },
    {
      name = "one-piece",
      replace = {"for k = 0, pieces - 1 do",
        "pieces = 1\n  for k = 0, pieces - 1 do"},
      breaks = "launches >= 3",
      explain = "One piece: nothing else is there to be done meanwhile.",
    },
    {
      name = "two-pieces",
      replace = {"for k = 0, pieces - 1 do",
        "pieces = 2\n  for k = 0, pieces - 1 do"},
      breaks = "copies >= 6",
      explain = "Two pieces are one less than three.",
    },
    {
      name = "four-pieces",
      replace = {"for k = 0, pieces - 1 do", "for k = 0, pieces do"},
      breaks = "launches <= 3",
      explain = "From 0 to 3 there are four rounds: behind the last piece comes"
        .. " one with nothing in it, and its launch bends elements that are"
        .. " another's.",
    },
    {
      name = "nobody-waits",
      replace = {"  cuda.synchronize()\n", ""},
      explain = "The host gives out back while it is still being filled.",
    },
    {
      name = "kernel-elsewhere",
      replace = {"block = 128, stream = s",
        "block = 128, stream = cuda.stream()"},
      explain = "The kernel's stream does not wait for the piece to arrive.",
    },
    {
      name = "end-lost",
      replace = {"(k + 1) * n // pieces", "(k + 1) * (n // pieces)"},
      explain = "Three times n // 3 is less than n where n is no multiple of"
        .. " three: the last elements are in no piece.",
    },
    {
      name = "no-kernel",
      replace = {"    bend{grid = blocks, block = 128, stream = s}"
        .. "(d[piece], to - from)\n", ""},
      explain = "That is x itself: nobody has bent it.",
    },
  },
}
