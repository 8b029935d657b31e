-- SPDX-License-Identifier: Apache-2.0
-- scale: arrays in chunks, graphs, functions that travel, futures, memory,
-- workers that die, its own errors, help, and the examples of docs/scale.md.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local r = np.random.default_rng(5)

local function same(got, want)
  equal({got.dtype, got.shape}, {want.dtype, want.shape})
  equal(np.array_equal(got, want), true)
end

-- ---- Arrays ----

test("chunks as they are asked for", function()
  local x = np.zeros({5, 7})
  local function cut(chunks) return scale.array(x, {chunks = chunks}).chunks end
  equal(cut(3), {{3, 2}, {3, 3, 1}})
  equal(cut{-1, 4}, {{5}, {4, 3}})
  equal(cut{{1, 4}, {7}}, {{1, 4}, {7}})
  equal(cut(), {{5}, {7}})
  equal(scale.array(x, {chunks = 2}):rechunk{5, 1}.numblocks, {1, 7})
end)

test("an array is a copy of what it was made of", function()
  local x = np.ones(4)
  local y = scale.array(x, {chunks = 2})
  x[0] = 9
  equal(y:compute():tolist(), {1, 1, 1, 1})
end)

test("np's functions and operators take arrays in chunks", function()
  local x = np.arange(6, "f32"):reshape{2, 3}
  local y = scale.array(x, {chunks = {1, 2}})
  same(np.exp(y):compute(), np.exp(x))
  same((x + y):compute(), x + x)
  same((jnp.asarray(x) + y):compute(), x + x)
  same((cuda.to_device(x) + y):compute(), x + x)
  same((1 - y):compute(), 1 - x)
  same(np.where(y:gt(2), y, -y):compute(), np.where(x:gt(2), x, -x))
  same(np.matmul(y, x.T):compute(), np.matmul(x, x.T))
  same(scale.matmul(np.ones{0, 3}, np.ones{3, 2}):compute(), np.zeros{0, 2})
  same(np.sum(y, 1):compute(), np.sum(x, 1))
  same(scale.clip(y, 1, 3):compute(), np.clip(x, 1, 3))
  equal(np.max(y):compute(), 5.0)
end)

test("types and shapes are there before anything is computed", function()
  local y = scale.array(np.arange(6, "i32"):reshape{2, 3}, {chunks = 2})
  equal({(y / 2).dtype, (y + 1).dtype, y:gt(1).dtype, y:mean().dtype},
        {"f64", "i32", "bool", "f64"})
  equal({y.T.shape, y:sum(0).shape, y[0].shape, (y + np.ones(3)).shape},
        {{3, 2}, {3}, {3}, {2, 3}})
  equal({#y, y.size, y.nbytes, y.ndim}, {2, 6, 24, 2})
end)

test("spreads of large numbers", function()
  local x = r:random{40, 6} + 1e6
  local y = scale.array(x, {chunks = 7})
  equal(np.allclose(y:std(0):compute(), x:std(0)), true)
  equal(np.allclose(y:var():compute(), x:var()), true)
end)

test("a sum is the same bits wherever it runs", function()
  local y = scale.array(r:random{300} * 1e3, {chunks = 7}):sum()
  local here = y:compute()
  local c = scale.Client{n_workers = 3}
  equal(y:compute(), here)
  c:close()
end)

-- ---- Files ----

local path = os.tmpname() .. ".npy"

test("a file is read by pieces, in either order and either order of bytes",
  function()
    local x = np.arange(24, "i32"):reshape{2, 3, 4}
    np.save(path, x)
    same(scale.from_npy(path, {chunks = 2}):compute(), x)
    same(scale.from_npy(path)["1, ::2, -1"]:compute(), x["1, ::2, -1"])
    for _, case in ipairs{{">i4", "False"}, {"<i4", "True"}} do
      local text =
        ("{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3, 4), }")
        :format(case[1], case[2])
      local file = io.open(path, "wb")
      file:write("\x93NUMPY\1\0", string.pack("<I2", #text + 1), text, "\n")
      for i = 0, 23 do
        local v = case[2] == "True" and i // 1 or i
        file:write(string.pack((case[1]:sub(1, 1)) .. "i4", v))
      end
      file:close()
      same(scale.from_npy(path, {chunks = {1, 2, 3}}):compute(), np.load(path))
    end
  end)

test("files that are none", function()
  local function write(text)
    local file = io.open(path, "wb")
    file:write(text)
    file:close()
  end
  write("no array")
  raises("argument", "it is not a .npy file", function()
    scale.from_npy(path)
  end)
  local text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"
  write("\x93NUMPY\1\0" .. string.pack("<I2", #text) .. text .. "12345")
  raises("argument", "shorter than its header says",
    function() scale.from_npy(path) end)
  text = text:gsub("False", "Maybe")
  write("\x93NUMPY\1\0" .. string.pack("<I2", #text) .. text .. "12345")
  raises("argument", "from_npy: " .. path .. ": its header is damaged",
    function() scale.from_npy(path) end)
  raises("io", "No such file", function() scale.from_npy(path .. "x") end)
end)

-- ---- Memory ----

test("memory is bounded, and the files go away", function()
  local before, x = scale.memory, r:random{128, 128}
  local chunk = 32 * 32 * 8
  scale.memory = 5 * chunk
  local a = scale.array(x, {chunks = 32}) * 1.5
  local w = x * 1.5
  -- Of two workers one may need what another's chunk has no room beside.
  for _, options in ipairs{{}, {n_workers = 2}} do
    local c = scale.Client(options)
    local off = (a + a.T - a:mean(0)):compute() - (w + w.T - w:mean(0))
    equal(np.max(np.abs(off)) < 1e-12, true)
    local counts = c:counts()
    local most = scale.memory + (options.n_workers and 2 * chunk or 0)
    equal({counts.most_held <= most, counts.spilled > 0, counts.held},
          {true, true, 0})
    c:close()
  end
  scale.memory = before
end)

test("chunks of a file are read again rather than written", function()
  local before, x = scale.memory, r:random{64, 64}
  np.save(path, x)
  scale.memory = 5 * 16 * 16 * 8
  local c = scale.Client()
  local y = scale.from_npy(path, {chunks = 16})
  local off = (y + y.T - y:mean(0)):compute() - (x + x.T - x:mean(0))
  equal(np.max(np.abs(off)) < 1e-12, true)
  equal(c:counts().dropped > 0, true)
  scale.memory = before
  c:close()
end)

test("what is kept goes when it is forgotten", function()
  local c = scale.Client()
  local y = (scale.array(np.ones(100), {chunks = 10}) * 2):persist()
  equal(c:counts().held, 800)
  equal((y + 1):sum():compute(), 300.0)
  equal(c:counts().held, 800)
  y = nil -- luacheck: ignore
  collectgarbage()
  collectgarbage()
  equal(c:counts().held, 0)
end)

-- ---- Graphs ----

test("a graph names tasks and places", function()
  local c = scale.Client{n_workers = 2}
  local x = scale.array(np.ones(4), {chunks = 2})
  local g = (x + 1):sum():graph()
  local list = g:tasks()
  equal({list[1].label, list[1].place, list[#list].label},
        {"array", "worker 0", "squeeze"})
  equal(list[2].from, {1})
  equal(tostring(g):find("[array x 2]  ", 1, true) ~= nil, true)
  equal(tostring(g):find("worker 0: 1  worker 1: 1", 1, true) ~= nil, true)
  x:persist()
  equal(tostring(x:graph()), "scale.graph: all of it is there, nothing runs")
  equal((x * 2):graph():tasks()[1].is_there, true)
  c:close()
end)

-- ---- Functions that travel ----

count_of_test = 5 -- a global of the learner's

test("a function takes the variables around it along", function()
  local k, list, a = 3, {{1, 2}, name = "n"}, np.array{1, 2}
  local function f(x)
    return x * k + list[1][2] + a[1] + count_of_test + #list.name
  end
  for _, options in ipairs{{}, {n_workers = 1}} do
    local c = scale.Client(options)
    local future = scale.submit(f, 10)
    equal(future:result(), 40)
    c:close()
  end
end)

test("what it does to them is its own", function()
  local t = {0}
  local function f() t[1] = t[1] + 1 return t[1] end
  equal(scale.submit(f):result(), 1)
  equal(t[1], 0)
end)

test("functions in it, and in those, find globals too", function()
  local function f(n)
    local function g(m) return (function() return m + count_of_test end)() end
    return g(n)
  end
  local c = scale.Client{n_workers = 1}
  equal(scale.submit(f, 1):result(), 6)
  equal(scale.gather(scale.map(np.sqrt, {4, 9})), {2, 3})
  c:close()
end)

for _, case in ipairs{
  {'the upvalue "g" is a function',
    function() local g = function() end return function() return g() end end},
  {'the upvalue "t".inner[2] is a function',
    function()
      local t = {inner = {1, print}}
      return function() return t end
    end},
  {'the upvalue "c" is a scale.Client',
    function() local c = scale.Client() return function() return c end end},
  {'the upvalue "e" is a table with a metatable',
    function()
      local e = setmetatable({}, {})
      return function() return e end
    end},
  {'the upvalue "co" is a thread',
    function()
      local co = coroutine.create(print)
      return function() return co end
    end},
  {'the global "function_of_test" is a function',
    function()
      rawset(_G, "function_of_test", function() end)
      return function() return function_of_test() end
    end},
  {"this function is written in C", function() return io.write end},
} do
  test("it does not travel: " .. case[1], function()
    raises("argument", case[1], function() scale.submit(case[2]()) end)
  end)
end

-- ---- Futures ----

test("futures feed futures, and fail alone", function()
  for _, options in ipairs{{}, {n_workers = 2}} do
    local c = scale.Client(options)
    local bad = scale.submit(function() error("no luck") end)
    local a = scale.submit(function(x) return x + 1 end, 1)
    local b = scale.submit(function(x, t) return x * t[1] end, a, {10})
    equal(b:result(), 20)
    equal(a:result(), 2)
    raises("lua", "no luck", function() bad:result() end)
    equal({bad:done(), tostring(bad), tostring(a)},
          {true, "scale.Future: failed", "scale.Future: done"})
    raises("lua", "no luck", function() scale.gather{a, bad} end)
    equal(b:result(), 20)
    c:close()
  end
end)

test("a task that fails ends the call, and the next is as before", function()
  local x = scale.array(np.ones(8), {chunks = 2})
  for _, options in ipairs{{}, {n_workers = 2}} do
    local c = scale.Client(options)
    raises("argument", "do not broadcast", function()
      x:map_blocks(function(v) return v + np.ones(3) end):compute()
    end)
    equal(x:sum():compute(), 8.0)
    equal(c:counts().held, 0)
    c:close()
  end
end)

test("results are what was made: arrays, tables, nothing", function()
  local c = scale.Client{n_workers = 1}
  local t = scale.submit(function()
    local shared = {1}
    return {a = shared, b = shared, x = np.ones({2, 200, 200}), s = "text"}
  end):result()
  equal({t.a == t.b, t.x.shape, t.s}, {true, {2, 200, 200}, "text"})
  equal(scale.submit(function() end):result(), nil)
  raises("argument", "cannot be brought back",
    function() scale.submit(function() return print end):result() end)
  c:close()
end)

-- ---- Workers that die ----

-- A function of a chunk whose `at`-th call, counted over all workers, kills its
-- own process.
local function killer(marks, at)
  return function(x)
    local file = io.open(marks, "a")
    file:write("x")
    local number = file:seek() -- behind this call's own mark
    file:close()
    if number == at then os.execute("kill -9 $PPID") end
    return x * 2 + 1
  end
end

test("one of four workers is killed at each of 24 moments", function()
  local x = r:random{24, 24}
  local want = (x * 2 + 1) + (x * 2 + 1).T
  for at = 1, 24 do
    local marks = os.tmpname()
    local c = scale.Client{n_workers = 4}
    local y = scale.array(x, {chunks = {6, 4}}):map_blocks(killer(marks, at))
    same((y + y.T):compute(), want)
    equal({at, c:counts().deaths, c:counts().again >= 1}, {at, 1, true})
    c:close()
    os.remove(marks)
  end
end)

test("what a killed worker had is made again", function()
  local x = r:random{8, 8}
  local c = scale.Client{n_workers = 4}
  local y = (scale.array(x, {chunks = 2}) * 3):persist()
  for i = 1, 4 do
    local pid = c:workers()[i].pid
    os.execute("kill -9 " .. pid)
    same((y + y.T):compute(), x * 3 + (x * 3).T)
    equal(c:workers()[i].pid ~= pid, true)
  end
  equal(c:counts().deaths, 4)
  c:close()
end)

test("what runs again is counted, and what nobody needs is not", function()
  local c = scale.Client{n_workers = 2}
  local x = scale.array(r:random{8, 2}, {chunks = {2, 2}}):persist()
  local unneeded = scale.array(r:random{2, 2}, {chunks = {2, 2}}):persist()
  os.execute("kill -9 " .. c:workers()[1].pid)
  os.execute("kill -9 " .. c:workers()[2].pid)
  local before = c:counts().again
  x:sum():compute()
  -- All chunks of x, not y's, and what both workers had in hand.
  equal({c:counts().deaths, c:counts().again - before}, {2, 4 + 2})
  equal(unneeded.shape, {2, 2}) -- it was there until now
  c:close()
end)

test("a task that kills each worker is an error", function()
  local c = scale.Client{n_workers = 2}
  raises("out-of-memory", "its worker was killed, 3 times", function()
    scale.submit(function() os.execute("kill -9 $PPID") end):result()
  end)
  equal(scale.submit(function() return 1 end):result(), 1)
  c:close()
end)

-- ---- Mistakes ----

local x = scale.array(np.ones({3, 4}), {chunks = 2})

for _, case in ipairs{
  {"array: chunks has 1 numbers and the array 2 axes",
    function() scale.array(np.ones({2, 2}), {chunks = {1}}) end},
  {"the chunks of axis 0 hold 3 elements together, and the axis has 2",
    function() scale.array(np.ones({2, 2}), {chunks = {{1, 2}, 1}}) end},
  {"array: chunks of axis 1 are 0",
    function() scale.array(np.ones({2, 2}), {chunks = {1, 0}}) end},
  {"add: operands could not be broadcast together with shapes (3, 4) (3)",
    function() return x + scale.array{1, 2, 3} end},
  {"matmul: inner sizes differ (3, 4), (3, 4)",
    function() scale.matmul(x, x) end},
  {"sum: there is no axis 2 of an array with 2", function() x:sum(2) end},
  {"index 3 is out of bounds for axis 0 with size 3",
    function() return x[3] end},
  {"too many indices: the array has 2 axes",
    function() return x["0, 0, 0"] end},
  {"an index of a chunked array is", function() return x[{0, 1}] end},
  {"an array in chunks never changes", function() x[0] = 1 end},
  {'an array in chunks has no "summ"; did you mean "sum"?',
    function() return x.summ end},
  {"sum is written with a colon", function() x.sum(0) end},
  {"Lua's < and > cannot compare", function() return x < x end},
  {"np.sort does not take arrays in chunks", function() np.sort(x) end},
  {"map_blocks: the function gives one of shape (1) for a chunk",
    function() x:map_blocks(function() return np.ones(1) end):compute() end},
  {"map: the lists have 1 and 2 items",
    function() scale.map(function() end, {1}, {1, 2}) end},
  {"submit takes a function, not a number", function() scale.submit(3) end},
  {"submit: argument 1 is a function",
    function() scale.submit(function() end, print) end},
  {"Client: n_workers is a number of processes, 1 to 64, not 0",
    function() scale.Client{n_workers = 0} end},
  {'Client: there is no option "workers"',
    function() scale.Client{workers = 4} end},
  {"scale has no from_nyp; did you mean scale.from_npy?",
    function() return scale.from_nyp end},
  {"gather: entry 1 is a number", function() scale.gather{3} end},
} do
  test("mistake: " .. case[1], function()
    raises("argument", case[1], case[2])
  end)
end

test("mistake: a memory that is none", function()
  local before = scale.memory
  scale.memory = "2 GB"
  raises("argument", "scale.memory is how many bytes",
    function() x:compute() end)
  scale.memory = before
end)

-- ---- Help and the manual ----

test("every name has a text, whose examples hold", function()
  local help, count = dofile("lua/help/scale.lua"), 0
  for name in pairs(scale) do
    if not help["scale." .. name] then
      error("there is no text for " .. name)
    end
  end
  local df = scale.frame.from_frame(frame.DataFrame{x = {1}})
  for class, value in pairs{DataFrame = df, Series = df.x,
    GroupBy = df:groupby("x"), ChunkedArray = x, Client = scale.get_client(),
    Future = scale.submit(function() end)} do
    for name in pairs(getmetatable(value).__complete(value, true)) do
      if not help["scale." .. class .. "." .. name] then
        error(("there is no text for %s.%s"):format(class, name))
      end
    end
  end
  for name, said in pairs(help) do
    for code, want in said:gmatch("Example: ([^\n]*) %-%-> ([^\n]*)") do
      count = count + 1
      local got = assert(load("return " .. code, "=" .. name))()
      equal(type(got) == "string" and ('"%s"'):format(got) or tostring(got),
        want, code)
    end
  end
  equal(count > 10, true)
end)

-- Each line behind "> " is run; what stands below is what it gives.
test("the examples of docs/scale.md", function()
  local env, count = setmetatable({}, {__index = _G}), 0
  local before = scale.memory
  local function run(code, want)
    local f = load("return " .. code, "=docs/scale.md", "t", env)
      or assert(load(code, "=docs/scale.md", "t", env))
    local got = f()
    if #want > 0 then
      count = count + 1
      equal(tostring(got), table.concat(want, "\n"), code)
    end
  end
  for block in io.open("docs/scale.md"):read("a"):gmatch("```lua\n(.-)```") do
    local code, want = nil, {}
    for line in (block .. "> \n"):gmatch("([^\n]*)\n") do
      if line:sub(1, 2) == "> " then
        if code then run(code, want) end
        code, want = line:sub(3), {}
      else
        want[#want + 1] = line
      end
    end
  end
  os.remove("/tmp/warpshop-scale-doc.npy")
  scale.memory = before
  equal(count > 12, true)
end)

os.remove(path)
tap.done()
