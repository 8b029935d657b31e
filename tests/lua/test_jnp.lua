-- SPDX-License-Identifier: Apache-2.0
-- jnp beside np: no function of np is missing without a reason, each function
-- has help; 64-bit types; types and messages of arguments. Values are compared
-- with JAX's own by tests/jax.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

-- ---- Which functions there are ----

-- Functions of np that jnp has not, and why.
local lacking = {
  ["writes into its argument, and jax arrays are immutable"] = [[
    copyto fill fill_diagonal place put putmask]],
  ["is NumPy's generator: jax.random has keys"] = "random",
  ["compares host arrays, also those of jax"] = "testing",
  ["reads or writes host arrays"] = [[
    asnumpy fromfile tofile genfromtxt loadtxt savetxt savez
    savez_compressed]],
  ["prints host arrays"] = [[
    array2string array_repr array_str get_printoptions set_printoptions
    printoptions]],
  ["is for complex numbers, which jax arrays have not"] = [[
    angle complex conj conjugate imag iscomplexobj real]],
}

test("every pure function of np is in jnp", function()
  local reason = {}
  for why, names in pairs(lacking) do
    for name in names:gmatch("%S+") do reason[name] = why end
  end
  local missing = {}
  for name in pairs(np) do
    if jnp[name] == nil and not reason[name] then missing[#missing + 1] = name end
  end
  table.sort(missing)
  equal(table.concat(missing, " "), "")
  for name, why in pairs(reason) do
    assert(np[name] ~= nil, name .. " (" .. why .. ") is no function of np")
    assert(jnp[name] == nil, name .. " is in jnp: " .. why)
  end
end)

test("every function of jnp has help, and its examples are right", function()
  local help = dofile("lua/help/jnp.lua")
  for name, v in pairs(jnp) do
    if type(v) == "function" then
      assert(help["jnp." .. name], "jnp." .. name .. " has no help")
    end
  end
  for name, text in pairs(help) do
    assert(jnp[name:sub(5)], name .. " has help, and is no function")
    for code, want in text:gmatch("Example: (.-) %-%-> ([^\n]+)") do
      local got = tostring((assert(load("return " .. code))()))
      equal(got:match("^[^\n]*"), want, name)
    end
  end
end)

tap.done()
