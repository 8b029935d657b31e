-- SPDX-License-Identifier: Apache-2.0
-- Mistakes that learners of jax make: each is found, at the learner's line,
-- with the way out.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local v = jnp.array({1.5, 2, 3}, "f32")
local gt, lt = jax.lax.gt, jax.lax.lt

local function line() return debug.getinfo(2, "l").currentline end

-- f must fail with an error of JAX's name whose message has all texts, at the
-- line `at`.
local function mistake(name, at, f, ...)
  local ok, e = pcall(f)
  if ok then error("no error was raised", 2) end
  local e_kind = type(e) == "table" and e.kind or "lua"
  equal(e_kind, "argument", tostring(e))
  for _, text in ipairs{name .. ": ", ...} do
    if not e.message:find(text, 1, true) then
      error(("%q lacks %q"):format(e.message, text), 2)
    end
  end
  equal(e.where:match(":(%d+)$"), tostring(at), "line")
  return e.message
end

local function traced(f, ...)
  local args = table.pack(...)
  return function() return jax.jit(f)(table.unpack(args, 1, args.n)) end
end

test("if on a traced value", function()
  local f = function(x)
    local is_large = gt(jnp.exp(x), 1)
    if is_large then return x end
    return -x
  end
  local text = mistake("TracerBoolConversionError", line() - 3, traced(f, v),
                       "Traced<bool[3]>", "jnp.where(c, a, b)", "jax.lax.cond",
                       "static_argnums")
  equal(text:find("\n", 1, true), nil)
end)

test("while, and, or, not; under vmap and grad too", function()
  local tests = {
    function(x) while lt(x, 9) do x = x * 2 end return x end,
    function(x) return gt(x, 1) and x or -x end,
    function(x) return gt(x, 1) or x end,
    function(x) return not gt(x, 1) end,
  }
  for _, f in ipairs(tests) do
    local own = debug.getinfo(f, "S").linedefined
    mistake("TracerBoolConversionError", own, traced(f, v[0]), "bool[]")
    mistake("TracerBoolConversionError", own, function()
      return jax.vmap(f)(v)
    end)
    mistake("TracerBoolConversionError", own, function()
      return jax.grad(f)(2.0)
    end)
  end
end)

test("a helper of the traced function is watched, too", function()
  local function helper(y) return gt(y, 1) and y or -y end
  local own = debug.getinfo(helper, "S").linedefined
  mistake("TracerBoolConversionError", own, traced(function(x)
    local y = jnp.sin(x)
    local z = helper(y)
    return z
  end, v))
end)

test("what is no mistake: an optional argument, nil, a text, a Lua bool",
     function()
  local calls = 0
  local f = jax.jit(function(x, mask, mode)
    if mask then x = x * mask end
    if mode == nil and not mode and x ~= nil and x ~= "all" then x = x + 1 end
    for i = 1, #x do
      if i == 2 then calls = calls + 1 end
    end
    return x
  end)
  equal(np.asarray(f(v, gt(v, 1.7))):tolist(), {1, 3, 4})
  equal(np.asarray(f(v)):tolist(), {2.5, 3, 4})
  equal(calls, 2)
end)

test("< and == of traced values", function()
  local f = function(x) return x < 2 and x or -x end
  mistake("TracerBoolConversionError", line() - 1, traced(f, v), "x:lt(y)",
          "jnp.where")
  for _, g in ipairs{
    function(x) if x == 1 then return x end return -x end,
    function(x) if x ~= 1.5 then return x end return -x end,
    function(x) if x == x + 1 then return x end return -x end,
    function(x) return gt(x, 1) == true end,
  } do
    mistake("TracerBoolConversionError", debug.getinfo(g, "S").linedefined,
            traced(g, v), "jnp.equal(x, y)", "Lua's objects")
  end
end)

test("a loop to a traced number, and over a traced value", function()
  local f = function(x, n) for _ = 1, n do x = x * 2 end return x end
  mistake("TracerIntegerConversionError", line() - 1, traced(f, v, 3),
          "Traced<i32[]>", "jax.lax.fori_loop", "static_argnums")
  equal(np.asarray(jax.jit(f, {static_argnums = 1})(v, 2)):tolist(), {6, 8, 12})
  f = function(x) for _, row in ipairs(x) do x = x + row end return x end
  mistake("TypeError", line() - 1, traced(f, v), "x[i]", "jax.vmap")
  f = function(x) for _, row in pairs(x) do x = x + row end return x end
  mistake("TypeError", line() - 1, traced(f, v), "x[i]", "jax.vmap")
end)

test("a Lua function on a traced value", function()
  local f = function(x) return math.sin(x) end
  mistake("ConcretizationTypeError", line() - 1, traced(f, v), "sin needs",
          "jnp.sin(x)")
  f = function(x) return tonumber(x) end
  mistake("ConcretizationTypeError", line() - 1, traced(f, v), "tonumber",
          "jax.debug.print")
  f = function(x) return ("%.2f"):format(x) end
  mistake("ConcretizationTypeError", line() - 1, traced(f, v), "%s shows",
          "jax.debug.print")
  f = function(x) return ({1, 2, 3})[x] end
  mistake("TracerIntegerConversionError", line() - 1, traced(f, 1),
          "Lua table", "jax.lax.switch")
end)

test("print of a traced value shows its type", function()
  local text
  jax.jit(function(x)
    text = tostring(x) .. " " .. x
    return x
  end)(v)
  equal(text, "Traced<f32[3]> Traced<f32[3]>")
end)

test("a host function on a traced value", function()
  for _, f in ipairs{
    function(x) local y = np.asarray(x) return y end,
    function(x) local y = np.array(x) return y end,
  } do
    mistake("TracerArrayConversionError", debug.getinfo(f, "S").linedefined,
            traced(f, v), "outside" and "by jnp")
  end
  local f = function(x) local y = x:tolist() return y end
  mistake("ConcretizationTypeError", line() - 1, traced(f, v), "a Lua table",
          "Traced<f32[3]>")
  f = function(x) local y = x:item() return y end
  mistake("ConcretizationTypeError", line() - 1, traced(f, v), "a Lua number")
end)

test("an in-place write", function()
  local f = function(x) x[0] = 1 return x end
  mistake("TypeError", line() - 1, traced(f, v), "immutable",
          "x.at[i]:set(y)")
end)

test("a leaked traced value, and where it leaked", function()
  local leak, kept = nil, {}
  jax.jit(function(x)
    leak = x * 2
    kept.value = x + 1
    return x
  end)(v)
  local here = line() - 4
  mistake("UnexpectedTracerError", line(), function() return leak + 1 end,
          "f32[3]", "the variable `leak`", ":" .. here, "return it")
  mistake("UnexpectedTracerError", line(), function() return -kept.value end,
          "a table, at", ":" .. here + 1)
end)

test("shapes that do not go together", function()
  mistake("TypeError", line() + 1, function()
    return (jnp.add(v, jnp.array({1, 2}, "f32")))
  end, "(3,)", "(2,)")
end)

test("grad of what has none", function()
  mistake("TypeError", line() + 1, function()
    return (jax.grad(function(x) return x * 2 end)(v))
  end, "scalar-output", "f32[3]", "jax.jacrev", "jax.vmap(jax.grad(f))")
  mistake("TypeError", line() + 1, function()
    return (jax.grad(function(n) return n * n end)(3))
  end, "real-valued", "argument n is i32[]", "3.0")
  mistake("TypeError", line() + 1, function()
    return (jax.grad(function(w, i) return w * i end,
                     {argnums = 1})(2.0, jnp.array({1}, "i32")))
  end, "argument i is i32[1]", "argnums")
end)

test("static arguments that are arrays", function()
  local f = jax.jit(function(w, n) return w * n end, {static_argnums = 1})
  mistake("ValueError", line() + 1, function()
    return (f(v, v))
  end, "Non-hashable static arguments", "argument n (static_argnums 1)",
    "an array")
end)

test("vmap: sizes, in_axes, no axis", function()
  local f = function(a, b, c) return a + b + c end
  mistake("ValueError", line() + 1, function()
    return (jax.vmap(f)(v, jnp.array({1, 2}, "f32"), v))
  end, "inconsistent sizes", "argument a: 3 (axis 0 of (3,))",
    "argument b: 2 (axis 0 of (2,))", "argument c: 3")
  mistake("ValueError", line() + 1, function()
    return (jax.vmap(f, {in_axes = {0, 0, 0, 0}})(v, v, v))
  end, "4 entries", "3 arguments")
  mistake("ValueError", line() + 1, function()
    return (jax.vmap(f, {in_axes = false})(v, v, v))
  end, "not false")
  mistake("ValueError", line() + 1, function()
    return (jax.vmap(f, {in_axes = 1})(v, v, v))
  end, "axis 1", "argument a", "1 axis")
end)

test("no result, a result or an argument that is no array", function()
  mistake("TypeError", line() + 1, function()
    return (jax.jit(function(x) local _ = x end)(v))
  end, "returned nothing", "`return` is missing")
  mistake("TypeError", line() + 1, function()
    return (jax.jit(function(x) return x.nothing end)(v))
  end, "returned nil")
  mistake("TypeError", line() + 1, function()
    return (jax.jit(function() return "text" end)(v))
  end, "result is a string")
  mistake("TypeError", line() + 1, function()
    return (jax.jit(function(x, act) return act(x) end)(v, "relu"))
  end, "argument act is a string", "static_argnums")
end)

test("a donated array is used again", function()
  local y = jnp.array({1, 2}, "f32")
  jax.jit(function(x) return x + 1 end, {donate_argnums = 0})(y)
  local ok, e = pcall(function() return y + 1 end)
  if os.getenv("JAX_PLATFORMS") ~= "cpu" then
    equal(ok, false)
    equal(e.message:find("donate", 1, true) ~= nil, true, e.message)
  end
end)

test("Ctrl-C's and others' hooks are left alone", function()
  local count = 0
  debug.sethook(function() count = count + 1 end, "", 1)
  local g = jax.jit(function(x) return x * 2 end)
  g(v)
  local hook = debug.gethook()
  debug.sethook()
  equal(hook ~= nil, true)
  equal(count > 0, true)
  jax.jit(function(x) return x * 3 end)(v)
  equal(debug.gethook(), nil)
end)

test("an error of the learner's own passes through", function()
  local ok, e = pcall(jax.jit(function() error("mine") end), v)
  equal(ok, false)
  equal(e:match("mine"), "mine")
  equal(debug.gethook(), nil)
end)

test("a function whose name has a slip", function()
  local sleu = nil -- nobody
  for _, what in ipairs{"jit", "vmap", "grad", "value_and_grad", "make_jaxpr",
                        "jacfwd", "jacrev", "hessian", "lower"} do
    mistake("TypeError", line() + 1, function()
      jax[what](sleu)(v)
    end, what .. " takes a function, not nil")
  end
  mistake("TypeError", line() + 1, function()
    jax.jit(v)
  end, "jit takes a function, not an array")
  mistake("TypeError", line() + 1, function()
    jax.vjp(3, v)
  end, "vjp takes a function, not the number 3")
end)

test("a size that is traced", function()
  mistake("TypeError", line() + 1, traced(function(n)
    local y = jnp.zeros(n)
    return y
  end, 3), "Traced<i32[]>", "static_argnums")
  mistake("TypeError", line() + 1, traced(function(x)
    local y = jnp.reshape(x, {jnp.sum(x), 1})
    return y
  end, v), "reshape", "concrete", "Traced<f32[]>")
  mistake("IndexError", line() + 1, traced(function(x, n)
    local y = x["0:" .. n]
    return y
  end, v, 2), "0:Traced<i32[]>", "jax.lax.dynamic_slice")
end)

test("axes that vmap cannot map", function()
  mistake("ValueError", line(), function() jax.vmap(jnp.sin)(3.0) end,
          "along axis 0", "0 axes", "false in in_axes")
  mistake("ValueError", line() + 1, function()
    jax.vmap(jnp.sin, {in_axes = 1})(v)
  end, "along axis 1", "1 axis, counted from 0")
  mistake("TypeError", line() + 1, function()
    jax.vmap(jnp.sin, {in_axes = 0.5})(v)
  end, "not the number 0.5")
end)

test("arrays outside of their table, and shapes that nothing holds", function()
  mistake("TypeError", line(), function() jnp.concatenate(v, v) end,
          "jnp.concatenate({x, y})")
  local ok, e = pcall(jnp.zeros, {1 << 20, 1 << 20, 1 << 20, 1 << 20})
  equal(ok, false)
  equal(e.kind, "out-of-memory")
  equal(e.message:find("than a machine can address", 1, true)
        ~= nil, true)
end)

test("keys of what is no number, whole numbers with a point", function()
  mistake("TypeError", line(), function() jax.random.key("a") end,
          "must be an integer; got a string")
  mistake("TypeError", line(), function() jax.random.key(nil) end, "got nil")
  equal(jax.random.normal(jax.random.key(0), {2.0}).shape, {2})
end)

test("a recursion without an end", function()
  local function again(x) return jnp.sin(again(x)) end
  local ok, e = pcall(jax.jit(again), 1.0)
  equal(ok, false)
  equal(tostring(e):find("RecursionError", 1, true) ~= nil, true, tostring(e))
end)

test("if on a flag, and on an array that may be left out", function()
  local choose = function(flag)
    if flag then return jnp.float32(1) end
    return jnp.float32(2)
  end
  mistake("TracerBoolConversionError", line() - 3,
          traced(choose, jnp.array(false)), "bool[]", "static_argnums")
  equal(traced(choose, jnp.array{false, true})():item(), 1) -- it is there
end)

test("what a traced function does besides is told", function()
  local outside
  local f = jax.jit(function(x)
    print(x)
    outside = x.shape
    return outside and x
  end)
  f(v)
  local why = f:why()
  equal(why:find("print ran while it was traced", 1, true) ~= nil, true, why)
  equal(why:find("the variable `outside` was set", 1, true) ~= nil, true, why)
end)

test("names of what is not there", function()
  mistake("AttributeError", line(), function() return v.sahpe end,
          "did you mean shape?")
  equal(tostring(jax.config):find("jax_enable_x64 = false", 1, true) ~= nil,
        true)
  mistake("TypeError", line(), function() jax.why(3) end,
          "a function that jax.jit made, not the number 3")
end)

test("options that are not there, and those that JAX takes by place", function()
  mistake("TypeError", line() + 1, function()
    jax.jit(jnp.sin, {static_argnum = 0})
  end, "jit has no option static_argnum; did you mean static_argnums?")
  mistake("TypeError", line(), function() jax.jit(jnp.sin, {banana = 0}) end,
          "static_argnums, donate_argnums, name")
  mistake("TypeError", line(), function() jax.jit(jnp.sin, "x") end,
          "are a table", "not a string")
  mistake("TypeError", line(), function() jax.vmap(jnp.sin, {in_axis = 0}) end,
          "did you mean in_axes?")
  local add = function(x, y) return x + y end
  local m = jnp.ones{3, 2}
  equal(jax.vmap(add, {0, false})(m, jnp.ones(2)).shape, {3, 2})
  equal(jax.vmap(jnp.sin, 1)(m).shape, {2, 3})
  equal(jax.grad(function(x, y) return x * y end, 1)(2.0, 3.0):item(), 2)
end)

test("arguments that the function has not got", function()
  local one = function(x) return x end
  mistake("ValueError", line(), function() jax.grad(one, 1)(3.0) end,
          "argnums has 1, and the function got 1 argument (they count from 0)")
  mistake("ValueError", line() + 1, function()
    jax.jacrev(one, {argnums = 2})(v) end,
          "argnums has 2, and the function got 1 argument")
  mistake("TypeError", line(), function() jax.jvp(one, 3.0, 1.0) end,
          "jax.jvp(f, {x}, {t}); not the number")
  mistake("TypeError", line(), function() jax.jvp(one, v, v) end,
          "jax.jvp(f, {x}, {t}); not an array")
end)

test("argument numbers of jit", function()
  local two = function(x, n) return x + jnp.ones(n) end
  equal(jax.jit(two, {static_argnums = -1})(1, 2).shape, {2})
  equal(jax.jit(two, {static_argnums = {1}})(1, 2).shape, {2})
  equal(jax.jit(function(...) return (...) end,
                {static_argnums = 1})(jnp.ones({}), "b"):item(), 1)
  mistake("ValueError", line() + 1, function()
    jax.jit(two, {static_argnums = 2})
  end,
          "jitted function has static_argnums = 2, but takes 2 arguments")
  mistake("ValueError", line() + 1, function()
    jax.jit(two, {donate_argnums = 2})
  end,
          "jitted function has donate_argnums = 2, but takes 2 arguments")
  mistake("ValueError", line() + 1, function()
    jax.jit(two, {static_argnums = -3})
  end,
          "static_argnums = -3")
  mistake("TypeError", line() + 1, function()
    jax.jit(two, {static_argnums = "n"})
  end,
          "argument numbers, counted from 0, not a string")
  mistake("ValueError", line() + 1, function()
    jax.jit(function(...) return ... end, {static_argnums = -1})
  end, "counts from the end")
end)

test("tables that contain themselves, shapes beyond all machines", function()
  local own = {}
  own[1] = own
  mistake("ValueError", line() + 1, function()
    jax.jit(function(x) return x end)(own)
  end, "tables are nested deeper than", "does one contain itself?")
  tap.raises("argument", "tables are nested deeper than 16",
         function() jnp.array(own) end)
  tap.raises("out-of-memory", "than a machine can address",
         function() jnp.zeros{1e18} end)
end)

test("results that are no arrays", function()
  mistake("TypeError", line() + 1, function()
    jax.jit(function() return "a" end)() end,
          "the function's result is a string", "gives arrays, numbers")
  mistake("TypeError", line() + 1, function()
    jax.jit(function(x, s) return x, s end)(v, "a") end,
          "argument s is a string", "static_argnums")
end)

test("x.at called, and functions that are none", function()
  mistake("TypeError", line(), function() return v.at(0):set(1) end,
          "x.at takes an index in brackets: x.at[0]:set(value)")
  mistake("TypeError", line(), function() jax.random.normal() end,
          "not nil (is its name right?)")
  mistake("TypeError", line(), function() jax.lax.cond(true, nil, v) end,
          "true_fun must be a function, not nil (is its name right?)")
end)

tap.done()
