-- SPDX-License-Identifier: Apache-2.0
-- np against what NumPy gave (tests/fixtures/np_cases.py).
local tap = dofile("tests/lua/tap.lua")

for _, case in ipairs(dofile("tests/fixtures/np_cases.lua")) do
  local text, value, dtype, shape = table.unpack(case)
  tap.test(text, function()
    local got = load("return " .. text)()
    tap.equal(got.dtype, dtype, "dtype")
    tap.equal(got.shape, shape, "shape")
    tap.equal(got:tolist(), value)
  end)
end
tap.done()
