-- SPDX-License-Identifier: Apache-2.0
-- A text as ?name shows it, and as the fields of a lesson's questions hold it, in
-- Markdown.
local M = {}

-- Names of functions, and what stands behind "?", as code: it leads to their pages.
local function mark_names(text)
  text = text:gsub("%f[%w?]%?[%a_][%w_.-]*[%w_]", "`%0`")
  for _, module in ipairs{"np", "cuda", "jax", "jnp"} do
    text = text:gsub("%f[%w`?.]" .. module .. "%.[%w_.]*[%w_]", "`%0`")
  end
  return text
end

-- What Markdown would take for its own signs; code between `backticks` stays.
function M.plain(text)
  local out = {}
  for before in (text .. "``"):gmatch("([^`]*`[^`]*`)") do
    local words, code = before:match("^([^`]*)(`[^`]*`)$")
    out[#out + 1] = mark_names(words)
    if code ~= "``" then out[#out + 1] = code end
  end
  return M.escaped(table.concat(out))
end

function M.escaped(text)
  local out = {}
  for before, code in (text .. "``"):gmatch("([^`]*)(`[^`]*`)") do
    out[#out + 1] = before:gsub("[\\*_%[%]<>#&|~]", "\\%0")
    if code ~= "``" then out[#out + 1] = code end
  end
  return (table.concat(out):gsub("\\#", "#"))
end

-- As code, whatever backticks it has.
function M.code(text)
  local fence = "`"
  while text:find(fence, 1, true) do fence = fence .. "`" end
  local blank = text:find("`", 1, true) and " " or ""
  return fence .. blank .. text .. blank .. fence
end

function M.block(language, lines)
  local text = type(lines) == "table" and table.concat(lines, "\n") or lines
  local fence = "```"
  while text:find(fence, 1, true) do fence = fence .. "`" end
  return fence .. language .. "\n" .. text .. "\n" .. fence .. "\n"
end

-- "np.full(shape, value [, dtype]): an array ...": the call, and what it gives.
local function split_call(text)
  local depth, quote = 0, nil
  for i = 1, #text do
    local c = text:sub(i, i)
    if quote then
      if c == quote then quote = nil end
    elseif c == '"' then
      quote = c
    elseif c:find("[%(%[{]") then
      depth = depth + 1
    elseif c:find("[%)%]}]") then
      depth = depth - 1
    elseif depth == 0 and text:sub(i, i + 1) == ": " then
      return text:sub(1, i - 1), text:sub(i + 2)
    end
  end
end

local FULL = 60 -- a shorter line ended where it was meant to (help.c)

-- The text in pieces: {kind = "paragraph" | "code" | "label", label, lines}.
local function pieces(text)
  local list, last = {}, nil
  local function begin(kind, line, label)
    last = {kind = kind, label = label, lines = {line}}
    list[#list + 1] = last
  end
  for line in (text .. "\n"):gmatch("(.-)\n") do
    local label, rest = line:match("^(%u?%l+): *(.*)$")
    if label and not (label:find("^%u") or label == "mode") then label = nil end
    if label then
      begin("label", rest ~= "" and rest or nil, label)
    elseif line:find("^  ") and last and last.kind == "label" then
      last.lines[#last.lines + 1] = line
    elseif line:find("^  ") then
      if last and last.kind == "code" then
        last.lines[#last.lines + 1] = line
      else
        begin("code", line)
      end
    elseif last and last.kind == "paragraph" and
      #last.lines[#last.lines] > FULL then
      last.lines[#last.lines + 1] = line
    else
      begin("paragraph", line)
    end
  end
  return list
end

local function without_indent(lines)
  local out = {}
  for i, line in ipairs(lines) do out[i] = line:gsub("^  ", "") end
  return out
end

-- "code --> text" as at the prompt.
local function example(lines)
  local code, gives = table.concat(lines, "\n"):match("^(.-)%s*%-%->%s*(.*)$")
  if not code then return lines end
  return {"> " .. code, gives}
end

local function add_label(out, piece)
  local lines = piece.lines
  if piece.label == "Example" and lines[1] and not lines[1]:find("^  ") then
    out[#out + 1] = M.block("lua", example(lines))
  elseif lines[1] and lines[1]:find("^  %S") then
    out[#out + 1] = ("**%s:**\n"):format(piece.label)
    out[#out + 1] = M.block(table.concat(lines, "\n"):find("__%a+__") and
      "cuda" or "lua", without_indent(lines))
  else
    local text = table.concat(lines, " "):gsub(" +", " ")
    out[#out + 1] = ("**%s:** %s\n"):format(piece.label, M.plain(text))
  end
end

-- Markdown of a text of lua/help/, which begins with a call where `has_call`, or of
-- lua/codes.lua.
function M.markdown(text, has_call)
  local out = {}
  for i, piece in ipairs(pieces(text)) do
    if piece.kind == "label" then
      add_label(out, piece)
    elseif piece.kind == "code" then
      out[#out + 1] = M.block("lua", without_indent(piece.lines))
    else
      local joined = table.concat(piece.lines, " ")
      local call, rest = nil, nil
      if has_call and i == 1 then call, rest = split_call(joined) end
      if call then
        out[#out + 1] = M.code(call) .. ": " .. M.plain(rest) .. "\n"
      else
        out[#out + 1] = M.plain(joined) .. "\n"
      end
    end
  end
  return table.concat(out, "\n")
end

-- What a list says of it: what it gives, up to the end of the first sentence.
function M.summary(text)
  local first = pieces(text)[1]
  local joined = table.concat(first.lines, " ")
  local _, rest = split_call(joined)
  rest = rest or joined
  return M.plain((rest:match("^(.-)[.;:]%f[%s]") or rest):gsub("[.;:]$", ""))
end

return M
