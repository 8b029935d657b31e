-- SPDX-License-Identifier: Apache-2.0
-- A lesson of lessons/ in Markdown that needs no prompt: its header as a list, its
-- questions with their answers folded away, its exercises as links.
local text = dofile("tools/site/text.lua")

local M = {}

-- Fields "name: text" of a header or a cell; other lines that begin with a
-- blank go on. Choices ("- text") are in `choices`.
local function fields_of(lines)
  local fields, last = {choices = {}}, nil
  for _, line in ipairs(lines) do
    local name, value = line:match("^(%l+): *(.*)$")
    local choice = line:match("^%- (.*)$")
    if choice then
      fields.choices[#fields.choices + 1] = choice
      last = nil
    elseif name then
      fields[name], last = value, name
    elseif last then
      local joint = (last == "answer" or last == "from") and "\n" or " "
      fields[last] = fields[last] .. joint .. line:gsub("^ +", "")
    end
  end
  return fields
end

local function folded(title, body)
  return ("<details><summary>%s</summary>\n\n%s\n</details>\n"):
    format(title, body)
end

local cells = {}

function cells.quiz(f)
  local choices, right = {}, {}
  for _, choice in ipairs(f.choices) do
    local name = choice:match("^(.-) %*$")
    choices[#choices + 1] = "- " .. text.plain(name or choice)
    if name then right[#right + 1] = text.plain(name) end
  end
  table.sort(choices) -- not in the order of the file, where the first is right
  return ("**Question.** %s\n\n%s\n\n%s"):format(text.plain(f.ask),
    table.concat(choices, "\n"), folded("Answer",
    ("**%s** %s\n"):format(table.concat(right, "; "),
      text.plain(f.explain or ""))))
end

function cells.predict(f)
  return ("**What do you think?** %s\n\n%s"):format(text.plain(f.ask),
    folded("Answer", text.plain(f.explain or f.from) .. "\n"))
end

local function language_of(code)
  return (code:find("__global__") or code:find("__device__")) and "cuda" or "lua"
end

function cells.try(f)
  return ("**Try it.** %s\n\n%s"):format(text.plain(f.ask), folded("One way",
    text.block(language_of(f.answer), f.answer) .. "\n" ..
    text.plain(f.explain or "") .. "\n"))
end

-- The Markdown of one fenced cell; nil where it is for the program alone.
local function cell_of(info, lines, exercises)
  local kind, rest = info:match("^(%S+)%s*(.*)$")
  if rest == "check" then return "" end
  if kind == "exercise" then
    local one = exercises[rest] or error("no exercise " .. rest, 0)
    return ("**Exercise.** [%s](../exercises/%s.md): %s\n"):format(
      text.plain(one.title), rest, text.plain(one.task))
  end
  if cells[kind] then return cells[kind](fields_of(lines)) end
  return text.block(kind or "", lines)
end

local function header_of(f, lessons)
  local goals, needs = {}, {}
  for goal in (f.goals or ""):gmatch("[^;]+") do
    goals[#goals + 1] = "- " .. text.plain(goal:gsub("^%s+", ""))
  end
  for name in (f.needs or ""):gmatch("[^%s,]+") do
    local lesson = lessons[name] or error("no lesson " .. name, 0)
    needs[#needs + 1] = ("[%s](%s)"):format(text.plain(lesson.title), lesson.file)
  end
  return ("%s minutes%s. Afterwards you can\n\n%s\n"):format(f.minutes,
    #needs > 0 and ", after " .. table.concat(needs, ", ") or "",
    table.concat(goals, "\n"))
end

-- Splits a file: the fields of its header, and what follows.
function M.read(path)
  local file = assert(io.open(path))
  local all = file:read("a")
  file:close()
  local header, body = all:match("^%-%-%-\n(.-)\n%-%-%-\n(.*)$")
  local lines = {}
  for line in header:gmatch("[^\n]+") do lines[#lines + 1] = line end
  local fields = fields_of(lines)
  fields.body = body
  return fields
end

-- `lesson` as read(), with `lessons` by name and `exercises` by name.
function M.markdown(lesson, lessons, exercises)
  local out, fence, info, lines = {}, nil, nil, nil
  for line in (lesson.body .. "\n"):gmatch("(.-)\n") do
    local marks, rest = line:match("^(```+)%s*(.*)$")
    if not fence and marks then
      fence, info, lines = marks, rest, {}
    elseif fence and marks == fence and rest == "" then
      out[#out + 1] = cell_of(info, lines, exercises)
      fence = nil
    elseif fence then
      lines[#lines + 1] = line
    else
      out[#out + 1] = line:gsub("^### ", "## ") -- its title is above them
      if line:find("^# ") then
        out[#out + 1] = "\n" .. header_of(lesson, lessons)
      end
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return M
