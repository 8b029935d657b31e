-- SPDX-License-Identifier: Apache-2.0
-- Arrays in files: .npz archives, text, bare elements. np.save and np.load are
-- in bind/np/np_npy.c.
local np, fail, method, core = ...
local file = core.file

-- ---- .npz ----

-- savez(path, a, b, ..., {name = c}): a is named arr_0, as in NumPy.
local function savez(is_compressed)
  return function(path, ...)
    if type(path) ~= "string" then
      fail("savez: the first argument is a path")
    end
    if not path:find("%.npz$") then path = path .. ".npz" end
    local args = table.pack(...)
    local names, arrays, seen = {}, {}, {}
    local function add(name, a)
      if seen[name] then
        fail(("savez: the name %s is given twice"):format(name))
      end
      seen[name] = true
      names[#names + 1] = name
      arrays[#arrays + 1] = np.asarray(a)
    end
    local last = args[args.n]
    local named = type(last) == "table" and getmetatable(last) == nil
      and last[1] == nil and next(last) ~= nil
    for i = 1, named and args.n - 1 or args.n do
      add("arr_" .. (i - 1), args[i])
    end
    if named then
      local keys = {}
      for key in pairs(last) do keys[#keys + 1] = tostring(key) end
      table.sort(keys)
      for _, key in ipairs(keys) do add(key, last[key]) end
    end
    file.write_zip(path, names, arrays, is_compressed)
  end
end
np.savez = savez(false)
np.savez_compressed = savez(true)

-- ---- Text ----

-- The lines of a file, or those of a table.
local function lines_of(name, source)
  if type(source) == "table" then return source end
  if type(source) ~= "string" then
    fail(name .. ": it takes a path or a table of lines")
  end
  local lines = {}
  for line in (file.read(source) .. "\n"):gmatch("(.-)\r?\n") do
    lines[#lines + 1] = line
  end
  if lines[#lines] == "" then lines[#lines] = nil end
  return lines
end

local function without_comment(line, comments)
  for _, mark in ipairs(comments) do
    local at = line:find(mark, 1, true)
    if at then line = line:sub(1, at - 1) end
  end
  return line
end

local function fields_of(line, delimiter)
  local out = {}
  if delimiter then
    local from = 1
    while true do
      local at, to = line:find(delimiter, from, true)
      out[#out + 1] = line:sub(from, at and at - 1):match("^%s*(.-)%s*$")
      if not at then return out end
      from = to + 1
    end
  end
  for word in line:gmatch("%S+") do out[#out + 1] = word end
  return out
end

local words = {nan = np.nan, inf = np.inf, infinity = np.inf,
               ["true"] = true, ["false"] = false}

local function number_of(text)
  local plain = text:lower()
  local sign, rest = plain:match("^([+-]?)(.*)$")
  local word = words[rest]
  if word ~= nil then return sign == "-" and -word or word end
  -- Lua's hexadecimal integers are no numbers here.
  if plain:find("^[+-]?%d*%.?%d*e?[+-]?%d*$") then return tonumber(rest) and
    (sign == "-" and -tonumber(rest) or tonumber(rest)) end
end

local function pick(fields, columns)
  if columns == nil then return fields end
  local out = {}
  for i, c in ipairs(type(columns) == "table" and columns or {columns}) do
    out[i] = fields[(c < 0 and c + #fields or c) + 1]
  end
  return out
end

-- The rows of numbers; `missing` stands for what is none, or it is an error.
local function read_rows(name, source, o)
  local rows, width = {}, nil
  local lines = lines_of(name, source)
  for i = o.skip + 1, #lines - (o.skip_end or 0) do
    local line = without_comment(lines[i], o.comments)
    if line:find("%S") then
      local row = {}
      local fields = pick(fields_of(line, o.delimiter), o.columns)
      for k, text in ipairs(fields) do
        local v = number_of(text)
        if v == nil then
          if o.missing == nil then
            local mark = not o.delimiter and text:match("^[^,;]+([,;])")
            local hint = mark and "; {delimiter = \"" .. mark ..
                                  "\"} splits at it" or ""
            fail(("%s: line %d, column %d: \"%s\" is no number%s"):format(name,
              i, k - 1, text, hint))
          end
          v = o.missing
        end
        row[k] = v
      end
      width = width or #row
      if #row ~= width then
        fail(("%s: line %d has %d columns and the first has %d"):format(name,
          i, #row, width))
      end
      rows[#rows + 1] = row
      if #rows == o.most then break end
    end
  end
  return rows, width or 0
end

local function array_of(rows, width, dtype, unpack, least)
  local a = np.array(rows, dtype or "f64"):reshape({#rows, width})
  if least < 2 then a = np.squeeze(a) end
  while a.ndim < least do a = np.expand_dims(a, least == 2 and a.ndim or 0) end
  if unpack then a = a.T end
  return a
end

local function marks(comments, default)
  if comments == nil then return {default} end
  return type(comments) == "table" and comments or {comments}
end

core.define(np, "loadtxt",
            {"fname", "dtype", "comments", "delimiter", "converters",
             "skiprows", "usecols", "unpack", "ndmin", "max_rows"},
            function(source, dtype, comments, delimiter, converters, skip,
                     columns, unpack, least, most)
  if converters then fail("loadtxt: converters are not supported") end
  local rows, width = read_rows("loadtxt", source, {
    comments = marks(comments, "#"), delimiter = delimiter, skip = skip or 0,
    columns = columns, most = most,
  })
  return array_of(rows, width, dtype, unpack, least or 0)
end)

core.define(np, "genfromtxt",
            {"fname", "dtype", "comments", "delimiter", "skip_header",
             "skip_footer", "usecols", "filling_values", "unpack", "max_rows"},
            function(source, dtype, comments, delimiter, skip, skip_end,
                     columns, missing, unpack, most)
  local rows, width = read_rows("genfromtxt", source, {
    comments = marks(comments, "#"), delimiter = delimiter, skip = skip or 0,
    skip_end = skip_end, columns = columns, most = most,
    missing = missing == nil and np.nan or missing,
  })
  return array_of(rows, width, dtype, unpack, 0)
end)

core.define(np, "savetxt",
            {"fname", "X", "fmt", "delimiter", "newline", "header", "footer",
             "comments"},
            function(path, x, format, delimiter, newline, header, footer,
                     comments)
  x = np.asarray(x)
  if x.ndim < 1 or x.ndim > 2 then
    fail(("savetxt: an array with %d axes, not one or two"):format(x.ndim))
  end
  if x.ndim == 1 then x = x:reshape(-1, 1) end
  format, delimiter = format or "%.18e", delimiter or " "
  newline, comments = newline or "\n", comments or "# "
  local out = {}
  local function note(text)
    if text and text ~= "" then
      out[#out + 1] = comments .. text:gsub("\n", "\n" .. comments) .. newline
    end
  end
  note(header)
  local is_whole = format:find("[dixXoc]$")
  for _, row in ipairs(x:tolist()) do
    for k, v in ipairs(row) do
      if type(v) == "boolean" then v = v and 1 or 0 end
      if is_whole then v = v >= 0 and math.floor(v) or math.ceil(v) end
      row[k] = format:format(v)
    end
    out[#out + 1] = table.concat(row, delimiter) .. newline
  end
  note(footer)
  file.write(path, table.concat(out))
end)

-- ---- Bare elements ----

core.define(np, "fromfile", {"file", "dtype", "count", "sep", "offset"},
            function(path, dtype, count, sep, offset)
  if sep and sep ~= "" then
    local out = {}
    for i, text in ipairs(fields_of(file.read(path),
                                    sep:find("%S") and sep or nil)) do
      out[i] = number_of(text)
      if count and i == count then break end
    end
    return np.array(out, dtype or "f64")
  end
  return file.fromfile(path, dtype, count, offset)
end)

core.define(np, "tofile", {"a", "file", "sep", "format"},
            function(a, path, sep, format)
  a = np.asarray(a)
  if not sep or sep == "" then return file.write(path, a) end
  local out = np.ravel(a):tolist()
  for i, v in ipairs(out) do
    out[i] = format and format:format(v) or ("%.17g"):format(v)
  end
  file.write(path, table.concat(out, sep))
end)
method "tofile"

--- The elements on the host, wherever the array lives.
function np.asnumpy(a)
  if type(a) == "userdata" and a.device ~= "host" and not core.has_jax(a) then
    return a:copy_to_host()
  end
  return np.asarray(a)
end
