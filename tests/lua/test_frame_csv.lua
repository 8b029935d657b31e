-- SPDX-License-Identifier: Apache-2.0
-- frame.read_csv, to_csv, concat: what pandas 3.1 gives, and files that lie.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local path = os.tmpname()
local function write(text, name)
  local h = assert(io.open(name or path, "wb"))
  h:write(text)
  h:close()
  return name or path
end
local function read(text, options)
  return frame.read_csv(write(text), options)
end

local plain = [[
name,balance,n,ok,"with, comma"
Al,1.5,1,True,"a ""q"" b"
"Bo
b",NA,2,,x

Cy,-3e2,3,False
]]

test("types, quotes, missing values, short lines", function()
  local df = read(plain)
  equal(df.columns, {"name", "balance", "n", "ok", "with, comma"})
  equal(df.dtypes:tolist(), {"str", "f64", "i64", "object", "str"})
  equal(df.name:tolist(), {"Al", "Bo\nb", "Cy"})
  equal(df.balance:tolist(), {1.5, np.nan, -300})
  equal(df.ok:tolist(), {true, np.nan, false})
  equal(df["with, comma"]:tolist(), {'a "q" b', "x", np.nan})
end)

test("what is written is read again", function()
  local df = read(plain)
  equal(df:to_csv{index = false}, [[
name,balance,n,ok,"with, comma"
Al,1.5,1,True,"a ""q"" b"
"Bo
b",,2,,x
Cy,-300.0,3,False,
]])
  equal(df:to_csv():match("^[^\n]*"), ',name,balance,n,ok,"with, comma"')
  local small = frame.DataFrame{{"a", np.array({0.1, 2}, "f32")},
    {"b", np.array({1, 2}, "u8")}}
  equal(small:to_csv{index = false}, "a,b\n0.1,1\n2.0,2\n")
  small:to_csv(path, {index = false, sep = ";"})
  equal(frame.read_csv(path, {sep = ";"}).a:tolist(), {0.1, 2})
  equal(frame.DataFrame{x = {frame.NA, 1}}:to_csv{index = false},
    'x\n""\n1.0\n')
end)

test("options", function()
  equal(read("1,2\n3,4\n", {header = false}).columns, {"0", "1"})
  equal(read("1,2\n3,4\n", {names = {"a", "b"}}).a:tolist(), {1, 3})
  equal(read("x,y\n1,2\n", {names = {"a", "b"}, header = 0}).a:tolist(), {1})
  equal(read("a,b,c\n1,2,3\n", {usecols = {"c", "a"}}).columns, {"a", "c"})
  equal(read("a,b\n1,2\n", {usecols = {1}}).columns, {"b"})
  equal(read("a\n1\n2\n", {dtype = "str"}).a:tolist(), {"1", "2"})
  equal(read("a,b\n1,2\n", {dtype = {b = "f32"}}).dtypes:tolist(),
    {"i64", "f32"})
  equal(read("a\n1\n2\n3\n", {nrows = 2}).a:tolist(), {1, 2})
  equal(read("a\n-\n2\n", {na_values = "-"}).a:tolist(), {np.nan, 2})
  equal(read("a\n999\n2\n", {na_values = 999}).a:tolist(), {np.nan, 2})
  equal(read("a\nNA\n", {keep_default_na = false}).a:tolist(), {"NA"})
  equal(read("k,v\nx,1\ny,2\n", {index_col = "k"}):loc("y").v, 2)
  equal(read("a;b\n'x;y';2\n", {sep = ";", quotechar = "'"}).a:tolist(),
    {"x;y"})
  equal(read("# title\na\n1\n", {skiprows = 1}).a:tolist(), {1})
  equal(read("a,b\n1,2,3\n4,5\n", {on_bad_lines = "skip"}).a:tolist(), {4})
  equal(read("a,a,,a\n1,2,3,4\n").columns, {"a", "a.1", "Unnamed: 2", "a.2"})
  equal(read("a,b\n").shape, {0, 2})
  equal(read("a,b\n1,2\n", {header = 1}).columns, {"1", "2"})
  equal(read("a,b\n-5,7\n", {dtype = {a = "i32", b = "u8"}}).dtypes:tolist(),
    {"i32", "u8"})
end)

test("several files, and a file in parts", function()
  local other = os.tmpname()
  write("b,a\n9,8\n", other)
  local df = frame.read_csv({write("a,b\n1,2\n"), other})
  equal(df.a:tolist(), {1, 8})
  equal(df.b:tolist(), {2, 9})
  equal(df.index:tolist(), {0, 1})
  os.remove(other)
  local lines = {"k,v"}
  for i = 1, 25000 do lines[i + 1] = i .. ',"t\n' .. i % 7 .. '"' end
  write(table.concat(lines, "\n") .. "\n")
  local rows, sum, parts = 0, 0, 0
  for part in frame.read_csv(path, {chunksize = 4096}) do
    equal(part.index[0], rows)
    rows, sum, parts = rows + #part, sum + part.k:sum(), parts + 1
  end
  equal({rows, sum, parts}, {25000, 25000 * 25001 // 2, 7})
  equal(frame.read_csv(path).v:nunique(), 7)
end)

test("many threads give what one gives", function()
  local lines = {"a,b,c"}
  for i = 1, 60000 do
    lines[i + 1] = ('%d,"x%d ""\n",%g'):format(i, i % 1000, i / 8)
  end
  write(table.concat(lines, "\r\n"))
  local one = frame.read_csv(path, {threads = 1})
  local many = frame.read_csv(path, {threads = 7})
  equal(many.shape, {60000, 3})
  for _, name in ipairs(one.columns) do
    equal(one[name]:eq(many[name]):all(), true, name)
  end
end)

-- Types are guessed from some rows; another value comes far behind them.
for _, case in ipairs{
  {"1", "2.5", "f64", 1, 2.5}, {"1", "", "f64", 1, np.nan},
  {"007", "x", "str", "007", "x"}, {"1.50", "x", "str", "1.50", "x"},
  {"1", "True", "str", "1", "True"}, {"True", "1", "str", "True", "1"},
  {"1", "9223372036854775808", "u64", 1, 2 ^ 63},
  {"-1", "9223372036854775808", "f64", -1, 2 ^ 63},
  {"9223372036854775809", "-1", "f64", 2 ^ 63, -1},
  {"9223372036854775809", "", "f64", 2 ^ 63, np.nan},
  {"True", "", "object", true, np.nan}, {"", "False", "object", np.nan, false},
  {"", "x", "str", np.nan, "x"}, {"", "1.5", "f64", np.nan, 1.5},
  {"", "3", "f64", np.nan, 3}, {"12", '"a""b"', "str", "12", 'a"b'},
  {"9007199254740993", "", "f64", 2 ^ 53, np.nan},
} do
  local early, late, dtype, first, last = table.unpack(case)
  test(("late: %s behind %s"):format(late, early), function()
    for _, n in ipairs{700, 90000} do
      local line = early .. ",1\n"
      write("x,k\n" .. line:rep(n) .. late .. ",2\n" .. line:rep(n))
      local df = frame.read_csv(path, {threads = 3})
      equal(df.shape, {2 * n + 1, 2})
      equal(df.dtypes:tolist(), {dtype, "i64"})
      equal(df:iloc(n).x, last)
      for _, row in ipairs{0, n - 1, n + 1, 2 * n} do
        equal(df:iloc(row).x, first, row)
      end
      equal(df.x:isna():sum(), late == "" and 1 or early == "" and 2 * n or 0)
      equal(df.k:sum(), 2 * n + 2)
    end
  end)
end

test("minus zero among whole numbers, where a float follows", function()
  write("x\n" .. ("-0\n"):rep(500) .. ("1\n"):rep(90000) .. ".5\n")
  equal(1 / frame.read_csv(path).x[499], -math.huge)
  write("x\n" .. ("1\n"):rep(500) .. "-0\n" .. ("1\n"):rep(90000) .. "NA\n")
  equal(1 / frame.read_csv(path).x[500], -math.huge)
end)

test("quotes that stand anywhere, far behind", function()
  local line, n = '"a\nb",1\n', 30000
  for _, odd in ipairs{'5" disk,2\n', '"x"y,2\n'} do
    write("t,k\n" .. line:rep(n) .. odd .. line:rep(n))
    local df = frame.read_csv(path, {threads = 3})
    equal(df.shape, {2 * n + 1, 2})
    equal(df:iloc(n).t, odd == '"x"y,2\n' and "xy" or '5" disk')
    equal(df.t:nunique(), 2)
    equal(df.k:sum(), 2 * n + 2)
  end
end)

test("codes in order of the rows, however many read", function()
  local lines = {"t"}
  for i = 1, 200000 do lines[i + 1] = "text " .. (i * 7919) % 5003 end
  write(table.concat(lines, "\n"))
  local one = frame.read_csv(path, {threads = 1}).t:unique():tolist()
  equal(frame.read_csv(path, {threads = 3}).t:unique():tolist(), one)
  equal({one[1], one[2], #one}, {"text 2916", "text 829", 5003})
end)

test("blank lines, CR, and lines of all lengths", function()
  local line = "1,x\n\n  \n2,\r3,\"y\r\n\"\r\n\r\n"
  local n = 30000
  write("k,t\n" .. line:rep(n) .. "7,z")
  local df = frame.read_csv(path, {threads = 3})
  equal(df.shape, {3 * n + 1, 2})
  equal(df.k:sum(), 6 * n + 7)
  equal(df.t:unique():tolist(), {"x", np.nan, "y\r\n", "z"})
  write("k\n" .. ("1"):rep(1, "") .. ("\n2"):rep(9) .. "\n"
    .. ("x"):rep(3000000) .. "\n3\n")
  equal(#frame.read_csv(path, {threads = 3}), 12)
end)

test("rows that are asked for, of a large file", function()
  local line = '1,"a\nb"\n2,c\n3,d,e\n\n'
  write("k,t\n" .. line:rep(60000))
  local o = {on_bad_lines = "skip", nrows = 70001, threads = 3}
  equal(frame.read_csv(path, o).k:sum(), 35000 * 3 + 1)
  o.nrows, o.chunksize = nil, 50000
  local sizes, sum = {}, 0
  for part in frame.read_csv(path, o) do
    sizes[#sizes + 1], sum = #part, sum + part.k:sum()
  end
  equal(sizes, {50000, 50000, 20000})
  equal(sum, 180000)
end)

test("a mistake far behind has its line", function()
  local line = '1,"a\nb"\n2,c\n'
  write("k,t\n" .. line:rep(90000) .. "1,2,3\n" .. line:rep(90000))
  raises("argument", ":270002: the line has 3 fields",
    function() frame.read_csv(path, {threads = 3}) end)
  write("k\n" .. ("1\n"):rep(900000) .. "x\n")
  raises("argument", ':900002: column "k": "x" is no i64',
    function() frame.read_csv(path, {dtype = "i64", threads = 3}) end)
end)

test("concat", function()
  local a = frame.DataFrame{{"x", {1, 2}}, {"t", {"p", "q"}}}
  local b = frame.DataFrame{{"t", {"q", "r"}}, {"b", {true, false}}}
  local df = frame.concat({a, b})
  equal(df.columns, {"x", "t", "b"})
  equal(df.x:tolist(), {1, 2, np.nan, np.nan})
  equal(df.t:tolist(), {"p", "q", "q", "r"})
  equal(df.b:tolist(), {np.nan, np.nan, true, false})
  equal(df.index:tolist(), {0, 1, 0, 1})
  equal(frame.concat({a.x, a.x}, {ignore_index = true}):tolist(), {1, 2, 1, 2})
  raises("argument", 'concat: the column "x": a column of numbers and one of',
    function() frame.concat({a, frame.DataFrame{x = {"a"}}}) end)
  raises("argument", "item 2 of the list is a number",
    function() frame.concat({a, 3}) end)
end)

for _, case in ipairs{
  {":3: the line has 3 fields, and there are 2 columns", "a,b\n1,2\n1,2,3\n"},
  {":3: the line has 2 fields, and there is 1 column;", "a\n1\n1,2\n"},
  {":3: a quote that is opened in this line is not closed", 'a\n1\n"x\n'},
  {':3: column "a": "x" is no i64; dtype = "str" takes it', "a\n1\nx\n",
    {dtype = "i64"}},
  {':2: column "a": "x" is no i32; dtype = "str" takes it', "a\nx\n",
    {dtype = "i32"}},
  {':2: column "a": "1.5" is no u8; dtype = "f64" takes it', "a\n1.5\n",
    {dtype = {a = "u8"}}},
  {"header = 2 is the row of names, counted from 0, and", "a\n1\n",
    {header = 2}},
  {"has 2 rows", "a\n1\n", {header = 7}},
  {"from 0 behind skiprows, and", "a\n1\n", {header = 1, skiprows = 1}},
  {"skiprows = 3, and", "a\n1\n", {skiprows = 3}},
  {'the column "a" has 300, which is no i8; dtype = "i64" takes it',
    "a\n1\n300\n", {dtype = {a = "i8"}}},
  {'usecols: there is no column "bb"; did you mean "b"?', "a,b\n1,2\n",
    {usecols = "bb"}},
  {'dtype: there is no column "c" (there are a, b)', "a,b\n1,2\n",
    {dtype = {c = "f32"}}},
  {'there is no option "seperator"', "a\n1\n", {seperator = ";"}},
  {'sep is one character, not ", "', "a\n1\n", {sep = ", "}},
  {"chunksize is a number of rows, not 0", "a\n1\n", {chunksize = 0}},
  {"names has 1", "1,2\n", {names = {"a"}}},
  {"names is a list of texts, not a string", "1,2\n", {names = "ab"}},
  {"item 2 of names is a text, not a number", "1,2\n", {names = {"a", 2}}},
  {'names has "a" twice', "1,2\n", {names = {"a", "a"}}},
  {"sep is a text, not a table", "a\n1\n", {sep = {}}},
  {"quotechar is a text, not a boolean", "a\n1\n", {quotechar = true}},
  {"threads is a number of threads", "a\n1\n", {threads = "2"}},
  {"of names, or false where there is none, not -1", "a\n1\n", {header = -1}},
  {'on_bad_lines is "error" or "skip", not "warn"', "a\n1\n",
    {on_bad_lines = "warn"}},
  {"is empty: there are no columns in it", "\n\n"},
  {"it is written in UTF-16", "\xff\xfea\0"},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], function() read(case[2], case[3]) end)
  end)
end

test("mistakes in to_csv's options", function()
  local df = frame.DataFrame{x = {1, 0 / 0}}
  raises("argument", 'to_csv: sep is one character, not ";;"',
    function() df:to_csv{sep = ";;"} end)
  raises("argument", "to_csv: sep is a text, not a table",
    function() df:to_csv{sep = {}} end)
  raises("argument", "to_csv: na_rep is a text, not a table",
    function() df:to_csv{na_rep = {}} end)
  equal(df:to_csv{index = false, na_rep = 0}, "x\n1.0\n0\n")
end)

test("other names in the first line", function()
  local df = frame.DataFrame{{"a", {1}}, {"b", {2}}}
  equal(df:to_csv{header = {"p", "q,r"}}, ',p,"q,r"\n0,1,2\n')
  equal(df:to_csv{header = {"p"}, columns = {"b"}, index = false}, "p\n2\n")
  equal(df:to_csv{header = true, index = false}, "a,b\n1,2\n")
  raises("argument", "to_csv: header has 1 name for 2 columns",
    function() df:to_csv{header = {"p"}} end)
  raises("argument", "to_csv: item 2 of header is a text, not a number",
    function() df:to_csv{header = {"p", 2}} end)
  raises("argument", "header is true, false or a list of other names, not a s",
    function() df:to_csv{header = "p"} end)
end)

test("files that are not there", function()
  raises("io", "No such file", function() frame.read_csv("/nowhere.csv") end)
  raises("io", "it is a folder", function() frame.read_csv("/") end)
  raises("io", "it is a device, not a file on a disk; put what comes out of it",
    function() frame.read_csv("/dev/null") end)
  raises("io", "to_csv: /: it is a folder; name a file in it",
    function() frame.DataFrame{x = {1}}:to_csv("/") end)
  raises("io", "to_csv: /nowhere/x.csv",
    function() frame.DataFrame{x = {1}}:to_csv("/nowhere/x.csv") end)
end)

os.remove(path)
tap.done()
