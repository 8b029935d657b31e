-- SPDX-License-Identifier: Apache-2.0
-- Calls from a compiled program to Lua: debug.print, debug.callback,
-- pure_callback. They happen in the program's order, with the values.
--
--   callback {f, avals}: f(list of host arrays) -> list
local use = ...
local core = use("core/core")
local tree = use("core/tree")
local lax = use("core/lax")
local api = use("transforms/api")
local arrays = use("core/arrays")
local np = use.np
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

local function on_host(x)
  if core.is_literal(x) then return np.asarray(x.value, x.aval.dtype) end
  x = use.unmark(x)
  return x.device == "host" and x or x:copy_to_host()
end

-- The i-th of a batch.
local function row(x, dim, i)
  if not dim then return x end
  return lax.squeeze(lax.slice_in_dim(x, i, i + 1, 1, dim), {dim})
end

-- Each of a batch is a call of its own, in order.
local function one_by_one(name)
  return function(p, size, values, dims)
    local all, out_dims = {}, {}
    for i = 0, size - 1 do
      local args = {}
      for k, x in ipairs(values) do args[k] = row(x, dims[k], i) end
      for k, y in ipairs(core.bind(core.prims[name], p, args)) do
        all[k] = all[k] or {}
        all[k][i + 1] = lax.expand_dims(y, {0})
      end
    end
    for k, list in ipairs(all) do
      all[k], out_dims[k] = lax.concatenate(list, 0), 0
    end
    return all, out_dims
  end
end

local function define(name, has_effect)
  core.define{
    name = name, has_effect = has_effect, host_only = true,
    eval = function(p, ...) return p.f({...}) end,
    shape = function(p) return p.avals end,
    batch = one_by_one(name),
    diff = false,
    emit = {
      run = function(eqn)
        return function(args)
          for i, x in ipairs(args) do args[i] = on_host(x) end
          local results = eqn.params.f(args)
          for i, y in ipairs(results) do
            results[i] = arrays.device_put(y)
          end
          return results
        end
      end,
    },
    print = function() return {{"callback", "<function>"}} end,
  }
end
define("debug_callback", true)
define("pure_callback", false)

local function bind(name, f, avals, args)
  local leaves, structure = api.values_of(args, "argument ")
  local function call(list)
    return f(table.unpack(tree.unflatten(structure, list), 1, #args))
  end
  return core.bind(core.prims[name], {
    f = function(list) return call(list) or {} end, avals = avals}, leaves)
end

--- Calls f with the values of the arguments, each time the program runs.
function M.callback(f, ...)
  if type(f) ~= "function" then
    fail("TypeError", "debug.callback takes a function first, not a %s",
         type(f))
  end
  bind("debug_callback", function(...)
    f(...)
    return {}
  end, {}, {...})
end

-- ---- debug.print ----

-- A host array as Python prints it: without "array(" and the type.
local function value_text(x, spec)
  if type(x) ~= "userdata" then return tostring(x) end
  if #x.shape == 0 then
    local v = x:item()
    if spec ~= "" then return ("%" .. spec):format(v) end
    local digits = tostring(x):match("^%a+%((.*), [%a%d]+%)$") or tostring(v)
    local is_whole = math.type(v) == "float" and digits:find("^-?%d+$")
    return is_whole and digits .. ".0" or digits
  end
  local inner = tostring(x):match("^%a+%((.*), [%a%d]+%)$")
  return (inner or tostring(x)):gsub("\n      ", "\n")
end

-- "{}", "{0}", "{name}", with ":.3f" behind; "{{" is a brace.
local function filled(text, values, named)
  local at = 0
  text = text:gsub("{{", "\1"):gsub("}}", "\2")
  text = text:gsub("{([%w_]*):?([^{}]*)}", function(key, spec)
    local v
    if key == "" then
      at = at + 1
      v = values[at]
    elseif key:find("^%d+$") then
      v = values[tonumber(key) + 1]
    else
      v = named[key]
    end
    if v == nil then
      fail("IndexError", "debug.print: %q has a place {%s} for which there " ..
                         "is no argument", text, key)
    end
    return (value_text(v, spec))
  end)
  return (text:gsub("\1", "{"):gsub("\2", "}"))
end

--- Prints when the program runs, with the values: debug.print("x = {}", x), or
--- by name, debug.print("{loss}", {loss = x}).
function M.print(text, ...)
  if type(text) ~= "string" then
    fail("TypeError", "debug.print takes a text first: " ..
         "jax.debug.print(\"x = {}\", x)")
  end
  M.callback(function(...)
    local values, named = {...}, {}
    local last = values[#values]
    if tree.is_branch(last) then named = last end
    print(filled(text, values, named))
  end, ...)
end

-- ---- pure_callback ----

--- f(values) computed by Lua on the host when the program runs. `result` says
--- what it gives: a jax.ShapeDtypeStruct, or an array like it.
function M.pure_callback(f, result, ...)
  local leaves, structure = tree.flatten(result)
  local avals = {}
  for i, x in ipairs(leaves) do
    avals[i] = core.aval(core.shape_of(x), core.dtype_of(x))
  end
  local results = bind("pure_callback", function(...)
    local list = tree.leaves(f(...))
    if #list ~= #avals then
      fail("RuntimeError", "pure_callback: the function gave %d arrays, and " ..
           "%d were announced", #list, #avals)
    end
    for i, x in ipairs(list) do
      local y = np.asarray(x, avals[i].dtype)
      if not core.same_shape(y.shape, avals[i].shape) then
        fail("RuntimeError", "pure_callback: the function gave the shape " ..
                             "%s, and %s was announced",
             core.shape_text(y.shape),
             core.shape_text(avals[i].shape))
      end
      list[i] = y
    end
    return list
  end, avals, {...})
  return tree.unflatten(structure, results)
end

return M
