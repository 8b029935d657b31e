-- SPDX-License-Identifier: Apache-2.0
-- Files of CSV in pieces that end with a row, and their columns' types.
local use = ...
local mistakes = use("shared/mistakes")
local frame = use.frame
local fail = mistakes.fail
local M = {}

local BLOCK = 32 << 20
local SAMPLE = 1000 -- rows whose types count

-- ---- Where rows begin ----

-- The byte behind the first end of a row in `text`; nil: there is none. A
-- newline in quotes ends no row; `is_quoted`: does the text begin in quotes?
local function end_of_row(text, is_quoted)
  local at = 1
  while true do
    at = text:find('["\n]', at)
    if not at then return nil end
    if text:byte(at) == 34 then
      is_quoted = not is_quoted
    elseif not is_quoted then
      return at + 1
    end
    at = at + 1
  end
end

-- Most pieces have none, and to look for the first is quick.
local function quotes_in(text)
  if not text:find('"', 1, true) then return 0 end
  return select(2, text:gsub('"', ""))
end

-- Pieces of about `block` bytes, each from a row's beginning to a row's end.
local function cut(file, from, size, block)
  local out, start, is_quoted = {}, from, false
  local at = from
  while at < size do
    file:seek("set", at)
    local text = file:read(block)
    at = at + #text
    is_quoted = is_quoted ~= (quotes_in(text) % 2 == 1)
    -- Goes on to the end of the row that the piece ends in.
    while at < size do
      file:seek("set", at)
      local more = file:read(65536)
      local stop = end_of_row(more, is_quoted)
      if stop then
        at, is_quoted = at + stop - 1, false
        break
      end
      at = at + #more
      is_quoted = is_quoted ~= (quotes_in(more) % 2 == 1)
    end
    out[#out + 1] = {start = start, stop = at}
    start = at
  end
  return out
end

-- ---- A piece ----

local function with_text(text, f)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local results = table.pack(pcall(f, path))
  os.remove(path)
  if not results[1] then error(results[2], 0) end
  return results[2]
end

--- The frame of one piece: a row of names, and the piece's rows.
function M.read(path, piece, o)
  local file, why = io.open(path, "rb")
  if not file then use.raise("io", why) end
  file:seek("set", piece.start)
  local text = file:read(piece.stop - piece.start) or ""
  file:close()
  return with_text(o.head .. text, function(part)
    return frame.read_csv(part, o.options)
  end)
end

-- ---- A file ----

local function check_file(path)
  if type(path) ~= "string" then
    fail("read_csv: a file's name comes first, not %s", use.value_text(path))
  end
  local file, why = io.open(path, "rb")
  if not file then use.raise("io", why) end
  return file
end

-- The types of the first rows, for all pieces alike.
local function types_of(path, options)
  local o = {}
  for key, value in pairs(options) do o[key] = value end
  o.nrows = SAMPLE
  local sample, types = frame.read_csv(path, o), {}
  for i, name in ipairs(sample.columns) do
    types[name] = sample.dtypes:iloc(i - 1)
  end
  return types, sample:head(0)
end

--- Pieces of a file, an empty frame of its columns, and what M.read needs
-- besides.
function M.pieces(path, options)
  local file = check_file(path)
  local o, block = {}, options.blocksize or BLOCK
  if math.type(block) ~= "integer" or block < 1 then
    file:close()
    fail("read_csv: blocksize is a number of bytes, not %s", tostring(block))
  end
  for key, value in pairs(options) do o[key] = value end
  o.blocksize = nil
  for _, name in ipairs{"nrows", "chunksize", "skiprows", "index_col",
                        "device"} do
    if o[name] ~= nil then
      fail("read_csv: %s is not there for a file in parts", name)
    end
  end
  local types, meta = types_of(path, o)
  if type(o.dtype) ~= "string" then o.dtype = types end
  local size, begin = file:seek("end"), 0
  if o.header ~= false then
    file:seek("set", 0)
    begin = (end_of_row(file:read(1 << 20) or "", false) or size + 1) - 1
  end
  file:seek("set", 0)
  local head = begin > 0 and file:read(begin) or ""
  local pieces = cut(file, begin, size, block)
  file:close()
  if #pieces == 0 then pieces[1] = {start = begin, stop = size} end
  return pieces, meta, {head = head, options = o}
end

return M
