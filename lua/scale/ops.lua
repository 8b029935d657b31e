-- SPDX-License-Identifier: Apache-2.0
-- What tasks do: each name a function of values, run where the task is.
local use = ...
local np = use.np
local functions = use("functions")
local M = {}

-- A view as an array of its own, wherever it is.
local function own(x) return x.device == "host" and np.array(x) or x:copy() end

--- A value that was there before.
function M.value(x) return x end

local function reversed(list)
  local out = {}
  for _, n in ipairs(list) do table.insert(out, 1, n) end
  return out
end

--- A box of the array in a .npy file (npy.lua), which may have its first axis fastest.
function M.npy(file, begin, count)
  if not file.is_fortran then
    return use.read_part(file.path, file.offset, file.dtype, file.shape, begin,
      count, file.is_swapped)
  end
  return np.array(use.read_part(file.path, file.offset, file.dtype,
    reversed(file.shape), reversed(begin), reversed(count), file.is_swapped).T)
end

--- np[name](...), of arguments some of which may be nil.
function M.np(name, args)
  return np[name](table.unpack(args, 1, args.n or #args))
end

--- A learner's function.
function M.call(text, args)
  return functions.unpack(text)(table.unpack(args, 1, args.n or #args))
end

local function shape_text(shape)
  return "(" .. table.concat(shape, ", ") .. ")"
end

--- A learner's function of a chunk, which must give an array of this shape and type.
function M.block(text, args, shape, dtype)
  local x = M.call(text, args)
  if type(x) == "number" or type(x) == "boolean" then x = np.asarray(x) end
  local is_right = use.is_array(x) and x.ndim == #shape
  for axis, n in ipairs(shape) do
    is_right = is_right and x.shape[axis] == n
  end
  if not is_right then
    use.raise("argument", ("map_blocks: the function gives %s for a chunk, and an"
      .. " array of shape %s is wanted (chunks = {...} says which others there"
      .. " are)"):format(use.is_array(x) and "one of shape "
        .. shape_text(x.shape) or use.value_text(x), shape_text(shape)))
  end
  return x:astype(dtype)
end

function M.cast(x, dtype) return x:astype(dtype) end
function M.transpose(x, axes) return own(np.transpose(x, axes)) end
function M.index(x, key)
  local part = x[key]
  return use.is_array(part) and own(part) or np.asarray(part, x.dtype)
end

--- np[name] along axes that stay, each of one element.
function M.reduce(name, x, axes, dtype)
  for _, axis in ipairs(axes) do
    x = np[name](x, {axis = axis, keepdims = true, dtype = dtype})
  end
  return x
end

--- One by one, in this order: a result does not depend on who was faster.
function M.fold(name, list)
  local out = list[1]
  for i = 2, #list do out = np[name](out, list[i]) end
  return out
end

--- Without these axes, each of one element.
function M.squeeze(x, axes) return own(np.squeeze(x, axes)) end

--- An array put together: pieces are {at = index of the result, x, from = index}.
function M.assemble(shape, dtype, pieces)
  local device = pieces[1][1].device
  local out = np.zeros(shape, dtype)
  for _, piece in ipairs(pieces) do
    local x = piece[1]
    if x.device ~= "host" then x = x:copy_to_host() end
    out[piece.at] = x[piece.from]
  end
  return device == "host" and out or out:to(device)
end

--- x:name(...) of a frame or a series.
function M.method(x, name, args)
  return x[name](x, table.unpack(args, 1, args.n or #args))
end

return M
