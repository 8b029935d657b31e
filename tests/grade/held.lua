-- SPDX-License-Identifier: Apache-2.0
-- A held set: hand-ins of which most were written without a look at the exercises'
-- mutants and before any verdict on them (docs/mistakes.md). held/EXERCISE/ has
-- some that must pass, right-NAME.cu, and some that must not, wrong-NAME.cu. They
-- begin with comments:
--   // right: in which way it is another one
--   // wrong: the mistake, in a sentence
--   // verdict: fail
--   // says: words of the explanation, which leads to that mistake
-- There may be several `says`; each is in some explanation, and each explanation
-- has one: so none is lost or added without being read. `only says` are words
-- of one that is true, and leaves the mistake to be found; `says: -`: none. Both
-- count as not explained. Usage: warpshop run tests/grade/held.lua
-- [EXERCISE... | PART OF] (each OF-th exercise)
local tap = dofile("tests/lua/tap.lua")
local json = dofile("tests/jax/json.lua")
local program = (os.getenv("BUILD") or "build") .. "/warpshop"
local LEAST = 70 -- percent of the wrong ones whose explanation is the right one

local function lines_of(command)
  local f, lines = assert(io.popen(command)), {}
  for line in f:lines() do lines[#lines + 1] = line end
  f:close()
  return lines
end

-- The comments at a file's beginning: {right=, wrong=, verdict=, says=, only=}.
local function head_of(path)
  local head = {says = {}, only = {}}
  for line in io.lines(path) do
    local name, text = line:match("^// ([%a ]+): (.+)$")
    if not name then break end
    if name == "says" then
      table.insert(head.says, text)
    elseif name == "only says" then
      table.insert(head.only, text)
    else
      head[name] = text
    end
  end
  return head
end

-- One process judges all files of an exercise: its answers, in their order. Each of
-- the files may take as long as a command of a test may.
local function judge(exercise, paths)
  local limit = (tonumber(os.getenv("HANG_S")) or 300) * #paths
  local f = assert(io.popen(("env -u WARPSHOP_DEVICE timeout -k 5 %d %s grade %s %s --json"):format(
    limit, program, exercise, table.concat(paths, " "))))
  local text = f:read("a")
  local _, how, code = f:close()
  assert(#text > 0, ("%s: no answer (%s %d; 124: over %d s)"):format(exercise, how, code, limit))
  local all = json.parse(text)
  return all.submissions or {all}
end

-- What is said of a hand-in: of each mistake its message and explanation.
local function explanations(answer)
  local said = {}
  for _, d in ipairs(answer.diagnostics) do
    local text = d.code .. ": " .. d.message
    if d.explain ~= json.null then
      said[#said + 1] = text .. "\n" .. d.explain
    elseif d.kind ~= "wrong-result" then -- a finding's message explains, too
      said[#said + 1] = text
    end
  end
  return said
end

local function has_one(text, words)
  for _, w in ipairs(words) do
    if text:find(w, 1, true) then return true end
  end
  return false
end

local function check_says(head, said)
  local words = {table.unpack(head.says)}
  table.move(head.only, 1, #head.only, #words + 1, words)
  local all = table.concat(said, "\n")
  assert(#words > 0, "no line '// says: words' yet; what is said:\n" .. all)
  if words[1] == "-" then
    assert(#said == 0, "it is explained now; is it right?\n" .. all)
    return
  end
  for _, w in ipairs(words) do
    assert(all:find(w, 1, true), "not said any more: " .. w .. "\n" .. all)
  end
  for _, s in ipairs(said) do
    assert(has_one(s, words), "said as well; is it right?\n" .. s)
  end
end

local function is_right(path) return path:find("/right-[^/]*$") end
local function is_explained(head) return #head.says > 0 and head.says[1] ~= "-" end

local count = {right = 0, passed = 0, wrong = 0, rejected = 0, explained = 0}

local function check(path, answer)
  local head, verdict = head_of(path), answer.verdict
  if is_right(path) then
    assert(head.right, "its first line is not '// right: ...'")
    count.right = count.right + 1
    assert(verdict == "pass", verdict .. ": " .. table.concat(explanations(answer), "\n"))
    count.passed = count.passed + 1
    return
  end
  assert(head.wrong, "its first line is not '// wrong: ...'")
  count.wrong = count.wrong + 1
  assert(verdict ~= "pass" and verdict ~= "error" and verdict ~= "skipped", "it is judged " .. verdict)
  count.rejected = count.rejected + 1
  tap.equal(verdict, head.verdict)
  check_says(head, explanations(answer))
  if is_explained(head) then count.explained = count.explained + 1 end
end

local function files_of(exercise) return lines_of("ls tests/grade/held/" .. exercise .. "/*") end

-- How many of all exercises' wrong ones say that they are explained, in percent. That
-- it is so is each one's own test.
local function share_of(exercises)
  local wrong, explained = 0, 0
  for _, exercise in ipairs(exercises) do
    for _, path in ipairs(files_of(exercise)) do
      if not is_right(path) then
        wrong = wrong + 1
        if is_explained(head_of(path)) then explained = explained + 1 end
      end
    end
  end
  return 100 * explained / math.max(wrong, 1)
end

local every = lines_of("ls tests/grade/held")
local part, of = tonumber((...)), tonumber((select(2, ...)))
local exercises = {...}
if of then
  exercises = {}
  for i = part, #every, of do exercises[#exercises + 1] = every[i] end
elseif #exercises == 0 then
  exercises = every
end
for _, exercise in ipairs(exercises) do
  local paths = files_of(exercise)
  local answers = judge(exercise, paths)
  for i, path in ipairs(paths) do
    tap.test(path:match("held/(.*)"), function() check(path, answers[i]) end)
  end
end

print(("# %d wrong hand-ins: %d rejected, %d explained (%.0f %%); %d right ones: %d passed"):format(
  count.wrong, count.rejected, count.explained, 100 * count.explained / math.max(count.wrong, 1),
  count.right, count.passed))
if part == 1 or #{...} == 0 then
  tap.test(LEAST .. " % of the wrong ones are explained", function()
    local share = share_of(every)
    assert(share >= LEAST, ("%.1f %%"):format(share))
  end)
end
tap.done()
