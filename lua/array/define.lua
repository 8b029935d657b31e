-- SPDX-License-Identifier: Apache-2.0
-- How np's Lua functions are defined: with the names of their arguments, so
-- that a last table {axis = 1} may give some of them by name.
local _, fail, _, core = ...

local function is_keywords(t)
  return type(t) == "table" and getmetatable(t) == nil and t[1] == nil
    and type(next(t)) == "string"
end

--- The arguments `args`, of which the n-th is a table by name, in the order of
--- `names`; all functions of np, jnp and jax read them so. refuse(text) raises.
function core.read_named(names, args, n, refuse)
  local at = {}
  for i, argument in ipairs(names) do at[argument] = i end
  local keywords = args[n]
  args[n] = nil
  for argument, value in pairs(keywords) do
    local i = at[argument]
    if not i then
      refuse(("there is no argument named %s (there are %s)"):format(
        tostring(argument),
        table.concat(names, ", ", names[1] == "rng" and 2 or 1)))
    elseif i < n and args[i] ~= nil then
      refuse(("%s is given twice"):format(argument))
    end
    args[i] = value
  end
  return args
end

local function spread(name, names, args, n)
  core.read_named(names, args, n, function(text) fail(name .. ": " .. text) end)
  return table.unpack(args, 1, #names)
end

--- into[name] = f, whose arguments have these names. `prefix` goes before the
--- name in errors: "linalg.".
function core.define(into, name, names, f, prefix)
  local full = (prefix or "") .. name
  into[name] = function(...)
    local n = select("#", ...)
    if n > 0 and is_keywords((select(n, ...))) then
      return f(spread(full, names, {...}, n))
    end
    return f(...)
  end
end

--- The same in np's part of this name ("linalg"); jax arrays go to jnp's.
function core.define_in_part(into, part, name, names, f)
  core.define(into, name, names, f, part .. ".")
  local own = into[name]
  into[name] = function(...)
    local z = ...
    if core.has_jax(...) or core.is_complex(z) and core.has_jax(z.real) then
      local theirs = rawget(core.jnp()[part], name)
      if not theirs then
        fail(("%s.%s does not take jax arrays: np.asarray(x) gives one that "
              .. "it takes"):format(part, name))
      end
      return theirs(...)
    end
    return own(...)
  end
end

--- Axis `axis` of `ndim`, counted from the end when negative.
function core.axis(name, axis, ndim)
  if math.type(axis) ~= "integer" then
    fail(("%s: the axis is a whole number, not a %s"):format(name,
      math.type(axis) == "float" and "fraction" or type(axis)))
  end
  if axis < -ndim or axis >= ndim then
    fail(("%s: axis %d is out of bounds for an array with %d axes"):format(
      name, axis, ndim))
  end
  return axis < 0 and axis + ndim or axis
end

--- A number or a list of axes as a list of axes from 0 on.
function core.axes(name, axes, ndim)
  local out, seen = {}, {}
  for i, axis in ipairs(type(axes) == "table" and axes or {axes}) do
    out[i] = core.axis(name, axis, ndim)
    if seen[out[i]] then
      fail(("%s: axis %d is named twice"):format(name, out[i]))
    end
    seen[out[i]] = true
  end
  return out
end

--- "(3,)", "(3, 4)": as NumPy writes shapes.
function core.shape_text(shape)
  if #shape == 1 then return "(" .. shape[1] .. ",)" end
  return "(" .. table.concat(shape, ", ") .. ")"
end

--- How many elements a shape has.
function core.size(shape)
  local n = 1
  for d = 1, #shape do n = n * shape[d] end
  return n
end

function core.same_shape(a, b)
  if #a ~= #b then return false end
  for d = 1, #a do
    if a[d] ~= b[d] then return false end
  end
  return true
end

--- The shape to which all of these broadcast, a new table. Where they do not:
--- nil, the number of the first that does not go with those before it, and
--- their shape.
function core.broadcast_shapes(shapes)
  local out = table.move(shapes[1] or {}, 1, #(shapes[1] or {}), 1, {})
  for k = 2, #shapes do
    local s = shapes[k]
    if not core.same_shape(out, s) then
      local rank, new = math.max(#out, #s), {}
      for d = 1, rank do
        local a, b = out[d - rank + #out] or 1, s[d - rank + #s] or 1
        if a ~= b and a ~= 1 and b ~= 1 then return nil, k, out end
        new[d] = a == 1 and b or a
      end
      out = new
    end
  end
  return out
end

--- "(3,), (4, 2)"
function core.shapes_text(shapes)
  local text = {}
  for i, shape in ipairs(shapes) do text[i] = core.shape_text(shape) end
  return table.concat(text, ", ")
end

--- The table of arrays that joining functions take.
function core.list(np, name, arrays)
  if type(arrays) ~= "table" and type(arrays) ~= "userdata" then
    fail(name .. ": it takes a table of arrays")
  end
  local out = {}
  if type(arrays) == "userdata" then
    for i = 1, #arrays do out[i] = np.asarray(arrays[i - 1]) end
  else
    for i, a in ipairs(arrays) do out[i] = np.asarray(a) end
  end
  if #out == 0 then fail(name .. ": there is no array in the table") end
  return out
end

-- ---- Functions of np and jnp ----

local families = {}

--- Adds functions that np and jnp share: f(lib) defines them, in terms of what
--- lua/np/policy.lua or lua/jax/jnp/policy.lua gives.
function core.family(f) families[#families + 1] = f end

--- Defines all of them for one of the two.
function core.share(lib)
  for _, f in ipairs(families) do f(lib) end
end

--- A function whose body, which gets lib first, is what lua/FILE.lua gives: one
--- that is long, and rarely called, costs a start nothing.
function core.later(lib, file)
  local f
  return function(...)
    f = f or core.load(file)
    return f(lib, ...)
  end
end
