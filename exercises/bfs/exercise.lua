-- SPDX-License-Identifier: Apache-2.0
-- Compressed rows of `links`, a list of neighbours for each vertex.
local function compress(rng, links)
  local n, count = #links, 0
  local start = rng:full(n + 1, 0)
  for v = 1, n do
    start[v - 1] = count
    count = count + #links[v]
  end
  start[n] = count
  local to = rng:full(count > 0 and count or 1, 0)
  for v = 1, n do
    for k, w in ipairs(links[v]) do to[start[v - 1] + k - 1] = w end
  end
  return start, to
end

local graphs = {}

function graphs.ring(n)
  local links = {}
  for v = 0, n - 1 do links[v + 1] = {(v + 1) % n} end
  return links
end

function graphs.random(n, rng)
  local links, far = {}, rng:ints(3 * n, 0, n - 1)
  for v = 0, n - 1 do
    links[v + 1] = {far[3 * v], far[3 * v + 1], far[3 * v + 2]}
  end
  return links
end

-- Vertex 0, then two rows: all of the first link to all of the second.
function graphs.layers(n)
  local links, half = {{}}, n // 2
  for v = 1, half do links[1][v] = half + 1 - v end
  for v = 1, half do
    links[v + 1] = {}
    for w = half + 1, n - 1 do table.insert(links[v + 1], w) end
  end
  for v = half + 1, n - 1 do links[v + 1] = {} end
  return links
end

-- Each links to all: those of one list link to each other.
function graphs.all(n)
  local links = {}
  for v = 0, n - 1 do
    links[v + 1] = {}
    for w = 0, n - 1 do links[v + 1][w + 1] = w end
  end
  return links
end

-- Nobody links to the second half.
function graphs.apart(n)
  local links = {}
  for v = 0, n - 1 do links[v + 1] = {v * 2 % (n // 2)} end
  links[1] = {1, 3}
  return links
end

return {
  title = "Who was found by whom",
  task = "Breadth-first search that also says from which vertex each one was"
    .. " found first.",
  needs = {"spmv", "lost-updates"},
  minutes = 25,
  kernels = {
    {name = "one_step", signature = {
      {"in", "const int *", "start"},
      {"in", "const int *", "to"},
      {"in", "const int *", "front"},
      {"value", "int", "count"},
      {"value", "int", "now"},
      {"inout", "int *", "level"},
      {"inout", "int *", "parent"},
      {"out", "int *", "next"},
      {"inout", "int *", "found"},
    }},
  },
  signature = {
    {"in", "const int *", "start"},
    {"in", "const int *", "to"},
    {"out", "int *", "level"},
    {"out", "int *", "parent"},
    {"scratch", "int *", "one"},
    {"scratch", "int *", "other"},
    {"scratch", "int *", "found"},
    {"value", "int", "n"},
  },
  launches = function(args, kernels)
    local front, next, count, now = args.one, args.other, 1, 0
    front[0] = 0
    args.level:fill(1000000)
    args.parent:fill(1000000)
    args.level[0] = 0
    while count > 0 do
      args.found[0] = 0
      kernels.one_step[{blocks_for(count, 64), 64}](args.start, args.to,
        front, count, now, args.level, args.parent, next, args.found)
      count = args.found[0]
      if count > args.n then error("found more than there are", 0) end
      front, next, now = next, front, now + 1
    end
  end,
  most_launches = 400,
  reference = "bfs",
  tolerance = {ulp = 0, reason = "whole numbers"},
  budget = 200000,
  make = function(case, rng)
    local n = case.n
    local start, to = compress(rng, graphs[case.graph](n, rng))
    return {
      start = start, to = to, level = n, parent = n,
      one = n, other = n, found = 1, n = n,
    }
  end,
  cases = {
    {name = "500 vertices, three links each", n = 500, graph = "random"},
    {name = "a ring of 40", n = 40, graph = "ring"},
    {name = "two rows", n = 41, graph = "layers"},
    {name = "one vertex", n = 1, graph = "ring"},
    {name = "everybody knows everybody", n = 30, graph = "all"},
    {name = "a half that nobody links to", n = 64, graph = "apart"},
    {name = "large", n = 5003, graph = "random", hidden = true},
    {name = "wide rows", n = 301, graph = "layers", hidden = true},
  },
  requires = {"min_threads = 4"},
  hints = {
    "Begin with one_step of the page. What atomicMin on level brings back tells"
      .. " three kinds of vertices apart.",
    "1000000: nobody had found it. now + 1: another thread of this step has."
      .. " now or less: it is older, and its parent is settled.",
    "In the first two cases v is a candidate. The smallest of all candidates is"
      .. " what atomicMin(&parent[...], v) leaves.",
  },
  editorial = "One launch for each level, and four bytes to the host in"
    .. " between. Over all launches each link that can be reached is looked at"
    .. " once, by one or two atomicMin; each vertex that is found costs an"
    .. " atomicAdd, all on one cell. Next: one atomicAdd a warp for all its"
    .. " new vertices, and 32 lanes for a vertex with many links, as in"
    .. " spmv-warp.",
  mutants = {
    {
      name = "first-come",
      replace = {"if (before > now) atomicMin",
        "if (before == 1000000) atomicMin"},
      explain = "The parent is whoever came first. With another order of the"
        .. " threads it is another one: all that link to a new vertex have to"
        .. " have their say.",
    },
    {
      name = "own-level-too",
      replace = {"if (before > now)", "if (before >= now)"},
      explain = "A vertex of the same list becomes a parent: but who is `now`"
        .. " steps away was found a step ago.",
    },
    {
      name = "everybody",
      replace = {"if (before > now) ", ""},
      explain = "Vertices that were found long ago get new parents, from below"
        .. " them.",
    },
    {
      name = "twice-on-the-list",
      replace = {"if (before == 1000000) next", "if (before > now) next"},
      explain = "A vertex that two threads reach in one step is on the list"
        .. " twice.",
    },
    {
      name = "level-of-now",
      replace = {"now + 1);", "now);"},
      explain = "The new ones are one step farther away than the list that"
        .. " found them.",
    },
    {
      name = "plain-store",
      replace = {"int before = atomicMin(&level[to[k]], now + 1);",
        "int before = level[to[k]];\n"
        .. "    if (before == 1000000) level[to[k]] = now + 1;"},
      explain = "Two threads both find a vertex new, and both put it on the"
        .. " list.",
    },
    {
      name = "no-guard",
      replace = {"  if (i >= count) return;\n", ""},
      explain = "The last block has more threads than the list has vertices.",
    },
    {
      name = "last-link",
      replace = {"k < start[v + 1]", "k + 1 < start[v + 1]"},
      explain = "The last link of each vertex is left out.",
    },
    {
      name = "place-on-the-list",
      replace = {"atomicMin(&parent[to[k]], v)",
        "atomicMin(&parent[to[k]], i)"},
      explain = "i is a place on the list. The parent is the vertex that stands"
        .. " there, front[i].",
    },
    {
      name = "not-from-the-list",
      replace = {"int v = front[i];", "int v = i;"},
      explain = "The thread's number is a place on the list. The vertex is what"
        .. " stands there.",
    },
    {
      name = "one-thread",
      breaks = "min_threads = 4",
      replace = {[=[
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int v = front[i];
  for (int k = start[v]; k < start[v + 1]; k++) {
    int before = atomicMin(&level[to[k]], now + 1);
    if (before == 1000000) next[atomicAdd(found, 1)] = to[k];
    if (before > now) atomicMin(&parent[to[k]], v);
  }]=], [=[
  if (threadIdx.x > 0) return;
  int first = blockIdx.x * blockDim.x;
  for (int i = first; i < first + blockDim.x && i < count; i++) {
    int v = front[i];
    for (int k = start[v]; k < start[v + 1]; k++) {
      int before = atomicMin(&level[to[k]], now + 1);
      if (before == 1000000) next[atomicAdd(found, 1)] = to[k];
      if (before > now) atomicMin(&parent[to[k]], v);
    }
  }]=]},
      explain = "The first thread of each block takes all of its vertices,"
        .. " one after the other, and the others have nothing to do.",
    },
  },
}
