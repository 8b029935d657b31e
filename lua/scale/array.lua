-- SPDX-License-Identifier: Apache-2.0
-- Arrays in chunks: operators, methods, properties; what makes them compute.
local use = ...
local mistakes = use("shared/mistakes")
local chunks, object, names = use("chunks"), use("object"), use("names")
local client, make = use("client"), use("make")
local elementwise, reduce = use("elementwise"), use("reduce")
local slice, product, graph = use("slice"), use("product"), use("graph")
local np = use.np
local own, fail = object.own, mistakes.fail
local Array = object.Array
local methods, properties = {}, {}
local M = {methods = methods}

-- ---- Computing ----

-- Puts a block into the whole.
local function place(whole, cut, at, x)
  if #cut == 0 then return np.asarray(x):reshape{} end
  whole[chunks.box_of(cut, at)] = x
  return whole
end

-- What compute gives: numbers for arrays without axes, as np does.
local function as_np(x, ndim)
  if ndim > 0 then return x end
  return np.asarray(x):item()
end

function methods.compute(x)
  local o = own(x)
  local whole, at_of = np.zeros(o.shape, o.dtype), {}
  for k, at in chunks.each(o.chunks) do
    local t = o.blocks[k]
    at_of[t] = at_of[t] or {}
    table.insert(at_of[t], {table.unpack(at)})
  end
  client.executor():compute(o.blocks, function(t, value)
    for _, at in ipairs(at_of[t]) do
      whole = place(whole, o.chunks, at, value)
    end
  end)
  return as_np(whole, #o.shape)
end

--- Computes the chunks, and keeps them where they are.
function methods.persist(x)
  client.executor():persist(own(x).blocks)
  return x
end

function methods.graph(x) return graph.new(own(x).blocks) end

-- ---- Methods ----

methods.rechunk = make.rechunk
methods.transpose = product.transpose
methods.dot = product.dot
methods.map_blocks = product.map_blocks
for _, name in ipairs{"sum", "prod", "max", "min", "any", "all", "mean", "var",
  "std"} do
  methods[name] = reduce[name]
end
methods.astype = reduce.cast

for name, f in pairs(names.comparisons) do
  methods[name] = function(x, y) return elementwise.call(f, {x, y}, 2) end
end

-- A method is called with a colon.
for name, f in pairs(methods) do
  methods[name] = function(x, ...)
    if not object.is_array(x) then
      fail("%s is written with a colon, x:%s(...), where x is an array in"
        .. " chunks", name, name)
    end
    return f(x, ...)
  end
end

-- ---- Properties ----

local function copied(list)
  local out = {}
  for i, v in ipairs(list) do out[i] = type(v) == "table" and copied(v) or v end
  return out
end

function properties.shape(x) return copied(own(x).shape) end
function properties.chunks(x) return copied(own(x).chunks) end
function properties.dtype(x) return own(x).dtype end
function properties.ndim(x) return #own(x).shape end
function properties.T(x) return product.transpose(x) end
function properties.size(x) return chunks.elements(own(x).shape) end
function properties.nbytes(x)
  return object.bytes(own(x).shape, own(x).dtype)
end
function properties.numblocks(x)
  local out = {}
  for axis, list in ipairs(own(x).chunks) do out[axis] = #list end
  return out
end

function Array.__index(x, key)
  if type(key) == "string" then
    if methods[key] then return methods[key] end
    if properties[key] then return properties[key](x) end
    if key:find("^[%a_]") then
      mistakes.unknown("an array in chunks has no", key,
        mistakes.keys(methods, properties))
    end
  end
  return slice.index(x, key)
end

function Array.__newindex()
  fail("an array in chunks never changes: scale.where(mask, a, b) chooses, and"
    .. " x:compute() gives an array of np, which can be assigned to")
end

function Array.__complete(_, is_method)
  return is_method and methods or properties
end

-- ---- Operators ----

for event, name in pairs(names.operators) do
  Array[event] = function(a, b) return elementwise.call(name, {a, b}, 2) end
end
function Array.__unm(x) return elementwise.call("negative", {x}, 1) end
function Array.__bnot(x) return elementwise.call("invert", {x}, 1) end
function Array.__len(x)
  return own(x).shape[1] or fail("an array without axes has no length")
end

local function compare()
  fail("Lua's < and > cannot compare arrays element by element: write x:lt(y)"
    .. " or x:gt(y)")
end
Array.__lt, Array.__le = compare, compare

local units = {"bytes", "KiB", "MiB", "GiB", "TiB"}

function M.bytes_text(n)
  local unit = 1
  while n >= 1024 and unit < #units do n, unit = n / 1024, unit + 1 end
  return (unit == 1 and "%d %s" or "%.1f %s"):format(n, units[unit])
end

function Array.__tostring(x)
  local o = own(x)
  local count = #o.blocks
  return ("scale.array  shape (%s%s)  %s  %s in %d chunk%s of %s"):format(
    table.concat(o.shape, ", "), #o.shape == 1 and "," or "", o.dtype,
    M.bytes_text(properties.nbytes(x)), count, count == 1 and "" or "s",
    chunks.text(o.chunks))
end

-- ---- np's functions ----

-- np.NAME of arrays in chunks: np calls this in the place of its own.
function Array.__np_function(name, ...)
  if names.elementwise[name] then
    return elementwise.call(name, {...}, select("#", ...))
  elseif name == "matmul" or name == "dot" then
    return product[name](...)
  end
  local x = ...
  if object.is_array(x) and methods[name] then return methods[name](...) end
  fail("np.%s does not take arrays in chunks: x:compute() gives one of np, and"
    .. " x:map_blocks(f) calls a function for each chunk", name)
end

return M
