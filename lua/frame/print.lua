-- SPDX-License-Identifier: Apache-2.0
-- Frames and series as text, as pandas writes them: at most sixty rows, else
-- the first and the last five; as many columns as the terminal has room for.
local use = ...
local column = use("column")
local np = use.np
local M = {}

local MOST_ROWS, END_ROWS, MOST_TEXT, DIGITS = 60, 5, 50, 6

local function width(text) return utf8.len(text) or #text end
local function right(text, n) return (" "):rep(n - width(text)) .. text end
local function left(text, n) return text .. (" "):rep(n - width(text)) end

-- Python's: an odd blank goes to the right of texts in even room.
local function center(text, n)
  local pad = n - width(text)
  local before = pad // 2 + (pad & n & 1)
  return (" "):rep(before) .. text .. (" "):rep(pad - before)
end

-- ---- Values ----

local escapes = {["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t"}

-- At most fifty characters on one line.
local function short(text)
  text = text:gsub("[\n\r\t]", escapes)
  if width(text) <= MOST_TEXT then return text end
  local stop = utf8.len(text) and utf8.offset(text, MOST_TEXT - 2)
    or MOST_TEXT - 2
  return text:sub(1, stop - 1) .. "..."
end

local function with_sign(text) return text:sub(1, 1) == "-" and text
  or " " .. text end

local function float_texts(values, format)
  local out = {}
  for i, v in ipairs(values) do
    if v ~= v then
      out[i] = "NaN"
    elseif v == math.huge or v == -math.huge then
      out[i] = v > 0 and " inf" or "-inf"
    else
      out[i] = with_sign(format:format(v))
    end
  end
  return out
end

-- Zeros that end all of the numbers are left out, but for one.
local function trim_zeros(texts)
  local least
  for _, text in ipairs(texts) do
    local digits = text:match("^[ -]?%d+%.(%d*)$")
    if digits then
      local needed = math.max(1, #digits:gsub("0+$", ""))
      least = math.max(least or 1, needed)
    end
  end
  for i, text in ipairs(texts) do
    local whole, digits = text:match("^([ -]?%d+%.)(%d*)$")
    if whole then texts[i] = whole .. digits:sub(1, least) end
  end
  return texts
end

-- Six digits behind the point; as 1.5e+10 where numbers are too large or small.
local function floats(values)
  local texts = trim_zeros(float_texts(values, "%.6f"))
  local longest, is_large, is_small = 0, false, false
  for i, v in ipairs(values) do
    local size = math.abs(v)
    longest = math.max(longest, #texts[i])
    is_large = is_large or size > 1e6
    is_small = is_small or size > 0 and size < 10.0 ^ -DIGITS
  end
  if is_small or longest > DIGITS + 6 and is_large then
    return float_texts(values, "%.6e")
  end
  return texts
end

-- The texts of a column's values in these rows, with room for a sign.
local function cells(c, rows)
  local values, out = {}, {}
  if column.is_device(c.data) and #rows > 0 then
    c = column.moved(column.take(c, np.array(rows, "i64")))
    rows = table.move(rows, 1, #rows, 1, {})
    for i = 1, #rows do rows[i] = i - 1 end
  end
  for i, row in ipairs(rows) do values[i] = column.get(c, row) end
  if column.is_float(c) then return floats(values) end
  for i, v in ipairs(values) do
    if v ~= v then
      out[i] = " NaN"
    elseif type(v) == "boolean" then
      out[i] = v and " True" or " False"
    elseif type(v) == "number" then
      out[i] = with_sign(tostring(v))
    else
      out[i] = " " .. short(v)
    end
  end
  return out
end

-- ---- Rows and labels ----

-- The rows that are shown, and after how many of them some are left out.
local function shown_rows(n)
  local rows = {}
  if n <= MOST_ROWS then
    for i = 0, n - 1 do rows[#rows + 1] = i end
    return rows
  end
  for i = 0, END_ROWS - 1 do rows[#rows + 1] = i end
  for i = n - END_ROWS, n - 1 do rows[#rows + 1] = i end
  return rows, END_ROWS
end

-- The labels of each level, and the levels' names where one has a name. Of
-- several levels a label that is the one above it is left out.
local function label_columns(index, rows)
  if not index then
    local out = {}
    for i, row in ipairs(rows) do out[i] = tostring(row) end
    return {out}
  end
  local levels, names, some_name = {}, {}, false
  for k, level in ipairs(index) do
    local texts = cells(level.column, rows)
    for i, text in ipairs(texts) do
      if text:sub(1, 1) == " " then texts[i] = text:sub(2) end
    end
    levels[k] = texts
    names[k] = level.name or ""
    some_name = some_name or level.name ~= nil
  end
  for i = #rows, 2, -1 do
    for k = 1, #levels - 1 do
      if levels[k][i] ~= levels[k][i - 1] then break end
      levels[k][i] = ""
    end
  end
  return levels, some_name and names or nil
end

-- The label columns side by side, each padded, below `heads` (lists of texts).
local function joined_labels(levels, heads, gap)
  local lines = {}
  for k, texts in ipairs(levels) do
    local all = {}
    for _, head in ipairs(heads) do all[#all + 1] = head[k] or "" end
    for _, text in ipairs(texts) do all[#all + 1] = text end
    local most = 0
    for _, text in ipairs(all) do most = math.max(most, width(text)) end
    for i, text in ipairs(all) do
      lines[i] = (lines[i] and lines[i] .. gap or "") .. left(text, most)
    end
  end
  return lines
end

local function trimmed(lines)
  for i, line in ipairs(lines) do lines[i] = line:gsub("%s+$", "") end
  return table.concat(lines, "\n")
end

-- ---- Series ----

local function series_footer(s, n, is_cut)
  local parts = {}
  if s.name then parts[1] = "Name: " .. tostring(s.name) end
  if is_cut then parts[#parts + 1] = "Length: " .. n end
  parts[#parts + 1] = "dtype: " .. s.column.type
  return table.concat(parts, ", ")
end

function M.series(s)
  local n = column.length(s.column)
  if n == 0 then return "Series([], " .. series_footer(s, n) .. ")" end
  local rows, cut = shown_rows(n)
  local levels, names = label_columns(s.index, rows)
  local labels
  if names and #levels == 1 then
    -- A name alone may be longer than the labels below it.
    labels = joined_labels(levels, {}, "")
    table.insert(labels, 1, names[1])
  else
    labels = joined_labels(levels, {names}, "  ")
  end
  local texts = cells(s.column, rows)
  local most = 0
  for _, text in ipairs(texts) do most = math.max(most, width(text)) end
  for i, text in ipairs(texts) do texts[i] = right(text, most) end
  if cut then
    local dots = center(most > 3 and "..." or "..", most)
    table.insert(texts, cut + 1, dots)
    local blank = (" "):rep(width(labels[#labels]))
    table.insert(labels, cut + (names and 2 or 1), blank)
  end
  if names then table.insert(texts, 1, "") end
  for i, text in ipairs(texts) do texts[i] = labels[i] .. "   " .. text end
  texts[#texts + 1] = series_footer(s, n, cut)
  return trimmed(texts)
end

-- ---- Frames ----

-- A column as lines of one width: its name, the blank of the labels' names, the
-- values, and dots where rows are left out.
local function block(name, texts, has_names, cut)
  local lines = {" " .. short(name)}
  if has_names then lines[2] = "" end
  local heads, most = #lines, 0
  table.move(texts, 1, #texts, heads + 1, lines)
  for _, text in ipairs(lines) do most = math.max(most, width(text)) end
  if cut then
    table.insert(lines, heads + cut + 1, most > 3 and "..." or "..")
  end
  for i, text in ipairs(lines) do lines[i] = right(text, most) end
  return {lines = lines, width = most}
end

-- How many columns fit beside labels of this width: all, or an even number
-- around dots, two at least.
local function fitting(blocks, labels_width, room)
  local all = labels_width
  for _, b in ipairs(blocks) do all = all + 1 + b.width end
  if all <= room or #blocks <= 2 then return #blocks end
  local used, half = labels_width + 5, 0
  while 2 * (half + 1) < #blocks do
    used = used + 2 + blocks[half + 1].width + blocks[#blocks - half].width
    if used > room then break end
    half = half + 1
  end
  return 2 * math.max(1, half)
end

local function dots_block(count)
  local lines = {}
  for i = 1, count do lines[i] = " ..." end
  return {lines = lines, width = 4}
end

local function empty(t)
  local index = t.index and t.n == 0 and "[]"
  return ("Empty DataFrame\nColumns: [%s]\nIndex: %s"):format(
    table.concat(t.names, ", "), index or (t.n == 0 and "[]" or "0 .. "
      .. t.n - 1))
end

local function blocks_of(t, rows, cut, has_names)
  local blocks, count = {}, #t.names
  -- Of very many columns only those can be shown that stand at an end.
  local ends = use.columns() // 2 + 1
  for i, name in ipairs(t.names) do
    if i <= ends or i > count - ends then
      blocks[#blocks + 1] = block(name, cells(t.columns[name], rows),
        has_names, cut)
    end
  end
  return blocks
end

function M.frame(t)
  if t.n == 0 or #t.names == 0 then return empty(t) end
  local rows, cut = shown_rows(t.n)
  local levels, names = label_columns(t.index, rows)
  local labels = joined_labels(levels, {{}, names}, " ")
  local most = width(labels[1])
  if cut then
    local dots = left(most > 3 and "..." or "..", most)
    table.insert(labels, cut + (names and 3 or 2), dots)
  end
  local blocks = blocks_of(t, rows, cut, names ~= nil)
  local fit = fitting(blocks, most, use.columns())
  if fit < #t.names then
    local kept = table.move(blocks, 1, fit // 2, 1, {})
    kept[#kept + 1] = dots_block(#labels)
    table.move(blocks, #blocks - fit // 2 + 1, #blocks, #kept + 1, kept)
    blocks = kept
  end
  for i, line in ipairs(labels) do
    local parts = {line}
    for k, b in ipairs(blocks) do parts[k + 1] = b.lines[i] end
    labels[i] = table.concat(parts, " ")
  end
  if cut or fit < #t.names then
    labels[#labels + 1] = ("\n[%d rows x %d columns]"):format(t.n, #t.names)
  end
  return trimmed(labels)
end

return M
