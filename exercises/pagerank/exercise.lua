-- SPDX-License-Identifier: Apache-2.0
-- Who links to whom: three links each (or as many as the case says), but every
-- seventh page (or all) has none.
local function link(case, rng)
  local n, into, links = case.n, {}, rng:full(case.n, 0)
  local far = rng:ints(3 * n, 0, n - 1)
  for v = 0, n - 1 do into[v] = {} end
  for v = 0, n - 1 do
    local is_end = case.silent or (case.ends and v % case.ends == 0)
    for k = 0, is_end and -1 or (case.links or 3) - 1 do
      local to = k == 0 and v % 10 % n or far[3 * v + k]
      table.insert(into[to], v)
      links[v] = links[v] + 1
    end
  end
  return into, links
end

return {
  title = "Where the visitors are",
  task = "PageRank with pages that link to nobody, in rounds of two launches.",
  needs = {"bfs"},
  minutes = 25,
  kernels = {
    {name = "give", signature = {
      {"in", "const float *", "rank"},
      {"in", "const int *", "links"},
      {"out", "float *", "share"},
      {"inout", "float *", "lost"},
      {"value", "int", "n"},
    }},
    {name = "click", signature = {
      {"in", "const int *", "start"},
      {"in", "const int *", "from"},
      {"in", "const float *", "share"},
      {"in", "const float *", "lost"},
      {"out", "float *", "rank"},
      {"value", "int", "n"},
    }},
  },
  signature = {
    {"in", "const int *", "start"},
    {"in", "const int *", "from"},
    {"in", "const int *", "links"},
    {"out", "float *", "rank"},
    {"scratch", "float *", "share"},
    {"scratch", "float *", "lost"},
    {"value", "int", "n"},
  },
  launches = function(args, kernels)
    local n, blocks = args.n, blocks_for(args.n, 128)
    args.rank:fill(1)
    for _ = 1, 20 do
      args.lost[0] = 0
      kernels.give[{blocks, 128}](args.rank, args.links, args.share,
        args.lost, n)
      kernels.click[{blocks, 128}](args.start, args.from, args.share,
        args.lost, args.rank, n)
    end
  end,
  reference = "pagerank",
  tolerance = {
    rel = 2e-3,
    reason = "all terms are positive, so no digits cancel: a sum of n terms in"
      .. " any order is within (n - 1) / 2^24 of the exact one, 2.4e-4 for"
      .. " 4003; each round hands on 0.85 of that, 1.6e-3 in all",
  },
  budget = 100000,
  make = function(case, rng)
    local n = case.n
    local into, links = link(case, rng)
    local start, count = rng:full(n + 1, 0), 0
    for v = 0, n - 1 do
      start[v] = count
      count = count + #into[v]
    end
    start[n] = count
    local from = rng:full(count > 0 and count or 1, 0)
    for v = 0, n - 1 do
      for k, w in ipairs(into[v]) do from[start[v] + k - 1] = w end
    end
    return {
      start = start, from = from, links = links, rank = n, share = n,
      lost = 1, n = n,
    }
  end,
  cases = {
    {name = "500 pages, every seventh an end", n = 500, ends = 7},
    {name = "500 pages, all with links", n = 500},
    {name = "one link each", n = 200, links = 1, ends = 9},
    {name = "one page", n = 1, silent = true},
    {name = "nobody links to anybody", n = 130, silent = true},
    {name = "20 pages", n = 20, ends = 3},
    {name = "large", n = 4003, ends = 5, hidden = true},
  },
  requires = {
    {"min_threads = 32", kernel = "give"},
    {"min_threads = 32", kernel = "click"},
  },
  hints = {
    "give has one thread for each page. Two of them may lose something at the"
      .. " same time: that is an atomicAdd.",
    "click is that of the page, with share[from[k]] in place of the division.",
    "Begin the sum with lost[0] / n: what the ends have lost is spread over all"
      .. " pages.",
  },
  editorial = "40 launches for 20 rounds. A link costs two loads a round, from"
    .. " and share, and no atomic, since each page gathers for itself. A page"
    .. " without links costs an atomicAdd, all of them on one cell: next, add"
    .. " up the block first, as in the exercise sum. For pages with many"
    .. " links, 32 lanes a page, as in spmv-warp; and a test whether the ranks"
    .. " have settled.",
  mutants = {
    {
      name = "lost-is-lost",
      replace = {"float sum = lost[0] / n;", "float sum = 0;"},
      explain = "The ranks of pages without links are lost: round by round"
        .. " there are fewer visitors.",
    },
    {
      name = "lost-to-each",
      replace = {"lost[0] / n", "lost[0]"},
      explain = "Each page gets all that was lost: it is to be spread over n.",
    },
    {
      name = "plain-sum",
      replace = {"atomicAdd(lost, rank[v]);", "lost[0] += rank[v];"},
      explain = "Threads that add at the same time overwrite each other's sum.",
    },
    {
      name = "not-shared",
      replace = {"rank[v] / links[v]", "rank[v]"},
      explain = "Each link hands on the whole rank: it is to be divided among"
        .. " the page's links.",
    },
    {
      name = "lost-behind-the-brake",
      replace = {"0.15f + 0.85f * sum", "0.15f + sum"},
      explain = "Only 85 of 100 visitors follow a link, or go on from an end.",
    },
    {
      name = "last-link",
      replace = {"k < start[v + 1]", "k + 1 < start[v + 1]"},
      explain = "The last page that links to v is left out.",
    },
    {
      name = "own-share",
      replace = {"share[from[k]]", "share[v]"},
      explain = "share is that of the page which links, from[k], not the page's"
        .. " own.",
    },
    {
      name = "one-thread-gives",
      breaks = "give: min_threads = 32",
      replace = {[[
  if (v >= n) return;
  if (links[v] > 0)
    share[v] = rank[v] / links[v];
  else
    atomicAdd(lost, rank[v]);
]], [[
  if (threadIdx.x > 0) return;
  for (int end = min(v + blockDim.x, n); v < end; v++)
    if (links[v] > 0)
      share[v] = rank[v] / links[v];
    else
      atomicAdd(lost, rank[v]);
]]},
      explain = "In give the first thread of each block does all of its pages,"
        .. " one after the other, and the others have nothing to do.",
    },
    {
      name = "one-thread-clicks",
      breaks = "click: min_threads = 32",
      replace = {[=[
  if (v >= n) return;
  float sum = lost[0] / n;
  for (int k = start[v]; k < start[v + 1]; k++) sum += share[from[k]];
  rank[v] = 0.15f + 0.85f * sum;
]=], [=[
  if (threadIdx.x > 0) return;
  for (int end = min(v + blockDim.x, n); v < end; v++) {
    float sum = lost[0] / n;
    for (int k = start[v]; k < start[v + 1]; k++) sum += share[from[k]];
    rank[v] = 0.15f + 0.85f * sum;
  }
]=]},
      explain = "In click the first thread of each block does all of its pages,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
