-- SPDX-License-Identifier: Apache-2.0
-- Frames in parts: random programs give what frame gives, of files in pieces
-- and of frames cut into parts, in this process and by workers; mistakes.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local path = os.tmpname()

-- ---- Comparing ----

local function values_of(x)
  local out = {}
  for i = 0, #x - 1 do
    out[i + 1] = tostring(x:iloc(i)):gsub("^%-nan$", "nan")
  end
  return out
end

local function same(got, want, what)
  if getmetatable(want).frame_kind == "frame" then
    equal(got.columns, want.columns, what)
    for _, name in ipairs(want.columns) do
      local g, w = got:column(name), want:column(name)
      equal({name, g.dtype, values_of(g)}, {name, w.dtype, values_of(w)}, what)
    end
  else
    equal({got.name, got.dtype, values_of(got)},
          {want.name, want.dtype, values_of(want)}, what)
  end
end

-- ---- Random programs ----

-- Numbers of quarters: their sums are exact in any order.
local function random_frame(r, n)
  local words, names = {"a", "b", 'c, "d"', "two\nlines", "e"}, {}
  local has_missing = r:integers(0, 2) == 0
  local x, y = r:integers(-40, 40, n), r:integers(-400, 400, n) / 4
  local list = {n = n}
  for i = 1, n do
    names[i] = words[r:integers(1, #words + 1)]
    list[i] = has_missing and i % 7 == 3 and frame.NA or y[i - 1]
  end
  return frame.DataFrame{{"k", names}, {"j", r:integers(0, 3, n)}, {"x", x},
                         {"y", list}}
end

local steps = {
  function(r) local c = r:integers(-30, 20)
    return function(df) return df[df.x:gt(c)] end end,
  function(r) local c = r:integers(-30, 60)
    return function(df) return df[df.x:lt(c) & ~df.k:eq("a")] end end,
  function(r) local c = r:integers(1, 5)
    return function(df) return df:assign{z = df.x * c + df.y, w = c} end end,
  function() return function(df)
    return df:assign{z = function(d) return -d.x end}
  end end,
  function() return function(df) return df:dropna() end end,
  function() return function(df) return df:fillna{y = 0.25} end end,
  function() return function(df) return df:rename{y = "y"} end end,
  function()
    local function f(part) return part:assign{x = part.x:abs()} end
    return function(df)
      -- frame's own has but one part.
      if getmetatable(df).__name then return df:map_partitions(f) end
      return f(df)
    end
  end,
}

local ends = {
  function(df) return df end,
  function(df) return df:groupby("k"):sum() end,
  function(df) return df[{"j", "x", "y"}]:groupby("j"):mean() end,
  function(df) return df:groupby({"j", "k"}):count() end,
  function(df) return df:groupby("k").y:max() end,
  function(df) return df:groupby("j"):agg{x = {"min", "mean"}, y = "sum"} end,
  function(df) return df.x + df.y / 2 end,
}

local function run(df, program)
  for _, step in ipairs(program.steps) do df = step(df) end
  return program.last(df)
end

local function random_program(r)
  local list = {}
  for i = 1, r:integers(0, 4) do
    list[i] = steps[r:integers(1, #steps + 1)](r)
  end
  return {steps = list, last = ends[r:integers(1, #ends + 1)]}
end

local function compare(first, last)
  for seed = first, last do
    local r = np.random.default_rng(seed)
    local df = random_frame(r, r:integers(5, 60))
    local parts
    if seed % 2 == 0 then
      df:to_csv(path, {index = false})
      df = frame.read_csv(path)
      parts = scale.frame.read_csv(path, {blocksize = r:integers(10, 400)})
    else
      parts = scale.frame.from_frame(df, {npartitions = r:integers(1, 9)})
    end
    local program = random_program(r)
    same(run(parts, program):compute(), run(df, program), "seed " .. seed)
  end
end

test("150 programs in this process", function() compare(1, 150) end)

test("40 programs by two workers", function()
  local c = scale.Client{n_workers = 2}
  compare(151, 190)
  c:close()
end)

test("30 programs in a memory of 500 bytes", function()
  local before = scale.memory
  scale.memory = 500
  local c = scale.Client()
  compare(191, 220)
  scale.memory = before
  c:close()
end)

-- ---- What computes at once ----

test("numbers of columns", function()
  local df = random_frame(np.random.default_rng(9), 50)
  local parts = scale.frame.from_frame(df, {npartitions = 7})
  equal({#parts, parts.npartitions, parts.columns}, {50, 7, df.columns})
  for _, name in ipairs{"sum", "mean", "min", "max", "count"} do
    equal(parts.x[name](parts.x), df.x[name](df.x), name)
    equal(parts.y[name](parts.y), df.y[name](df.y), name)
  end
  local none = parts[parts.x:gt(1000)]
  equal({none.x:sum(), none.x:count(), #none:compute()}, {0, 0, 0})
  equal(none.x:mean() ~= none.x:mean(), true)
  same(parts:head(20), df:head(20))
end)

test("a part's rows are read when they are wanted", function()
  local df = random_frame(np.random.default_rng(4), 60)
  df:to_csv(path, {index = false})
  local c = scale.Client()
  local parts = scale.frame.read_csv(path, {blocksize = 100})
  equal(c:counts().ran, 0)
  parts:head(2)
  equal(c:counts().ran, 2) -- one part, and its head
  equal(tostring(parts:graph()):find("[read_csv x", 1, true) ~= nil, true)
  c:close()
end)

test("a file without a row", function()
  local file = io.open(path, "w")
  file:write("a,b\n")
  file:close()
  local df = scale.frame.read_csv(path)
  equal({#df, #df:compute()}, {0, 0})
end)

-- ---- Mistakes ----

local parts = scale.frame.from_frame(
  frame.DataFrame{x = {1, 2, 3}, k = {"a", "b", "a"}}, {npartitions = 2})

for _, case in ipairs{
  {'there is no column "z"', function() return parts.z end},
  {'there is no column "z"', function() return parts:groupby("z") end},
  {"a frame in parts never changes", function() parts.x = 3 end},
  {"filter: a mask of the same frame's columns",
    function() parts:filter(3) end},
  {"both must come of one frame", function()
    return parts[scale.frame.from_frame(frame.DataFrame{x = {1}}).x:gt(0)]
  end},
  {'a series in parts has no "cumsum"', function() return parts.x:cumsum() end},
  {'groupby: there is no aggregation "median"',
    function() return parts:groupby("k"):agg{x = "median"} end},
  {"groupby is a method: call it with a colon, df:groupby(...)",
    function() parts.groupby("k") end},
  {"sum is a method: call it with a colon, s:sum(...)",
    function() parts.x.sum() end},
  {"max is a method: call it with a colon, g:max(...)",
    function() parts:groupby("k").x.max() end},
  {"groups of a frame in parts have no median (there are agg, count, max",
    function() parts:groupby("k").x:median() end},
  {'agg: there is no column "y"',
    function() return parts:groupby("k"):agg{y = "sum"} end},
  {"read_csv: blocksize is a number of bytes, not 0",
    function() scale.frame.read_csv(path, {blocksize = 0}) end},
  {"read_csv: nrows is not there for a file in parts",
    function() scale.frame.read_csv(path, {nrows = 3}) end},
  {"from_frame: a frame comes first, not a number",
    function() scale.frame.from_frame(3) end},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], case[2])
  end)
end

os.remove(path)
tap.done()
