-- SPDX-License-Identifier: Apache-2.0
-- h5 and scale.from_hdf5: what h5py wrote (tests/fixtures/hdf5/make.py says
-- what is in it), what is written here, and files that lie.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local source = "tests/fixtures/hdf5/types.h5"
local shop = (os.getenv("BUILD") or "build") .. "/warpshop"
local path = os.tmpname()

local function same(a, b)
  equal(a.dtype, b.dtype)
  equal(a.shape, b.shape)
  equal(a:tolist(), b:tolist())
end

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

-- What the program says that runs `text`, with these variables.
local function said_with(variables, text)
  local run = io.popen(("%s %s run %s 2>&1; echo $?"):format(variables, shop,
    write(text)))
  local said = run:read("a")
  run:close()
  return said
end

test("without libhdf5 the way out is said", function()
  local said = said_with("WARPSHOP_HDF5=/no/such.so", ([[
    local ok, e = pcall(h5.File, "%s")
    print(ok, e.kind, e.message)
    scale.from_hdf5("%s", "x")]]):format(source, source))
  local want = "false\tnot-found\tFile: " .. source .. ": WARPSHOP_HDF5: "
  equal(said:sub(1, #want), want)
  equal(said:sub(-2), "3\n") -- what a script ends with
end)

local is_there, why = pcall(h5.File, source)
if not is_there and why.kind == "not-found" then
  test("its name and how to get it", function()
    equal(why.message:find("apt install hdf5-tools", 1, true) ~= nil, true)
  end)
  print("# SKIP the others: libhdf5 is not here")
  os.remove(path)
  tap.done()
  return
end

local x = np.arange(24, "i64"):reshape{2, 3, 4}

-- ---- What goes wrong at the end ----

-- A limit on a file's size is a disk that is full; what is written last goes
-- there when the file is closed. (libhdf5 crashed at the end of the program.)
test("a disk that is full is said, and the program ends", function()
  local name = os.tmpname()
  local said = said_with("trap '' XFSZ;", ([[
    local f = h5.File("%s", "w")
    for i = 1, 300 do f["x" .. i] = np.ones{3} end
    assert(os.execute("prlimit --pid $PPID --fsize=30000"))
    local ok, e = pcall(f.close, f)
    print(ok, e.kind, e.message)
    print(pcall(f.close, f))]]):format(name))
  os.remove(name)
  equal(said, ("false\tio\tFile: %s: it could not be written to its end, and"
    .. " is broken: File too large\ntrue\n0\n"):format(name))
end)

-- Another x, stored in four ways, while the disk has no room for it: what is
-- said, and what is in the file after that.
local replace_all = [[
    local name, all = %q, {chunks = {1000}, compression = "gzip"}
    local old, new = np.arange(5000, "f64"), np.random.rand(100000)
    for _, options in ipairs{{}, {chunks = all.chunks}, all,
                             {compression = "gzip", chunks = true}} do
      os.remove(name)
      local f = h5.File(name, "w")
      f:create_dataset("g/x", {data = old, chunks = options.chunks})
      f:close()
      %s
      f = h5.File(name, "a")
      f["g/y"] = np.ones{9}
      options.data = new
      local ok, e = pcall(f.g.create_dataset, f.g, "x", options)
      print(not ok and e.kind, not ok and e.message:gsub(".*: there", "there"))
      options.data = np.zeros{100000} -- packed there is room for that
      local ok = pcall(f.create_dataset, f, "g/packed", options)
      print(options.compression ~= nil, ok)
      f:close()
      f = h5.File(name)
      assert(np.array_equal(f["g/x"]:read(), old))
      print(table.concat(f.g:keys(), " "), f["g/y"]:read():sum())
      f:close()
      %s
    end
    local _ = os.remove(name)]]

local function replaced(reason)
  local one = ("io\tthere is no room for 0.9 MB more: %s\n"):format(reason)
  return (one .. "false\tfalse\nx y\t9.0\n"):rep(2) ..
         (one .. "true\ttrue\npacked x y\t9.0\n"):rep(2) .. "0\n"
end

test("a data set is whole where another has no room beside it", function()
  local limit = 'assert(os.execute("prlimit --pid $PPID --fsize=%s:unlimited"))'
  local said = said_with("trap '' XFSZ;", replace_all:format(os.tmpname(),
    limit:format(200000), limit:format("unlimited")))
  equal(said, replaced("File too large"))
end)

-- A command on a small disk of its own at /mnt, where that may be.
local mount = "unshare -rm sh -c"
  .. " 'mount -t tmpfs -o size=200k none /mnt && %s'"
local has_disk = os.execute(mount:format("true") .. " 2>/dev/null")
local function test_on_disk(name, f)
  if has_disk then test(name, f)
  else test(name .. " # SKIP unshare mounts no disk here", function() end) end
end

-- What the program says there.
local function said_on_disk(variables, text)
  local run = io.popen(mount:format(("%s %s run %s"):format(variables, shop,
    write(text))) .. " 2>&1; echo $?")
  local said = run:read("a")
  run:close()
  return said
end

test_on_disk("the same on a disk that is full", function()
  local said = said_on_disk("", replace_all:format("/mnt/x.h5", "", ""))
  equal(said, replaced("No space left on device"))
end)

-- As NFS is, with a libc that promises no room.
test_on_disk("the same where nobody promises room", function()
  local library = os.tmpname()
  local cc = io.popen(("cc -shared -fPIC -o %s -x c - 2>/dev/null")
    :format(library), "w")
  cc:write([[
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
int fallocate(int fd, int mode, long at, long bytes) {
  errno = EOPNOTSUPP;
  return mode == 1 ? -1 : syscall(SYS_fallocate, fd, mode, at, bytes);
}]])
  assert(cc:close())
  local said = said_on_disk("LD_PRELOAD=" .. library, [[
    local f = h5.File("/mnt/x.h5", "w")
    f.x = np.arange(5000, "f64")
    print(pcall(function() f.x = np.ones{100000} end))
    print(f.x:read():sum(), f:keys()[2])
    print(pcall(f.close, f))
    print(h5.File("/mnt/x.h5").x:read():sum())]])
  os.remove(library)
  local reason = "could not be written: No space left on device"
  equal(said:find(reason, 1, true) ~= nil, true, said)
  equal(said:match("\n.*"), "\n12497500.0\tnil\ntrue\n12497500.0\n0\n")
end)

test("a data set that has room takes the place of another", function()
  local name = os.tmpname()
  local f = h5.File(name, "w")
  f["a.new1"], f.a = np.ones{2}, np.ones{3}
  for i = 1, 5 do
    f:create_dataset("a", {data = np.full({1000, 30}, i), chunks = {7, 7},
                           compression = i % 2 == 0 and "gzip" or nil})
  end
  f:close()
  f = h5.File(name)
  equal(f:keys(), {"a", "a.new1"})
  equal(f.a:read():sum(), 150000.0)
  f:close()
  os.remove(name)
end)

test("no group is lost by a name that was meant otherwise", function()
  local name = os.tmpname()
  local f <close> = h5.File(name, "w")
  f["a/b"] = np.ones{3}
  raises("argument", '"a" is a group, and what is in it would be lost',
    function() f.a = np.ones{2} end)
  equal(f["a/b"]:read():sum(), 3.0)
  f["a/b"] = np.zeros{3}
  equal(f["a/b"]:read():sum(), 0.0)
  os.remove(name)
end)

-- ---- Reading ----

test("each type, in both orders of bytes", function()
  local f <close> = h5.File(source)
  local types = {i1 = "i8", i2 = "i16", i4 = "i32", i8 = "i64", u1 = "u8",
                 u2 = "u16", u4 = "u32", u8 = "u64", f2 = "f16", f4 = "f32",
                 f8 = "f64", [">i2"] = "i16", [">i4"] = "i32", [">u8"] = "u64",
                 [">f2"] = "f16", [">f4"] = "f32", [">f8"] = "f64"}
  equal(#f.types:keys(), 18)
  for name, dtype in pairs(types) do
    local third = name:find("u") and 253 or -3
    equal(f.types[name].dtype, dtype, name)
    same(f.types[name]:read(), np.array({1, 2, third}, dtype))
  end
  same(f["types/bool"]:read(), np.array{true, false, true})
end)

test("stored in chunks, packed, shuffled, to grow, without axes", function()
  local f <close> = h5.File(source)
  same(f.x:read(), x)
  same(f.packed:read(), x)
  equal(f.packed.chunks, {1, 2, 3})
  equal(f.x.chunks, nil)
  same(f.shuffled:read(), x:astype("i32"))
  equal(f.grows:read():sum(), 45)
  equal(f.scalar:read():item(), 2.5)
  equal(f.scalar.shape, {})
  same(f.none:read(), np.zeros({0, 3}, "f32"))
  same(f["link"]:read(), x)
end)

test("boxes are what np's are", function()
  local f <close> = h5.File(source)
  for _, key in ipairs{":", "1", "-1, 1:", "::2, ::2, 1:4:2", "0, :, 3",
                       "1:1", ":, 5:9", "0:1, -2:, 0:3:2"} do
    same(f.x[key], x[key])
    same(f.packed[key], x[key])
  end
  same(f.x[1], x[1])
  equal(f.x["1, 2, 3"], 23)
  equal(#f.x, 2)
  equal({f.x.ndim, f.x.name, tostring(f.x)},
    {3, "x", 'h5.Dataset "x"  shape (2, 3, 4)  i64'})
  raises("argument", "is out of bounds for axis 0", function()
    return f.x[2]
  end)
  raises("argument", "a data set is read forwards", function()
    return f.x["::-1"]
  end)
  raises("argument", "an index of a data set is", function()
    return f.x["a"]
  end)
  raises("argument", "without axes has no length", function()
    return #f.scalar
  end)
end)

test("what np has no elements for", function()
  local f <close> = h5.File(source)
  for name, what in pairs{text = "texts", complex = "structs (complex numb",
                          pairs = "structs", enumeration = "enumerations",
                          lists = "lists"} do
    raises("unsupported", ('"%s": its elements are %s'):format(name, what),
      function() return f[name] end)
  end
  raises("unsupported", '"empty": it is empty', function() return f.empty end)
  raises("argument", '"type" is neither a group nor a data set', function()
    return f.type
  end)
  raises("argument", 'there is no "dangling"', function()
    return f.dangling
  end)
end)

test("groups", function()
  local f <close> = h5.File(source)
  equal(f.group:keys(), {"inner"})
  equal(f["group/inner/deep"][2], 2)
  equal(f["./x"].shape, {2, 3, 4})
  equal(f.group.inner.deep.name, "group/inner/deep")
  equal(tostring(f.group), 'h5.Group "group"  "inner"')
  raises("argument", 'there is no "groop"; did you mean "group"?', function()
    return f.groop
  end)
  raises("argument", 'there is no "group/no" in it', function()
    return f["group/no"]
  end)
  raises("argument", "keys is a method: call it with a colon", function()
    f.keys()
  end)
end)

-- ---- Writing ----

test("what is written is read again", function()
  os.remove(path)
  local f = h5.File(path, "w")
  for _, dtype in ipairs{"bool", "i8", "u16", "i64", "f16", "f32", "f64"} do
    local one = np.array({0, 1, 1}, dtype)
    f[dtype] = one
    same(f[dtype]:read(), one)
  end
  f["some/where/deep"] = x[":, ::2"]
  f.scalar = np.array(3.5)
  f.nothing = np.zeros{0, 2}
  f:create_dataset("big", {data = np.arange(300000):reshape{300, 1000},
                           compression = "gzip"})
  f.some:create_dataset("small", {data = {1, 2, 3}, dtype = "f32",
                                  chunks = {9}})
  f:close()
  equal(tostring(f), "h5.File: " .. path .. "  closed")
  raises("argument", "the file is closed", function() f:keys() end)
  local g <close> = h5.File(path, "a")
  same(g["some/where/deep"]:read(), np.array(x[":, ::2"]))
  equal(g.scalar:read():item(), 3.5)
  equal(g.nothing.shape, {0, 2})
  equal(g.big["299, 999"], 299999)
  equal(g.big.chunks, {300, 250})
  equal(g.some.small.chunks, {3})
  equal(g.some.small.dtype, "f32")
  equal(#bytes_of(path) < 300000 * 8, true)
  g.scalar = {1, 2} -- another in its place
  equal(g.scalar:read():tolist(), {1, 2})
end)

test("what cannot be written", function()
  local f <close> = h5.File(source)
  raises("argument", 'it was opened to be read; h5.File(path, "a")', function()
    f.y = {1}
  end)
  raises("argument", 'a data set is written as a whole: f["x"] = x', function()
    f.x["0"] = 1
  end)
  local g <close> = h5.File(path, "w")
  raises("argument", 'compression is "gzip"', function()
    g:create_dataset("y", {data = {1}, compression = "lzf"})
  end)
  raises("argument", "0 to 9, not 10", function()
    g:create_dataset("y", {data = {1}, compression = "gzip",
                           compression_opts = 10})
  end)
  raises("argument", "chunks are a number of elements for each axis", function()
    g:create_dataset("y", {data = {1}, chunks = {1, 2}})
  end)
  raises("argument", "a chunk has 1 element or more", function()
    g:create_dataset("y", {data = {1}, chunks = {0}})
  end)
  raises("argument", "HDF5 has no bf16", function()
    g.y = np.array({1}, "bf16")
  end)
  g.y = np.array({1}, "bf16"):astype("f32") -- as that says
  raises("argument", "data is the array", function() g:create_dataset("y") end)
  raises("io", "it cannot be written", function()
    h5.File("/no/such/folder/x.h5", "w")
  end)
  raises("argument", 'mode is "r" or "r+"', function() h5.File(path, "rw") end)
end)

test("an array on a device is copied", function()
  local f <close> = h5.File(path, "w")
  f.x = cuda.to_device(np.arange(4))
  equal(f.x:read():tolist(), {0, 1, 2, 3})
end)

test("every name has a text, and what may follow is known", function()
  local help = dofile("lua/help/h5.lua")
  local f <close> = h5.File(source)
  for name, one in pairs{File = f, Group = f.group, Dataset = f.x} do
    for method in pairs(getmetatable(one).__complete(one, true)) do
      equal(help["h5." .. name .. "." .. method] ~= nil, true, method)
    end
    equal(help["h5." .. name] ~= nil, true, name)
  end
  equal(getmetatable(f).__complete(f).packed, true)
  equal(getmetatable(f.x).__complete(f.x).shape, true)
  for name in pairs(h5) do equal(help["h5." .. name] ~= nil, true, name) end
end)

-- ---- In chunks ----

test("scale reads a chunk when it is wanted", function()
  for _, name in ipairs{"x", "packed", "shuffled"} do
    for _, chunks in ipairs{1, 2, -1, {2, 2, 3}} do
      local s = scale.from_hdf5(source, name, {chunks = chunks})
      same(s:compute(), name == "shuffled" and x:astype("i32") or x)
      equal((s * 2):sum():compute(), 2 * 276)
    end
  end
  same(scale.from_hdf5(source, "group/inner/deep")[":2"]:compute(),
    np.arange(2))
  same(scale.from_hdf5(source, "none"):compute(), np.zeros({0, 3}, "f32"))
  equal(scale.from_hdf5(source, "scalar"):compute(), 2.5)
end)

test("chunks are the file's, grown", function()
  local f <close> = h5.File(path, "w")
  f:create_dataset("x", {data = np.zeros({3000, 1000}, "f64"),
                         chunks = {10, 100}})
  f:close()
  local s = scale.from_hdf5(path, "x")
  equal(s.chunks[1][1] % 10, 0)
  equal(s.chunks[1][1] * s.chunks[2][1] * 8 <= 16 << 20, true)
  equal(s.numblocks, {3, 1})
end)

test("larger than memory, and by workers", function()
  local big = np.arange(64 * 64, "f64"):reshape{64, 64}
  local f = h5.File(path, "w")
  f:create_dataset("x", {data = big, chunks = {16, 16}, compression = "gzip"})
  f:close()
  local before = scale.memory
  scale.memory = 5 * 16 * 16 * 8
  for _, options in ipairs{{}, {n_workers = 2}} do
    local c = scale.Client(options)
    local y = scale.from_hdf5(path, "x", {chunks = 16})
    local off = (y + y.T - y:mean(0)):compute() - (big + big.T - big:mean(0))
    equal(np.max(np.abs(off)) < 1e-12, true)
    if not options.n_workers then
      equal(c:counts().most_held <= scale.memory, true)
      equal(c:counts().dropped > 0, true)
    end
    c:close()
  end
  scale.memory = before
end)

test("mistakes of scale.from_hdf5", function()
  raises("argument", '"group" is a group of data sets', function()
    scale.from_hdf5(source, "group")
  end)
  raises("argument", 'there is no "y" in it', function()
    scale.from_hdf5(source, "y")
  end)
  raises("argument", "the file's name and the data set's come first", function()
    scale.from_hdf5(source)
  end)
  raises("io", "No such file", function() scale.from_hdf5("no.h5", "x") end)
  local f = h5.File(path, "w")
  f.x = np.zeros(10)
  f:close()
  local s = scale.from_hdf5(path, "x", {chunks = 5})
  f = h5.File(path, "w")
  f.x = np.zeros(7)
  f:close()
  raises("io", "smaller than it was", function() s:compute() end)
end)

-- ---- Broken ----

test("files that are none, or broken", function()
  raises("argument", "it is no HDF5 file", function()
    h5.File(write("a,b\n1,2\n"))
  end)
  raises("argument", "it is no HDF5 file", function() h5.File(write("")) end)
  raises("io", "No such file", function() h5.File("no-such.h5") end)
  local whole = bytes_of(source)
  raises("argument", "truncated file", function()
    h5.File(write(whole:sub(1, #whole // 2)))
  end)
end)

test("a chunk that cannot be unpacked", function()
  local f = h5.File(path, "w")
  f:create_dataset("x", {data = np.arange(10000), compression = "gzip"})
  f:close()
  local text = bytes_of(path)
  local at = #text // 2 -- most of the file is that chunk
  text = text:sub(1, at) .. ("\xff"):rep(40) .. text:sub(at + 41)
  local g <close> = h5.File(write(text))
  raises("io", "its elements cannot be read", function() g.x:read() end)
  raises("io", "from_hdf5: " .. path .. ": its elements cannot", function()
    scale.from_hdf5(path, "x"):sum():compute()
  end)
end)

os.remove(path)
tap.done()
