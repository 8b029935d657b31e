-- SPDX-License-Identifier: Apache-2.0
-- Keys of jax.random as values with a type of their own: an array of keys is a
-- u32 array whose last axis holds the two words of each. To the transformations
-- a key is a tree with that array as its only leaf.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local tree = use("core/tree")
local M = {}

local Key = {__name = "key<fry>"}

function M.wrap(words) return setmetatable({words = words}, Key) end

function M.is_key(x) return getmetatable(x) == Key end

--- The array of words of a key, or of a raw key as PRNGKey makes it.
function M.words_of(x) return rawget(x, "words") end

local function shape_of(x)
  local shape = core.shape_of(rawget(x, "words"))
  return table.move(shape, 1, #shape - 1, 1, {})
end

local function at(x, i)
  local words, shape = rawget(x, "words"), shape_of(x)
  if #shape == 0 then
    core.fail("argument", "TypeError", "a single key has no elements: " ..
              "jax.random.split(key) makes several of it")
  end
  local n = shape[1]
  if math.type(i) ~= "integer" or i < -n or i >= n then
    core.fail("argument", "IndexError", "key %s of %d keys", tostring(i), n)
  end
  i = i % n
  return M.wrap(lax.squeeze(lax.slice_in_dim(words, i, i + 1, 1, 0), {0}))
end

local methods = {}

--- The keys along the first axis, one by one: local a, b = split(key):unpack()
function methods.unpack(x)
  local all = {}
  for i = 0, (shape_of(x)[1] or 0) - 1 do all[i + 1] = at(x, i) end
  return table.unpack(all)
end

local properties = {
  shape = shape_of,
  ndim = function(x) return #shape_of(x) end,
  size = function(x) return core.size(shape_of(x)) end,
  dtype = function() return "key<fry>" end,
}

function Key.__index(x, name)
  if properties[name] then return properties[name](x) end
  if type(name) == "string" then return methods[name] end
  return at(x, name)
end

function Key.__len(x)
  local n = shape_of(x)[1]
  if not n then
    core.fail("argument", "TypeError", "a single key has no length")
  end
  return n
end

function Key.__tostring(x)
  local words = rawget(x, "words")
  if core.is_tracer(words) then
    return ("Traced<key<fry>[%s]>"):format(table.concat(shape_of(x), ","))
  end
  return ("Array(%s, dtype=key<fry>) overlaying:\n%s"):format(
    core.shape_text(shape_of(x)), tostring(use.np.asarray(words)))
end

for event, name in pairs{__add = "+", __sub = "-", __mul = "*", __div = "/"} do
  Key[event] = function()
    core.fail("argument", "TypeError", "keys are not numbers: %s is not " ..
              "defined for them. jax.random.bits(key) gives random bits, " ..
              "jax.random.key_data(key) the key's own words", name)
  end
end

tree.register_node(Key)

return M
