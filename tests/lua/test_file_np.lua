-- SPDX-License-Identifier: Apache-2.0
-- np: archives, text and bare elements in files, and files that lie.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

-- f(path) with a path that ends like this; the file is removed.
local function with_path(ending, f)
  local name = os.tmpname()
  local path = name .. ending
  local ok, e = pcall(f, path)
  os.remove(path)
  os.remove(name)
  if not ok then error(e, 0) end
end

local function read(path)
  local h = assert(io.open(path, "rb"))
  local bytes = h:read("a")
  h:close()
  return bytes
end

local function write(path, bytes)
  local h = assert(io.open(path, "wb"))
  h:write(bytes)
  h:close()
end

-- ---- .npz ----

for _, save in ipairs{"savez", "savez_compressed"} do
  test(save .. ": arrays come back as they were", function()
    with_path(".npz", function(path)
      local x = {}
      for _, t in ipairs{"bool", "i8", "u16", "i64", "f16", "f32", "f64"} do
        x[t] = np.arange(6):reshape(2, 3):astype(t).T
      end
      x.empty = np.zeros({0, 3})
      x.number = 2.5
      x.large = np.arange(100000) % 7
      np[save](path, np.arange(3), {5, 6}, x)
      local got = np.load(path)
      equal(got.arr_0:tolist(), {0, 1, 2})
      equal(got.arr_1:tolist(), {5, 6})
      for name, a in pairs(x) do
        a = np.asarray(a)
        equal({got[name].dtype, got[name].shape}, {a.dtype, a.shape})
        equal(np.array_equal(got[name], a), true)
      end
    end)
  end)
end

test("savez: the path's ending, names, and no arrays at all", function()
  with_path(".npz", function(path)
    np.savez(path:sub(1, -5), {1})
    equal(np.load(path).arr_0:tolist(), {1})
    np.savez(path)
    equal(next(np.load(path)), nil)
    raises("argument", "arr_0 is given twice",
           function() np.savez(path, {1}, {arr_0 = {2}}) end)
    raises("argument", "no bf16",
           function() np.savez(path, np.zeros(2, "bf16")) end)
    raises("io", "No such file", function() np.savez("/nowhere/x", {1}) end)
  end)
end)

test("names that would leave a folder are only names", function()
  with_path(".npz", function(path)
    np.savez(path, {["../../up"] = {1}, ["/abs"] = {2}, [""] = {3}})
    local got = np.load(path)
    equal(got["../../up"]:tolist(), {1})
    equal(got["/abs"]:tolist(), {2})
    equal(got[""]:tolist(), {3})
  end)
end)

-- Loading ends: with arrays or an error of the file, never otherwise.
local function load_safely(path)
  local ok, e = pcall(np.load, path)
  if not ok and not tostring(e):find("np.load", 1, true) then error(e, 0) end
  return ok
end

test("an archive cut off anywhere is an error", function()
  with_path(".npz", function(path)
    np.savez_compressed(path, {x = np.arange(40), y = np.ones({3, 3})})
    local whole = read(path)
    for n = 0, #whole - 1, 3 do
      write(path, whole:sub(1, n))
      equal(load_safely(path), false)
    end
  end)
end)

test("an archive with any byte changed loads or is an error", function()
  with_path(".npz", function(path)
    for _, save in ipairs{"savez", "savez_compressed"} do
      np[save](path, {x = np.arange(20), y = np.ones({3, 3}, "f32")})
      local whole = read(path)
      for i = 1, #whole, 2 do
        for _, with in ipairs{0, 255, whole:byte(i) ~ 16} do
          write(path, whole:sub(1, i - 1) .. string.char(with) ..
                      whole:sub(i + 1))
          load_safely(path)
        end
      end
    end
  end)
end)

-- An archive with one stored entry whose directory names these sizes.
local function archive(data, packed, size, crc, method)
  local name = "x.npy"
  local common = string.pack("<I2I2I2I4I4I4I4I2I2", 20, 0, method or 0, 0, crc,
                             packed, size, #name, 0)
  local entry = "PK\3\4" .. common .. name .. data
  local directory = "PK\1\2" .. string.pack("<I2", 20) .. common ..
    string.pack("<I2I2I2I4I4", 0, 0, 0, 0, 0) .. name
  return entry .. directory .. "PK\5\6" .. string.pack("<I2I2I2I2I4I4I2", 0, 0,
    1, 1, #directory, #entry, 0)
end

test("sizes and checksums that lie are named", function()
  local wrong = {
    {archive("abc", 4000000000, 4000000000, 0), "damaged or cut off"},
    {archive("abc", 3, 4000000000, 0), "sizes that cannot be"},
    {archive("abc", 3, 4000000000, 0, 8), "sizes that cannot be"},
    {archive("abc", 3, 3, 0), "not a .npy file"},
    {archive("abc", 3, 3, 0, 12), "another way than deflate"},
    {archive("\xff\xff\xff", 3, 3, 0, 8), "not a .npy file"},
  }
  local header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }\n"
  local function npy(n, data)
    local text = header:format(n)
    return "\x93NUMPY\1\0" .. string.pack("<I2", #text) .. text .. data
  end
  local one = npy("1", string.pack("<d", 1))
  table.insert(wrong, {archive(one, #one, #one, 12345), "a checksum differs"})
  local short = npy("9000000000", string.pack("<d", 1))
  table.insert(wrong, {archive(short, #short, #short, 0),
                       "shorter than its header says"})
  for _, w in ipairs(wrong) do
    with_path(".npz", function(path)
      write(path, w[1])
      raises("argument", w[2], function() np.load(path) end)
    end)
  end
end)

-- ---- Text and bare elements ----

test("a damaged header is no other array's", function()
  local function npy(text, minor)
    return "\x93NUMPY\1" .. string.char(minor or 0) ..
           string.pack("<I2", #text) .. text .. string.pack("<dddd", 1, 2, 3, 4)
  end
  local good = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }   \n"
  for _, w in ipairs{
    {npy((good:gsub("True", "Tr7e"))), "neither True nor False"},
    {npy((good:gsub("True", "Truer"))), "neither True nor False"},
    {npy((good:gsub("   \n", " x \n"))), "its header is damaged"},
    {npy((good:gsub("   \n", " \0 \n"))), "its header is damaged"},
    {npy((good:gsub("}", " "))), "its header is damaged"},
    {npy(good, 7), "its format version is not 1.0"},
  } do
    with_path(".npy", function(path)
      write(path, w[1])
      raises("argument", w[2], function() np.load(path) end)
    end)
  end
  with_path(".npy", function(path)
    write(path, npy(good))
    equal(np.load(path):tolist(), {{1, 3}, {2, 4}})
  end)
end)

test("text: what savetxt writes, loadtxt reads", function()
  with_path(".txt", function(path)
    local x = np.array{{1, -2.5}, {1e-300, 1 / 3}, {np.inf, -0.0}}
    np.savetxt(path, x, {header = "two\nlines", footer = "end"})
    equal(read(path):sub(1, 52),
          "# two\n# lines\n1.000000000000000000e+00 -2.5000000000")
    equal(np.loadtxt(path):tolist(), x:tolist())
    np.savetxt(path, {1, 2, 3}, "%d")
    equal(read(path), "1\n2\n3\n")
    equal(np.loadtxt(path, "i32").dtype, "i32")
  end)
end)

test("text: columns, comments, missing numbers", function()
  local lines = {"# a, b", "1, 2, nan", "", "4, -inf, +6e2 # end"}
  local a = np.loadtxt(lines, {delimiter = ","})
  equal(a.shape, {2, 3})
  equal(a["1, 1"], -1 / 0)
  equal(a["1, 2"], 600.0)
  equal(np.loadtxt(lines, {delimiter = ",", usecols = {2, 0}}).shape, {2, 2})
  equal(np.loadtxt(lines, {delimiter = ",", unpack = true}).shape, {3, 2})
  equal(np.loadtxt({"1 2"}).shape, {2})
  equal(np.loadtxt({"1 2"}, {ndmin = 2}).shape, {1, 2})
  equal(np.loadtxt({"1", "2", "3"}, {skiprows = 1, max_rows = 1}):tolist(), 2.0)
  equal(np.genfromtxt({"a,b", "1,", "x,4"}, {delimiter = ",", skip_header = 1,
        filling_values = -1}):tolist(), {{1, -1}, {-1, 4}})
  raises("argument", "line 2, column 1: \"x\" is no number",
         function() np.loadtxt{"1 2", "3 x"} end)
  raises("argument", "line 2, column 0: \"0x10\" is no number",
         function() np.loadtxt{"1", "0x10"} end)
  raises("argument", "line 2 has 1 columns and the first has 2",
         function() np.loadtxt{"1 2", "3"} end)
end)

test("bare elements", function()
  with_path(".bin", function(path)
    local x = np.arange(6, "i16"):reshape(2, 3)
    x.T:tofile(path)
    equal(np.fromfile(path, "i16"):tolist(), {0, 3, 1, 4, 2, 5})
    equal(np.fromfile(path, "i16", {count = 2, offset = 2}):tolist(), {3, 1})
    equal(np.fromfile(path, "i64"):tolist()[1], 0x0004000100030000)
    raises("argument", "offset of 99",
           function() np.fromfile(path, "i16", -1, "", 99) end)
    np.tofile({1, 2.5}, path, ", ")
    equal(read(path), "1, 2.5")
    equal(np.fromfile(path, {sep = ","}):tolist(), {1, 2.5})
  end)
end)

test("asnumpy brings every array to the host", function()
  local x = np.arange(3)
  equal(rawequal(np.asnumpy(x), x), true)
  local d = cuda.to_device(x)
  equal(np.asnumpy(d).device, "host")
  equal(np.asnumpy(jnp.array(x)):tolist(), {0, 1, 2})
  with_path(".npz", function(path)
    np.savez(path, {x = jnp.array(x)})
    equal(np.load(path).x:tolist(), {0, 1, 2})
  end)
end)

tap.done()
