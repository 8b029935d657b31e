-- SPDX-License-Identifier: Apache-2.0
-- Three groups on a line through space, at 0, 10 and 14, each half a unit wide.
-- The centres begin at 0, 22 and far away: the first round takes the groups at
-- 0 and 10 together, the second one those at 10 and 14. No point is near a
-- border, so that rounding decides nothing.
local GROUPS, STARTS = {0, 10, 14}, {0, 22, 1000}

return {
  kind = "host",
  title = "Too large",
  task = "Make k-means work on more points than the device has room for: bring"
    .. " them in pieces, and add up what each piece gives.",
  needs = {"centres", "ring"},
  minutes = 25,
  kernels = "kernels.cu",
  entry = "too_large",
  signature = {
    {"in", "f32[]", "points"},
    {"in", "f32[]", "centres"},
    {"value", "i32", "rounds"},
    {"value", "i32", "piece"},
    {"out", "f32[]", "moved"},
    {"out", "i32[]", "had"},
  },
  reference = function(args)
    local k = #args.had
    local d = #args.centres // k
    local n = #args.points // d
    for i = 0, k * d - 1 do args.moved[i] = args.centres[i] end
    for _ = 1, args.rounds do
      local sums = {}
      for i = 0, k * d - 1 do sums[i] = 0 end
      for c = 0, k - 1 do args.had[c] = 0 end
      for i = 0, n - 1 do
        local nearest, least = 0, math.huge
        for c = 0, k - 1 do
          local distance = 0
          for j = 0, d - 1 do
            distance = distance
              + (args.points[i * d + j] - args.moved[c * d + j]) ^ 2
          end
          if distance < least then nearest, least = c, distance end
        end
        args.had[nearest] = args.had[nearest] + 1
        for j = 0, d - 1 do
          sums[nearest * d + j] = sums[nearest * d + j] + args.points[i * d + j]
        end
      end
      for c = 0, k - 1 do
        for j = 0, d - 1 do
          if args.had[c] > 0 then
            args.moved[c * d + j] = sums[c * d + j] / args.had[c]
          end
        end
      end
    end
  end,
  tolerance = {rel = 1e-6, abs = 1e-6,
    reason = "coordinates are multiples of 1/16 below 32, so that sums are"
      .. " exact; a mean is rounded once in each round, or twice"},
  make = function(case, rng)
    local n, d, k = case.n, case.d, #STARTS
    local shift = rng:ints(d, -9, 9)
    local points = rng:steps(n * d, -1 / 4, 1 / 4, 1 / 16)
    local centres = rng:full(k * d, 0)
    for i = 0, n * d - 1 do
      points[i] = points[i] + GROUPS[i // d % 3 + 1] + shift[i % d]
    end
    for i = 0, k * d - 1 do
      centres[i] = STARTS[i // d + 1] + shift[i % d]
    end
    return {points = points, centres = centres, rounds = case.rounds,
            piece = case.piece, moved = k * d, had = k},
      {points = {n, d}, centres = {k, d}, moved = {k, d}}
  end,
  cases = {
    {name = "6 pieces, 3 rounds", n = 3000, d = 4, piece = 500, rounds = 3},
    {name = "one round", n = 300, d = 2, piece = 100, rounds = 1},
    {name = "a last piece of one", n = 1025, d = 3, piece = 128, rounds = 2},
    {name = "all in one piece", n = 90, d = 1, piece = 1000, rounds = 2},
    {name = "one point", n = 1, d = 5, piece = 4, rounds = 2},
    {name = "pieces of a block and one", n = 400, d = 2, piece = 129,
      rounds = 2},
    {name = "large", n = 6007, d = 8, piece = 700, rounds = 2, hidden = true},
  },
  goal = {
    {"peak_bytes <= 18000", cases = {"6 pieces, 3 rounds"}},
    {"peak_bytes <= 47000", cases = {"large"}},
    {"launches >= 3", cases = {"6 pieces, 3 rounds"}},
  },
  hints = {
    "What a centre needs is the sum and the number of its points, and both may"
      .. " be added up piece by piece: in which places do they stand"
      .. " meanwhile?",
    'points["100:200"] are the rows from 100 to 199, and #part is how many. The'
      .. " last piece may be shorter.",
    "sums and counts become 0 once a round, before the first piece; the centres"
      .. " move once a round, behind the last one.",
    "for first = 0, n - 1, piece do: the piece ends at math.min(first + piece,"
      .. " n).",
  },
  editorial = "Each round carries all points to the device once more: n * d * 4"
    .. " bytes for k sums. That is the price of a small device, and why one"
    .. " lets several devices keep a part each: then only sums and counts"
    .. " travel, by the ring. Next: two streams and pinned pieces, so that a"
    .. " piece travels while the one before is added up.",
  mutants = {
    {
      name = "all-at-once",
      breaks = "peak_bytes <= 18000",
      replace = {"n - 1, piece do\n", "n - 1, piece do\n"
        .. "      local all = cuda.to_device(points)\n"},
      explain = "All points lie on the device besides the piece: there is no"
        .. " room for them.",
    },
    {
      name = "pieces-kept",
      breaks = "peak_bytes <= 47000",
      replace = {[[
    for first = 0, n - 1, piece do
      local part = points[("%d:%d"):format(first, math.min(first + piece, n))]
      gather[{(#part + 127) // 128, 128}](
        cuda.to_device(part), where, sums, counts, #part, d, k)
    end]], [[
    local kept = {}
    for first = 0, n - 1, piece do
      local part = points[("%d:%d"):format(first, math.min(first + piece, n))]
      kept[#kept + 1] = cuda.to_device(part)
      gather[{(#part + 127) // 128, 128}](
        kept[#kept], where, sums, counts, #part, d, k)
    end]]},
      explain = "The pieces are all kept, and together they are as large as the"
        .. " whole: let each go before the next one comes.",
    },
    {
      name = "on-the-host",
      breaks = "launches >= 3",
      replace = {[[
    for first = 0, n - 1, piece do
      local part = points[("%d:%d"):format(first, math.min(first + piece, n))]
      gather[{(#part + 127) // 128, 128}](
        cuda.to_device(part), where, sums, counts, #part, d, k)
    end]], [[
    local sum, count = np.zeros({k, d}, "f32"), np.zeros(k, "i32")
    for i = 0, n - 1 do
      local c = np.argmin(np.sum((centres - points[i]) ^ 2, 1))
      sum[c] = sum[c] + points[i]
      count[c] = count[c] + 1
    end
    sums:copy_from(sum)
    counts:copy_from(count)]]},
      explain = "The host does it, a point after the other. Nothing is too"
        .. " large for it, and nothing is quick.",
    },
    {
      name = "zeros-for-each-piece",
      replace = {[[
    sums:fill(0)
    counts:fill(0)
    for first = 0, n - 1, piece do]], [[
    for first = 0, n - 1, piece do
      sums:fill(0)
      counts:fill(0)]]},
      explain = "Only the last piece counts. The sums become 0 once a round,"
        .. " before its first piece, and each piece adds to them.",
    },
    {
      name = "zeros-never",
      replace = {"    sums:fill(0)\n    counts:fill(0)\n", ""},
      explain = "The sums of the round before are still there when the next one"
        .. " begins.",
    },
    {
      name = "counts-not-zeroed",
      replace = {"    counts:fill(0)\n", ""},
      explain = "The numbers of the round before are still there: the means are"
        .. " divided by too much.",
    },
    {
      name = "last-piece-left-out",
      replace = {"n - 1, piece do", "n - piece, piece do"},
      explain = "The last piece is shorter than the others, and was left out.",
    },
    {
      name = "centres-once",
      replace = {[[
  for _ = 1, rounds do
    local where = cuda.to_device(centres)]], [[
  local where = cuda.to_device(centres)
  for _ = 1, rounds do]]},
      explain = "That is what one round gives. Each further one has to begin"
        .. " with the centres that have moved: they go to the device once a"
        .. " round.",
    },
    {
      name = "empty-to-zero",
      replace = {"np.where(column:gt(0), means, centres):astype",
        "means:astype"},
      explain = "A centre without points goes to 0. It should stay where it"
        .. " is.",
    },
    {
      name = "one-block",
      replace = {"(#part + 127) // 128, 128", "1, 128"},
      explain = "The first 128 points of each piece count alone: a piece takes"
        .. " as many blocks of 128 threads as it has points for.",
    },
  },
}
