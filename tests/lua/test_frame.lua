-- SPDX-License-Identifier: Apache-2.0
-- frame: columns, rows, assigning, missing values, what it looks like (as
-- pandas 3.1 writes it, but for the names of types), and mistakes.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local NA = frame.NA

local function people()
  return frame.DataFrame{{"name", {"Al", NA, "Barbara"}}, {"x", {1, -2, 3}},
    {"y", {1.5, np.nan, 1e-3}}, {"b", {true, false, true}},
    {"o", {true, NA, false}}}
end
local function text(x, want) equal("\n" .. tostring(x) .. "\n", want) end

-- ---- What it looks like ----

test("a frame", function()
  text(people(), [[

      name  x      y      b      o
0       Al  1  1.500   True   True
1      NaN -2    NaN  False    NaN
2  Barbara  3  0.001   True  False
]])
end)

test("a series", function()
  text(people().name, [[

0         Al
1        NaN
2    Barbara
Name: name, dtype: str
]])
  text(frame.Series{1, -2}, "\n0    1\n1   -2\ndtype: i64\n")
  equal(tostring(frame.Series{}), "Series([], dtype: f64)")
end)

test("many rows are cut", function()
  local n = np.arange(100)
  local big = frame.DataFrame{{"i", n}, {"s", frame.Series(n):astype("str")},
    {"f", n / 3}}
  text(big, [[

     i   s          f
0    0   0   0.000000
1    1   1   0.333333
2    2   2   0.666667
3    3   3   1.000000
4    4   4   1.333333
..  ..  ..        ...
95  95  95  31.666667
96  96  96  32.000000
97  97  97  32.333333
98  98  98  32.666667
99  99  99  33.000000

[100 rows x 3 columns]
]])
  text(big.f:tail(95):head(94), [[

5      1.666667
6      2.000000
7      2.333333
8      2.666667
9      3.000000
        ...
94    31.333333
95    31.666667
96    32.000000
97    32.333333
98    32.666667
Name: f, Length: 94, dtype: f64
]])
end)

test("columns that do not fit are cut in the middle", function()
  local wide = {}
  for i = 0, 29 do wide[i + 1] = {"col" .. i, {i * 1.5, 2}} end
  local line = tostring(frame.DataFrame(wide)):match("^[^\n]*")
  equal(line:find(" col0 ", 1, true) ~= nil, true)
  equal(line:find(" ... ", 1, true) ~= nil, true)
  equal(line:find(" col29$") ~= nil, true)
  equal(#line <= 80, true)
end)

for _, case in ipairs{
  {{1e10, 1.5, -2}, " 1.000000e+10| 1.500000e+00|-2.000000e+00"},
  {{1e10, 1e-10}, " 1.000000e+10| 1.000000e-10"},
  {{123456789.123, 1}, " 1.234568e+08| 1.000000e+00"},
  {{1234567.0, 1.25}, " 1234567.00|       1.25"},
  {{np.inf, 1.0}, " inf| 1.0"},
} do
  test("floats: " .. case[2], function()
    local rows = {}
    for line in tostring(frame.Series(case[1])):gmatch("[^\n]+") do
      rows[#rows + 1] = line:match("^%d   (.*)$")
    end
    equal(table.concat(rows, "|"), case[2])
  end)
end

test("long texts and newlines stay on a line", function()
  local s = tostring(frame.Series{("x"):rep(80), "a\nb"})
  equal(s:find("0    " .. ("x"):rep(47) .. "...\n", 1, true) ~= nil, true)
  equal(s:find("a\\nb", 1, true) ~= nil, true)
end)

test("nothing to show", function()
  equal(tostring(frame.DataFrame{}), "Empty DataFrame\nColumns: []\nIndex: []")
  equal(tostring(people():head(0)),
    "Empty DataFrame\nColumns: [name, x, y, b, o]\nIndex: []")
end)

test("labels have their names above them", function()
  text(people():set_index("name")[{"x"}], [[

         x
name
Al       1
NaN     -2
Barbara  3
]])
  text(frame.DataFrame{{"k", {"a", "a"}}, {"l", {1, 2}}, {"v", {5, 6}}}
    :set_index({"k", "l"}).v, [[

k  l
a  1    5
   2    6
Name: v, dtype: i64
]])
end)

-- ---- Columns ----

test("columns are found, methods first", function()
  local df = people():assign{count = 7}
  equal(df["x"]:sum(), 2)
  equal(df:column("count"):sum(), 21)
  equal(type(df.count), "function")
  equal(df[{"y", "x"}].columns, {"y", "x"})
  equal(df.shape, {3, 6})
  equal(df.dtypes["o"], "object")
end)

test("assigning", function()
  local df = people()
  df.z = df.x * 2 + df.y
  equal(df.z:iloc(0), 3.5)
  df.z = "same"
  equal(df.z:tolist(), {"same", "same", "same"})
  df.w = np.arange(3, "f32")
  equal(df.w.dtype, "f32")
  equal(df.columns, {"name", "x", "y", "b", "o", "z", "w"})
  local more = df:assign{q = function(d) return d.x + 1 end}
  equal(more.q:sum(), 5)
  equal(#df.columns, 7)
  equal(more:drop({"q", "z"}).columns, {"name", "x", "y", "b", "o", "w"})
  equal(df:rename{x = "n"}.columns[2], "n")
end)

test("types of lists", function()
  equal(frame.Series{1, 2}.dtype, "i64")
  equal(frame.Series{1, 2.5}.dtype, "f64")
  equal(frame.Series{1, NA}.dtype, "f64")
  equal(frame.Series{true, NA}.dtype, "object")
  equal(frame.Series{NA, NA}.dtype, "f64")
  equal(frame.Series{"a", NA}:tolist(), {"a", np.nan})
  equal(frame.Series({"1", "2.5", NA}):astype("f64"):sum(), 3.5)
  equal(frame.Series({1.5, 2, NA}):astype("str"):tolist(),
    {"1.5", "2.0", np.nan})
end)

test("what may follow a name that is typed", function()
  local df = people():assign{["two words"] = 1}
  local complete = getmetatable(df).__complete
  equal(complete(df, true).sort_values, df.sort_values)
  local names = complete(df, false)
  equal({names.x, names.columns, names["two words"]}, {true, true, nil})
  equal(getmetatable(df.x).__complete(df.x, true).sum, df.x.sum)
end)

-- ---- Rows ----

test("masks", function()
  local df = people()
  equal(df[df.x:gt(0)].name:tolist(), {"Al", "Barbara"})
  equal(df[df.x:gt(0) & ~df.name:eq("Al")].x:tolist(), {3})
  equal(df[df.y:isna() | df.b].x:tolist(), {1, -2, 3})
  equal(df[df.x:gt(5)].shape, {0, 5})
  equal(df[df.x:gt(0)].index:tolist(), {0, 2})
  equal(df.name:isin({"Al", "Bo"}):tolist(), {true, false, false})
  equal(df.name:ne("Al"):tolist(), {false, true, true})
  equal(df.name:gt("B"):tolist(), {false, false, true})
  equal(df.x:between(1, 2):sum(), 1)
end)

test("sorting", function()
  local df = frame.DataFrame{{"a", {2, 1, 2, 1}}, {"t", {"y", "x", NA, "z"}}}
  equal(df:sort_values("a").index:tolist(), {1, 3, 0, 2})
  equal(df:sort_values("a", {ascending = false}).index:tolist(), {0, 2, 1, 3})
  equal(df:sort_values("t").index:tolist(), {1, 0, 3, 2})
  equal(df:sort_values("t", {ascending = false}).index:tolist(), {3, 0, 1, 2})
  equal(df:sort_values({"a", "t"}, {ascending = {true, false}})
    .index:tolist(), {3, 1, 0, 2})
  equal(df:sort_values("a", {ignore_index = true}).index:tolist(), {0, 1, 2, 3})
  equal(df:sort_values("a"):sort_index().a:tolist(), {2, 1, 2, 1})
end)

test("rows by place and by label", function()
  local df = people()
  equal(df:iloc(-1).name, "Barbara")
  equal(df:iloc({2, 0}).x:tolist(), {3, 1})
  equal(df:set_index("name"):loc("Barbara").x, 3)
  local seen = {}
  for i, row in df:iterrows() do seen[i + 1] = row.x end
  equal(seen, {1, -2, 3})
  equal(#df:head(-1), 2)
  equal(df:tail(1).x[2], 3)
end)

-- ---- Missing values ----

test("missing values", function()
  local df = people()
  equal(df:count()["y"], 2)
  equal(df:isna():sum():tolist(), {1, 0, 1, 0, 1})
  equal(#df:dropna(), 2)
  equal(#df:dropna({subset = "x"}), 3)
  equal(df:fillna{name = "?", y = 0}.name:tolist(), {"Al", "?", "Barbara"})
  equal(df.o:fillna(false).dtype, "bool")
  equal(df.y:fillna(2):sum(), 3.501)
  equal(df.y:dropna().index:tolist(), {0, 2})
end)

-- ---- One value of each column ----

test("reductions pass over missing values", function()
  local df = people()
  equal(df.y:mean(), 0.7505)
  equal(df.x:std(), 2.5166114784235836)
  equal(df.x:var{ddof = 0}, 38 / 9)
  equal(df.name:max(), "Barbara")
  equal(df.name:min(), "Al")
  equal(df.b:sum(), 2)
  equal(df.o:sum(), 1)
  equal(df.x:median(), 1)
  equal(df.name:nunique(), 2)
  equal(df.y:idxmin(), 2)
  equal(frame.Series({}):sum(), 0)
  equal(frame.Series({}):max(), np.nan)
  equal(frame.Series{"b", "a", "a", "c", "c", "d"}:value_counts()
    :to_numpy():tolist(), {2, 2, 1, 1})
  equal(df:sum{numeric_only = true}["x"], 2)
  text(df:describe(), [[

              x         y
count  3.000000  2.000000
mean   0.666667  0.750500
std    2.516611  1.059953
min   -2.000000  0.001000
25%   -0.500000  0.375750
50%    1.000000  0.750500
75%    2.000000  1.125250
max    3.000000  1.500000
]])
end)

test("arithmetic is pandas'", function()
  local s = frame.Series{7, -7}
  equal((s / 2):tolist(), {3.5, -3.5})
  equal((s // 2):tolist(), {3, -4})
  equal((s % 3):tolist(), {1, 2})
  equal((s // 0):tolist(), {np.inf, -np.inf})
  equal((1 - s):tolist(), {-6, 8})
  equal((-s):tolist(), {-7, 7})
  equal(s:map(function(v) return v > 0 and "up" or "down" end):tolist(),
    {"up", "down"})
end)

-- ---- Mistakes: the place, what there is, the way out ----

for _, case in ipairs{
  {'there is no column "nam"; did you mean "name"?',
    function(df) return df.nam end},
  {'there is no column "zzz" (there are name, x, y, b, o)',
    function(df) return df.zzz end},
  {"did you mean df:sort_values()?", function(df) return df.sort_value end},
  {'sort_values: there is no option "ascend"',
    function(df) return df:sort_values("x", {ascend = true}) end},
  {'sort_values: there is no column "z"',
    function(df) return df:sort_values("z") end},
  {'the column "z" has 2 rows and the frame 3',
    function(df) df.z = {1, 2} end},
  {"other row labels", function(df) df.z = df.x:sort_values() end},
  {"df.head is a method", function(df) df.head = 1 end},
  {"value 1 of the list is a string among numbers",
    function() return frame.Series{1, "a"} end},
  {"the mask has 1 rows and the frame 3",
    function(df) return df:filter{true} end},
  {"a mask is a column of bools", function(df) return df[df.x] end},
  {"series are compared by methods", function(df) return df.x < df.y end},
  {'holds numbers, and "a" is a text', function(df) return df.x:eq("a") end},
  {'sum: the column holds texts; astype("f64") makes numbers of them',
    function(df) return df.name:sum() end},
  {"the column \"name\" holds texts", function(df) return df.name + 1 end},
  {"df:sum{numeric_only = true}", function(df) return df:sum() end},
  {'fillna: the column "name" holds texts',
    function(df) return df:fillna(0) end},
  {'astype: there is no type "st"; did you mean "str"?',
    function(df) return df:astype("st") end},
  {"astype: i64 has no missing value, and row 1 is missing; fillna",
    function(df) return df.y:astype("i64") end},
  {'astype: row 0, "Al", is no number',
    function(df) return df.name:astype("f64") end},
  {"frame has no Dataframe; did you mean frame.DataFrame?",
    function() return frame.Dataframe end},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], function() return case[2](people()) end)
  end)
end

-- ---- Doubles ----

local function doubles()
  return frame.DataFrame{{"k", {"a", "b", "a", NA, NA, "a"}},
    {"x", {1, 2, 1, 4, 4, 3}}}
end

test("rows that are there already", function()
  for _, df in ipairs{doubles(), doubles():to_device()} do
    local function rows(o) return df:duplicated(o):to_host():tolist() end
    equal(rows(), {false, false, true, false, true, false})
    equal(rows{keep = "last"}, {true, false, false, true, false, false})
    equal(rows{keep = false}, {true, false, true, true, true, false})
    equal(rows{subset = "k"}, {false, false, true, false, true, true})
    equal(df.k:duplicated{keep = "last"}:to_host():tolist(),
      {true, false, true, true, false, false})
    equal(df:drop_duplicates().x:tolist(), {1, 2, 4, 3})
    equal(df:drop_duplicates().index:tolist(), {0, 1, 3, 5})
    equal(df:drop_duplicates{subset = "k", keep = "last", ignore_index = true}
      .index:tolist(), {0, 1, 2})
    equal(df.x:drop_duplicates():tolist(), {1, 2, 4, 3})
    equal(#df[df.x:gt(9)]:drop_duplicates(), 0)
  end
end)

test("mistakes about doubles", function()
  raises("argument", 'keep is "first", "last" or false',
    function() doubles():duplicated{keep = "none"} end)
  raises("argument", 'duplicated: there is no column "kk"',
    function() doubles():drop_duplicates{subset = "kk"} end)
  raises("argument", "eq: nothing is equal to what is missing; s:isna()",
    function() return doubles().x:eq(NA) end)
end)

test("a method that is called with a dot", function()
  local df = doubles()
  for call, f in pairs{
    ["df:head("] = function() df.head() end,
    ["df:groupby("] = function() df.groupby("k") end,
    ["df:merge("] = function() df.merge({}) end,
    ["s:sum("] = function() df.x.sum() end,
    ["s:gt("] = function() df.x.gt(1) end,
    ["g:max("] = function() df:groupby("k").max() end,
    ["s:to_host("] = function() df:to_device().x.to_host() end,
  } do
    raises("argument", "call it with a colon, " .. call, f)
  end
end)

test("a name that another library has", function()
  raises("argument", "did you mean s:sort_values()?",
    function() return doubles().x:sort() end)
  raises("argument", "did you mean df:merge()?",
    function() return doubles():join(doubles()) end)
  raises("argument", "did you mean s:isna()?",
    function() return doubles().k:isnull() end)
end)

-- ---- Help ----

test("every function and method has a text, whose examples hold", function()
  local help = dofile("lua/help/frame.lua")
  local function look(prefix, t)
    for name, f in pairs(t) do
      if type(f) == "function" and not help[prefix .. name] then
        error("there is no text for " .. prefix .. name)
      end
    end
  end
  equal(type(frame.Series), "function")
  look("frame.", frame)
  look("frame.DataFrame.", getmetatable(people()).methods)
  look("frame.Series.", getmetatable(people().x).methods)
  local count = 0
  for name, said in pairs(help) do
    for code, want in said:gmatch("Example: ([^\n]*) %-%-> ([^\n]*)") do
      count = count + 1
      equal(tostring(assert(load("return " .. code, "=" .. name))()), want,
        code)
    end
  end
  equal(count > 10, true)
end)

tap.done()
