-- SPDX-License-Identifier: Apache-2.0
-- Products and axes of chunked arrays, and learners' functions of chunks.
local use = ...
local mistakes = use("shared/mistakes")
local chunks, object, make, tasks = use("chunks"), use("object"), use("make"),
  use("tasks")
local elementwise, reduce = use("elementwise"), use("reduce")
local functions = use("functions")
local np = use.np
local own, fail = object.own, mistakes.fail
local M = {}

-- ---- Axes ----

-- The order of the axes, from 1.
local function order_of(x, axes)
  local n, out, seen = #own(x).shape, {}, {}
  for i = 1, n do out[i] = n + 1 - i end
  if axes == nil then return out end
  if type(axes) ~= "table" or #axes ~= n then
    fail("transpose: axes are a list of the array's %d, not %s", n,
      use.value_text(axes))
  end
  for i, axis in ipairs(axes) do
    if math.type(axis) ~= "integer" or axis < -n or axis >= n
      or seen[axis % n] then
      fail("transpose: axes has each of the array's axes once")
    end
    seen[axis % n], out[i] = true, axis % n + 1
  end
  return out
end

function M.transpose(x, axes)
  local o, order, cut, from_0 = own(x), order_of(x, axes), {}, {}
  for i, axis in ipairs(order) do
    cut[i], from_0[i] = o.chunks[axis], axis - 1
  end
  return object.build(cut, o.dtype, "transpose", "transpose", function(_, at)
    local place = {}
    for i, axis in ipairs(order) do place[axis] = at[i] end
    return {o.blocks[chunks.number(o.chunks, place)], from_0}
  end)
end

-- ---- Products ----

local function check_product(name, a, b)
  local x, y = own(a).shape, own(b).shape
  if #x < 1 or #x > 2 or #y < 1 or #y > 2 then
    fail("%s: arrays with one or two axes, not %d and %d", name, #x, #y)
  elseif x[#x] ~= y[1] then
    fail("%s: inner sizes differ (%s), (%s)", name, table.concat(x, ", "),
      table.concat(y, ", "))
  end
end

-- The inner axes of both in one cut.
local function aligned(a, b)
  local x, y = own(a), own(b)
  local inner = x.chunks[#x.chunks]
  if chunks.same(inner, y.chunks[1]) then return a, b, inner end
  inner = chunks.common{inner, y.chunks[1]}
  local of_a, of_b = {table.unpack(x.chunks)}, {table.unpack(y.chunks)}
  of_a[#of_a], of_b[1] = inner, inner
  return make.rechunked(a, of_a), make.rechunked(b, of_b), inner
end

-- The blocks of the result at (i, j), one for each chunk of the inner axis; a
-- vector's has no i or j.
local function products(x, y, inner, i, j, bytes)
  local list = {}
  for k = 1, #inner do
    local left = #x.chunks == 2 and {i, k} or {k}
    local right = #y.chunks == 2 and {k, j} or {k}
    list[k] = tasks.new("np", {"matmul",
      {x.blocks[chunks.number(x.chunks, left)],
       y.blocks[chunks.number(y.chunks, right)]}},
      {label = "matmul", bytes = bytes})
  end
  return list
end

--- np.matmul of arrays with one or two axes.
function M.matmul(a, b, name)
  name = name or "matmul"
  if not object.is_array(a) then a = make.array(a) end
  if not object.is_array(b) then b = make.array(b) end
  check_product(name, a, b)
  local dtype = elementwise.dtype("multiply", {a, b}, 2)
  local inner
  a, b, inner = aligned(a, b)
  local x, y, cut = own(a), own(b), {}
  if #x.shape == 2 then cut[1] = x.chunks[1] end
  if #y.shape == 2 then cut[#cut + 1] = y.chunks[2] end
  local blocks = {}
  for k, at in chunks.each(cut) do
    local i, j = #x.shape == 2 and at[1], #y.shape == 2 and at[#cut]
    local bytes = object.bytes(chunks.block_shape(cut, at), dtype)
    blocks[k] = reduce.joined(products(x, y, inner, i, j, bytes), "add", bytes)
  end
  return object.new(cut, dtype, blocks)
end

function M.dot(a, b) return M.matmul(a, b, "dot") end

-- ---- Functions of chunks ----

--- As documented in help/scale.lua.
function M.map_blocks(x, f, options)
  local o = mistakes.options("map_blocks", options, {"dtype", "chunks"})
  local text, own_x = functions.pack(f, "map_blocks"), own(x)
  local cut = own_x.chunks
  if o.chunks ~= nil then
    -- The results' own sizes: as many chunks as there are, each as said.
    cut = {}
    if type(o.chunks) ~= "table" or #o.chunks ~= #own_x.chunks then
      fail("map_blocks: chunks has the size of a result's axes, %d numbers",
        #own_x.chunks)
    end
    for axis, size in ipairs(o.chunks) do
      cut[axis] = {}
      for i = 1, #own_x.chunks[axis] do
        cut[axis][i] = type(size) == "table" and size[i] or size
      end
    end
  end
  local dtype = np.zeros(0, o.dtype or own_x.dtype).dtype
  return object.build(cut, dtype, "block", "map_blocks", function(k, at)
    return {text, {own_x.blocks[k], n = 1}, chunks.block_shape(cut, at), dtype}
  end)
end

return M
