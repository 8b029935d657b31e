-- SPDX-License-Identifier: Apache-2.0
-- The options of a transformation, or of a mesh: a table behind what comes
-- first. What JAX takes by position (vmap's in_axes, grad's argnums) may stand
-- there as well.
local use = ...
local core = use("core/core")

local known = {
  jit = {"static_argnums", "donate_argnums", "name"},
  make_jaxpr = {"static_argnums"},
  vmap = {"in_axes", "out_axes"},
  value_and_grad = {"argnums", "has_aux"},
  grad = {"argnums", "has_aux"},
  jacfwd = {"argnums"}, jacrev = {"argnums"}, hessian = {"argnums"},
  shard_map = {"mesh", "in_specs", "out_specs", "check_vma", "axis_names"},
  pmap = {"axis_name", "in_axes", "out_axes", "axis_size", "devices"},
  make_mesh = {"axis_types", "devices"}, Mesh = {"axis_types"},
}
-- How a call is written; of others it is jax.NAME(f, {...}).
local calls = {make_mesh = "jax.make_mesh(sizes, names, {%s = ...})",
               Mesh = "jax.sharding.Mesh(devices, names, {%s = ...})"}
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

local function is_plain(x) return type(x) == "table" and not getmetatable(x) end

local function add_named(what, options, into)
  for key, value in pairs(options) do
    local is_known = false
    for _, name in ipairs(known[what]) do is_known = is_known or key == name end
    if not is_known then refuse(what, key) end
    into[key] = value
  end
end

local function refuse_value(what, x)
  local call = calls[what] or "jax." .. what .. "(f, {%s = ...})"
  core.fail("argument", "TypeError",
            "the options of %s are a table, %s, not %s", what,
            call:format(known[what][1]), core.kind_text(x))
end

--- The options of `what`, as they stand behind its function, as a table by
--- name.
return function(what, ...)
  local out, names, count = {}, by_position[what] or {}, select("#", ...)
  for i = 1, count do
    local x = (select(i, ...))
    local is_positional = math.type(x) == "integer" or type(x) == "boolean" or
                          is_plain(x)
    if i == count and is_plain(x) and x[1] == nil then
      add_named(what, x, out)
    elseif x ~= nil and not (names[i] and is_positional) then
      refuse_value(what, x)
    elseif x ~= nil then
      out[names[i]] = x
    end
  end
  return out
end
