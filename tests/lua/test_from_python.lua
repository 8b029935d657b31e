-- SPDX-License-Identifier: Apache-2.0
-- Lines that people bring along, as Lua: what the prompt shows runs, and does
-- the same.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal
local from_python = dofile("lua/from_python.lua")

local function env_of()
  local env = setmetatable({x = np.arange(12, "f32"), n = 3, a = 1, b = 2,
    m = np.ones({3, 4}), t = {1, 2}, s = "abc"}, {__index = _G})
  env.print = function() end
  env.io = {write = function() end, open = io.open}
  env.k = setmetatable({}, {__index = function(_, launch)
    return function(v) return launch, v end
  end})
  return env
end

local function kind_in(env)
  return function(name)
    local v = env[name]
    return type(v) == "string" and "text" or type(v) == "table" and "table" or
      type(v) == "userdata" and "array" or nil
  end
end

-- {as it is typed, as it is in Lua, what holds once that has run}
local lines = {
  -- Python: texts
  {'y = f"x = {n}"', 'y = ("x = %s"):format(n)', 'y == "x = 3"'},
  {"y = f'{n:.2f} of {a}'", "y = ('%.2f of %s'):format(n, a)",
   'y == "3.00 of 1"'},
  {'y = f"{n}%"', 'y = ("%s%%"):format(n)', 'y == "3%"'},
  {'y = "%d of %d" % (a, b)', 'y = ("%d of %d"):format(a, b)', 'y == "1 of 2"'},
  {'y = "{} {:.1f}".format(a, n)', 'y = ("%s %.1f"):format(a, n)',
   'y == "1 3.0"'},
  {'y = "abc".upper()', 'y = ("abc"):upper()', 'y == "ABC"'},
  {'y = "n" + "m"', 'y = "n" .. "m"', 'y == "nm"'},
  {'y = "a" * 3', 'y = ("a"):rep(3)', 'y == "aaa"'},
  {'y = s.upper()', 'y = s:upper()', 'y == "ABC"'},
  {'print("a", end="")', 'io.write("a")'},
  -- tables
  {'d = {"a": 1, 2: 3}', 'd = {a = 1, [2] = 3}', 'd.a == 1 and d[2] == 3'},
  {'d = dict(a=1)', 'd = {a = 1}', 'd.a == 1'},
  {'y = [1, 2, [3]]', 'y = {1, 2, {3}}', 'y[3][1] == 3'},
  {'y = (1, 2)', 'y = {1, 2}', 'y[2] == 2'},
  {'y = [i * 2 for i in t]',
   'y = {}; for _, i in ipairs(t) do y[#y + 1] = i * 2 end',
   'y[2] == 4'},
  {'y = [v for v in x if v > 9]',
   'y = {}; for i = 0, #x - 1 do local v = x[i] ' ..
   'if v > 9 then y[#y + 1] = v end end', '#y == 2'},
  {'for v in t: y = v', 'for _, v in ipairs(t) do y = v end', 'y == 2'},
  {'for v in x: y = v', 'for i = 0, #x - 1 do local v = x[i] y = v end',
   'y == 11'},
  {'for i, v in enumerate(t): y = i', 'for i, v in ipairs(t) do y = i end',
   'y == 2'},
  {'for p, q in zip(t, t): y = q',
   'for i = 1, #t do local p, q = t[i], t[i] y = q end',
   'y == 2'},
  {'for q in t.keys(): y = q', 'for q in pairs(t) do y = q end', 'y == 2'},
  -- statements
  {'for i in range(3): y = i', 'for i = 0, 2 do y = i end', 'y == 2'},
  {'for i in range(1, n): y = i', 'for i = 1, n - 1 do y = i end', 'y == 2'},
  {'for i in range(9, 0, -3): y = i', 'for i = 9, 1, -3 do y = i end',
   'y == 3'},
  {'while a < 3: a += 1', 'while a < 3 do a = a + 1 end', 'a == 3'},
  {'if a != b: y = 1', 'if a ~= b then y = 1 end', 'y == 1'},
  {'if a is not None and not b is None: y = 1',
   'if a ~= nil and not b == nil then y = 1 end'},
  {'if a:', 'if a then ... end'},
  {'def f(p, q=3): return p + q',
   'function f(p, q) q = q or 3 return p + q end',
   'f(1) == 4'},
  {'def f(p: int) -> int:', 'function f(p) ... end'},
  {'f = lambda p, q: p + q', 'f = function(p, q) return p + q end',
   'f(1, 2) == 3'},
  {'f(x) = x ** 2', 'function f(x) return x ^ 2 end', 'f(3) == 9'},
  {'y = a if a > b else b', 'y = a > b and a or b', 'y == 2'},
  {'y = True', 'y = true', 'y == true'},
  {'y = z = 3', 'z = 3; y = z', 'y == 3'},
  {'a += 2', 'a = a + 2', 'a == 3'},
  {'a *= b + 1', 'a = a * (b + 1)', 'a == 3'},
  {'s += "d"', 's = s .. "d"', 's == "abcd"'},
  {'a **= 2', 'a = a ^ 2', 'a == 1'},
  {'a++', 'a = a + 1', 'a == 2'},
  {'++a', 'a = a + 1', 'a == 2'},
  {'del a', 'a = nil', 'a == nil'},
  {'assert a == 1', 'assert(a == 1)'},
  {'print a, b', 'print(a, b)'},
  {'raise ValueError("x")', 'error("x")'},
  {'with open("f") as f:', 'f = io.open("f")'},
  -- arrays
  {'y = x[1:3]', 'y = x["1:3"]', '#y == 2'},
  {'y = m[:, 0]', 'y = m[":, 0"]', '#y == 3'},
  {'y = m[a, 0]', 'y = m[a .. ", 0"]', 'y == 1'},
  {'y = x[n:]', 'y = x[n .. ":"]', '#y == 9'},
  {'y = m[..., 0]', 'y = m["..., 0"]', '#y == 3'},
  {'x[0:2] = 5', 'x["0:2"] = 5', 'x[1] == 5'},
  {'y = np.array([[1, 2], [3, 4]])', 'y = np.array{{1, 2}, {3, 4}}',
   'y[1][0] == 3'},
  {'y = np.zeros((3, 4))', 'y = np.zeros{3, 4}', '#y == 3'},
  {'y = np.ones(3, dtype=np.float32)', 'y = np.ones(3, {dtype = np.float32})',
   'y.dtype == "f32"'},
  {'y = np.ones(3, dtype=float)', 'y = np.ones(3, {dtype = "f64"})',
   'y.dtype == "f64"'},
  {'y = m.sum(axis=0)', 'y = m:sum{axis = 0}', '#y == 4'},
  {'y = np.sum(m, axis=0)', 'y = np.sum(m, {axis = 0})', '#y == 4'},
  {'y = x.reshape((3, 4))', 'y = x:reshape{3, 4}', '#y == 3'},
  {'y = m @ m.T', 'y = np.matmul(m, m.T)', 'y[0][0] == 4'},
  {'y = len(x)', 'y = #x', 'y == 12'},
  {'k[32, 128](x)', 'k[{32, 128}](x)'},
  {'k[(2, 2), (16, 16)](x)', 'k[{{2, 2}, {16, 16}}](x)'},
  -- C and JavaScript
  {'k<<<32, 128>>>(x);', 'k[{32, 128}](x)'},
  {'k<<<dim3(2, 2), dim3(16, 16)>>>(x);', 'k[{{2, 2}, {16, 16}}](x)'},
  {'int y = 3;', 'y = 3', 'y == 3'},
  {'float y = 2.0f;', 'y = 2.0', 'y == 2'},
  {'unsigned int y = 3u;', 'y = 3', 'y == 3'},
  {'int y[2] = {1, 2};', 'y = {1, 2}', 'y[2] == 2'},
  {'for (int i = 0; i < n; i++) { y = i; a = i; }',
   'for i = 0, n - 1 do y = i a = i end',
   'y == 2'},
  {'for (int i = 0; i <= 4; ++i) y = i;', 'for i = 0, 4 do y = i end',
   'y == 4'},
  {'while (a < 3) { a++; }', 'while a < 3 do a = a + 1 end', 'a == 3'},
  {'if (a == 1 && !b) { y = 1; } else { y = 2; }',
   'if a == 1 and not b then y = 1 else y = 2 end', 'y == 2'},
  {'function f(p) { return p; }', 'function f(p) return p end', 'f(2) == 2'},
  {'let y = 3', 'y = 3', 'y == 3'},
  {'std::cout << a << "b" << std::endl;', 'print(a, "b")'},
  {'y = a != b || null', 'y = a ~= b or nil', 'y == true'},
}

for _, case in ipairs(lines) do
  local typed, wanted, holds = table.unpack(case)
  test(typed, function()
    local env = env_of()
    equal(from_python(typed, kind_in(env), true), wanted)
    local filled = wanted:gsub("%.%.%. ", "")
    local run = assert(load(filled, "=line", "t", env) or
      load("return " .. filled, "=line", "t", env))
    if not wanted:find("^error") then run() end
    if holds then
      equal(load("return " .. holds, "=holds", "t", env)(), true)
    end
  end)
end

test("a line of Lua is left alone", function()
  for _, line in ipairs{"x=3", "f( 1 )", "t.x=function(a) return a end", "#x",
      "y = 7//2", "goto done; ::done::", "x = {1,2}", 'print"a"'} do
    equal(from_python(line, function() end), nil)
  end
end)

test("what is no line at all stays unanswered", function()
  for _, line in ipairs{"", " ", "(", "x = ]", "5x", "foo bar", "x = 3 +* 4",
      "'abc", "x = y z", "for i = 1, 3 do", "if x then", "end)", "# note",
      "for", "def", "if", "a @", "lambda", "f'{'", "x[", "print", "elif :",
      "for (;;)", "while ()", "x = [for]", "a ? b : c", "in", "+= 1", ":",
      "."} do
    equal(from_python(line, function() end), nil)
  end
end)

return tap.done()
