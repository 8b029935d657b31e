-- SPDX-License-Identifier: Apache-2.0
-- The nodes of forms.lua, the prompt's commands and two tables of the manual as
-- a page in mdoc(7).
local M = {}

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- Text that roff leaves as it is.
local function plain(text)
  return (text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^([.'])", "\\&%1"))
end

-- A sentence in lines that an editor shows whole.
local function sentence(text)
  local out = {}
  text = text:gsub("^%l", string.upper) .. "."
  for word in text:gmatch("%S+") do
    if #out == 0 or #out[#out] + #word > 76 then
      out[#out + 1] = plain(word)
    else
      out[#out] = out[#out] .. " " .. plain(word)
    end
  end
  return table.concat(out, "\n")
end

-- The same as one argument of a macro.
local function argument(text)
  return '"' .. plain(text):gsub('"', '""') .. '"'
end

-- A usage line: what is replaced is set in italics, the rest is typed.
local function usage(text)
  local out = {}
  for word in text:gmatch("%S+") do
    out[#out + 1] = plain(word):gsub("%f[%w]%u[%u%-\\]*%f[^%u%-\\]",
      "\\fI%0\\fR")
  end
  return '"' .. table.concat(out, " "):gsub('"', '""') .. '"'
end

-- A sentence of the manual without Markdown's signs.
local function unmarked(text)
  return (text:gsub("`", ""):gsub("%[([^%]]*)%]%([^)]*%)", "%1"))
end

local function add(out, ...)
  for _, line in ipairs{...} do out[#out + 1] = line end
end

-- "and in FILE, too, as" what? The values that end in "=" are listed below it.
local function values(option)
  local list = {}
  for _, kind in ipairs(option.kinds) do list[#list + 1] = kind:match("^=(.*)=$") end
  return #list == 0 and "" or " " .. table.concat(list, ", ")
end

local function add_options(out, options)
  local has_help = false
  for _, o in ipairs(options) do has_help = has_help or o.help end
  if not has_help then return end
  add(out, ".Bl -tag -width Ds")
  for _, o in ipairs(options) do
    if o.help then
      add(out, ".It " .. usage(o.name .. (o.value and " " .. o.value or "")),
        sentence(o.help .. values(o)))
    end
  end
  add(out, ".El")
end

-- Usage lines as they stand in help.
local function add_usages(out, node)
  add(out, ".Bd -literal -compact")
  for _, line in ipairs(node.usages) do
    -- What a terminal's 78 columns do not hold goes on below.
    local column, rest = "warpshop", {}
    for word in line:gmatch("%S+") do
      if #column + #word > 66 then
        rest[#rest + 1], column = column, "   "
      end
      column = column .. " " .. word
    end
    rest[#rest + 1] = column
    for _, one in ipairs(rest) do add(out, plain(one)) end
  end
  add(out, ".Ed", ".Pp")
end

-- A command, and the words below it.
local function add_command(out, nodes, node)
  add(out, ".Ss " .. node.path)
  add_usages(out, node)
  add(out, sentence(node.help))
  add_options(out, node.options)
  local has_help = false
  for _, word in ipairs(node.words) do
    has_help = has_help or nodes[node.path .. " " .. word].help
  end
  if has_help then
    add(out, ".Bl -tag -width Ds")
    for _, word in ipairs(node.words) do
      local below = nodes[node.path .. " " .. word]
      if below.help then
        add(out, ".It " .. argument(word), sentence(below.help))
      end
    end
    add(out, ".El")
  end
end

-- Words below a word have usage lines of their own (class book).
local function has_usages(nodes, node)
  local first = node.words[1] and nodes[node.path .. " " .. node.words[1]]
  return first and #first.usages > 0
end

local function add_prompt(out)
  add(out, ".Sh COMMANDS OF THE PROMPT",
    "A line at the prompt is Lua, or a kernel where it begins with",
    ".Ql __global__ ;", "a line that begins with a colon is one of these:",
    ".Bl -tag -width Ds")
  local text = read("repl/command/command.def")
  for name, alias, arguments, help in text:gmatch(
      '\nCMD%("([%w]+)", *"(%w*)", *[%w_]+, *"(.-)", *"(.-)"%)') do
    add(out, ".It " .. usage(":" .. name ..
      (arguments ~= "" and " " .. arguments or "")), sentence(help ..
      (alias ~= "" and "; short: :" .. alias or "")))
  end
  add(out, ".El")
end

-- The table below a heading of docs/prompt.md: rows of two cells.
local function rows(heading)
  local text = (read("docs/prompt.md") .. "\n## "):match("\n## " .. heading ..
    "\n(.-)\n## ") or error("docs/prompt.md has no " .. heading, 0)
  local list = {}
  for a, b in text:gmatch("\n| ([^|]+) | ([^\n]+) |%f[\n]") do
    list[#list + 1] = {unmarked(a), unmarked(b)}
  end
  assert(#list > 1, heading)
  return table.unpack(list, 2) -- without the table's head
end

local function add_table(out, title, is_path_last, ...)
  add(out, ".Sh " .. title, ".Bl -tag -width Ds")
  for _, row in ipairs{...} do
    local name, text = row[1], row[2]
    if is_path_last then name, text = text, name end
    add(out, (is_path_last and ".It Pa " or ".It Ev ") .. argument(name),
      sentence(text))
  end
  add(out, ".El")
end

function M.write(nodes, date)
  local out = {}
  add(out, ".\\\" Written by tools/manual/page.lua of what help says.",
    ".Dd " .. date, ".Dt WARPSHOP 1", ".Os", ".Sh NAME", ".Nm warpshop",
    ".Nd " .. nodes[""].help, ".Sh SYNOPSIS", ".Nm warpshop",
    ".Op Ar OPTION ...", ".Op Ar COMMAND ...", ".Sh DESCRIPTION",
    "You read a lesson, type a CUDA kernel or a line of Lua, and are told at",
    "once whether it is right, why it is wrong, and how fast it is.",
    "Kernels are compiled by NVRTC and run on a GPU, or, where there is none,",
    "on a virtual one that executes their PTX on the CPU and sees every mistake.",
    "The same program judges what a class hands in.", ".Pp",
    "Without a command", ".Nm", "goes on with the lessons.",
    "Every command takes these options:")
  add_options(out, nodes[""].options)
  add(out, ".Sh COMMANDS")
  for _, word in ipairs(nodes[""].words) do
    add_command(out, nodes, nodes[word])
  end
  for _, node in ipairs(nodes) do
    if node.path ~= "" and has_usages(nodes, node) then
      for _, word in ipairs(node.words) do
        add_command(out, nodes, nodes[node.path .. " " .. word])
      end
    end
  end
  add_prompt(out)
  add_table(out, "ENVIRONMENT", false, rows("Environment"))
  add_table(out, "FILES", true, rows("Files"))
  add(out, ".Sh EXIT STATUS", ".Bl -tag -width Ds -compact",
    ".It 0", "passed, or done", ".It 1", "failed", ".It 2", "wrong usage",
    ".It 3", "this machine cannot", ".El")
  return table.concat(out, "\n") .. "\n"
end

return M
