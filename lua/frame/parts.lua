-- SPDX-License-Identifier: Apache-2.0
-- Frames and series as plain tables of arrays and texts, and back: how scale
-- brings them to another process.
local use = ...
local object, column = use("object"), use("column")
local tables, series = use("table"), use("series")

local function of_column(c)
  local texts
  if c.texts then
    texts = {}
    for code = 0, #c.texts - 1 do texts[code + 1] = c.texts:get(code) end
  end
  return {type = c.type, data = c.data, texts = texts}
end

local function to_column(parts)
  local texts
  if parts.texts then
    texts = use.texts()
    for _, text in ipairs(parts.texts) do texts:add(text) end
  end
  return column.new(parts.type, parts.data, texts)
end

local function of_index(index)
  local out = {}
  for i, level in ipairs(index or {}) do
    out[i] = {name = level.name, column = of_column(level.column)}
  end
  return index and out or false
end

local function to_index(parts)
  if not parts then return nil end
  for _, level in ipairs(parts) do level.column = to_column(level.column) end
  return parts
end

local function bytes_of(c)
  return c.data.nbytes + (c.texts and 24 * #c.texts or 0)
end

-- ---- Frames ----

function tables.Table.to_parts(df)
  local t, columns = object.state(df), {}
  for i, name in ipairs(t.names) do columns[i] = of_column(t.columns[name]) end
  return {class = "DataFrame", names = t.names, columns = columns, n = t.n,
          index = of_index(t.index)}
end

function tables.Table.of_parts(parts)
  local columns = {}
  for i, name in ipairs(parts.names) do
    columns[name] = to_column(parts.columns[i])
  end
  return tables.new(parts.names, columns, parts.n, to_index(parts.index))
end

function tables.Table.bytes_of(df)
  local n = 64
  for _, c in pairs(object.state(df).columns) do n = n + bytes_of(c) end
  return n
end

-- ---- Series ----

local Series = series.Series

function Series.to_parts(s)
  local own = object.state(s)
  return {class = "Series", name = own.name, column = of_column(own.column),
          index = of_index(own.index)}
end

function Series.of_parts(parts)
  return series.new(to_column(parts.column), parts.name, to_index(parts.index))
end

function Series.bytes_of(s) return 64 + bytes_of(object.state(s).column) end
