-- SPDX-License-Identifier: Apache-2.0
-- Reads JSON (RFC 8259) as the fixtures have it: `null` becomes M.null.
local M = {null = {}}

local escapes = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}

local value -- forward

local function fail(text, at, what)
  error(("JSON: %s expected at byte %d, near %q"):format(
    what, at, text:sub(at, at + 20)), 0)
end

local function after_space(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function string_at(text, at)
  local close = at
  repeat
    close = text:find('["\\]', close + 1) or fail(text, at, "a closed string")
    local is_end = text:sub(close, close) == '"'
    if not is_end then close = close + 1 end
  until is_end
  local s = text:sub(at + 1, close - 1)
  s = s:gsub("\\(.)(%x?%x?%x?%x?)", function(c, hex)
    if c == "u" then return utf8.char(tonumber(hex, 16)) end
    return (escapes[c] or c) .. hex
  end)
  return s, close + 1
end

-- Lists of numbers, which are most of a fixture, without a call for each.
local function numbers_at(text, at)
  local inside, close = text:match("^%[([-+%deE., ]*)%]()", at)
  if not inside then return nil end
  local list = {}
  for n in inside:gmatch("[^, ]+") do
    list[#list + 1] = tonumber(n) or fail(text, at, "a number")
  end
  return list, close
end

local function list_at(text, at)
  local list, close = numbers_at(text, at)
  if list then return list, close end
  list, at = {}, after_space(text, at + 1)
  if text:sub(at, at) == "]" then return list, at + 1 end
  while true do
    list[#list + 1], at = value(text, at)
    at = after_space(text, at)
    local c = text:sub(at, at)
    if c == "]" then return list, at + 1 end
    if c ~= "," then fail(text, at, ", or ]") end
    at = at + 1
  end
end

local function object_at(text, at)
  local object = {}
  at = after_space(text, at + 1)
  if text:sub(at, at) == "}" then return object, at + 1 end
  while true do
    at = after_space(text, at)
    if text:sub(at, at) ~= '"' then fail(text, at, "a name") end
    local key
    key, at = string_at(text, at)
    at = after_space(text, at)
    if text:sub(at, at) ~= ":" then fail(text, at, ":") end
    object[key], at = value(text, at + 1)
    at = after_space(text, at)
    local c = text:sub(at, at)
    if c == "}" then return object, at + 1 end
    if c ~= "," then fail(text, at, ", or }") end
    at = at + 1
  end
end

local words = {["true"] = true, ["false"] = false, null = M.null}

value = function(text, at)
  at = after_space(text, at)
  local c = text:sub(at, at)
  if c == "{" then return object_at(text, at) end
  if c == "[" then return list_at(text, at) end
  if c == '"' then return string_at(text, at) end
  local word, close = text:match("^(%l+)()", at)
  if word and words[word] ~= nil then return words[word], close end
  local n
  n, close = text:match("^([-+%deE.]+)()", at)
  if not tonumber(n) then fail(text, at, "a value") end
  return tonumber(n), close
end

function M.parse(text)
  local x, at = value(text, 1)
  if after_space(text, at) <= #text then fail(text, at, "the end") end
  return x
end

function M.read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return M.parse(text)
end

return M
