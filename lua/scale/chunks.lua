-- SPDX-License-Identifier: Apache-2.0
-- Into which chunks an array is cut: for each axis a list of sizes; and which
-- boxes of one cut lie in a chunk of another.
local use = ...
local mistakes = use("shared/mistakes")
local fail = mistakes.fail
local M = {}

local AUTO_BYTES = 16 << 20

-- ---- What a learner asks ----

-- n elements in chunks of `size`, the last one what is left.
local function regular(n, size)
  if n == 0 then return {0} end
  local out = {}
  for i = 1, (n + size - 1) // size do
    out[i] = math.min(size, n - (i - 1) * size)
  end
  return out
end

local function check_sizes(what, axis, list, n)
  local sum = 0
  for _, size in ipairs(list) do
    if math.type(size) ~= "integer" or size < 0 then
      fail("%s: chunks of axis %d are whole numbers of elements, not %s", what,
        axis, tostring(size))
    end
    sum = sum + size
  end
  if sum ~= n then
    fail("%s: the chunks of axis %d hold %d elements together, and the axis has"
      .. " %d", what, axis, sum, n)
  end
  return list
end

local function of_axis(what, axis, asked, n)
  if type(asked) == "table" then return check_sizes(what, axis, asked, n) end
  if asked == -1 then return {n} end
  if math.type(asked) ~= "integer" or asked < 1 then
    fail("%s: chunks of axis %d are %s; a number of elements is wanted, -1 for"
      .. " the whole axis, or a list of sizes", what, axis, tostring(asked))
  end
  return regular(n, asked)
end

-- Chunks of about 16 MiB: the last axes whole, the first ones cut.
local function automatic(shape, width)
  local out, left = {}, math.max(1, AUTO_BYTES // width)
  for axis = #shape, 1, -1 do
    local size = math.max(1, math.min(shape[axis], left))
    out[axis] = regular(shape[axis], size)
    left = math.max(1, left // size)
  end
  return out
end

--- What a learner gives as chunks, of an array of this shape: a number for all
--- axes, or one for each; nil or "auto": as is good.
function M.read(what, asked, shape, width)
  if asked == nil or asked == "auto" then return automatic(shape, width) end
  if type(asked) == "number" then
    local one = asked
    asked = {}
    for axis = 1, #shape do asked[axis] = one end
  end
  if type(asked) ~= "table" or getmetatable(asked) then
    fail("%s: chunks are a number of elements an axis, such as {1000, 1000},"
      .. " not %s", what, use.value_text(asked))
  elseif #asked ~= #shape then
    fail("%s: chunks has %d numbers and the array %d %s", what, #asked, #shape,
      #shape == 1 and "axis" or "axes")
  end
  local out = {}
  for axis, n in ipairs(shape) do
    out[axis] = of_axis(what, axis - 1, asked[axis], n)
  end
  return out
end

--- Chunks of about 16 MiB that consist of whole chunks of a file, which would
--- have to be unpacked twice otherwise; nil where it has none.
function M.grown(stored, shape, width)
  if not stored then return nil end
  local out, count = {}, width
  for axis, n in ipairs(stored) do
    out[axis], count = math.max(1, math.min(n, shape[axis])), count * n
  end
  for axis = #out, 1, -1 do
    while count * 2 <= AUTO_BYTES and out[axis] < shape[axis] do
      out[axis], count = math.min(out[axis] * 2, shape[axis]), count * 2
    end
  end
  return out
end

-- ---- Grids ----

function M.same(a, b)
  if #a ~= #b then return false end
  for i, n in ipairs(a) do
    if b[i] ~= n then return false end
  end
  return true
end

--- How many chunks.
function M.count(chunks)
  local n = 1
  for _, axis in ipairs(chunks) do n = n * #axis end
  return n
end

function M.shape(chunks)
  local out = {}
  for axis, list in ipairs(chunks) do
    local n = 0
    for _, size in ipairs(list) do n = n + size end
    out[axis] = n
  end
  return out
end

--- How many elements an array of this shape has.
function M.elements(shape)
  local n = 1
  for _, size in ipairs(shape) do n = n * size end
  return n
end

--- for k, at in chunks.each(chunks): the k-th chunk, from 1, and its place on
--- each axis, from 1; the last axis goes fastest. `at` is the same table each
--- time.
function M.each(chunks)
  local at, k, count = {}, 0, M.count(chunks)
  for axis = 1, #chunks do at[axis] = 1 end
  if #chunks > 0 then at[#chunks] = 0 end
  return function()
    k = k + 1
    if k > count then return nil end
    local axis = #chunks
    while axis > 0 do
      at[axis] = at[axis] + 1
      if at[axis] <= #chunks[axis] then break end
      at[axis] = 1
      axis = axis - 1
    end
    return k, at
  end
end

--- The number of the chunk at a place.
function M.number(chunks, at)
  local k = 0
  for axis = 1, #chunks do k = k * #chunks[axis] + at[axis] - 1 end
  return k + 1
end

function M.block_shape(chunks, at)
  local out = {}
  for axis = 1, #chunks do out[axis] = chunks[axis][at[axis]] end
  return out
end

--- Where each chunk of one axis begins; one more, where the last one ends.
function M.starts(list)
  local out, at = {}, 0
  for i, size in ipairs(list) do
    out[i] = at
    at = at + size
  end
  out[#list + 1] = at
  return out
end

--- Where a chunk begins on each axis.
function M.begins(chunks, at)
  local out = {}
  for axis, list in ipairs(chunks) do
    local begin = 0
    for i = 1, at[axis] - 1 do begin = begin + list[i] end
    out[axis] = begin
  end
  return out
end

--- "2:5, 0:3": the text by which np takes a box.
function M.box(begin, count)
  local out = {}
  for axis = 1, #begin do
    out[axis] = ("%d:%d"):format(begin[axis], begin[axis] + count[axis])
  end
  return table.concat(out, ", ")
end

--- The box of a chunk as such a text.
function M.box_of(chunks, at)
  return M.box(M.begins(chunks, at), M.block_shape(chunks, at))
end

--- A cut of one axis at every place where one of these is cut.
function M.common(lists)
  local is_cut, ends = {}, {}
  for _, list in ipairs(lists) do
    for _, at in ipairs(M.starts(list)) do is_cut[at] = true end
  end
  for at in pairs(is_cut) do ends[#ends + 1] = at end
  table.sort(ends)
  local out = {}
  for i = 2, #ends do out[i - 1] = ends[i] - ends[i - 1] end
  return #out > 0 and out or {0}
end

--- The pieces of chunks of `list` that elements from `begin` to `stop` lie in:
--- of each the chunk, from where to where in it, and where that lies from
--- `begin` on.
function M.pieces(list, begin, stop)
  local out, at = {}, 0
  for i, size in ipairs(list) do
    local from, to = math.max(begin, at), math.min(stop, at + size)
    if from < to then
      out[#out + 1] = {chunk = i, from = from - at, to = to - at,
                       at = from - begin}
    end
    at = at + size
  end
  return out
end

--- "(4, 4), (3, 3)": the cut as a person reads it.
function M.text(chunks)
  local out = {}
  for axis, list in ipairs(chunks) do
    local is_regular = true
    for i, size in ipairs(list) do
      is_regular = is_regular and (size == list[1] or i == #list
        and size < list[1])
    end
    out[axis] = is_regular and tostring(list[1])
      or ("%d pieces"):format(#list)
  end
  return "(" .. table.concat(out, ", ") .. ")"
end

return M
