-- SPDX-License-Identifier: Apache-2.0
-- NumPy's indexes, "1:5, ::2, 0", of arrays that are not in memory as a whole.
local use = ...
local fail = use("shared/mistakes").fail
local M = {}

local function bad(text, what)
  fail("an index of %s is a whole number or NumPy's text of"
    .. ' numbers and slices, such as x["1:5, ::2, 0"], not %s', what, text)
end

-- "1:5:2" of n elements: the first, how many, the step.
local function read_slice(text, n, what)
  local parts = {}
  for part in (text .. ":"):gmatch("([^:]*):") do
    local word = part:match("^%s*(.-)%s*$")
    local number = math.tointeger(tonumber(word))
    if word ~= "" and not number then bad('"' .. text .. '"', what) end
    parts[#parts + 1] = number or false
  end
  if #parts > 3 then bad('"' .. text .. '"', what) end
  local step = parts[3] or 1
  if step == 0 then fail("slice step cannot be zero") end
  local low, high = step > 0 and 0 or -1, step > 0 and n or n - 1
  local function bound(at, default)
    if not at then return default end
    if at < 0 then at = at + n end
    return math.max(low, math.min(high, at))
  end
  local first = bound(parts[1], step > 0 and low or high)
  local stop = bound(parts[2], step > 0 and high or low)
  local count = step > 0 and (stop - first + step - 1) // step
    or (first - stop - step - 1) // -step
  return {first = first, count = math.max(0, count), step = step}
end

local function read_number(i, n, axis)
  if i < -n or i >= n then
    fail("index %d is out of bounds for axis %d with size %d", i, axis - 1, n)
  end
  return {first = i % n, count = 1, step = 1, is_number = true}
end

--- Of each axis {first, count, step, is_number}; `what` is indexed: "a chunked
--- array".
function M.read(key, shape, what)
  local out = {}
  if math.type(key) == "integer" then key = tostring(key) end
  if type(key) ~= "string" then bad(use.value_text(key), what) end
  for text in (key .. ","):gmatch("([^,]*),") do
    local axis = #out + 1
    if axis > #shape then
      fail("too many indices: the array has %d %s, but %s", #shape,
        #shape == 1 and "axis" or "axes", '"' .. key .. '"')
    end
    local number = math.tointeger(tonumber(text))
    if number then
      out[axis] = read_number(number, shape[axis], axis)
    elseif text:find(":", 1, true) then
      out[axis] = read_slice(text, shape[axis], what)
    else
      bad('"' .. key .. '"', what)
    end
  end
  for axis = #out + 1, #shape do out[axis] = read_slice(":", shape[axis]) end
  return out
end

return M
