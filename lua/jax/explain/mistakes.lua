-- SPDX-License-Identifier: Apache-2.0
-- Mistakes with traced values that Lua itself would pass over, or report in
-- words that do not help: what each means, and the way out. The first half is
-- called while the learner's lines are watched (../bind/l_jax_watch.c).
local use = ...
local core = use("core/core")
local Tracer = core.Tracer
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- While a function is traced ----

local watcher = {}

-- In Lua every value but nil and false is true. To ask whether an optional
-- argument is there is no mistake; that of type bool without axes is one.
function watcher.test(x, is_parameter)
  local is_array = #x.aval.shape > 0
  if x.aval.dtype ~= "bool" or is_parameter and is_array then return end
  fail("TracerBoolConversionError",
       "a condition (if, while, and, or, not) on the traced value %s. While " ..
       "a function is traced its values are not known, so that Lua cannot " ..
       "choose, and takes the value for true. Choose elements with " ..
       "jnp.where(c, a, b); choose a branch with jax.lax.cond(c, f, g, x); " ..
       "repeat with jax.lax.while_loop or fori_loop; or, if an argument " ..
       "that decides is a plain Lua value, name it in static_argnums of " ..
       "jax.jit",
       tostring(x))
end

-- Whether == with a traced value could only be meant element by element.
local function is_value(x, other)
  local t = type(other)
  return t == "number" or t == "boolean" and x.aval.dtype == "bool" or
         core.is_tracer(other) or t == "userdata" and use.is_array(other)
end

function watcher.equal(x, other)
  if not is_value(x, other) then return end
  fail("TracerBoolConversionError",
       "== and ~= on the traced value %s compare Lua's objects, not " ..
       "elements, and would always give the same answer. Write jnp.equal(x, " ..
       "y) or x:eq(y), and jnp.where or jax.lax.cond to choose by it",
       tostring(x))
end

function watcher.loop(x)
  fail("TracerIntegerConversionError",
       "a `for` loop to the traced value %s: how often it runs must be " ..
       "known while the function is traced. Use jax.lax.fori_loop(first, " ..
       "last, f, x), or make the number static: jax.jit(f, {static_argnums " ..
       "= 0})",
       tostring(x))
end

function watcher.iterate(x)
  fail("TypeError",
       "ipairs and pairs do not go through the traced value %s, which " ..
       "counts from 0. For each of its rows: for i = 0, #x - 1 do local row " ..
       "= x[i] ... end; for all at once, jax.vmap(f)(x)", tostring(x))
end

function watcher.convert(x)
  fail("ConcretizationTypeError",
       "tonumber on the traced value %s: its value is not known while the " ..
       "function is traced. Compute with it as an array (jnp), or look at " ..
       "it with jax.debug.print", tostring(x))
end

function watcher.index(x)
  fail("TracerIntegerConversionError",
       "a Lua table is indexed by the traced value %s: tables have no such " ..
       "entry, and give nil. Make the table an array, jnp.stack(t)[i], or " ..
       "choose a branch with jax.lax.switch", tostring(x))
end

-- A place in words: what was typed has no name but its own text.
function M.place(where)
  local line = where:find("^[%[:]") and use.line(where)
  if not line then return where end
  return ("`%s`"):format(#line > 60 and line:sub(1, 57) .. "..." or line)
end

-- Where traced values were put, for the day one is used too late.
local stores = setmetatable({}, {__mode = "k"})

function watcher.store(x, kind, name, where)
  local what = kind == "table" and "a table" or
               name and ("the variable `%s`"):format(name) or
               "a global variable"
  stores[x] = ("%s, at %s"):format(what, M.place(where))
end

-- What the function that is traced now did besides giving a result.
local effects

-- The global that a line sets, where it sets nothing else.
local function global_of(where)
  local found
  for name in (use.line(where) or ""):gmatch("([%a_][%w_]*)%s*=[^=]") do
    if found then return nil end
    found = name
  end
  return found
end

local was_told = {}

-- Once: JAX says nothing, and the learner wonders.
local function tell(what, text, ...)
  if not was_told[what] then
    was_told[what] = true
    use.say(text:format(...))
  end
end

function watcher.write(name, where)
  if not effects then return end
  name = name or global_of(where)
  local what = name and ("the variable `%s`"):format(name) or
               "a global variable"
  table.insert(effects, ("%s: %s was set"):format(M.place(where), what))
  tell("write", "%s is set while a function is traced, which happens once " ..
       "for each kind of arguments; a call that finds its program does not " ..
       "set it again. Give the value back as a result instead", what)
end

function watcher.print(where)
  if not effects then return end
  table.insert(effects, M.place(where) .. ": print ran")
  tell("print", "print runs while a function is traced, which happens once " ..
       "for each kind of arguments, not at each call, and a traced value " ..
       "shows its type alone. jax.debug.print(\"{}\", x) prints the value " ..
       "at each call")
end

--- f() and, as a list of texts, what it did to variables outside.
function M.with_effects(list, f, ...)
  local outer = effects
  effects = list
  return core.finally(function() effects = outer end, f, ...)
end

function core.fail_leaked(x)
  local where = stores[x]
  fail("UnexpectedTracerError",
       "a traced value %s was used after the function that made it had " ..
       "returned%s. It stands for a value of that function's inside and has " ..
       "none of its own: return it as a result of the function instead",
       core.aval_text(x.aval),
       where and "; it was put into " .. where or
       " (it was kept in a variable outside, or in a table)")
end

-- ---- Lua's own complaints ----

-- "bad argument #1 to 'sin' (number expected, got jax.Tracer)"
local function about_argument(message)
  local name, wanted = message:match(
    "bad argument #%d+ to '([%w_.]+)' %((%a+) expected, got jax%.Tracer%)")
  if not name then return nil end
  if name == "format" then
    return "ConcretizationTypeError: a number of the format (%d, %g, ...) " ..
           "is a traced value, which has no value yet. %s shows its type; " ..
           "jax.debug.print(\"{}\", x) prints the value when the program " ..
           "runs"
  end
  local own = name:match("([%w_]+)$")
  local way = rawget(use.jnp, own) and
    ("Use jnp.%s(x), which takes traced values"):format(own) or
    ("Use jnp's functions on it; jax.pure_callback calls a Lua function " ..
     "with the values when the program runs")
  return ("ConcretizationTypeError: %s needs a %s, and got a traced value, " ..
          "which is not known while the function is traced. %s"):format(
    name, wanted, way)
end

-- Each level of a recursion is traced, and no traced value can end it.
local function about_depth(message)
  return message:find("^%[warpshop%].*stack overflow") and
    "RecursionError: a function that is traced calls itself without an end. " ..
    "Its values are not known while it is traced, so that no condition " ..
    "on them can stop it: repeat with jax.lax.while_loop or fori_loop, or " ..
    "count down a Lua number"
end

--- An error on its way through a transformation, in words that help.
function M.explain(e)
  if type(e) ~= "string" then return e end
  local text = about_argument(e) or about_depth(e)
  if not text then return e end
  local _, explained = pcall(core.raise, "argument", text)
  return explained
end

core.handler = M.explain
watcher.explain = M.explain

-- ---- What a traced value does not do ----

local function no_order()
  fail("TracerBoolConversionError",
       "Lua's < and > on a traced value: they must give true or false at " ..
       "once. Write jnp.less(x, y) or x:lt(y) (gt, le, ge) for an array of " ..
       "bool, and jnp.where or jax.lax.cond to choose by it")
end
Tracer.__lt, Tracer.__le = no_order, no_order

function Tracer.__concat(x, y)
  local function text(v) return core.is_tracer(v) and tostring(v) or v end
  return text(x) .. text(y)
end

function Tracer.__newindex(x, name)
  fail("TypeError",
       "jax arrays are immutable, %s too: instead of x[i] = y write x = " ..
       "x.at[i]:set(y) (add, multiply, min, max)%s", tostring(x),
       type(name) == "string" and not name:find("[%d:,]") and
       "; a field of one's own has no place there" or "")
end

function Tracer.__pairs(x) watcher.iterate(x) end

function Tracer.__call(x)
  fail("TypeError", "%s is an array, not a function: an index stands in " ..
       "brackets, x[i], and a method after a colon, x:sum()", tostring(x))
end

-- Methods that give Lua or the host the values.
local concrete = {
  item = "a Lua number", tolist = "a Lua table", copy_to_host = "a host array",
  tofile = "a file", pointer = "a pointer",
}
Tracer.methods = {}
for name, what in pairs(concrete) do
  Tracer.methods[name] = function(x)
    fail("ConcretizationTypeError", "x:%s() of the traced value %s would " ..
         "give %s, but its values are not known while the function is " ..
         "traced. Do it with the function's result, or look with " ..
         "jax.debug.print", name, tostring(x), what)
  end
end

use.watch(Tracer, watcher)

return M
