-- SPDX-License-Identifier: Apache-2.0
-- What the program says at its prompt, read off its source: which texts go through the
-- catalogue (language/), and which texts look as if they should. `warpshop run
-- tools/messages.lua CATALOGUE` prints the entries that it lacks, for whoever adds a
-- message.
local M = {}

-- The files whose texts a person reads at the prompt. What authors of lessons and
-- instructors read is English.
M.files = "repl/main.c repl/prompt/*.c repl/debugger/*.c repl/command/*.c repl/eval/*.c repl/exercise/*.c " ..
  "repl/tui/*.[ch] repl/lesson/player.c repl/lesson/question.c repl/lesson/review.c " ..
  "repl/lesson/ending.c repl/lesson/verbatim.c repl/lesson/reading.c repl/workbook/*.c repl/watch/*.c repl/progress/*.c grade/check/*.c repl/subcommand/learn.c base/text/plain.c base/text/sentence.c display/display.c display/pane.c"

-- The files whose texts are put together in English, for JSON and reports too, and shown by
-- way of rows (language/README.md).
M.made = "gpu/finding/*.c gpu/finding/finding_text.def grade/judge/*.c grade/resemble/*.c " ..
  "grade/verdict/page.c grade/exercise/requires.def gpu/calls.def grade/runner/*.c grade/learner/*.c " ..
  "grade/check/check.c grade/rank/rank_measure.c " ..
  "gpu/counters_notes.c gpu/counters_text.c repl/picture/*.c repl/plot/*.c repl/command/time_roof.c repl/command/command_time.c gpu/vgpu/debug/*.c repl/subcommand/doctor.c repl/top/dash.c repl/top/text.c " ..
  "lua/bind/np/*.c lua/bind/state/*.c lua/bind/cuda/*.c gpu/*.c lua/np/*.lua lua/array/*.lua lua/cuda/*.lua " ..
  "lua/jax/core/*.lua lua/jax/transforms/*.lua lua/jax/explain/*.lua lua/jax/jnp/*.lua lua/jax/random/*.lua"

-- function: which of its arguments are texts
local printing = {
  shop_say = {1}, shop_print = {2}, shop_note = {2}, shop_warn = {2}, message = {1},
  message_of = {2, 3}, MESSAGE = {1}, book_say = {2},
}

-- Texts of one argument, neighbours joined as C joins them.
local function texts_of(argument)
  local list, joined = {}, nil
  local at = 1
  while true do
    local from, to, text = argument:find('^%s*"([^"\\]*)"', at)
    if not from then
      -- with escapes
      from = argument:match('^%s*()"', at)
      if from then
        local stop = from + 1
        while argument:sub(stop, stop) ~= '"' do
          stop = stop + (argument:sub(stop, stop) == "\\" and 2 or 1)
        end
        text, to = argument:sub(from + 1, stop - 1), stop
      end
    end
    if from then
      joined = (joined or "") .. text
      at = to + 1
    else
      if joined then list[#list + 1] = joined end
      joined = nil
      at = argument:find('"', at, true)
      if not at then return list end
    end
  end
end

local function unescape(text)
  return (text:gsub("\\(.)", function(c)
    return c == "n" and "\n" or c == "t" and "\t" or c
  end))
end

local function without_comments(text)
  return (text:gsub("\n%s*//[^\n]*", "\n"):gsub("%s+//[^\n\"]*\n", "\n"))
end

-- The arguments of the call whose "(" stands at `open`.
local function arguments_at(text, open)
  local list, depth, from, at = {}, 0, open + 1, open
  while at <= #text do
    local c = text:sub(at, at)
    if c == '"' or c == "'" then
      local quote = c
      at = at + 1
      while text:sub(at, at) ~= quote do
        at = at + (text:sub(at, at) == "\\" and 2 or 1)
      end
    elseif c == "(" or c == "{" or c == "[" then
      depth = depth + 1
    elseif c == ")" or c == "}" or c == "]" then
      depth = depth - 1
      if depth == 0 then
        list[#list + 1] = text:sub(from, at - 1)
        return list, at
      end
    elseif c == "," and depth == 1 then
      list[#list + 1] = text:sub(from, at - 1)
      from = at + 1
    end
    at = at + 1
  end
  return list, #text
end

local function read(path)
  local f = assert(io.open(path))
  local text = f:read("a")
  f:close()
  return without_comments(text)
end

-- {file, text} of each text that goes through the catalogue.
function M.marked(path)
  local text, list = read(path), {}
  for name, open in text:gmatch("([%w_]+)()%(") do
    local which = printing[name]
    if which then
      local arguments = arguments_at(text, open)
      for _, i in ipairs(which) do
        for _, t in ipairs(texts_of(arguments[i] or "")) do
          list[#list + 1] = {file = path, text = unescape(t)}
        end
      end
    end
  end
  return list
end

-- The help of commands and options, which are said by name.
function M.tables()
  local list = {}
  for line in io.lines("repl/command/command.def") do
    local help = line:match('^CMD%(.*,%s*"([^"]*)"%)$')
    if help then list[#list + 1] = {file = "repl/command/command.def", text = unescape(help)} end
  end
  return list
end

-- The help of the debugger's commands.
local function debugger_help()
  local list, path = {}, "gpu/debug_command.def"
  for line in io.lines(path) do
    local help = line:match('^CMD%(.*,%s*"([^"]*)"%)$')
    if help and not line:find("HIDDEN") then list[#list + 1] = {file = path, text = help} end
  end
  return list
end

-- The last text of a row of these tables, where it has words and not code alone.
local function answers()
  local list = {}
  for _, path in ipairs{"repl/command/glossary.def", "repl/command/gpus.def", "repl/eval/wrong_name.def", "repl/eval/python.def"} do
    for line in io.lines(path) do
      local row = texts_of(line:match("^[A-Z]+%((.*)%)$") or "")
      local text = row[#row] and unescape(row[#row])
      local is_code = path:find("wrong_name") and (line:find("^METHOD") or not (text or ""):find("%a%a+ %l+ %l+"))
      if text and not is_code then list[#list + 1] = {file = path, text = text} end
    end
  end
  return list
end

-- The titles of the course and its parts.
local function parts()
  local list = {}
  for line in io.lines("course") do
    local title = line:match("^title: (.*)$")
    if title then list[#list + 1] = {file = "course", text = title} end
  end
  for line in io.lines("lessons/index") do
    local title = line:match("^# [IVX]+ (.*)$")
    if title then list[#list + 1] = {file = "lessons/index", text = title} end
  end
  return list
end

-- Names, words and help of the screens' keys (pane_put_keys looks them up).
local function keys()
  local list = {}
  for _, path in ipairs(M.expand("*/*key.def */*/*key.def")) do
    for line in io.lines(path) do
      for _, t in ipairs(line:find("^KEY") and texts_of(line) or {}) do
        list[#list + 1] = {file = path, text = unescape(t)}
      end
    end
  end
  return list
end

-- What the exercises of translated lessons say: {file, text}. Their code is English, and
-- so are the names of cases.
local function exercise_texts(path)
  local ex, list = dofile(path), {}
  local function add(text)
    if text then list[#list + 1] = {file = path, text = text:gsub("%s+", " ")} end
  end
  add(ex.title)
  add(ex.task)
  for _, hint in ipairs(ex.hints or {}) do add(hint) end
  add(ex.editorial)
  for _, mutant in ipairs(ex.mutants or {}) do add(mutant.explain) end
  return list
end

function M.exercises()
  local list = {}
  for _, lesson in ipairs(M.expand("lessons/??/*.md")) do
    for line in io.lines(lesson) do
      local name = line:match("^```exercise (%S+)")
      for _, t in ipairs(name and exercise_texts("exercises/" .. name .. "/exercise.lua") or {}) do
        list[#list + 1] = t
      end
    end
  end
  return list
end

-- All texts of a file, as they stand there.
function M.all(path)
  if path:find("%.lua$") then return dofile("tests/lua/texts.lua")(path) end
  local list = {}
  local text = read(path):gsub("\n#[^\n]*", "\n"):gsub("'\\?.'", "0")
  for _, t in ipairs(texts_of(text)) do list[#list + 1] = unescape(t) end
  return list
end

-- Every text that goes through the catalogue: text -> file.
function M.all_marked()
  local all = {}
  local function add(list)
    for _, m in ipairs(list) do
      if m.text:find("%a%a") then all[m.text] = all[m.text] or m.file end
    end
  end
  for _, path in ipairs(M.expand(M.files .. " " .. M.made)) do add(M.marked(path)) end
  add(M.tables())
  add(M.exercises())
  add(keys())
  add(parts())
  add(debugger_help())
  add(answers())
  return all
end

-- A message of NVRTC as a row of its tables has it: "*" is anything, "\*" a star.
local function fill_pattern(text)
  return (text:gsub("cannot be %*( ?)$", 'cannot be assigned to%1 an entity of type "x"')
    :gsub("cannot be %* an", "cannot be assigned to an"):gsub("%(const %*$", "(const int \\*, int)")
    :gsub("([^\\ ])%*$", "%1"):gsub("\\%*", "\1"):gsub("at line %*", "at line 3"):gsub("%*", "x"):gsub("\1", "*"))
end

-- The words of the compiler and what is added to them (gpu/nvrtc/words), with something in
-- each hole.
function M.compile_words()
  local list = {}
  local function add_hint(text)
    text = text:gsub("%$n", "3"):gsub("open%$t", "open"):gsub("are %$t", "are .x and .y")
      :gsub("memory: %$t", "memory: 9 bytes, and a block has 8"):gsub("%$[%l%d]", "v")
    if not text:find("^#include") then list[#list + 1] = text end
  end
  for _, path in ipairs(M.expand("gpu/nvrtc/words/nvrtc_words_*.def")) do
    for line in io.lines(path) do
      local pattern, said = line:match('^WORDS%("(.-[^\\])", [%w_]+, (.*),$')
      local hint = line:match('^ +"(.*)"[,)]+$')
      if pattern and said == "NULL" then
        list[#list + 1] = fill_pattern(unescape(pattern))
      elseif pattern then
        add_hint(unescape(said:match('^"(.*)"$')))
      end
      if hint then add_hint(unescape(hint)) end
    end
  end
  for _, t in ipairs(M.all("gpu/nvrtc/words/nvrtc_unknown.def")) do
    if t:find(" ") then add_hint(t) end
  end
  return list
end

-- A catalogue's entries: {context, id, text}.
function M.catalogue(path)
  local list, entry, field = {}, nil, nil
  for line in io.lines(path) do
    local key, quoted = line:match('^(%a+) "(.*)"$')
    if key == "msgctxt" or (key == "msgid" and field ~= "context") then
      entry = {id = "", text = ""}
      list[#list + 1] = entry
    end
    field = key == "msgctxt" and "context" or key == "msgid" and "id" or
      key == "msgstr" and "text" or field
    quoted = quoted or line:match('^"(.*)"$')
    if quoted then entry[field] = (entry[field] or "") .. unescape(quoted) end
  end
  return list
end

function M.expand(pattern)
  local list = {}
  local f = assert(io.popen("ls " .. pattern))
  for path in f:lines() do list[#list + 1] = path end
  f:close()
  return list
end

local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", "\\n"):gsub("\t", "\\t") .. '"'
end

-- `warpshop run tools/messages.lua language/de.po`
local path = ...
if path then
  local has, missing = {}, {}
  for _, e in ipairs(M.catalogue(path)) do
    if not e.context then has[e.id] = true end
  end
  for t, file in pairs(M.all_marked()) do
    if not has[t] then missing[#missing + 1] = ("#: %s\n%smsgid %s\nmsgstr \"\"\n"):format(file,
      t:find("%%[^ %%]") and "#, c-format\n" or "", quoted(t)) end
  end
  table.sort(missing)
  print(table.concat(missing, "\n"))
end
return M
