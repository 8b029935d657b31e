-- SPDX-License-Identifier: Apache-2.0
-- The options of a transformation: a table behind the function. What JAX takes
-- by position (vmap's in_axes, grad's argnums) may stand there as well.
local use = ...
local core = use("core/core")

local known = {
  jit = {"static_argnums", "donate_argnums", "name"},
  make_jaxpr = {"static_argnums"},
  vmap = {"in_axes", "out_axes"},
  value_and_grad = {"argnums", "has_aux"},
  grad = {"argnums", "has_aux"},
  jacfwd = {"argnums"}, jacrev = {"argnums"}, hessian = {"argnums"},
}
-- What stands behind the function without a name, in JAX's order.
local by_position = {
  vmap = {"in_axes", "out_axes"}, grad = {"argnums", "has_aux"},
  value_and_grad = {"argnums", "has_aux"}, jacfwd = {"argnums"},
  jacrev = {"argnums"}, hessian = {"argnums"},
}

local function refuse(what, key)
  if type(key) == "number" then
    core.fail("argument", "TypeError", "%s: the list behind the function " ..
      "begins with nil, and Lua's tables keep no nil; write false for an " ..
      "argument that is the same for all, as in {false, 0}", what)
  end
  local near = type(key) == "string" and use.nearest(key, known[what])
  core.fail("argument", "TypeError", "%s has no option %s%s", what,
            tostring(key), near and ("; did you mean %s?"):format(near) or
            ": there " .. (#known[what] == 1 and "is " or "are ") ..
            table.concat(known[what], ", "))
end

local function is_named(x) return type(x) == "table" and x[1] == nil end

local function add_named(what, options, into)
  for key, value in pairs(options) do
    local is_known = false
    for _, name in ipairs(known[what]) do is_known = is_known or key == name end
    if not is_known then refuse(what, key) end
    into[key] = value
  end
end

--- The options of the transformation `what`, as they stand behind its function,
--- as a table by name.
return function(what, ...)
  local out, names, count = {}, by_position[what] or {}, select("#", ...)
  for i = 1, count do
    local x = (select(i, ...))
    local is_positional = math.type(x) == "integer" or type(x) == "boolean" or
                          type(x) == "table"
    if i == count and is_named(x) then
      add_named(what, x, out)
    elseif x ~= nil and not (names[i] and is_positional) then
      core.fail("argument", "TypeError", "the options of %s are a table, " ..
                "jax.%s(f, {%s = ...}), not %s", what, what, known[what][1],
                core.kind_text(x))
    elseif x ~= nil then
      out[names[i]] = x
    end
  end
  return out
end
