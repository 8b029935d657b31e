-- SPDX-License-Identifier: Apache-2.0
-- x["1:5, ::2, 0"] and x[3] of arrays in chunks: from each chunk what is in it.
local use = ...
local index = use("shared/index")
local chunks, object = use("chunks"), use("object")
local own = object.own
local M = {}

local WHAT = "a chunked array"

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
  for axis, s in ipairs(index.read(key, o.shape, WHAT)) do
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
