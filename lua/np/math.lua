-- SPDX-License-Identifier: Apache-2.0
-- Numbers as text.
local np, fail, _, core = ...

local function define(name, names, f) core.define(np, name, names, f) end

local function whole(v)
  local n = type(v) == "number" and math.tointeger(v)
  return n
    or fail(("binary_repr: %s is not a whole number"):format(tostring(v)))
end

--- The bits of a whole number as text; of one below 0 with `width`, as two's
--- complement has them.
define("binary_repr", {"num", "width"}, function(num, width)
  local n = whole(num)
  width = width ~= nil and whole(width)
  local sign, fill = "", n < 0 and "1" or "0"
  if n < 0 and not width then sign, n = "-", -n end
  local rest, digits = width and n < 0 and ~n or n, ""
  while rest ~= 0 do
    digits = (n >> #digits & 1) .. digits
    rest = rest >> 1
  end
  if n == 0 then return ("0"):rep(math.max(width or 1, 1)) end
  if not width then return sign .. digits end
  if n < 0 then digits = "1" .. digits end
  if width < #digits then
    fail(("binary_repr: %d has %d bits, more than the width %d"):format(n,
      #digits, width))
  end
  return fill:rep(width - #digits) .. digits
end)
