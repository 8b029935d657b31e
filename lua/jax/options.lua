-- SPDX-License-Identifier: Apache-2.0
-- The options of a transformation: a table behind the function. What JAX takes
-- by position (vmap's in_axes, grad's argnums) may stand there as well.
local use = ...
local core = use("core")

local known = {
  jit = {"static_argnums", "donate_argnums", "name"},
  make_jaxpr = {"static_argnums"},
  vmap = {"in_axes", "out_axes"},
  value_and_grad = {"argnums", "has_aux"},
  grad = {"argnums", "has_aux"},
}
local by_position = {vmap = "in_axes", grad = "argnums",
                     value_and_grad = "argnums"}

local function refuse(what, key)
  local near = type(key) == "string" and use.nearest(key, known[what])
  core.fail("argument", "TypeError", "%s has no option %s%s", what,
            tostring(key), near and ("; did you mean %s?"):format(near) or
            ": there " .. (#known[what] == 1 and "is " or "are ") ..
            table.concat(known[what], ", "))
end

--- The options of the transformation `what` as a table by name.
return function(what, options)
  if options == nil then return {} end
  local positional = by_position[what]
  local is_list = type(options) == "table" and options[1] ~= nil
  if positional and (math.type(options) == "integer" or is_list) then
    return {[positional] = options}
  end
  if type(options) ~= "table" then
    core.fail("argument", "TypeError", "the options of %s are a table, " ..
              "jax.%s(f, {%s = ...}), not %s", what, what, known[what][1],
              core.kind_text(options))
  end
  for key in pairs(options) do
    local is_known = false
    for _, name in ipairs(known[what]) do is_known = is_known or key == name end
    if not is_known then refuse(what, key) end
  end
  return options
end
