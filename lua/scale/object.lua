-- SPDX-License-Identifier: Apache-2.0
-- Chunked arrays as values of Lua: what one keeps, and its making.
local use = ...
local chunks, tasks = use("chunks"), use("tasks")
local np = use.np
local M = {}

local KEY = {}

--- The metatable, which array.lua fills.
M.Array = {__name = "scale.Array", help_name = "scale.ChunkedArray"}

function M.is_array(x) return getmetatable(x) == M.Array end

--- {shape, dtype, chunks, blocks = tasks, the last axis fastest}.
function M.own(x) return rawget(x, KEY) end

local widths = {}

--- Bytes of an element.
function M.width(dtype)
  widths[dtype] = widths[dtype] or np.zeros(0, dtype).itemsize
  return widths[dtype]
end

--- Bytes of an array of this shape.
function M.bytes(shape, dtype)
  return chunks.elements(shape) * M.width(dtype)
end

--- An array of blocks that are tasks.
function M.new(cut, dtype, blocks)
  return setmetatable({[KEY] = {shape = chunks.shape(cut), dtype = dtype,
                                chunks = cut, blocks = blocks}}, M.Array)
end

--- An array whose k-th block is the task op(args(k, at)...); `more` are hints.
function M.build(cut, dtype, op, label, args, more)
  local blocks, count = {}, chunks.count(cut)
  for k, at in chunks.each(cut) do
    local hints = {label = label,
                   bytes = M.bytes(chunks.block_shape(cut, at), dtype)}
    for key, value in pairs(more or {}) do hints[key] = value end
    if hints.is_source then hints.block, hints.blocks = k, count end
    blocks[k] = tasks.new(op, args(k, at), hints)
  end
  return M.new(cut, dtype, blocks)
end

return M
