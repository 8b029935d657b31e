-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for jax: no function without a text, and the examples hold.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local help = {}
for _, file in ipairs{"jax", "jax_random", "jax_lax_control", "jnp"} do
  for name, text in pairs(dofile("lua/help/" .. file .. ".lua")) do
    help[name] = text
  end
end

test("every function has a text", function()
  local function look(name, t)
    for key, f in pairs(t) do
      local full = name .. "." .. key
      if type(f) == "function" and not help[full] then
        error("there is no text for " .. full)
      end
    end
  end
  equal(type(jax.jit), "function")
  look("jax", jax)
  look("jax.nn", jax.nn)
  look("jax.tree", jax.tree)
  look("jax.debug", jax.debug)
end)

test("the examples hold", function()
  local count = 0
  for name, text in pairs(dofile("lua/help/jax.lua")) do
    for code, want in text:gmatch("Example: ([^\n]*) %-%-> ([^\n]*)") do
      count = count + 1
      local f = assert(load("return " .. code, "=" .. name))
      local ok, got = pcall(f)
      if want:find("^error: ") then
        equal(ok, false, name)
        equal(tostring(got):find(want:sub(8), 1, true) ~= nil, true, code)
      else
        if not ok then error(name .. ": " .. tostring(got)) end
        equal(tostring(got), (want:gsub("%s+$", "")), code)
      end
    end
  end
  equal(count > 50, true)
end)

test("lines fit a screen", function()
  for name, text in pairs(dofile("lua/help/jax.lua")) do
    for line in text:gmatch("[^\n]+") do
      if #line > 80 and not line:find("^Example:") then
        error(name .. ": " .. line)
      end
    end
  end
end)

tap.done()
