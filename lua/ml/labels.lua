-- SPDX-License-Identifier: Apache-2.0
-- Classes as codes: y's values are numbers, texts or bools; what is computed of
-- them is 0, 1, 2 ... in the classes' order.
local use = ...
local mistakes, data = use("shared/mistakes"), use("data")
local kind_of = use("shared/objects").kind
local np = use.np
local fail = mistakes.fail
local M = {}

-- A list of y's values where it may hold texts, else an array.
local function values_of(y, who, what)
  if kind_of(y) == "series" and y.dtype == "str" then
    return y:tolist()
  elseif type(y) == "table" and not getmetatable(y)
    and type(y[1]) == "string" then
    return y
  end
  local a = data.host(data.array(y, who, what))
  if a.ndim ~= 1 then
    fail("%s: %s has a value for each sample, one axis, not %d", who, what,
      a.ndim)
  end
  return a
end

-- Sorted, each once.
local function distinct(list)
  local seen, out = {}, {}
  for _, v in ipairs(list) do
    if not seen[v] then seen[v], out[#out + 1] = true, v end
  end
  table.sort(out)
  return out
end

-- Texts: the classes as a list.
local function of_texts(lists, who, what)
  local all, at, codes = {}, {}, {}
  for _, list in ipairs(lists) do
    for i = 1, #list do
      if type(list[i]) ~= "string" then
        fail("%s: item %d of %s is %s, and others are texts", who, i - 1, what,
          use.value_text(list[i]))
      end
      all[#all + 1] = list[i]
    end
  end
  local classes = distinct(all)
  for i, text in ipairs(classes) do at[text] = i - 1 end
  for k, list in ipairs(lists) do
    local own = {}
    for i, text in ipairs(list) do own[i] = at[text] end
    codes[k] = np.array(own, "i64")
  end
  return classes, codes
end

-- Numbers and bools: the classes as an array.
local function of_numbers(arrays)
  local all = #arrays == 1 and arrays[1] or np.concatenate(arrays)
  local classes, inverse = np.unique(all, {return_inverse = true})
  local codes, from = {}, 0
  for k, a in ipairs(arrays) do
    codes[k] = inverse[("%d:%d"):format(from, from + #a)]:astype("i64")
    from = from + #a
  end
  return classes, codes
end

--- The classes of all of `ys` (an array, of texts a list), and of each its
--- codes.
function M.encode(ys, who, what)
  local values, texts = {}, 0
  for k, y in ipairs(ys) do
    values[k] = values_of(y, who, what)
    if type(values[k]) == "table" then texts = texts + 1 end
    if #values[k] == 0 then
      fail("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is"
        .. " required by %s", who)
    end
  end
  if texts > 0 and texts < #ys then
    fail("%s: labels are texts on one side and numbers on the other", who)
  end
  local make = texts > 0 and of_texts or of_numbers
  return make(values, who, what)
end

--- The classes with these codes: an array, of texts a list.
function M.decode(classes, codes)
  if use.is_array(classes) then return classes[codes] end
  local out = codes:tolist()
  for i, code in ipairs(out) do out[i] = classes[code + 1] end
  return out
end

--- Are they whole numbers, bools or texts, as classes are?
function M.check_discrete(classes)
  if use.is_array(classes) and classes.dtype:find("^f")
    and np.any(np.not_equal(classes, np.floor(classes))) then
    fail("Unknown label type: continuous: classes are whole numbers, bools or"
      .. " texts")
  end
end

return M
