-- SPDX-License-Identifier: Apache-2.0
-- warpshop run tests/cli/site_names.lua FOLDER: has each function that a learner can
-- call a page of the site? Names come from the modules as they are loaded. Of
-- jax.lax only what ?name explains has one: jax.lax.add and its like have no text.
local folder = ...

local function read(path)
  local file = io.open(folder .. "/" .. path)
  return file and file:read("a"), file and file:close()
end

local named = {}
for names in read("functions/index.html"):gmatch(
    '<tr><td><a href="[^"]+"><code>(.-)</code>') do
  for name in names:gmatch("[^%s,]+") do named[name] = true end
end

local count, missing = 0, {}
local function look(module, name)
  for key, value in pairs(module) do
    local full = name .. "." .. tostring(key)
    if type(key) == "string" and not key:find("^_") and
      type(value) == "function" then
      count = count + 1
      if not named[full] then missing[#missing + 1] = full end
    end
  end
end
local _ = jax.jit, jnp.sin -- which fill jax and jnp
look(np, "np")
look(np.linalg, "np.linalg")
look(np.random, "np.random")
look(np.fft, "np.fft")
look(cuda, "cuda")
look(jax, "jax")
look(jax.nn, "jax.nn")
look(jax.random, "jax.random")
look(jnp, "jnp")
table.sort(missing)
print(("%d functions, without a page: %s"):format(count,
  table.concat(missing, " ")))
os.exit(#missing == 0 and count > 500, true)
