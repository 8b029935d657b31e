-- SPDX-License-Identifier: Apache-2.0
-- np against what NumPy gave (tests/fixtures/np_cases.py and
-- np_linear_cases.py).
local tap = dofile("tests/lua/tap.lua")

-- Within rtol of each value, or atol; NaN and infinities as they are.
local function near(got, want, rtol, atol)
  if type(want) == "table" then
    for i, w in ipairs(want) do near(got[i], w, rtol, atol) end
  elseif want ~= want or want == 1 / 0 or want == -1 / 0 then
    tap.equal(got, want)
  elseif got ~= got
      or math.abs(got - want) > atol + rtol * math.abs(want) then
    error(("got %.17g, want %.17g"):format(got, want))
  end
end

for _, name in ipairs{"np_cases", "np_linear_cases"} do
  for _, case in ipairs(dofile("tests/fixtures/" .. name .. ".lua")) do
    local text, value, dtype, shape, rtol, atol = table.unpack(case)
    tap.test(text, function()
      local got = load("return " .. text)()
      tap.equal(got.dtype, dtype, "dtype")
      tap.equal(got.shape, shape, "shape")
      if rtol then
        near(got:tolist(), value, rtol, atol)
      else
        tap.equal(got:tolist(), value)
      end
    end)
  end
end
tap.done()
