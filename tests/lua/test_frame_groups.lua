-- SPDX-License-Identifier: Apache-2.0
-- frame: groupby, merge, pivot, as pandas 3.1 has them; test_frame_pandas.lua
-- has many more values. Here: forms, looks, mistakes.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local NA = frame.NA

local function data()
  return frame.DataFrame{{"name", {"b", "a", "b", NA, "a"}},
    {"k", {1, 1, 2, 2, 1}}, {"x", {1, 2, 3, 4, 5}},
    {"y", {1.5, np.nan, 2.5, 1, np.nan}}, {"t", {"q", "p", NA, "z", "y"}}}
end
local function text(x, want) equal("\n" .. tostring(x) .. "\n", want) end

test("one column of groups", function()
  local g = data():groupby("name")
  text(g.x:max(), [[

name
a    5
b    3
Name: x, dtype: i64
]])
  equal(g.x:max()["a"], 5)
  equal(g["x"]:sum():tolist(), {7, 4})
  equal(g.x:std():tolist(), {3 / math.sqrt(2), math.sqrt(2)})
  equal(g.x:std{ddof = 0}:tolist(), {1.5, 1})
  equal(g.t:min():tolist(), {"p", "q"})
  equal(g.t:nunique():tolist(), {2, 1})
  equal(g:size():tolist(), {2, 2})
  equal(#g, 2)
end)

test("several keys, several columns", function()
  local df = data()
  text(df:groupby({"name", "k"})[{"x", "y"}]:sum(), [[

        x    y
name k
a    1  7  0.0
b    1  1  1.5
     2  3  2.5
]])
  equal(df:groupby("k", {as_index = false}):sum{numeric_only = true}.columns,
    {"k", "x", "y"})
  equal(df:groupby("k"):first().t:tolist(), {"q", "z"})
  equal(df:groupby("k"):last().t:tolist(), {"y", "z"})
end)

test("agg", function()
  local g = data():groupby("name")
  text(g:agg{x = "max", y = {"min", "mean"}, total = {"x", "sum"}}, [[

      x  y_min  y_mean  total
name
a     5    NaN     NaN      7
b     3    1.5     2.0      4
]])
  equal(g.x:agg({"min", "max"}).columns, {"min", "max"})
  equal(g[{"x"}]:agg({"min"}).columns, {"x_min"})
  equal(g.x:agg("median"):tolist(), {3.5, 2})
  equal(g.x:agg(function(s) return s:max() - s:min() end):tolist(), {3, 2})
end)

test("groups one by one", function()
  local g = data():groupby("name")
  equal(g:get_group("b").x:tolist(), {1, 3})
  local seen = {}
  for key, part in g:each() do seen[#seen + 1] = key .. #part end
  equal(seen, {"a2", "b2"})
end)

test("merge", function()
  local people = frame.DataFrame{{"id", {1, 2, 2, NA}}, {"v", {1, 2, 3, 4}}}
  local rooms = frame.DataFrame{{"id", {2, 2, NA, 5}}, {"v", {5, 6, 7, 8}}}
  text(people:merge(rooms, {on = "id", how = "outer"}), [[

    id  v_x  v_y
0  1.0  1.0  NaN
1  2.0  2.0  5.0
2  2.0  2.0  6.0
3  2.0  3.0  5.0
4  2.0  3.0  6.0
5  5.0  NaN  8.0
6  NaN  4.0  7.0
]])
  equal(people:merge(rooms, {on = "id"}).shape, {5, 3})
  equal(people:merge(rooms, {on = "id", suffixes = {"", "_room"}}).columns,
    {"id", "v", "v_room"})
  local keyed = rooms:rename{id = "key", v = "w"}
  equal(people:merge(keyed, {left_on = "id", right_on = "key", how = "left"})
    .columns, {"id", "v", "key", "w"})
end)

test("pivot", function()
  local df = frame.DataFrame{{"day", {1, 1, 2}}, {"who", {"a", "b", "a"}},
    {"n", {3, 4, 5}}}
  text(df:pivot{index = "day", columns = "who", values = "n"}, [[

       a    b
day
1    3.0  4.0
2    5.0  NaN
]])
  equal(df:pivot_table{index = "who", columns = "day", values = "n",
    aggfunc = "sum", fill_value = 0}["2"]:tolist(), {5, 0})
end)

for _, case in ipairs{
  {'groupby: there is no column "nam"; did you mean "name"?',
    function(df) return df:groupby("nam") end},
  {'groupby: there is no column "xx"',
    function(df) return df:groupby("name").xx end},
  {"did you mean :nunique()?",
    function(df) return df:groupby("name").nuniqe end},
  {'mean: the column "t" holds texts; choose others',
    function(df) return df:groupby("name"):mean() end},
  {'there is no aggregation "maxx"; did you mean "max"?',
    function(df) return df:groupby("name").x:agg("maxx") end},
  {"get_group: there is no group z",
    function(df) return df:groupby("name"):get_group("z") end},
  {"pivot: two rows have the same name and k; df:pivot_table",
    function(df)
      return df:pivot{index = "name", columns = "k", values = "x"}
    end},
  {'pivot: {values = "..."} names a column, of name, k, x, y, t',
    function(df) return df:pivot{index = "name", columns = "k"} end},
  {"merge: the frames have no column in common",
    function(df) return df:merge(frame.DataFrame{z = {1}}) end},
  {'merge: how is "inner" or "left" or "right" or "outer"',
    function(df) return df:merge(df, {how = "all"}) end},
  {"merge: with another frame, not a number",
    function(df) return df:merge(3) end},
  {'merge: the key "k": a column of numbers and one of texts',
    function(df) return df:merge(frame.DataFrame{k = {"a"}}, {on = "k"}) end},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], function() return case[2](data()) end)
  end)
end

test("what mistakes say mends them", function()
  local df = data()
  df:groupby("name")[{"x"}]:mean()
  df:groupby("name"):mean{numeric_only = true}
  df:pivot_table{index = "name", columns = "k", values = "x"}
end)

test("every method has a text", function()
  local help = dofile("lua/help/frame.lua")
  for name in pairs(getmetatable(data():groupby("k")).methods) do
    if not help["frame.GroupBy." .. name] then
      error("there is no text for frame.GroupBy." .. name)
    end
  end
end)

tap.done()
