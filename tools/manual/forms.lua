-- SPDX-License-Identifier: Apache-2.0
-- Reads what help prints into a list of nodes, one a command or a word below
-- one, in the order of help:
--   path      "class book take"; "" for warpshop itself
--   help      what it does
--   words     the words that may come next, in order
--   usages    its usage lines, without "warpshop"
--   options   {name, value = "FILE" or nil, kinds, help} in order
--   places    for each operand's place the kinds that fit it; `rest` where the
--             last may be repeated
local kinds = dofile("tools/manual/kinds.lua")

local M = {}

local function said(program, arguments)
  local pipe = assert(io.popen(
    ("'%s' %s --help 2>&1"):format(program, arguments)))
  local text = pipe:read("a")
  if not pipe:close() then error("warpshop " .. arguments .. ": " .. text, 0) end
  return text
end

local function is_in(list, value)
  for _, v in ipairs(list) do if v == value then return true end end
  return false
end

local function node_of(nodes, path)
  if not nodes[path] then
    local node = {path = path, words = {}, usages = {}, options = {},
                  places = {}}
    nodes[path] = node
    nodes[#nodes + 1] = node
    local above, word = path:match("^(.-) ?([^ ]+)$")
    if above then
      local words = node_of(nodes, above).words
      if not is_in(words, word) then words[#words + 1] = word end
    end
  end
  return nodes[path]
end

local function option_of(node, name)
  for _, o in ipairs(node.options) do if o.name == name then return o end end
  local o = {name = name, kinds = {}}
  node.options[#node.options + 1] = o
  return o
end

-- ---- One form of a command ----

-- Splits at " | " outside brackets.
local function alternatives(text)
  local list, depth, from = {}, 0, 1
  for i = 1, #text do
    local c = text:sub(i, i)
    if c == "[" then depth = depth + 1 end
    if c == "]" then depth = depth - 1 end
    if depth == 0 and text:sub(i, i + 2) == " | " then
      list[#list + 1] = text:sub(from, i - 1)
      from = i + 3
    end
  end
  list[#list + 1] = text:sub(from)
  return list
end

-- "FILE|-e" as its choices.
local function choices(word)
  local list = {}
  for one in word:gmatch("[^|]+") do list[#list + 1] = one end
  return list
end

-- Operands in their order: {kinds, optional, rest}. Options go to the node.
local function read_operands(node, text)
  local list, depth = {}, 0
  local option, is_choice -- whose value comes next; "FILE|-e CODE|-"
  for open, word, close in text:gmatch("(%[*)([^%s%[%]]+)(%]*)") do
    depth = depth + #open
    local rest = word:find("...", 1, true) ~= nil
    word = word:gsub("%.%.%.", "")
    local place = {kinds = {}, optional = depth > 0, rest = rest}
    local after -- an option whose value is the next word
    for _, one in ipairs(choices(word)) do
      if one:find("^%-%-?%a") then
        local o = option_of(node, one)
        if text:find(one:gsub("%-", "%%-") .. " [^%]|%s%-]") then
          after, is_choice = o, #choices(word) > 1
          o.value, o.kinds = nil, {}
        end
      elseif one ~= "" and option and not (is_choice and option.value) then
        local kind = kinds.of(node.path, one, option.name)
        option.value = option.value and option.value .. "|" .. one or one
        if not is_in(option.kinds, kind) then
          option.kinds[#option.kinds + 1] = kind
        end
      elseif one ~= "" then
        place.kinds[#place.kinds + 1] = kinds.of(node.path, one)
      end
    end
    option = after
    if #place.kinds > 0 then list[#list + 1] = place end
    if rest and #place.kinds == 0 and #list > 0 then list[#list].rest = true end
    depth = depth - #close
  end
  return list
end

-- The operand j can come at place i if what is before it and must be there fits
-- before it.
local function add_places(node, list)
  local needed = 0
  for j, operand in ipairs(list) do
    for i = needed + 1, j do
      local place = node.places[i] or {}
      node.places[i] = place
      for _, kind in ipairs(operand.kinds) do
        if not is_in(place, kind) then place[#place + 1] = kind end
      end
    end
    if operand.rest then node.rest = true end
    if not operand.optional then needed = needed + 1 end
  end
end

local function leading_word(form) -- and what follows it
  return form:match("^(%l[%l-]*)%f[%s%z]%s*(.*)$")
end

-- Words in lower case at the beginning are words below the path: "A | b X".
local function read_form(nodes, path, text)
  for _, form in ipairs(alternatives(text)) do
    local word, rest = leading_word(form)
    if word then
      read_form(nodes, path == "" and word or path .. " " .. word, rest)
    elseif form ~= "..." then
      local node = node_of(nodes, path)
      add_places(node, read_operands(node, form))
    end
  end
end

-- A line of its own is about one word ("leaderboard join NAME | withdraw"),
-- unless it is about words that were met before ("test | prove [NAME...]").
local function read_line(nodes, path, text)
  local word, rest = leading_word(text)
  for _, form in ipairs(alternatives(text)) do
    local one = leading_word(form)
    if word and not (one and nodes[path .. " " .. one]) then
      read_form(nodes, path .. " " .. word, rest)
      return
    end
  end
  read_form(nodes, path, text)
end

-- ---- Whole texts ----

-- Usage lines: those of "usage: " and, below it, deeper ones.
local function usages(text)
  local list, is_usage = {}, false
  for line in text:gmatch("([^\n]*)\n?") do
    local form = line:match("^usage: warpshop (.*)") or
      is_usage and line:match("^ +warpshop (.*)")
    if form then
      list[#list + 1] = form
    elseif is_usage and line:find("^%s+%S") then
      list[#list] = list[#list] .. " " .. line:gsub("^%s+", "")
    elseif is_usage then
      break
    end
    is_usage = is_usage or form ~= nil
  end
  return list
end

-- What stands beside names: "  --json    the verdicts as JSON" and lines below
-- that go on in the same column.
local function described(text)
  local list, last = {}, nil
  for line in text:gmatch("[^\n]*") do
    local name, gap, help = line:match("^ ? ?(%S[^%s].-)(  +)(%S.*)$")
    if not name then -- a name as long as its column
      name, help = line:match("^  (%l+) (%l.*)$")
    end
    if name and not name:find("^usage") then
      last = {name = name, help = help}
      list[#list + 1] = last
    elseif last and #last.help > 0 and line:find("^%s%s%s%s%s%s%s+%S") then
      last.help = last.help .. " " .. line:gsub("^%s+", "")
    elseif line:find("^  %-%-[^%s]+ [%S]+, %-%-") then
      last = {name = line:match("%S.*"), help = ""}
      list[#list + 1] = last
    elseif last and line:find("^    %w+  +%S") then -- "junit  JUnit XML"
      last.values = last.values or {}
      last.values[#last.values + 1] = "=" .. line:match("%l%w+") .. "="
    elseif last and last.help == "" then
      last.help = line:match("^%s+(%S.*)") or ""
    else
      last = nil
    end
  end
  return list
end

-- Takes a text of help for the command `path`.
local function read_help(nodes, path, text)
  for _, usage in ipairs(usages(text)) do
    local form = usage:sub(#path + 1):gsub("^%s+", ""):gsub("%s+$", "")
    local node = node_of(nodes, path)
    node.usages[#node.usages + 1] = usage:gsub("%s+$", "")
    read_line(nodes, path, form)
  end
  for _, row in ipairs(described(text)) do
    local is_option = false
    for name in row.name:gmatch("%-%-[%l-]+") do
      local o = option_of(node_of(nodes, path), name)
      o.help, is_option = row.help, true
      local value = row.name:match(name:gsub("%-", "%%-") .. " ([^%s,]+)")
      if value and not o.value then
        o.value = value
        for _, one in ipairs(choices(value)) do
          o.kinds[#o.kinds + 1] = kinds.of(path, one, name)
        end
      end
      if row.values then o.kinds = row.values end
    end
    local below = nodes[path .. " " .. row.name]
    if below and not is_option then below.help = row.help end
  end
end

-- "  NAME ARGUMENTS" and deeper below it what it does: help and class book.
local function read_list(nodes, path, text)
  local indent = path == "" and "      " or "          "
  local node
  for line in text:gmatch("[^\n]+") do
    local name, rest = line:match("^  (%-?%-?%l[%l-]*) ?(.*)$")
    if name and name:find("^%-%-") then
      node = option_of(node_of(nodes, path), name)
      node.value = rest
      for _, one in ipairs(choices(rest)) do
        node.kinds[#node.kinds + 1] = kinds.of(path, one, name)
      end
    elseif name then
      node = node_of(nodes, path == "" and name or path .. " " .. name)
      node.usages = {node.path .. (rest ~= "" and " " .. rest or "")}
    elseif node and line:sub(1, #indent) == indent then
      local more = line:gsub("^%s+", "")
      node.help = node.help and node.help .. " " .. more or more
    elseif node and line:find("^      %S") then
      node.usages[1] = node.usages[1] .. " " .. line:gsub("^%s+", "")
    else
      node = nil
    end
  end
end

-- The nodes of `program`, by number and by path.
function M.read(program)
  local nodes = {}
  node_of(nodes, "").help = "a GPU workshop in a terminal"
  read_list(nodes, "", said(program, ""))
  local commands = {}
  for i, word in ipairs(nodes[""].words) do commands[i] = word end
  for _, name in ipairs(commands) do
    read_form(nodes, name, nodes[name].usages[1]:sub(#name + 2))
    nodes[name].usages = {}
    read_help(nodes, name, said(program, name))
  end
  local book = {}
  node_of(book, "class book")
  read_list(book, "class book", said(program, "class book"))
  for _, one in ipairs(book) do
    local name = one.path:match("^class book (.+)$")
    if name then
      local node = node_of(nodes, one.path)
      node.help, node.usages = one.help, one.usages
      read_form(nodes, one.path, one.usages[1]:sub(#one.path + 2))
      option_of(node, "--book").value = "FILE"
      option_of(node, "--book").kinds = {"file"}
    end
  end
  return nodes
end

return M
