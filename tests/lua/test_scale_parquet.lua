-- SPDX-License-Identifier: Apache-2.0
-- scale.frame.read_parquet: which row groups are a part and when they are read,
-- by a program in Python's place; and with pyarrow, where python3 has it.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local shop = (os.getenv("BUILD") or "build") .. "/warpshop"
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir -p " .. folder .. "/bin"))

local function write(name, text)
  local h = assert(io.open(folder .. "/" .. name, "wb"))
  h:write(text)
  h:close()
  return folder .. "/" .. name
end

-- What the program says that runs `text`, where python3 is this shell script.
local function with_python(script, text)
  local python = write("bin/python3", "#!/bin/sh\nshift\n" .. script)
  assert(os.execute("chmod +x " .. python))
  local run = io.popen(("cd %s && VIRTUAL_ENV=. %s run %s 2>&1; echo $?")
    :format(folder, shop:sub(1, 1) == "/" and shop or "$OLDPWD/" .. shop,
      write("run.lua", text)))
  local said = run:read("a")
  run:close()
  return said
end

-- Streams of Arrow's, as parquet.py writes them.
equal(with_python("cat", [[
  frame.DataFrame{file = {0, 0, 0, 1}, row_group = {0, 1, 2, 0},
    rows = {2, 2, 2, 2}, bytes = {20, 20, 20, 20}}:to_parquet("told")
  frame.DataFrame{x = np.zeros(0), k = np.zeros(0)}:to_parquet("none")
  frame.DataFrame{x = {1, 2}, k = {1, 1}}:to_parquet("rows")]]), "0\n")

-- Says what it is asked for.
local answers = [[
  echo "$@" >>words
  case $1 in metadata) cat told none ;; *) cat rows ;; esac
]]

test("a file that is not there is an error of what was called", function()
  local said = with_python("echo '{\"error\": \"x\"}' >&2; exit 1",
    'scale.frame.read_parquet("no-such.parquet")')
  equal(said:find("read_parquet: ", 1, true) ~= nil, true, said)
  equal(said:find("read_parquet_metadata", 1, true), nil, said)
end)

test("a part is some row groups of a file, read when it is wanted", function()
  equal(with_python(answers, [[
    local function look(options)
      local df = scale.frame.read_parquet({"a", "b"}, options)
      local total = df.x:sum()
      local h = io.open("words")
      for line in h:lines() do
        print((line:gsub("%S*/", "/")))
      end
      h:close()
      os.remove("words")
      print(df.npartitions, total)
    end
    look()
    look{blocksize = 45, columns = {"x", "k"}}
    look{split_row_groups = true}
    look{split_row_groups = 2}
    local df = scale.frame.read_parquet({"a", "b"}, {split_row_groups = false})
    print(df, df.x.dtype, df:head(1).x:sum())
    for line in io.lines("words") do print((line:gsub("%S*/", "/"))) end
  ]]), [[
metadata 2 a b
read groups=0,1,2 1 /a
read groups=0 1 /b
2	6
metadata columns 2 a b x k
read columns groups=0,1 1 /a x k
read columns groups=2 1 /a x k
read columns groups=0 1 /b x k
3	9
metadata 2 a b
read groups=0 1 /a
read groups=1 1 /a
read groups=2 1 /a
read groups=0 1 /b
4	12
metadata 2 a b
read groups=0,1 1 /a
read groups=2 1 /a
read groups=0 1 /b
3	9
scale.DataFrame  columns k, x  in 2 parts	f64	1
metadata 2 a b
read groups=0,1,2 1 /a
0
]])
end)

test("without pyarrow: the way out, and the exit status", function()
  local said = with_python("exit 3", 'scale.frame.read_parquet("a")')
  equal(said:find("`pip install pyarrow` gets it", 1, true) ~= nil, true, said)
  equal(said:match("%d+\n$"), "3\n")
  said = with_python("case $1 in metadata) cat told none ;; *) exit 3; esac",
    'scale.frame.read_parquet({"a", "b"}):compute()')
  equal(said:find("`pip install pyarrow` gets it", 1, true) ~= nil, true, said)
  equal(said:match("%d+\n$"), "3\n")
end)

for _, case in ipairs{
  {"blocksize is a number of bytes, not 0", {blocksize = 0}},
  {"split_row_groups is true, false, or how many row groups a part has, not 0",
    {split_row_groups = 0}},
  {"split_row_groups or blocksize says how large a part is, not both",
    {split_row_groups = true, blocksize = 3}},
  {'no option "column"; did you mean "columns"?', {column = "x"}},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], function()
      scale.frame.read_parquet("a", case[2])
    end)
  end)
end

test("mistake: row groups of a frame's file", function()
  raises("argument", "row_groups is a list of numbers, the first is 0, not -1",
    function() frame.read_parquet("a", {row_groups = {-1}}) end)
  raises("argument", "row_groups are those of one file, and here are 2",
    function() frame.read_parquet({"a", "b"}, {row_groups = {1}}) end)
end)

-- ---- With pyarrow ----

local function make(name, text)
  local run = io.popen("python3 - " .. folder .. "/" .. name, "w")
  run:write("import sys, pyarrow as pa, pyarrow.parquet as pq\n", text)
  assert(run:close())
  return folder .. "/" .. name
end

local function with_pyarrow(name, f)
  if os.execute("python3 -c 'import pyarrow.parquet' 2>/dev/null") then
    test(name, f)
    return
  end
  tap.count = tap.count + 1
  print(("ok %d - %s # SKIP python3 has no pyarrow"):format(tap.count, name))
end

local table_of = [[
n = 1000
t = pa.table({"x": pa.array(range(n)), "y": pa.array([i / 2 for i in range(n)]),
              "s": pa.array(["abc"[i % 3] if i % 7 else None for i in range(n)])})
]]

with_pyarrow("the same rows as of whole files", function()
  local a = make("a", table_of .. "pq.write_table(t, sys.argv[1],"
    .. " row_group_size=300)")
  local b = make("b", table_of .. "pq.write_table(t, sys.argv[1])")
  local whole = frame.read_parquet({a, b})
  equal(frame.read_parquet(a, {row_groups = {3, 0}}).x:iloc(0), 900)
  equal(#frame.read_parquet(a, {row_groups = {}}), 0)
  raises("io", "there is no row group 4: it has 4, the first is 0", function()
    frame.read_parquet(a, {row_groups = {4}})
  end)
  local told = frame.read_parquet_metadata({a, b})
  equal(told.rows:tolist(), {300, 300, 300, 100, 1000})
  equal(told.file:tolist(), {0, 0, 0, 0, 1})
  for parts, options in pairs{[2] = {}, [5] = {split_row_groups = true},
                              [3] = {split_row_groups = 2}} do
    local df = scale.frame.read_parquet({a, b}, options)
    equal(df.npartitions, parts)
    local got = df:compute()
    equal(got.columns, whole.columns)
    for _, name in ipairs(got.columns) do
      equal(df.dtypes[name], whole.dtypes[name], name)
      equal(got[name]:tolist(), whole[name]:tolist(), name)
    end
    equal(#df, 2000)
    equal(df:groupby("s").x:sum():compute():tolist(),
      whole:groupby("s").x:sum():tolist())
  end
  local one = scale.frame.read_parquet(a, {columns = {"y"}})
  equal({one.columns, one.y:sum()}, {{"y"}, 249750.0})
  raises("argument", 'there is no column "z"', function()
    scale.frame.read_parquet(a, {columns = {"z"}})
  end)
  local c = scale.Client{n_workers = 2}
  equal(scale.frame.read_parquet(a, {split_row_groups = true}).x:sum(), 499500)
  c:close()
end)

with_pyarrow("files that differ, row labels, and no row", function()
  local a = make("a", table_of .. "pq.write_table(t, sys.argv[1])")
  local b = make("b", [[
pq.write_table(pa.table({"x": [0.5], "y": [1.0], "s": ["a"]}), sys.argv[1])]])
  raises("io", ('b: its column "x" is double, and that of %s int64'):format(a),
    function() scale.frame.read_parquet({a, b}) end)
  equal(#scale.frame.read_parquet({a, b}, {columns = {"s", "y"}}), 1001)
  local labels = make("labels", [[
pq.write_table(pa.table({"x": [5, 6], "__index_level_0__": ["u", "v"]}),
               sys.argv[1])]])
  local df = scale.frame.read_parquet(labels)
  equal({df.columns, df:compute().index:tolist()}, {{"x"}, {0, 1}})
  local none = make("none", table_of .. "pq.write_table(t[:0], sys.argv[1])")
  df = scale.frame.read_parquet(none)
  equal({#df, df:compute().columns}, {0, {"x", "y", "s"}})
end)

with_pyarrow("a file whose name looks like an address", function()
  make("s3:x", table_of .. "pq.write_table(t, sys.argv[1])")
  os.remove(folder .. "/bin/python3") -- the one that answers for the real one
  local run = io.popen(("cd %s && %s run %s 2>&1"):format(folder,
    shop:sub(1, 1) == "/" and shop or "$OLDPWD/" .. shop, write("run.lua", [[
    print(frame.read_parquet("s3:x").x:sum(),
      scale.frame.read_parquet("s3:x").x:sum())]])))
  equal(run:read("a"), "499500\t499500\n")
  run:close()
end)

os.execute("rm -r " .. folder)
tap.done()
