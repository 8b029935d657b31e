-- SPDX-License-Identifier: Apache-2.0
-- train_test_split.
local use = ...
local mistakes, objects = use("shared/mistakes"), use("shared/objects")
local object, data = use("object"), use("data")
local np = use.np
local fail = mistakes.fail

local option_names = {"test_size", "train_size", "random_state", "shuffle"}

-- ---- What is split ----

local function length_of(x)
  if use.is_array(x) then return x.shape[1] or 0 end
  return #x
end

-- Rows at these places, of the same kind as x.
local function rows_of(x, places)
  if objects.kind(x) then return x:iloc(places:tolist()) end
  if use.is_array(x) then return x[data.beside(x, places)] end
  local out = {}
  for i, at in ipairs(places:tolist()) do out[i] = x[at + 1] end
  return out
end

-- ---- How many ----

local function check_size(name, v, n)
  if v == nil then return end
  local is_part = math.type(v) == "float" and v > 0 and v < 1
  if not is_part and not object.is_count(v) then
    fail("train_test_split: %s must be a part between 0.0 and 1.0, a whole"
      .. " number, 1 or more, or nil, not %s", name, object.shown(v))
  elseif not is_part and v >= n then
    fail("%s=%d should be either positive and smaller than the number of"
      .. " samples %d or a float in the (0, 1) range", name, v, n)
  end
end

local function count_of(v, n, round)
  if v == nil then return nil end
  return math.type(v) == "float" and round(v * n) or v
end

-- How many rows are for training and how many for the test.
local function counts_of(o, n)
  local test, train = o.test_size, o.train_size
  check_size("test_size", test, n)
  check_size("train_size", train, n)
  if test == nil and train == nil then test = 0.25 end
  if math.type(test) == "float" and math.type(train) == "float"
    and test + train > 1 then
    fail("The sum of test_size and train_size = %s, should be in the (0, 1)"
      .. " range. Reduce test_size and/or train_size", test + train)
  end
  local tests = count_of(test, n, math.ceil)
  local trains = count_of(train, n, math.floor)
  tests, trains = tests or n - trains, trains or n - tests
  if tests + trains > n then
    fail("The sum of train_size and test_size = %d, should be smaller than the"
      .. " number of samples %d. Reduce test_size and/or train_size",
      tests + trains, n)
  elseif trains == 0 then
    fail("With n_samples=%d, test_size=%s and train_size=%s, the resulting"
      .. " train set will be empty. Adjust any of the aforementioned"
      .. " parameters",
      n, test, train)
  end
  return trains, tests
end

-- ---- The split ----

local function places_of(o, n)
  local trains, tests = counts_of(o, n)
  if o.shuffle == false then
    return np.arange(trains), np.arange(trains, trains + tests)
  end
  local order = object.generator(o.random_state):permutation(n)
  return order[("%d:%d"):format(tests, tests + trains)]:copy(),
    order[(":%d"):format(tests)]:copy()
end

--- Of each array, frame or list the rows for training and those for the test.
return function(...)
  local given = {...}
  local count = select("#", ...)
  local options
  if count > 0 and objects.is_options(given[count]) then
    options, count = given[count], count - 1
  end
  local o = mistakes.options("train_test_split", options, option_names)
  if count == 0 then
    fail("train_test_split: at least one array is required as input")
  end
  object.seed("train_test_split", "random_state", o.random_state)
  for i = 1, count do
    local x = given[i]
    if type(x) ~= "table" and not use.is_array(x) then
      fail("train_test_split: argument %d is an array, a frame or a list,"
        .. " not %s", i, use.value_text(x))
    end
    data.check_lengths(length_of(given[1]), length_of(x))
  end
  local train, test = places_of(o, length_of(given[1]))
  local out = {}
  for i = 1, count do
    out[2 * i - 1] = rows_of(given[i], train)
    out[2 * i] = rows_of(given[i], test)
  end
  return table.unpack(out)
end
