-- SPDX-License-Identifier: Apache-2.0
-- Chunked arrays made of np's, of files, and of others in another cut.
local use = ...
local mistakes = use("shared/mistakes")
local chunks, object, pack, tasks = use("chunks"), use("object"), use("pack"),
  use("tasks")
local np = use.np
local own, fail = object.own, mistakes.fail
local M = {}

-- ---- Arrays of np ----

local function of_np(x, cut)
  x = pack.on_host(x)
  return object.build(cut, x.dtype, "value", "array", function(_, at)
    if x.ndim == 0 then return {x} end
    return {x[chunks.box_of(cut, at)]}
  end, {is_source = true})
end

--- An array of np, in one chunk.
function M.of_np(x)
  local cut = {}
  for axis, n in ipairs(x.shape) do cut[axis] = {n} end
  return of_np(np.asarray(x), cut)
end

--- As documented in help/scale.lua.
function M.array(x, options)
  local o = mistakes.options("array", options, {"chunks"})
  if object.is_array(x) then return o.chunks and M.rechunk(x, o.chunks) or x end
  if type(x) ~= "table" and type(x) ~= "number" and not use.is_array(x) then
    fail("array: an array of np or a list comes first, not %s",
      use.value_text(x))
  end
  x = np.asarray(x)
  local cut = chunks.read("array", o.chunks, x.shape, x.itemsize)
  -- What the caller does to x later does not change it.
  return of_np(np.array(x), cut)
end

--- As documented in help/scale.lua.
function M.from_npy(path, options)
  local o = mistakes.options("from_npy", options, {"chunks"})
  if type(path) ~= "string" then
    fail("from_npy: the file's name, a text, comes first; this is %s",
      use.value_text(path))
  end
  local file = use.npy_header(path, "from_npy")
  file.path = use.absolute(path) -- tasks may run in other folders
  local cut = chunks.read("from_npy", o.chunks, file.shape,
    object.width(file.dtype))
  return object.build(cut, file.dtype, "npy", "npy", function(_, at)
    return {file, chunks.begins(cut, at), chunks.block_shape(cut, at)}
  end, {is_source = true})
end

--- As documented in help/scale.lua.
function M.from_hdf5(path, name, options)
  local o = mistakes.options("from_hdf5", options, {"chunks"})
  if type(path) ~= "string" or type(name) ~= "string" then
    fail("from_hdf5: the file's name and the data set's come first, not %s",
      use.value_text(type(path) == "string" and name or path))
  end
  path = use.absolute(path)
  local file = use.h5_open(path, "r", "from_hdf5: " .. path)
  local info = file:look(name)
  file:close()
  if info.is_group then
    fail('from_hdf5: "%s" is a group of data sets, and one of these is wanted',
      name)
  end
  local asked = o.chunks
  if asked == nil then asked = chunks.grown(info.chunks, info.shape,
    object.width(info.dtype)) end
  local cut = chunks.read("from_hdf5", asked, info.shape,
    object.width(info.dtype))
  return object.build(cut, info.dtype, "hdf5", "hdf5", function(_, at)
    return {path, name, chunks.begins(cut, at), chunks.block_shape(cut, at)}
  end, {is_source = true})
end

-- ---- Another cut ----

-- All boxes of x that the box at `begin` consists of.
local function pieces_of(x, begin, count)
  local o = own(x)
  local out = {{place = {}, at = {}, from = {}}}
  for axis = 1, #begin do
    local longer = {}
    for _, one in ipairs(out) do
      for _, p in ipairs(chunks.pieces(o.chunks[axis], begin[axis],
        begin[axis] + count[axis])) do
        local more = {place = {table.unpack(one.place)},
                      at = {table.unpack(one.at)},
                      from = {table.unpack(one.from)}}
        more.place[axis] = p.chunk
        more.at[axis] = ("%d:%d"):format(p.at, p.at + p.to - p.from)
        more.from[axis] = ("%d:%d"):format(p.from, p.to)
        longer[#longer + 1] = more
      end
    end
    out = longer
  end
  for i, one in ipairs(out) do
    out[i] = {o.blocks[chunks.number(o.chunks, one.place)],
              at = table.concat(one.at, ", "),
              from = table.concat(one.from, ", ")}
  end
  return out
end

-- A task with one box of x.
local function box_of(x, begin, count)
  local o = own(x)
  local bytes = object.bytes(count, o.dtype)
  if bytes == 0 then
    return tasks.new("value", {np.zeros(count, o.dtype)},
      {label = "array", bytes = 0, is_source = true, block = 1, blocks = 1})
  end
  return tasks.new("assemble", {count, o.dtype, pieces_of(x, begin, count)},
    {label = "rechunk", bytes = bytes})
end

--- x in the chunks of `cut`: x itself where it is so already.
function M.rechunked(x, cut)
  local o, is_same, by_box = own(x), true, {}
  for axis = 1, #cut do
    is_same = is_same and chunks.same(cut[axis], o.chunks[axis])
  end
  if is_same then return x end
  -- A chunk that stays as it was is no new task.
  for k, at in chunks.each(o.chunks) do
    by_box[chunks.box_of(o.chunks, at)] = o.blocks[k]
  end
  local blocks = {}
  for k, at in chunks.each(cut) do
    local begin, count = chunks.begins(cut, at), chunks.block_shape(cut, at)
    blocks[k] = by_box[chunks.box(begin, count)] or box_of(x, begin, count)
  end
  return object.new(cut, o.dtype, blocks)
end

function M.rechunk(x, asked)
  local o = own(x)
  return M.rechunked(x, chunks.read("rechunk", asked, o.shape,
    object.width(o.dtype)))
end

return M
