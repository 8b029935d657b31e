-- SPDX-License-Identifier: Apache-2.0
-- frame.read_arrow, read_feather, to_feather: files that pyarrow wrote
-- (tests/frame/files/make.py says what is in them), and our own.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local folder = "tests/frame/files/"
local path = os.tmpname()
local nan = np.nan
local long = "a text of more than twelve bytes"

local function bytes_of(name)
  local h = assert(io.open(name, "rb"))
  local text = h:read("a")
  h:close()
  return text
end

local function write(text)
  local h = assert(io.open(path, "wb"))
  h:write(text)
  h:close()
  return path
end

-- name, type, values
local types = {
  {"i64", "i64", {1, -2, 3}}, {"i8", "i8", {1, -2, 3}},
  {"u16", "u16", {1, 2, 65535}}, {"u64", "u64", {1, 2, 2 ^ 64}},
  {"f16", "f16", {1, 2.5, -4}}, {"f32", "f32", {1.5, nan, -4}},
  {"f64", "f64", {0.1, 0.2, 0.3}}, {"bool", "bool", {true, false, true}},
  {"str", "str", {"a", "ä", "a"}}, {"large", "str", {"", nan, long}},
  {"view", "str", {"twelve bytes", long, nan}},
  {"codes", "str", {"p", nan, "p"}},
  {"numbers", "i64", {7, 8, 7}}, {"missing_i32", "f64", {1, nan, 3}},
  {"missing_bool", "object", {true, nan, false}},
  {"null", "f64", {nan, nan, nan}},
  {"date", "str", {"2024-02-29", nan, "1899-12-31"}},
  {"time", "str", {"2024-02-29 12:30:00.5", "1969-12-31 23:59:59", nan}},
  {"zoned", "str", {"2000-03-01 00:00:00+00:00", "2000-03-01 00:00:00+00:00",
                    "2000-03-01 00:00:00+00:00"}},
}

test("each type, in a file and in a stream of several batches", function()
  for _, file in ipairs{"types.arrow", "stream.arrows"} do
    local df = frame.read_arrow(folder .. file)
    equal(#df.columns, #types)
    for _, one in ipairs(types) do
      local name, type, values = table.unpack(one)
      equal(df[name].dtype, type, name)
      equal(df[name]:tolist(), values, name)
    end
  end
end)

test("packed by LZ4 and by Zstandard", function()
  for _, name in ipairs{"lz4", "zstd"} do
    local df = frame.read_feather(folder .. name .. ".arrow")
    equal(df.i64:tolist(), {1, -2, 3}, name)
    equal(df.large:tolist(), {"", nan, long}, name)
    equal(df.view:tolist(), {"twelve bytes", long, nan}, name)
    equal(df.missing_bool:tolist(), {true, nan, false}, name)
  end
end)

test("dictionaries that grow and that others replace", function()
  local df = frame.read_arrow(folder .. "deltas.arrows")
  equal(df.c:tolist(), {"a", "b", nan, "a", "c", nan, "c", "a", nan})
  equal(df.x:tolist(), {0, 0, 0, 1, 1, 1, 2, 2, 2})
end)

test("columns that are wanted, in their order", function()
  local file = folder .. "nested.arrow"
  local df = frame.read_arrow(file, {columns = {"text", "x"}})
  equal(df.columns, {"text", "x"})
  equal(df.text:tolist(), {"a", long, "c"})
  equal(df.x:tolist(), {1, 2, 3})
  equal(frame.read_arrow(file, {columns = "x", index_col = "x"}).shape, {3, 0})
  for name, type in pairs{list = "list", struct = "struct", binary = "binary",
                          map = "map", decimal = "decimal", views = "list"} do
    local e = raises("unsupported", ('column "%s": its type is %s'):format(name,
      type), function() frame.read_arrow(file, {columns = {"x", name}}) end)
    equal(e.message:find(file, 1, true) ~= nil, true)
  end
  raises("argument", 'there is no column "texte"; did you mean "text"?',
    function() frame.read_feather(file, {columns = {"texte"}}) end)
end)

test("several files", function()
  local list = {folder .. "types.arrow", folder .. "types.arrow"}
  local df = frame.read_feather(list, {columns = {"str", "i64"}})
  equal(df.str:tolist(), {"a", "ä", "a", "a", "ä", "a"})
  equal(df.index:tolist(), {0, 1, 2, 3, 4, 5})
  raises("argument", "the list has no files", function()
    frame.read_feather{}
  end)
end)

test("what is written is read again, as a file of pandas' Feather", function()
  local df = frame.DataFrame{
    {"i", {1, 2, 3}}, {"u", np.array({1, 2, 255}, "u8")},
    {"f", {0.5, frame.NA, 2}}, {"s", {"a", frame.NA, "b"}},
    {"b", {true, false, true}}, {"o", {true, frame.NA, false}},
    {"h", np.array({1, 2, 3}, "f16")},
  }
  df:to_feather(path)
  equal(bytes_of(path):sub(1, 6), "ARROW1")
  equal(bytes_of(path):sub(-6), "ARROW1")
  local got = frame.read_feather(path)
  equal(got.columns, df.columns)
  equal(got.dtypes:tolist(), df.dtypes:tolist())
  for _, name in ipairs(df.columns) do
    equal(got[name]:tolist(), df[name]:tolist(), name)
  end
end)

test("every length of bits and of texts", function()
  for n = 0, 20 do
    local words, truths = {n = n}, {}
    for i = 1, n do
      words[i] = i % 3 == 0 and frame.NA or ("x"):rep(i)
      truths[i] = i % 2 == 0
    end
    local df = frame.DataFrame{{"x", np.arange(n)}}
    if n > 0 then df.w, df.t = words, truths end
    df:to_feather(path)
    local got = frame.read_feather(path)
    equal(got.x:tolist(), df.x:tolist())
    if n > 0 then
      equal(got.w:tolist(), df.w:tolist())
      equal(got.t:tolist(), truths)
    end
  end
end)

test("more rows and longer texts than are written in one go", function()
  local n = 70001
  local df = frame.DataFrame{{"x", np.arange(2 * n)[":: 2"]}}
  df.t = (df.x % 3):eq(0)
  df.s = (df.x % 7):astype("str")
  local big = frame.DataFrame{{"s", {("y"):rep(200000), "", ("z"):rep(65536)}}}
  df:to_feather(path)
  local got = frame.read_feather(path)
  for _, name in ipairs(df.columns) do
    equal(got[name]:eq(df[name]):all(), true, name)
  end
  big:to_feather(path)
  equal(frame.read_feather(path).s:tolist(), big.s:tolist())
end)

test("row labels", function()
  local df = frame.DataFrame{{"k", {"p", "q", "r"}}, {"v", {1, 2, 3}}}
  df[df.v:gt(1)]:to_feather(path)
  local got = frame.read_feather(path)
  equal(got.columns, {"k", "v"})
  equal(got.index:tolist(), {1, 2})
  df[df.v:gt(1)]:to_feather(path, {index = false})
  equal(frame.read_feather(path).index:tolist(), {0, 1})
  df:set_index("k"):to_feather(path)
  equal(frame.read_feather(path).columns, {"k", "v"})
  equal(frame.read_feather(path, {index_col = "k"}):loc("q").v, 2)
  df:to_feather(path, {columns = "v", index = true})
  equal(frame.read_feather(path).columns, {"v"})
  raises("argument", 'are both called "k"', function()
    df:set_index("k"):assign{k = {1, 2, 3}}:to_feather(path)
  end)
end)

test("columns lie where they were read, and are their own", function()
  local df = frame.DataFrame{{"x", np.arange(1000)}}
  df:to_feather(path)
  local before = bytes_of(path)
  local x = frame.read_feather(path).x.values
  collectgarbage()
  equal(np.sum(x), 499500)
  x[0] = 7
  equal(x[0], 7)
  equal(bytes_of(path), before)
  local twice = np.zeros(1000, "i64")
  cuda.kernel[[__global__ void twice(const long long *x, long long *out) {
    out[threadIdx.x] = 2 * x[threadIdx.x]; }]][{1, 1000}](x, twice)
  equal(twice[0], 14)
  equal(twice[999], 1998)
end)

test("from a device and to it", function()
  local df = frame.DataFrame{{"x", {1, 2}}, {"s", {"a", "b"}}}:to_device()
  df:to_feather(path)
  local got = frame.read_feather(path, {device = true})
  equal(got.device == "host", false)
  equal(got.x:tolist(), {1, 2})
  equal(got.s:tolist(), {"a", "b"})
end)

test("files that are none, or broken", function()
  local whole = bytes_of(folder .. "types.arrow")
  raises("io", "No such file", function() frame.read_arrow("no-such.arrow") end)
  raises("io", "it is a folder", function() frame.read_arrow("tests") end)
  raises("io", "it is a device, not a file on a disk", function()
    frame.read_arrow("/dev/zero")
  end)
  raises("argument", "its end is missing", function()
    frame.read_arrow(write(whole:sub(1, -8)))
  end)
  raises("argument", "neither an Arrow file nor a stream", function()
    frame.read_arrow(write(""))
  end)
  raises("argument", "read_feather: " .. path, function()
    frame.read_feather(write("a,b\n1,2\n"))
  end)
  raises("unsupported", "a Feather file of version 1", function()
    frame.read_feather(write("FEA1 and more"))
  end)
  raises("argument", "a file's name or a list of names, not a number",
    function() frame.read_feather(3) end)
  raises("argument", "columns is a list of names, and item 1 is a number",
    function() frame.read_feather(path, {columns = {3}}) end)
end)

test("a file that cannot be written stays as it was", function()
  raises("io", "it is a folder", function()
    frame.DataFrame{x = {1}}:to_feather("tests")
  end)
  raises("argument", "the frame has no columns", function()
    frame.DataFrame{}:to_feather(path)
  end)
end)

os.remove(path)
tap.done()
