-- SPDX-License-Identifier: Apache-2.0
-- What people type who know NumPy, and get wrong: errors name the function, the
-- argument and the way out.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local x = np.arange(10)

test("names of types", function()
  local function type_of(name)
    return function() np.zeros(3, name) end
  end
  raises("argument", 'did you mean "float32"?', type_of("flot32"))
  raises("argument", 'did you mean "f64"?', type_of("float"))
  raises("argument", 'did you mean "i64"?', type_of("int"))
  raises("argument", 'did you mean "f32"?', type_of("f4"))
  raises("argument", 'did you mean "f32"?', type_of("<f4"))
  raises("argument", "real and imaginary part", type_of("complex64"))
  raises("argument", "digits count bits", type_of("string"))
  raises("argument", 'did you mean "f32"?', function() jnp.zeros(3, "f4") end)
end)

test("names of fields and methods", function()
  raises("argument", 'no field or method "shpe"; did you mean shape?',
         function() return x.shpe end)
  raises("argument", 'no field or method "summ"; did you mean sum?',
         function() return x:summ() end)
  local e = raises("argument", 'no field or method "banana"',
                   function() return x.banana end)
  equal(e.message:find("did you mean"), nil)
  raises("argument", 'AttributeError: an array has no field or method ' ..
         '"sahpe"; did you mean shape?', function()
    return jnp.ones(3).sahpe
  end)
  raises("argument", 'did you mean sum?', function() jnp.ones(3):summ() end)
end)

test("a dot where a colon belongs", function()
  local y, upvalue = np.arange(6), np.arange(6)
  local d, j = cuda.to_device(y), jnp.arange(6)
  local function dotted(name, f)
    return raises("argument", name .. " is a method: call it with a colon, x:"
                  .. name, f)
  end
  dotted("sum", function() return y.sum(0) end) -- np.sum(0) would be 0
  dotted("mean", function() local v = y.mean() return v end)
  dotted("reshape", function() return y.reshape(2, 3) end)
  dotted("sum", function() return upvalue.sum(0) end)
  dotted("astype", function() return (y + 1).astype(y and "f32" or "f64") end)
  dotted("sum", function() local v = {y.sum(y + 1, 0), 3} return v end)
  dotted("max", function() return j.max(0) end)
  dotted("block_until_ready", function() return j.block_until_ready() end)
  dotted("copy_to_host", function() return d.copy_to_host() end)
  dotted("sum", function()
    jax.grad(function(v) return v.sum(0) end)(jnp.ones(3))
  end)
  raises("argument", "sum is a method", function()
    jax.jit(function(v) return v.sum(0) end)(j)
  end)
  -- A method as a value is np's function; given its array it is called.
  local sum = y.sum
  equal(sum(np.ones(3)), 3.0)
  equal(y.sum == np.sum, true)
  equal(y.sum(y), 15)
  equal(y.sum(y, {keepdims = true}).shape, {1})
  equal(jax.jit(function(v) return v.sum(v) end)(j):item(), 15)
  local kept = {sum = y.sum, y:sum()}
  equal(kept.sum(y), 15)
end)

test("a colon where a dot belongs", function()
  raises("argument", "np.sum is called with a dot, np.sum(...)",
         function() return np:sum(x) end)
  raises("argument", "np.zeros is called with a dot",
         function() local v = np:zeros(3) return v end)
  raises("argument", "jnp.sin is called with a dot",
         function() return jnp:sin(x) end)
  raises("argument", "jax.jit is called with a dot",
         function() local f = jax:jit(function(v) return v end) return f end)
  raises("argument", "cuda.to_device is called with a dot",
         function() return cuda:to_device(x) end)
  local e = raises("argument", "an array is needed",
                   function() np.sum("abc") end)
  equal(e.message:find("with a dot"), nil)
end)

test("arguments that are missing or of another kind", function()
  raises("argument", "sum: argument 1 is missing; ?np.sum says more",
         function() np.sum() end)
  raises("argument", "full: argument 2 is missing", function() np.full(3) end)
  raises("argument", "array: argument 1 is missing", function() np.array() end)
  raises("argument", "sum: argument 1 is a string, and an array is needed",
         function() np.sum("abc") end)
  raises("argument", "sum: argument 1 is nil (is its name right?)",
         function() np.sum(nil) end)
  raises("argument", "sin: nil (is its name right?)",
         function() np.sin(nil) end)
  raises("argument", "not nil (is its name right?)",
         function() np.zeros(nil) end)
  raises("argument", "zeros: the shape is a number or a table such as " ..
         "{3, 4}, not nothing", function() np.zeros() end)
  raises("argument", "item 2 of the shape is 1.5, not a whole number",
         function() np.zeros{3, 1.5} end)
  raises("argument", "np.concatenate({x, y}); argument 1 is an array",
         function() np.concatenate(x, x) end)
  raises("argument", "a dtype is a string such as \"f32\" (or np.float32), " ..
         "not a number", function() np.zeros(3, 4) end)
end)

test("axes", function()
  raises("argument", "the axis is a whole number, not nan",
         function() np.sum(x, 0 / 0) end)
  raises("argument", "the axis is a whole number, not 1.5",
         function() np.sum(x, 1.5) end)
  raises("argument", "axis 1 is out of bounds for an array with 1 axis",
         function() np.sum(x, 1) end)
  raises("argument", "axis -3 is out of bounds for an array with 2 axes",
         function() np.sum(x:reshape(2, 5), -3) end)
end)

test("arrays that no machine can hold say how large they are", function()
  raises("out-of-memory", "(1000000000000,) and type f64: no room for an " ..
         "array of 7.3 TB", function() np.zeros(1000000000000) end)
  raises("out-of-memory", "more bytes than a machine can address",
         function() np.zeros{1000000, 1000000, 1000000, 1000000} end)
end)

test("files", function()
  raises("io", "it is a folder, not a file", function() np.load("tests") end)
  raises("argument", "load: the file's name, a text, comes first; this is " ..
         "a number", function() np.load(3) end)
  raises("argument", "save: the file's name, a text, comes first; this is " ..
         "an array", function() np.save(x, "x.npy") end)
  raises("argument", "np.loadtxt reads text",
         function() np.load("README.md") end)
  raises("argument", 'line 2, column 0: "3,4" is no number; ' ..
                     '{delimiter = ","} splits',
         function() np.loadtxt{"1", "3,4"} end)
  raises("argument", 'line 1, column 1: "b" is no number',
         function() np.loadtxt{"1 b"} end)
  -- The header alone says that these are complex.
  local path = os.tmpname()
  local header = "{'descr': '<c16', 'fortran_order': False, " ..
                 "'shape': (1,), }"
  local f = io.open(path, "wb")
  f:write("\x93NUMPY\1\0", string.pack("<s2", header), ("\0"):rep(16))
  f:close()
  raises("argument", "its element type is <c16, none of np's: " ..
         "save z.real and z.imag", function() np.load(path) end)
  os.remove(path)
end)

test("indices in a table", function()
  local m = np.zeros{2, 3}
  equal(m[{":", 1}].shape, {2})
  equal(m[{1, 0}].shape, {2, 3})
  raises("argument", 'is no index text: at "x"',
         function() return m[{":", "x"}] end)
  raises("argument", "dot: sizes differ: axis 1 of (2, 3) and axis 0 of (4,)",
         function() np.dot(m, np.ones(4)) end)
end)

test("a name that is not there", function()
  raises("argument", "np has no summ; did you mean np.sum?",
    function() return np.summ end)
  raises("argument", "np.linalg has no nrm; did you mean np.linalg.norm?",
    function() return np.linalg.nrm end)
  raises("argument", "cuda has no to_devic; did you mean cuda.to_device?",
    function() return cuda.to_devic end)
  raises("argument", "jnp has no sine; did you mean jnp.sin?",
    function() return jnp.sine end)
  raises("argument", "jax.lax has no scam; did you mean jax.lax.scan?",
    function() return jax.lax.scam end)
  raises("argument", "np has no frobnicate (?np lists what it has)",
    function() return np.frobnicate end)
end)

test("names that other libraries have", function()
  raises("argument", "cuda has no jit: a kernel is CUDA C",
         function() cuda.jit(print) end)
  raises("argument", "np.trapezoid(y, x), as in NumPy 2",
         function() np.trapz(x) end)
end)

test("Lua's ways through a table", function()
  for _, a in ipairs{np.arange(3), jnp.arange(3), cuda.to_device(x)} do
    raises("argument", "ipairs does not go through an array",
           function() for _ in ipairs(a) do error("went") end end)
    raises("argument", "pairs does not go through an array",
           function() for _ in pairs(a) do error("went") end end)
    raises("argument", "an array is not a function", function() a(1) end)
    raises("argument", "an array is not a function",
           function() for _ in a do error("went") end end)
  end
  equal({table.unpack(np.arange(3))}, {0, 1, 2})
  local a, b, c = table.unpack(jnp.array{5, 6})
  equal(a:item(), 5)
  equal(b:item(), 6)
  equal(c, nil)
  local one, two = table.unpack(jax.random.split(jax.random.key(0)))
  local keys = jax.random.split(jax.random.key(0))
  equal(tostring(one), tostring(keys[0]))
  equal(tostring(two), tostring(keys[1]))
  equal(jax.jit(function(v)
    local first, second = table.unpack(v)
    return first - second
  end)(jnp.array{5, 3}):item(), 2)
  raises("argument", "200 at most", function()
    table.unpack(np.arange(201))
  end)
  equal({table.unpack({1, 2, 3}, 2)}, {2, 3})
  equal("x = " .. np.arange(2), "x = array([0, 1], i64)")
  raises("argument", "jit takes a function, not an array",
         function() jax.jit(jnp.ones(3)) end)
end)

tap.done()
