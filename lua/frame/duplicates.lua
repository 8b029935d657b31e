-- SPDX-License-Identifier: Apache-2.0
-- duplicated and drop_duplicates: rows that are there more than once.
local use = ...
local object, column = use("object"), use("column")
local series, tables, group = use("series"), use("table"), use("group")
local np = use.np
local state = object.state

local kept = {"first", "last", false}

local function keep_of(what, keep)
  if keep == nil then return "first" end
  for _, known in ipairs(kept) do
    if keep == known then return keep end
  end
  object.fail('%s: keep is "first", "last" or false, which keeps none of them,'
    .. " not %s", what, use.value_text(keep))
end

-- Of the rows of these columns, which are not the one that is kept.
local function mask_of(columns, n, keep)
  local codes, count = group.codes(columns, true)
  local there = column.zeros(codes, "i64")
  local places = use.cast(codes, "i64")
  if not keep then
    local size = use.aggregate("count", there, codes, count)
    return np.greater(use.take(size, places), 1)
  end
  local rows = use.aggregate(keep, there, codes, count)
  return np.not_equal(use.take(rows, places),
    column.beside(codes, np.arange(n)))
end

local function mask_series(columns, n, keep, index)
  local data = n > 0 and mask_of(columns, n, keep) or np.zeros(0, "bool")
  return series.new(column.new("bool", data), nil, index)
end

--- Where a row is there already; {subset = names, keep = "first"}.
function tables.methods.duplicated(df, options)
  local o = object.options("duplicated", options, {"subset", "keep"})
  local t = state(df)
  local columns = tables.find_all(t, o.subset or t.names, "duplicated")
  return mask_series(columns, t.n, keep_of("duplicated", o.keep), t.index)
end

--- Without rows that are there already.
function tables.methods.drop_duplicates(df, options)
  local o = object.options("drop_duplicates", options,
    {"subset", "keep", "ignore_index"})
  local out = df:filter(~df:duplicated{subset = o.subset, keep = o.keep})
  return o.ignore_index and out:reset_index{drop = true} or out
end

local methods = series.Series.methods

function methods.duplicated(s, options)
  local o = object.options("duplicated", options, {"keep"})
  local own = state(s)
  return mask_series({own.column}, #own.column.data,
    keep_of("duplicated", o.keep), own.index)
end

function methods.drop_duplicates(s, options)
  return s:filter(~s:duplicated(options))
end

return true
