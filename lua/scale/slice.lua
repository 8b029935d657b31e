-- SPDX-License-Identifier: Apache-2.0
-- x["1:5, ::2, 0"] and x[3] of arrays in chunks: from each chunk what is in it.
local use = ...
local mistakes = use("shared/mistakes")
local chunks, object = use("chunks"), use("object")
local own, fail = object.own, mistakes.fail
local M = {}

-- ---- Reading an index ----

local function bad(text)
  fail("an index of a chunked array is a whole number or NumPy's text of"
    .. ' numbers and slices, such as x["1:5, ::2, 0"], not %s', text)
end

-- "1:5:2" of n elements: the first, how many, the step.
local function read_slice(text, n)
  local parts = {}
  for part in (text .. ":"):gmatch("([^:]*):") do
    local word = part:match("^%s*(.-)%s*$")
    local number = math.tointeger(tonumber(word))
    if word ~= "" and not number then bad('"' .. text .. '"') end
    parts[#parts + 1] = number or false
  end
  if #parts > 3 then bad('"' .. text .. '"') end
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

-- Of each axis {first, count, step, is_number}.
local function read_key(key, shape)
  local out = {}
  if math.type(key) == "integer" then key = tostring(key) end
  if type(key) ~= "string" then bad(use.value_text(key)) end
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
      out[axis] = read_slice(text, shape[axis])
    else
      bad('"' .. key .. '"')
    end
  end
  for axis = #out + 1, #shape do out[axis] = read_slice(":", shape[axis]) end
  return out
end

-- ---- From which chunks ----

-- Of one axis: from each chunk that has any of them, {chunk, count, text}.
local function runs_of(list, s)
  local out = {}
  local begins = chunks.starts(list)
  local from, to, by = 1, #list, 1
  if s.step < 0 then from, to, by = #list, 1, -1 end
  for i = from, to, by do
    local begin, stop = begins[i], begins[i + 1] - 1
    local a = s.step > 0 and (begin - s.first + s.step - 1) // s.step
      or (s.first - stop - s.step - 1) // -s.step
    local b = s.step > 0 and (stop - s.first) // s.step
      or (s.first - begin) // -s.step
    a, b = math.max(a, 0), math.min(b, s.count - 1)
    if a <= b and begin <= stop then
      local first, last = s.first + a * s.step - begin,
        s.first + b * s.step - begin
      local text = s.is_number and tostring(first)
        or s.step > 0 and ("%d:%d:%d"):format(first, last + 1, s.step)
        or ("%d:%s:%d"):format(first, last > 0 and last - 1 or "", s.step)
      out[#out + 1] = {chunk = i, count = b - a + 1, text = text}
    end
  end
  return out
end

-- A slice without elements has one chunk without any.
local function empty_run() return {{chunk = 1, count = 0, text = "0:0"}} end

--- x[key].
function M.index(x, key)
  local o, runs, cut, kept = own(x), {}, {}, {}
  for axis, s in ipairs(read_key(key, o.shape)) do
    runs[axis] = runs_of(o.chunks[axis], s)
    if #runs[axis] == 0 then runs[axis] = empty_run() end
    if not s.is_number then
      kept[#kept + 1] = axis
      cut[#cut + 1] = {}
      for i, run in ipairs(runs[axis]) do cut[#cut][i] = run.count end
    end
  end
  return object.build(cut, o.dtype, "index", "slice", function(_, at)
    local place, texts = {}, {}
    for axis = 1, #runs do place[axis], texts[axis] = 1, runs[axis][1].text end
    for i, axis in ipairs(kept) do place[axis] = at[i] end
    for axis, list in ipairs(runs) do
      texts[axis] = list[place[axis]].text
      place[axis] = list[place[axis]].chunk
    end
    return {o.blocks[chunks.number(o.chunks, place)], table.concat(texts, ", ")}
  end)
end

return M
