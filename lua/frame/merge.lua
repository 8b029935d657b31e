-- SPDX-License-Identifier: Apache-2.0
-- merge: rows of two frames with equal keys. Missing keys are equal to each
-- other, as in pandas.
local use = ...
local object, column = use("object"), use("column")
local tables, group = use("table"), use("group")
local np = use.np
local fail = object.fail
local state = object.state

-- The names of both sides' keys.
local function keys_of(left, right, o)
  if o.on == nil and o.left_on == nil and o.right_on == nil then
    local common = {}
    for _, name in ipairs(left.names) do
      if right.columns[name] then common[#common + 1] = name end
    end
    if #common == 0 then
      fail("merge: the frames have no column in common (left: %s; right: %s);"
        .. ' {left_on = "...", right_on = "..."} says which go together',
        object.list(left.names), object.list(right.names))
    end
    return common, common
  end
  local a = object.names(o.left_on or o.on)
  local b = object.names(o.right_on or o.on)
  if #a ~= #b or #a == 0 then
    fail("merge: left_on has %d columns and right_on %d", #a, #b)
  end
  return a, b
end

-- Both sides' keys one below the other, as codes of one numbering.
local function codes_of(left, right, a, b)
  local keys = {}
  for i = 1, #a do
    local l = tables.find(left, a[i], "merge: left")
    local r = tables.find(right, b[i], "merge: right")
    keys[i] = column.concat({l, r}, ('merge: the key "%s"'):format(a[i]))
  end
  local codes, count, first = group.codes(keys, true)
  local firsts = {}
  for i, c in ipairs(keys) do firsts[i] = column.take(c, first) end
  return codes, count, column.order(firsts)
end

-- Names that both sides have get a suffix.
local function renamed(names, other, is_key, suffix)
  local out = {}
  for _, name in ipairs(names) do
    if not is_key[name] then
      out[name] = other[name] and name .. suffix or name
    end
  end
  return out
end

local function positions(left, right, codes, count, how, order)
  local l = codes[("0:%d"):format(left.n)]
  local r = codes[("%d:%d"):format(left.n, left.n + right.n)]
  if how == "right" then
    local rows_r, rows_l = use.join(r, l, count, "left")
    return rows_l, rows_r
  end
  return use.join(l, r, count, how, use.cast(order, "i32"))
end

-- The key of both sides: the left one's where there is one.
local function joined_key(l, r, rows_l, rows_r)
  local gaps = column.any(rows_l:lt(0))
  if not gaps then
    -- Bools beside bools some of which are missing are the latter.
    return column.take(l, rows_l, r.type == "object")
  end
  if column.all(rows_l:lt(0)) then
    return column.take(r, rows_r, l.type == "object")
  end
  local both = column.concat({l, r}, "merge")
  local rows = np.where(rows_l:lt(0), rows_r + #l.data, rows_l)
  return column.take(both, use.cast(rows, "i64"))
end

-- ---- The result ----

local function add(out, name, c)
  if out.columns[name] then
    fail('merge: there would be two columns "%s"; {suffixes = {"_a", "_b"}}'
      .. " names them otherwise", name)
  end
  out.names[#out.names + 1], out.columns[name] = name, c
end

local function set_of(list)
  local set = {}
  for i, name in ipairs(list) do set[name] = i end
  return set
end

--- The rows of df and of other whose keys are equal. how: "inner", "left",
--- "right", "outer".
function tables.methods.merge(df, other, options)
  local o = object.options("merge", options,
    {"on", "how", "left_on", "right_on", "suffixes"})
  if object.kind(other) ~= "frame" then
    fail('merge: with another frame, not %s: df:merge(other, {on = "key"}),'
      .. " with a colon", use.value_text(other))
  end
  local how = object.choice("merge", "how", o.how or "inner",
    {"inner", "left", "right", "outer"})
  local left, right = state(df), state(other)
  local a, b = keys_of(left, right, o)
  local codes, count, order = codes_of(left, right, a, b)
  local rows_l, rows_r = positions(left, right, codes, count, how, order)
  local gaps_l, gaps_r = column.any(rows_l:lt(0)), column.any(rows_r:lt(0))
  local suffixes = o.suffixes or {"_x", "_y"}
  local keys, is_both = set_of(a), {}
  for i = 1, #a do is_both[b[i]] = a[i] == b[i] or nil end
  local left_names = renamed(left.names, right.columns, is_both, suffixes[1])
  local right_names = renamed(right.names, left.columns, is_both, suffixes[2])
  local out = {names = {}, columns = {}}
  for _, name in ipairs(left.names) do
    local c = left.columns[name]
    if is_both[name] then
      add(out, name, joined_key(c, right.columns[b[keys[name]]], rows_l,
        rows_r))
    else
      add(out, left_names[name] or name, column.take(c, rows_l, gaps_l))
    end
  end
  for _, name in ipairs(right.names) do
    if not is_both[name] then
      add(out, right_names[name], column.take(right.columns[name], rows_r,
        gaps_r))
    end
  end
  return tables.new(out.names, out.columns, #rows_l)
end

return true
