-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for Lua's own names. The whole language is in its manual,
-- www.lua.org/manual/5.4.
local help = {
print = [[
print(a, b, ...): the values in one line. At the prompt a value alone prints
itself.]],
type = [[
type(x): "number", "string", "table", "function", "boolean", "nil", and
"userdata" for an array, whose own type is x.dtype.
Example: type(3) --> number]],
tostring = [[
tostring(x): x as a text.
Example: tostring(3) .. "!" --> 3!]],
tonumber = [[
tonumber(text): the number that a text holds, or nil.
Example: tonumber("42") + 1 --> 43]],
pairs = [[
for key, value in pairs(t) do ... end: all of a table, in no order.]],
ipairs = [[
for i, value in ipairs(t) do ... end: t[1], t[2] and so on, up to the first nil.
An array is walked by its index, from 0: for i = 0, #x - 1 do ... end]],
select = [[
select(n, ...): the values from the n-th on; select("#", ...): how many.
Example: select(2, "a", "b") --> b]],
pcall = [[
pcall(f, ...): calls f; true and its results, or false and the error.
Example: (pcall(error, "no")) --> false]],
error = [[
error(text): raises an error; pcall catches it.
Example: select(2, pcall(error, "no")) --> no]],
assert = [[
assert(value, text): an error with that text where value is false or nil. In a
kernel: assert(condition) stops the launch (#include <assert.h>).
Example: assert(3 > 2) --> true]],
require = [[
require(name): runs a Lua file once and gives what it returns.]],
load = [[
load(text): the text of a program as a function, or nil and what is wrong.
Example: load("return 6 * 7")() --> 42]],
next = [[
next(t): some key of a table and its value; nil where it is empty. (The next
page of a lesson is :next.)
Example: next({}) --> nil]],
["local"] = [[
local x = 3: a variable that ends with its block, at the prompt with its line.
Without local it stays.]],
["function"] = [[
function f(x) return x * 2 end, or f = function(x) return x * 2 end.]],
["end"] = [[
Ends a block that function, then, do or else began.]],
["nil"] = [[
No value: what a variable holds that was never set.]],
["#"] = [[
#t: how many elements a table has, and an array's first axis.
Example: #{1, 2, 3} --> 3]],
[".."] = [[
Joins texts and numbers.
Example: "n = " .. 3 --> n = 3]],
["~="] = [[
Not equal.
Example: 1 ~= 2 --> true]],
string = [[
Texts: s:upper(), s:sub(1, 3), s:find("b"), s:gsub("a", "b"), s:rep(3),
("%.2f"):format(x), #s.
Example: ("%.2f"):format(0.5) --> 0.50]],
["string.format"] = [[
("%d of %.2f"):format(i, x): a text as C's printf makes it; %s takes anything.
Example: ("%d of %s"):format(1, "two") --> 1 of two]],
table = [[
Tables: t = {1, 2, 3} counts from 1, t = {name = value} has names. t[#t + 1] = v
adds one, table.insert, table.remove, table.sort, table.concat(t, ", ").
Example: table.concat({1, 2}, ", ") --> 1, 2]],
math = [[
Numbers: math.sqrt, math.floor, math.abs, math.max, math.pi, math.random ... Of
arrays: np.sqrt and its like.
Example: math.floor(2.5) --> 2]],
os = [[
os.time(), os.clock(), os.getenv(name), os.remove(path), os.tmpname(). A line
for the shell begins with !]],
io = [[
io.write(text), io.read(), io.open(path), io.lines(path).]],
}
local twins = "sqrt exp log sin cos tan abs floor ceil max min fmod modf"
for name in twins:gmatch("%a+") do
  help["math." .. name] =
    ("math.%s is Lua's, of numbers: np.%s takes arrays."):format(name, name)
end
help["math.pi"] = "math.pi is 3.14159..., as np.pi."
help["math.huge"] = "math.huge is infinity, as np.inf."
help["math.random"] = [[
math.random(): a number from 0 to 1; math.random(6): a whole one from 1 to 6.
Arrays of them: np.random.]]
help["math.tointeger"] = [[
math.tointeger(x): x as a whole number, or nil where it is none; x // 1 rounds
down.
Example: math.tointeger(3.0) --> 3]]
help["math.type"] = [[
math.type(x): "integer" or "float"; nil where x is no number.
Example: math.type(3.0) --> float]]
help["math.asin"] = "math.asin(x): the angle of a sine; np.arcsin of arrays."
help["math.acos"] = "math.acos(x): that of a cosine; np.arccos of arrays."
help["math.atan"] = [[
math.atan(y, x): the angle of the point x, y; math.atan(y): that of a tangent.
np.arctan2 and np.arctan of arrays.
Example: math.atan(1, -1) * 4 / math.pi --> 3.0]]
help["math.deg"] = [[
math.deg(x): radians in degrees; np.degrees of arrays.
Example: math.deg(math.pi) --> 180.0]]
help["math.rad"] = [[
math.rad(x): degrees in radians; np.radians of arrays.
Example: math.rad(180) == math.pi --> true]]
help["math.ult"] = [[
math.ult(a, b): a < b, where both are whole numbers without a sign.
Example: math.ult(1, -1) --> true]]
help["math.randomseed"] = [[
math.randomseed(n): math.random draws the same from here on, with the same n.]]
help["math.maxinteger"] = "math.maxinteger: the largest whole number, 2^63 - 1."
help["math.mininteger"] = "math.mininteger: the smallest one, -2^63."
return help
