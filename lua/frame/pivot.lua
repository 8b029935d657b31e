-- SPDX-License-Identifier: Apache-2.0
-- pivot and pivot_table: a column's values become columns.
local use = ...
local object, column = use("object"), use("column")
local tables, group = use("table"), use("group")
local np = use.np
local fail = object.fail
local state = object.state

-- Codes of a column's values in their order, how many, and their rows.
local function levels(c)
  local codes, count, first = group.codes({c})
  local order = column.order({column.take(c, first)})
  local rank = use.invert(order)
  return use.renumber(codes, rank), count, use.take(first, order)
end

local function name_of(v)
  if type(v) == "boolean" then return v and "True" or "False" end
  return use.number_text(v)
end

-- The frame whose cell (i, k) is the value at rows[i * count + k], if any.
local function spread(t, o, values)
  local index_codes, index_count, index_first = levels(t.columns[o.index])
  local codes, count, first = levels(t.columns[o.columns])
  -- Cells are few: they are placed on the host.
  index_codes, codes = column.host(index_codes), column.host(codes)
  local cells = np.full(index_count * count, -1, "i64")
  local place = use.cast(index_codes, "i64") * count + codes
  local there = np.nonzero(np.logical_and(index_codes:ge(0), codes:ge(0)))
  cells[use.take(place, there)] = there
  cells = cells:reshape(index_count, count)
  -- A cell without a row makes the type of all columns one that has missing.
  local some_missing = column.any(cells:lt(0))
  local names, columns = {}, {}
  local headings = column.take(t.columns[o.columns], first)
  for k = 0, count - 1 do
    local rows = np.array(cells[(":, %d"):format(k)])
    local name = name_of(column.get(headings, k))
    names[k + 1] = name
    columns[name] = column.take(values, rows, some_missing)
  end
  return tables.new(names, columns, index_count, {{name = o.index,
    column = column.take(t.columns[o.index], index_first)}})
end

local function check(t, what, o)
  for _, name in ipairs{"index", "columns", "values"} do
    if type(o[name]) ~= "string" then
      fail('%s: {%s = "..."} names a column, of %s', what, name,
        object.list(t.names))
    end
    tables.find(t, o[name], what)
  end
end

--- Each value of `columns` becomes a column, each of `index` a row.
function tables.methods.pivot(df, options)
  local o = object.options("pivot", options, {"index", "columns", "values"})
  local t = state(df)
  check(t, "pivot", o)
  local _, count = group.codes({t.columns[o.index], t.columns[o.columns]})
  local codes = group.codes({t.columns[o.index], t.columns[o.columns]})
  if count < column.total(codes:ge(0)) then
    fail("pivot: two rows have the same %s and %s; df:pivot_table(...) makes"
      .. " one value of them", o.index, o.columns)
  end
  return spread(t, o, t.columns[o.values])
end

--- The same of several rows each, of which aggfunc makes one value.
function tables.methods.pivot_table(df, options)
  local o = object.options("pivot_table", options,
    {"index", "columns", "values", "aggfunc", "fill_value"})
  local t = state(df)
  check(t, "pivot_table", o)
  local one = df:groupby({o.index, o.columns})[o.values]
    :agg(o.aggfunc or "mean"):rename("values"):dropna()
  local cells = state(one)
  local made = {names = {o.index, o.columns}, n = #one, columns = {
    [o.index] = cells.index[1].column, [o.columns] = cells.index[2].column}}
  local out = spread(made, o, cells.column)
  if o.fill_value == nil then return out end
  local filled = out:fillna(o.fill_value)
  local own = state(filled)
  for _, name in ipairs(own.names) do
    local c = own.columns[name]
    if cells.column.type == "i64" and c.type == "f64"
      and math.type(o.fill_value) == "integer" then
      own.columns[name] = column.astype(c, "i64")
    end
  end
  return filled
end

return true
