-- SPDX-License-Identifier: Apache-2.0
-- What np and jnp both have is written once (lua/array/README.md).
local tap = dofile("tests/lua/tap.lua")
local bodies = dofile("tools/bodies.lua")
local test, equal = tap.test, tap.equal

local function ok(holds, what) equal(holds, true, what) end

test("no function gets a second body", function()
  local two, shared = bodies.all()
  local names = {}
  for i, row in ipairs(two) do names[i] = row[1] end
  ok(#two <= bodies.most, ("%d have two, of at most %d: %s"):format(#two,
    bodies.most, table.concat(names, " ")))
  ok(#two == bodies.most, "and tools/bodies.lua says how many have")
  ok(shared >= 50, "many have one in common")
end)

test("a second body is found, whatever stands around it", function()
  local function own(x) return x end
  local function other(x) return x, 1 end
  local two, shared = bodies.compare({f = own, g = own, h = np.add},
                                     {f = other, g = own, h = other}, "")
  equal(#two, 1)
  equal(two[1][1], "f")
  equal(shared, 1)
  equal(bodies.body(np.add), "C")
  ok(bodies.body(np.moveaxis):find("^lua/array/shape.lua:%d+$") ~= nil)
  equal(bodies.body(np.moveaxis), bodies.body(jax.numpy.moveaxis))
  equal(bodies.body(np.pad), "lua/array/pad.lua")
  np.pad({1}, 1) -- loaded now, where jnp's is not
  equal(bodies.body(np.pad), bodies.body(jax.numpy.pad))
end)

-- How many have two: f of the one library, and g of the other.
local function two_of(f, g) return #bodies.compare({f = f}, {f = g}, "") end

test("nor does a name, or one function made twice, hide it", function()
  local function own(x) return x end
  local function other(x) return x, 1 end
  -- A wrapper with names of its own, as of a file that stands around bodies.
  local around = load([[local whatever, note = ...
    return function(...) return whatever(...), note end]],
    "@lua/array/define.lua")
  equal(two_of(around(own), around(own)), 0)
  equal(two_of(around(own), around(other)), 1)
  equal(two_of(around(around(own)), other), 1)
  equal(two_of(around(around(own)), own), 0)
  -- Which of two it is nobody can tell.
  equal(pcall(two_of, around(own, other), around(own, other)), false)
  -- A body that is made with another one is another.
  local function made(inside) return function(x) return inside(x) end end
  equal(two_of(made(own), made(own)), 0)
  equal(two_of(made(own), made(other)), 1)
  equal(two_of(made(made(own)), made(made(other))), 1)
end)

test("a method that is not the function is one, too", function()
  local methods = debug.getmetatable(np.zeros(1)).methods
  local trace = methods.trace
  equal(trace, np.trace)
  methods.trace = function(x) return x["0, 0"] end
  local two = bodies.all()
  methods.trace = trace
  equal(#two, 1)
  equal(two[1][1], "x:trace")
end)

tap.done()
