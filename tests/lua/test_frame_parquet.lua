-- SPDX-License-Identifier: Apache-2.0
-- frame.read_parquet, to_parquet: what is asked of the Python process and what
-- is made of its answers, by programs in its place; and with pyarrow, where
-- python3 has it.
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

local function read(name)
  local h = assert(io.open(folder .. "/" .. name, "rb"))
  local text = h:read("a")
  h:close()
  return text
end

-- What the program says that runs `text`, where python3 is this shell script.
local function with_python(script, text)
  local python = write("bin/python3", "#!/bin/sh\n" .. script)
  assert(os.execute("chmod +x " .. python))
  local run = io.popen(("VIRTUAL_ENV=%s %s run %s 2>&1"):format(folder, shop,
    write("run.lua", text)))
  local said = run:read("a")
  run:close()
  return said
end

local function has(said, text)
  if not said:find(text, 1, true) then
    error(("%q lacks %q"):format(said, text), 2)
  end
end

test("without pyarrow, and without Python: the way out", function()
  local said = with_python("echo 'libarrow.so: no such file' >&2\nexit 3\n", [[
    local ok, e = pcall(frame.read_parquet, "x.parquet")
    print(ok, e.kind, e.message)
    print(pcall(function() frame.DataFrame{x = {1}}:to_parquet("x") end))]])
  has(said, "false\tnot-found\tread_parquet: ")
  -- It may be there, and want something.
  has(said, "not here (libarrow.so: no such file): `pip install pyarrow` gets")
  has(said, "to_parquet: Parquet is read and written by pyarrow")
  local run = io.popen(("VIRTUAL_ENV= PATH=%s %s run %s 2>&1"):format(folder,
    shop, write("run.lua", 'frame.read_parquet("x.parquet")')))
  has(run:read("a"), "pip install pyarrow")
  tap.equal(select(3, run:close()), 3)
end)

test("the streams of several files, one behind the other", function()
  local said = with_python([[
    shift
    echo "$@" >"$VIRTUAL_ENV/words"
    cat tests/frame/files/stream.arrows tests/frame/files/stream.arrows
  ]], [[
    local df = frame.read_parquet({"a.parquet", "b.parquet"},
      {columns = {"str", "i64"}})
    print(table.concat(df.columns, " "), table.concat(df.str:tolist(), " "))
    print(table.concat(frame.read_parquet("a").i64:tolist(), " "))]])
  equal(said, "str i64\ta ä a a ä a\n1 -2 3\n")
  equal(read("words"), "read 1 a\n")
end)

test("columns lie where they came, and are their own", function()
  frame.DataFrame{x = {1, -2, 3}}:to_feather(folder .. "/one")
  equal(with_python('cat "$VIRTUAL_ENV/one"\n', [[
    local x = frame.read_parquet("a").x.values
    collectgarbage()
    x[0] = 7
    print(table.concat(x:tolist(), " "))]]), "7 -2 3\n")
end)

test("columns go by their names", function()
  with_python([[
    shift
    echo "$@" >"$VIRTUAL_ENV/words"
    exit 1]], 'pcall(frame.read_parquet, {"a", "b"}, {columns = {"x", "y"}})')
  equal(read("words"), "read columns 2 a b x y\n")
end)

test("what Python says is an error", function()
  has(with_python("echo first >&2; echo 'x: it is broken' >&2; exit 1\n",
    'frame.read_parquet("x")'), "read_parquet: x: it is broken")
  has(with_python("kill -9 $$\n", 'frame.read_parquet("x.parquet")'),
    "read_parquet: Python ended before it was done")
  has(with_python("echo name; echo balance; exit 4\n",
    'frame.read_parquet("x.parquet", {columns = {"balanc"}})'),
    'there is no column "balanc"; did you mean "balance"?')
  has(with_python("echo no stream\n", 'frame.read_parquet("x.parquet")'),
    "read_parquet: x.parquet: it ")
end)

test("a frame is handed over, and the answer is the file", function()
  local said = with_python([[
    shift
    echo "$@" >"$VIRTUAL_ENV/words"
    cat
  ]], ([[
    local df = frame.DataFrame{{"x", {1, 2}}, {"s", {"a", frame.NA}}}
    df:to_parquet("%s/out", {compression = "zstd"})
    print(frame.read_arrow("%s/out").s:tolist()[1])]]):format(folder, folder))
  equal(said, "a\n")
  equal(read("words"), "write zstd\n")
  has(with_python("exit 1\n", 'frame.DataFrame{x = {1}}:to_parquet("'
    .. folder .. '/out")'), "to_parquet: Python ended")
  equal(#read("out") > 0, true) -- the older one
end)

test("Ctrl-C ends the Python process", function()
  local said = with_python([[
    echo $$ >"$VIRTUAL_ENV/pid"
    kill -INT $PPID
    exec sleep 1000]], 'frame.read_parquet("x.parquet")')
  has(said, "stopped by Ctrl-C")
  local pid = read("pid"):match("%d+")
  equal(os.execute(("kill -0 %s 2>/dev/null"):format(pid)), nil)
end)

test("options", function()
  raises("argument", 'compression is "snappy" or "zstd"', function()
    frame.DataFrame{x = {1}}:to_parquet(folder .. "/x", {compression = "rar"})
  end)
  raises("argument", "to_parquet: a file's name comes first", function()
    frame.DataFrame{x = {1}}:to_parquet(3)
  end)
  raises("argument", 'no option "column"; did you mean "columns"?', function()
    frame.read_parquet("x", {column = "y"})
  end)
end)

local has_pyarrow =
  os.execute("python3 -c 'import pyarrow.parquet' 2>/dev/null")
local name = "pyarrow reads what is written and writes what is read"
if not has_pyarrow then
  tap.count = tap.count + 1
  print(("ok %d - %s # SKIP python3 has no pyarrow"):format(tap.count, name))
else
  test(name, function()
    local df = frame.read_arrow("tests/frame/files/types.arrow")
    df = df[df.i64:lt(3)]
    for _, compression in ipairs{"snappy", "zstd", "gzip", "none"} do
      local file = folder .. "/x.parquet"
      df:to_parquet(file, {compression = compression})
      local got = frame.read_parquet(file)
      equal(read("x.parquet"):sub(1, 4), "PAR1")
      equal(got.columns, df.columns)
      equal(got.index:tolist(), {0, 1})
      for _, one in ipairs(df.columns) do
        equal(got[one].dtype, df[one].dtype, one)
        equal(got[one]:tolist(), df[one]:tolist(), one)
      end
      local two = frame.read_parquet({file, file}, {columns = {"str", "f64"}})
      equal(two.columns, {"str", "f64"})
      equal(two.shape, {4, 2})
    end
    raises("argument", 'there is no column "i6"; did you mean', function()
      frame.read_parquet(folder .. "/x.parquet", {columns = "i6"})
    end)
    raises("io", "no-such.parquet", function()
      frame.read_parquet("no-such.parquet")
    end)
    raises("io", "run.lua", function()
      frame.read_parquet(folder .. "/run.lua")
    end)
  end)
end

os.execute("rm -r " .. folder)
tap.done()
