-- SPDX-License-Identifier: Apache-2.0
-- Runs the planted mistakes as a learner would have written them, without the
-- macro, and counts how they are explained (README.md). With an argument: entries
-- whose name holds it, and what was said.
local tap = dofile("tests/lua/tap.lua")
local mistakes = dofile("tests/mistakes/lib.lua")
local expected = dofile("tests/mistakes/explained.lua")
local left_english = dofile("tests/mistakes/language.lua")
local wanted = ...

-- ---- The source without the macro ----

-- Where the text that begins at `from` ends, by its brackets: before one of the
-- characters `stops`, or behind the last bracket.
local function find_end(text, from, stops)
  local depth = 0
  for i = from, #text do
    local c = text:sub(i, i)
    if depth == 0 and stops:find(c, 1, true) then return i end
    if c:find("[%(%[{]") then depth = depth + 1 end
    if c:find("[%)%]}]") then
      depth = depth - 1
      if depth < 0 or (depth == 0 and c == "}") then return i end
    end
  end
  return #text
end

-- BAD ? A : B is A.
local function choose(text)
  local from, to = text:find("BAD %? ")
  if not from then return text end
  local colon = find_end(text, to + 1, ":")
  local finish = find_end(text, colon + 1, ",;:")
  local before, chosen = text:sub(1, from - 1), text:sub(to + 1, colon - 1):gsub("[ \n]+$", "")
  local is_bracketed = before:find("[^%w_\"]%($") and text:sub(finish, finish) == ")"
  if is_bracketed and not chosen:find(" ") then
    before, finish = before:sub(1, -2), finish + 1
  end
  return choose(before .. chosen .. text:sub(finish))
end

-- The statement behind a condition goes, and an else that its own if is left of.
local function drop(text, condition)
  local from, to = text:find(condition)
  if not from then return text end
  local finish = find_end(text, to + 1, ";")
  return drop(text:sub(1, from - 1) .. text:sub(finish + 1), condition)
end

-- The statement stays, its condition goes, and its else.
local function keep(text, condition)
  local from, to = text:find(condition)
  if not from then return text end
  local finish = find_end(text, to + 1, ";")
  local rest = text:sub(finish + 1)
  local _, other = rest:find("^[^\n]*\n? *else ")
  if other and not rest:sub(1, other):find("%w.*else") then
    rest = rest:sub(find_end(rest, other + 1, ";") + 1)
  end
  return keep(text:sub(1, from - 1) .. text:sub(to + 1, finish) .. rest, condition)
end

local function plain(text)
  text = text:gsub(" *// !", "")
  text = text:gsub("#if BAD\n(.-)#else.-#endif\n", "%1"):gsub("#if BAD\n(.-)#endif\n", "%1")
  text = drop(text, "else if %(!BAD%)[ \n]*")
  text = drop(text, "if %(!BAD%)[ \n]*")
  text = drop(text, "if %(!BAD && [^\n;]-%) ")
  text = drop(text, "if %([^\n;(]* && !BAD%) ")
  text = keep(text, "if %(BAD%)[ \n]*")
  text = keep(text, "if %(BAD || [^\n;]-%)[ \n]+")
  text = text:gsub("%(BAD || [^()]-%) && ", ""):gsub("[^ ]+ [<>] 0 || BAD %? ", "BAD ? ")
  text = text:gsub("i %+ 1 < n || BAD %? ", "BAD ? "):gsub("BAD || count %? ", "BAD ? ")
  text = text:gsub("!BAD || ", ""):gsub(" || !BAD", ""):gsub("BAD && ", "")
  text = choose(text)
  text = text:gsub(" %+ !BAD %* [%w.]+ %* [%w.]+", ""):gsub(" %- !BAD", ""):gsub("!BAD", "0")
  text = text:gsub(" %* BAD", ""):gsub("BAD %* ", "1 * "):gsub("BAD", "1")
  return text
end

-- ---- What is said ----

local function run(entry)
  local _, _, shape, words, source = table.unpack(entry)
  local kernel = cuda.kernel(plain(source), {options = entry.options})
  local values, arrays = mistakes.arguments(words)
  local ok, e = pcall(function()
    kernel{grid = shape[1], block = shape[2], shared = shape.shared}(table.unpack(values))
    cuda.synchronize()
    for _, a in ipairs(arrays) do
      if a.name == entry.read then a.value:copy_to_host() end
    end
  end)
  return not ok and e or nil, ok and cuda.last_launch().notes or {}
end

local function find(list, kind)
  for _, d in ipairs(list or {}) do
    if d.kind == kind then return d end
  end
end

local function list_of(x)
  return type(x) == "table" and x or x and {x} or {}
end

-- "right", "silent" or "wrong", and why.
local function judge(want, said)
  for _, part in ipairs(list_of(want and want.never)) do
    if said:find(part, 1, true) then return "wrong", ("it must not say %q"):format(part) end
  end
  for _, part in ipairs(list_of(want)) do
    if not said:find(part, 1, true) then
      return "silent", ("it does not say %q"):format(part)
    end
  end
  return want and "right" or "silent"
end

local reports = {} -- as a person is shown them

local counts = {all = 0, right = 0, silent = 0, wrong = 0}

local function check(entry)
  local want = expected[entry[1]]
  assert(want ~= nil, "explained.lua has no row for it")
  local e, notes = run(entry)
  local found = find(e and e.diagnostics, entry[2]) or find(notes, entry[2]) or e
  assert(found and found.kind == entry[2], ("nothing was found: %s"):format(tostring(e)))
  local said = found.explain or ""
  reports[#reports + 1] = e and tostring(e) or found.message .. "\n  " .. said
  local how, why = judge(want, said)
  counts[how] = counts[how] + 1
  if wanted or why then
    print(("# %s: %s: %s\n#   %s%s"):format(how, entry[1], found.message, said,
      why and "\n#   " .. why or ""))
  end
  if wanted then print("# " .. plain(entry[5]):gsub("\n", "\n# ")) end
  assert(how ~= "wrong", why)
end

for _, entry in ipairs(mistakes.entries()) do
  if not entry.host and (not wanted or entry[1]:find(wanted, 1, true)) then
    counts.all = counts.all + 1
    tap.test("explained: " .. entry[1], function() check(entry) end)
  end
end
local said = ("%d planted mistakes (tests/mistakes/explained.lua): %d explained right,"
  .. " %d left without a cause, %d explained wrongly"):format(counts.all, counts.right,
  counts.silent, counts.wrong)
print("# " .. said)
tap.test("what is said of them has a German text", function()
  tap.equal(table.concat(left_english(reports, "de"), "\n"), "")
end)
if not wanted then
  tap.test("planted mistakes are explained", function()
    tap.equal(counts.wrong, 0, "explained wrongly")
    assert(counts.right >= 0.9 * counts.all, "fewer are explained right")
    mistakes.check_docs(said)
  end)
end
tap.done()
