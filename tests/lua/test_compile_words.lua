-- SPDX-License-Identifier: Apache-2.0
-- The compiler's words in plain ones (gpu/nvrtc/nvrtc_words_*.def), through the
-- real compiler: every row is said for a source of tests/fixtures/
-- compile_errors.lua, at the line that is wrong, and none for its near misses.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal
local cases = dofile("tests/fixtures/compile_errors.lua")

-- The diagnostics of a source: {line, text, hint} each.
local function diagnose(source)
  local ok, e = pcall(cuda.module, source, {file = "k.cu"})
  local list = {}
  if ok then -- what it warns of
    for i, d in ipairs(e.diagnostics) do
      equal(d.file, "k.cu")
      list[i] = {d.line, d.message, d.explain}
    end
    return list
  end
  for line in (tostring(e) .. "\n"):gmatch("(.-)\n") do
    local place, text = line:match("k%.cu:?(%d*)[:%d]*  %a+: (.*)$")
    local behind = line:match("^ +| *%^ (.+)$") or line:match("^ +| (%w.*)$")
    local d = list[#list]
    if text then
      list[#list + 1] = {tonumber(place) or 0, text}
    elseif behind then
      d[3] = behind
    elseif d and line:match("^ +%S") and not line:match("^ +%d* |") then
      d[3] = line:match("^ +(.*)$")
    end
  end
  return list
end

-- The last text of each row.
local function read_sentences(path)
  local list, row = {}, ""
  for line in io.lines(path) do
    row = line:find("^WORDS") and line or row .. " " .. line
    local literal = row:find("^WORDS") and line:match('"[^\n]*"%)$')
    if literal then
      literal = literal:sub(1, -2):gsub('^.*, *("[^\n]*")$', "%1")
      list[#list + 1] = assert(load("return " .. literal))()
      row = ""
    end
  end
  return list
end

-- "atomic$1($t, ...)" as a pattern.
local function pattern(sentence)
  local escaped = sentence:gsub("%p", "%%%0")
  return "^" .. escaped:gsub("%%%$[1-4wtn]", ".*") .. "$"
end

local said = {}
for i, case in ipairs(cases.explained) do
  local line, sentence, source = table.unpack(case)
  test(("%d: %s"):format(i, sentence), function()
    local found = {}
    for _, d in ipairs(diagnose(source)) do
      said[d[3] or ""] = true
      found[#found + 1] = ("%d: %s"):format(d[1], d[3] or d[2])
    end
    local want = ("%d: %s"):format(line, sentence)
    local text = table.concat(found, "\n")
    if not ("\n" .. text .. "\n"):find("\n" .. want .. "\n", 1, true) then
      error(("want %s, got\n%s"):format(want, text))
    end
  end)
end

for i, case in ipairs(cases.silent) do
  test(i .. ": nothing is said about " .. case[1]:gsub("%s+", " "), function()
    local list = diagnose(case[1])
    equal(#list > 0, true, "is an error")
    for _, d in ipairs(list) do equal(d[3], nil) end
  end)
end

local function is_said(sentence)
  for hint in pairs(said) do
    if hint:find(pattern(sentence)) then return true end
  end
  return false
end

test("every row has a source", function()
  local count = 0
  for _, name in ipairs{"syntax", "names", "types"} do
    for _, sentence in ipairs(read_sentences(
        "gpu/nvrtc/words/nvrtc_words_" .. name .. ".def")) do
      count = count + 1
      if sentence ~= "$t" then equal(is_said(sentence), true, sentence) end
    end
  end
  equal(count >= 60, true, "60 rows")
end)

tap.done()
