-- SPDX-License-Identifier: Apache-2.0
-- Row labels, the index: nil where rows are 0, 1, 2 ..., else a list of
-- {name =, column =}, more than one after a groupby of several columns.
local use = ...
local object, column = use("object"), use("column")
local np = use.np
local M = {}

--- The labels as columns, those of nil as well.
function M.columns(index, n)
  if not index then return {column.new("i64", np.arange(n))} end
  local out = {}
  for i, level in ipairs(index) do out[i] = level.column end
  return out
end

local function each(index, f)
  local out = {}
  for i, level in ipairs(index) do
    out[i] = {name = level.name, column = f(level.column)}
  end
  return out
end

function M.take(index, rows, some_missing)
  if not index then
    if some_missing then return nil end
    return {{column = column.new("i64", rows)}}
  end
  return each(index, function(c) return column.take(c, rows, some_missing) end)
end

function M.slice(index, from, to, like)
  if not index then
    if from == 0 then return nil end
    local labels = np.arange(from, to)
    return {{column = column.new("i64", column.beside(like.data, labels))}}
  end
  return each(index, function(c) return column.slice(c, from, to) end)
end

--- Are the labels of two the same?
function M.same(a, b, n)
  if a == b then return true end
  local x, y = M.columns(a, n), M.columns(b, n)
  if #x ~= #y then return false end
  for i = 1, #x do
    if not column.same(x[i], y[i]) then return false end
  end
  return true
end

--- One below the other; `ns` are their numbers of rows, `like` a column that
--- stands where they are to be.
function M.concat(list, ns, what, like)
  local parts = {}
  for i = 1, #ns do
    for k, c in ipairs(M.columns(list[i], ns[i])) do
      parts[k] = parts[k] or {}
      parts[k][i] = like and column.placed(c, like) or c
    end
  end
  local out = {}
  for k, columns in ipairs(parts) do
    local first = list[1] and list[1][k]
    out[k] = {name = first and first.name,
              column = column.concat(columns, what)}
  end
  return out
end

--- The label of row i: a value, or a list where there are several columns.
function M.label(index, i)
  if not index then return i end
  if #index == 1 then return column.get(index[1].column, i) end
  local out = {}
  for k, level in ipairs(index) do out[k] = column.get(level.column, i) end
  return out
end

--- The first row with this label, or nil.
function M.find(index, label, n)
  if not index then
    if math.type(label) ~= "integer" then return nil end
    if label < 0 then return nil end
    return label < n and label or nil
  end
  if #index > 1 then return M.find_list(index, label, n) end
  local c = index[1].column
  local data = c.data
  if c.type == "str" then
    if type(label) ~= "string" then return nil end
    label = c.texts:find(label)
    if label < 0 then return nil end
  elseif type(label) == "boolean" and c.type ~= "bool" then
    label = label and 1 or 0
  elseif type(label) ~= "number" and c.type ~= "bool" then
    return nil
  end
  local at = np.nonzero(np.equal(data, label))
  return #at > 0 and at[0] or nil
end

function M.find_list(index, label, n)
  if type(label) ~= "table" or object.kind(label) then return nil end
  for i = 0, n - 1 do
    local is_it = true
    for k, level in ipairs(index) do
      is_it = is_it and column.get(level.column, i) == label[k]
    end
    if is_it then return i end
  end
end

--- What s.index shows: an array, a list of texts, a list of such.
function M.index_values(index, n)
  if not index then return np.arange(n) end
  local out = {}
  for k, level in ipairs(index) do
    local c = level.column
    local is_array = c.type ~= "str" and c.type ~= "object"
    out[k] = is_array and column.host(c.data) or column.tolist(c)
  end
  return #out == 1 and out[1] or out
end

--- From which row to before which one: the first n, all but the last -n.
function M.head(n, wanted)
  wanted = object.rows("head", wanted, 5)
  return 0, math.max(0, wanted < 0 and n + wanted or math.min(wanted, n))
end
function M.tail(n, wanted)
  wanted = object.rows("tail", wanted, 5)
  return math.min(n, wanted < 0 and -wanted or math.max(0, n - wanted)), n
end

return M
