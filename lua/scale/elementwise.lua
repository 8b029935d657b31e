-- SPDX-License-Identifier: Apache-2.0
-- Functions that go element by element: operands are brought to one cut, and
-- each chunk of the result is a task.
local use = ...
local mistakes = use("shared/mistakes")
local chunks, object, make = use("chunks"), use("object"), use("make")
local np = use.np
local own, fail = object.own, mistakes.fail
local M = {}

-- ---- What a result is ----

-- An array of one element an axis in the place of an operand: np says of it
-- which type comes out, and whether the function takes such operands at all.
local function sample(x)
  if not object.is_array(x) then return x end
  local shape = {1}
  for axis = 1, #own(x).shape do shape[axis] = 1 end
  return np.ones(shape, own(x).dtype)
end

--- The type of np[name](args...).
function M.dtype(name, args, n)
  local samples = {}
  for i = 1, n do samples[i] = sample(args[i]) end
  return np.asarray(np[name](table.unpack(samples, 1, n))).dtype
end

-- ---- One cut for all ----

local function shape_text(x)
  return "(" .. table.concat(own(x).shape, ", ") .. ")"
end

local function does_not_fit(name, operands)
  local texts = {}
  for i, x in ipairs(operands) do texts[i] = shape_text(x) end
  fail("%s: operands could not be broadcast together with shapes %s", name,
    table.concat(texts, " "))
end

-- The cut of one axis, counted from the last, of all operands that have more
-- than one element there.
local function common_axis(name, operands, back)
  local lists, size = {}, 1
  for _, x in ipairs(operands) do
    local o = own(x)
    local axis = #o.shape - back
    local n = axis > 0 and o.shape[axis] or 1
    if n ~= 1 then
      if size ~= 1 and n ~= size then does_not_fit(name, operands) end
      size = n
      lists[#lists + 1] = o.chunks[axis]
    end
  end
  if #lists == 0 then return {1} end
  for _, list in ipairs(lists) do
    if not chunks.same(list, lists[1]) then return chunks.common(lists) end
  end
  return lists[1]
end

--- The cut that arrays broadcast to.
function M.common(name, operands)
  local ndim, out = 0, {}
  for _, x in ipairs(operands) do ndim = math.max(ndim, #own(x).shape) end
  for back = 0, ndim - 1 do
    out[ndim - back] = common_axis(name, operands, back)
  end
  return out
end

-- x in the chunks of `cut` on the axes that it has.
local function fitted(x, cut)
  local o, wanted = own(x), {}
  for axis, n in ipairs(o.shape) do
    wanted[axis] = n == 1 and {1} or cut[#cut - #o.shape + axis]
  end
  return make.rechunked(x, wanted)
end

-- The block of x below the place `at` of the result.
local function block_of(x, at, ndim)
  local o, place = own(x), {}
  for axis, n in ipairs(o.shape) do
    place[axis] = n == 1 and 1 or at[ndim - #o.shape + axis]
  end
  return o.blocks[chunks.number(o.chunks, place)]
end

-- ---- The call ----

--- np[name](args...): arrays in chunks, arrays of np, numbers.
function M.call(name, args, n)
  local operands, values = {}, {}
  for i = 1, n do
    local x = args[i]
    if use.is_array(x) and x.ndim > 0 then x = make.of_np(x) end
    values[i] = x
    if object.is_array(x) then operands[#operands + 1] = x end
  end
  local dtype = M.dtype(name, values, n)
  local cut = M.common(name, operands)
  for i = 1, n do
    if object.is_array(values[i]) then values[i] = fitted(values[i], cut) end
  end
  return object.build(cut, dtype, "np", name, function(_, at)
    local of_block = {n = n}
    for i = 1, n do
      local x = values[i]
      of_block[i] = object.is_array(x) and block_of(x, at, #cut) or x
    end
    return {name, of_block}
  end)
end

return M
