-- SPDX-License-Identifier: Apache-2.0
-- warpshop run tools/site/make.lua PROGRAM FOLDER: writes FOLDER/list, which
-- tools/site/site.c reads, and into FOLDER the Markdown of all pages that are made of
-- the program's own tables: mistakes, commands, functions, words, exercises, lessons.
local program, folder = ...
local text = dofile("tools/site/text.lua")
local lesson_text = dofile("tools/site/lesson.lua")

local function read(path)
  local file = assert(io.open(path))
  local all = file:read("a")
  file:close()
  return all
end

local function said(command)
  local pipe = assert(io.popen(command))
  local all = pipe:read("a")
  assert(pipe:close(), command)
  return all
end

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- ---- The list ----

local list, sources = {}, {}

local function add(group, source, title, names, file)
  assert(not sources[source:lower()], source)
  sources[source:lower()] = true
  list[#list + 1] = table.concat({source, file or source, group,
    (title:gsub("[`\t]", "")), names or ""}, "\t")
end

local function write(path, markdown)
  local file = assert(io.open(path, "w"))
  file:write(markdown)
  file:close()
end

-- A page that is made here.
local function add_made(group, source, title, names, markdown)
  local path = folder .. "/" .. source:gsub("/", "+")
  write(path, markdown)
  add(group, source, title, names, path)
end

-- A name as a file's: others than letters, digits and ._- as "x23".
local function file_name(name)
  return (name:gsub("[^%w._-]", function(c)
    return ("x%02x"):format(c:byte())
  end))
end

-- ---- The manual ----

local function heading(markdown, path)
  return markdown:match("^# ([^\n]+)") or markdown:match("\n# ([^\n]+)") or path
end

local function add_file(group, path)
  add(group, path, heading(read(path), path), "", path)
end

local function add_manual()
  local index = read("docs/README.md")
  add_file("Manual", "docs/README.md")
  local is_there = {}
  for name in index:gmatch("%]%((%l[%l-]*%.md)%)") do
    is_there[name] = true
    add_file("Manual", "docs/" .. name)
  end
  for name in said("ls docs/*.md"):gmatch("docs/(%S+)") do
    if name ~= "README.md" and not is_there[name] then
      add_file("Manual", "docs/" .. name)
    end
  end
end

-- Other Markdown that pages lead to, and what that leads to.
local function links_of(path)
  local links, markdown = {}, read(path):gsub("\n *```.-\n *```", "")
  for url in markdown:gsub("`[^`\n]*`", ""):gmatch("%]%(([^)%s#]+)") do
    if not url:find("://", 1, true) and url:find("%.md$") then
      local full = (path:match("^.*/") or "") .. url
      repeat
        local n
        full, n = full:gsub("[^/]+/%.%./", "", 1)
      until n == 0
      links[#links + 1] = full
    end
  end
  return links
end

local function add_inside()
  local todo, seen = {"CONTRIBUTING.md"}, {}
  for _, row in ipairs(list) do
    local file = row:match("\t([^\t]+)")
    if not file:find(folder, 1, true) then todo[#todo + 1] = file end
  end
  local found = {}
  while #todo > 0 do
    local path = table.remove(todo)
    if not seen[path] then
      seen[path] = true
      if not sources[path:lower()] then found[path] = true end
      table.move(links_of(path), 1, 100, #todo + 1, todo)
    end
  end
  for _, path in ipairs(sorted(found)) do add_file("Inside", path) end
end

-- ---- Lessons and exercises ----

local function exercises_of()
  local exercises = {}
  for name in read("exercises/index"):gmatch("[^\n]+") do
    if not name:find("^#") then
      local one = dofile("exercises/" .. name .. "/exercise.lua")
      one.name = name
      exercises[name] = one
      exercises[#exercises + 1] = one
    end
  end
  return exercises
end

local function signature_of(one)
  local lines = {}
  for _, row in ipairs(one.signature or {}) do
    lines[#lines + 1] = ("| `%s` | %s | %s |"):format(row[3], row[1],
      text.code((row[2]:gsub("|", "\\|"))))
  end
  if #lines == 0 then return "" end
  return "\n| argument | | type |\n|---|---|---|\n" ..
    table.concat(lines, "\n") .. "\n"
end

local function add_exercises(exercises, lesson_of)
  local index = {"# Exercises\n",
    "Each is judged by `warpshop grade`, or with `:check` at the prompt. " ..
    "`warpshop exercise start NAME` writes its starter into this folder.\n",
    "| exercise | minutes | task |", "|---|---|---|"}
  for _, one in ipairs(exercises) do
    index[#index + 1] = ("| [%s](%s.md) | %d | %s |"):format(one.name, one.name,
      one.minutes, text.plain(one.title):gsub("|", "\\|"))
  end
  add_made("Exercises", "exercises/README.md", "Exercises", "",
    table.concat(index, "\n") .. "\n")
  for _, one in ipairs(exercises) do
    local lesson = lesson_of[one.name]
    local where = lesson and (" It belongs to [%s](../lessons/%s)."):format(
      text.plain(lesson.title), lesson.file) or ""
    add_made("Exercises", "exercises/" .. one.name .. ".md", one.title, "",
      ("# %s\n\n%s\n\nAbout %d minutes.%s\n%s\n%s"):format(text.plain(one.title),
        text.plain(one.task), one.minutes, where, signature_of(one),
        text.block("sh", "warpshop exercise start " .. one.name ..
          "\nwarpshop watch " .. one.name)))
  end
end

local function add_lessons(exercises)
  local lessons, lesson_of, index = {}, {}, {"# Lessons\n"}
  for line in read("lessons/index"):gmatch("[^\n]+") do
    local part = line:match("^# (%u+ .*)$")
    local name = line:match("^%d+%-(.*)%.md$")
    if part then
      index[#index + 1] = "\n## " .. part .. "\n"
    elseif name then
      local lesson = lesson_text.read("lessons/" .. line)
      lesson.file, lesson.number = line, tonumber(line:match("^%d+"))
      lessons[name] = lesson
      lessons[#lessons + 1] = lesson
      index[#index + 1] = ("%d. [%s](%s), %s minutes"):format(lesson.number,
        text.plain(lesson.title), line, lesson.minutes)
      for exercise in lesson.body:gmatch("\n```exercise (%S+)") do
        lesson_of[exercise] = lesson
      end
    end
  end
  add_made("Lessons", "lessons/README.md", "Lessons", "",
    table.concat(index, "\n") .. "\n")
  for _, lesson in ipairs(lessons) do
    add_made("Lessons", "lessons/" .. lesson.file,
      lesson.number .. " " .. lesson.title, "",
      lesson_text.markdown(lesson, lessons, exercises))
  end
  return lesson_of
end

-- ---- Mistakes, commands, words ----

local function add_mistakes()
  local codes = dofile("lua/codes.lua")
  local index = {"# Mistakes and verdicts\n",
    "What the code of a mistake or of a verdict means. `?CODE` at the prompt " ..
    "and `warpshop explain CODE` show the same pages; " ..
    "[the manual](../docs/mistakes.md) says what is found, and what not.\n",
    "| code | what |", "|---|---|"}
  for _, code in ipairs(sorted(codes)) do
    local first = codes[code]:match("^[^\n]*")
    index[#index + 1] = ("| [`%s`](%s.md) | %s |"):format(code, code,
      text.plain(first))
  end
  add_made("Mistakes", "mistakes/README.md", "Mistakes and verdicts", "",
    table.concat(index, "\n") .. "\n")
  for _, code in ipairs(sorted(codes)) do
    local first, rest = codes[code]:match("^([^\n]*)\n?(.*)$")
    -- Others ("race", "launch") are words as well.
    local names = code:find("-", 1, true) and code or ""
    add_made("Mistakes", "mistakes/" .. code .. ".md", code, names,
      ("# `%s`: %s\n\n%s"):format(code, text.plain(first), text.markdown(rest)))
  end
end

-- What docs/prompt.md's table says of each command.
local function rows_of_manual()
  local rows = {}
  local markdown = read("docs/prompt.md"):match("\n## Commands\n(.-)\n## ")
  for names, does in markdown:gmatch("\n| (`[^\n]-) | ([^\n]+) |%f[\n]") do
    does = does:gsub("%]%((%l[%l-]*%.md)", "](../docs/%1")
      :gsub("%]%(#", "](../docs/prompt.md#")
    for name in names:gmatch("`:(%l+)") do
      rows[name] = rows[name] or {}
      table.insert(rows[name], does)
    end
  end
  return rows
end

local function add_commands()
  local rows, commands = rows_of_manual(), {}
  for name, alias, arguments, help in read("repl/command/command.def"):gmatch(
      '\nCMD%("([%w]+)", *"(%w*)", *[%w_]+, *"(.-)", *"(.-)"%)') do
    commands[#commands + 1] = {name = name, alias = alias, help = help,
      usage = ":" .. name .. (arguments ~= "" and " " .. arguments or "")}
  end
  assert(#commands > 30)
  local index = {"# Commands of the prompt\n",
    "A line that begins with a colon. A beginning of the name is enough; " ..
    "`:help` lists them. [The prompt](../docs/prompt.md) has the rest, and " ..
    "[its programs](../programs/README.md) what the shell is given.\n",
    "| command | does |", "|---|---|"}
  for _, c in ipairs(commands) do
    index[#index + 1] = ("| [%s](%s.md) | %s |"):format(
      text.code((c.usage:gsub("|", "\\|"))), c.name, text.plain(c.help))
  end
  add_made("Commands", "commands/README.md", "Commands of the prompt", "",
    table.concat(index, "\n") .. "\n")
  for _, c in ipairs(commands) do
    add_made("Commands", "commands/" .. c.name .. ".md", ":" .. c.name,
      ":" .. c.name, ("# `%s`\n\n%s.%s\n\n%s\n"):format(c.usage,
        text.plain(c.help:gsub("^%l", string.upper)),
        c.alias ~= "" and " Short: `:" .. c.alias .. "`." or "",
        table.concat(rows[c.name] or {}, "\n\n")))
  end
end

-- The subcommands, as their own help says it.
local function add_programs()
  local nodes = dofile("tools/manual/forms.lua").read(program)
  local words = nodes[""].words
  local index = {"# `warpshop COMMAND`\n", "| command | does |", "|---|---|"}
  for _, word in ipairs(words) do
    index[#index + 1] = ("| [`warpshop %s`](%s.md) | %s |"):format(word, word,
      text.plain(nodes[word].help):gsub("|", "\\|"))
  end
  add_made("Programs", "programs/README.md", "warpshop COMMAND", "",
    table.concat(index, "\n") .. "\n")
  for _, word in ipairs(words) do
    add_made("Programs", "programs/" .. word .. ".md", "warpshop " .. word, "",
      ("# `warpshop %s`\n\n%s"):format(word, text.block("",
        (said(("'%s' %s --help 2>&1"):format(program, word)):gsub("\n+$", "")))))
  end
end

local function add_words()
  local out = {"# Words\n",
    "What GPU computing calls its things; `?WORD` at the prompt says the same.\n"}
  for word, others, meaning in read("repl/command/glossary.def"):gmatch(
      '\nTERM%("([^"]*)", *"([^"]*)",%s*"(.-)"%)%f[\n%z]') do
    meaning = meaning:gsub('"%s*\n%s*"', ""):gsub('\\"', '"')
    out[#out + 1] = ("## %s\n\n%s%s\n"):format(text.plain(word),
      text.plain(meaning),
      others ~= "" and " Also: " .. text.plain(others) .. "." or "")
  end
  assert(#out > 50)
  add_made("Words", "words.md", "Words", "", table.concat(out, "\n"))
end

-- ---- Functions ----

local function help_texts()
  local texts = {}
  for path in said("ls lua/help/*.lua"):gmatch("%S+") do
    for name, one in pairs(dofile(path)) do texts[name] = one end
  end
  return texts
end

local modules = {
  {"np", "np: arrays"}, {"cuda", "cuda: devices, kernels, launches"},
  {"jax", "jax: programs of arrays"}, {"jnp", "jnp: np's functions of jax"},
  {"frame", "frame: tables"}, {"h5", "h5: files of HDF5"},
  {"ml", "ml: learning from rows"},
  {"scale", "scale: arrays in chunks, workers"},
  {"C", "CUDA C"}, {"Lua", "Lua"},
}

local function module_of(name, lua_names)
  local head = name:match("^(%l[%l%d]+)[.:]")
  for _, m in ipairs(modules) do if m[1] == head or m[1] == name then return m[1] end end
  return lua_names[name] and "Lua" or "C"
end

-- One page a text: {names, text} by module, sorted by the first name.
local function pages_of(texts)
  local by_module, lua_names = {}, dofile("lua/help/lua.lua")
  for _, m in ipairs(modules) do by_module[m[1]] = {} end
  local page_of = {}
  for _, name in ipairs(sorted(texts)) do
    local module = module_of(name, lua_names)
    local key = module .. texts[name]
    if page_of[key] then
      table.insert(page_of[key].names, name)
    else
      page_of[key] = {names = {name}, text = texts[name]}
      table.insert(by_module[module], page_of[key])
    end
  end
  return by_module
end

local function linked_names(names) -- not words that are others' as well
  local list_of = {}
  for _, name in ipairs(names) do
    if name:find("[._%u]") then list_of[#list_of + 1] = name end
  end
  return table.concat(list_of, " ")
end

local function add_functions()
  local by_module = pages_of(help_texts())
  local index = {"# Functions\n", "`?NAME` at the prompt shows the same.\n"}
  for _, m in ipairs(modules) do
    index[#index + 1] = ("\n## %s\n\n| name | gives |\n|---|---|"):format(m[2])
    for _, page in ipairs(by_module[m[1]]) do
      local names = table.concat(page.names, ", ")
      index[#index + 1] = ("| [%s](%s.md) | %s |"):format(
        text.code((names:gsub("|", "\\|"))), file_name(page.names[1]),
        text.summary(page.text):gsub("([^\\])|", "%1\\|"))
    end
  end
  add_made("Functions", "functions/README.md", "Functions", "",
    table.concat(index, "\n") .. "\n")
  for _, m in ipairs(modules) do
    for _, page in ipairs(by_module[m[1]]) do
      local names = table.concat(page.names, ", ")
      add_made("Functions", "functions/" .. file_name(page.names[1]) .. ".md", names,
        linked_names(page.names),
        ("# %s\n\n%s"):format(text.code(names), text.markdown(page.text, true)))
    end
  end
end

-- ---- All of them ----

add_file("warpshop", "README.md")
local exercises = exercises_of()
local lesson_of
do
  add_manual()
  lesson_of = add_lessons(exercises)
  add_exercises(exercises, lesson_of)
  add_functions()
  add_commands()
  add_programs()
  add_mistakes()
  add_words()
  add_inside()
end
write(folder .. "/list", table.concat(list, "\n") .. "\n")
