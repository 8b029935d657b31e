-- SPDX-License-Identifier: Apache-2.0
-- Runs the typed mistakes (README.md) and counts how they are explained. With
-- an argument: entries whose name holds it, and what was said.
local tap = dofile("tests/lua/tap.lua")
local mistakes = dofile("tests/mistakes/lib.lua")
local typed = dofile("tests/mistakes/typed.lua")
local left_english = dofile("tests/mistakes/language.lua")
local wanted = ...
local reports = {} -- as a person is shown them

local function run(kernel, entry)
  local shape = entry[3]
  local values = mistakes.arguments(entry[4])
  local ok, e = pcall(function()
    kernel{grid = shape[1], block = shape[2], shared = shape.shared}(table.unpack(values))
    cuda.synchronize()
  end)
  return not ok and e or nil, ok and cuda.last_launch().notes or {}
end

local function find(list, kind)
  for _, d in ipairs(list or {}) do
    if d.kind == kind then return d end
  end
end

local counts = {caught = 0, right = 0, silent = 0, wrong = 0, all = 0, good = 0, fine = 0}

local function first_held(text, list)
  for _, part in ipairs(list) do
    if text:find(part, 1, true) then return part end
  end
end

-- "right", "silent" or "wrong", and why.
local function judge(entry, marks, said)
  local never = first_held(said, typed.texts(entry.never, marks))
  if never then return "wrong", ("it must not say %q"):format(never) end
  if entry.explain == false then return "silent" end
  for _, part in ipairs(typed.texts(entry.explain, marks)) do
    if not said:find(part, 1, true) then return "silent", ("it does not say %q"):format(part) end
  end
  return "right"
end

local function check_wrong(entry, kernel, marks)
  local e, notes = run(kernel, entry)
  local found = find(e and e.diagnostics, entry[2]) or find(notes, entry[2])
  if entry.caught == false then return assert(not found, "it is found: say so") end
  assert(found, ("nothing was found: %s"):format(tostring(e)))
  counts.caught = counts.caught + 1
  local said = found.explain or ""
  reports[#reports + 1] = e and tostring(e) or found.message .. "\n  " .. said
  local how, why = judge(entry, marks, said)
  counts[how] = counts[how] + 1
  if wanted or why then
    print(("# %s: %s: %s\n#   %s%s"):format(how, entry[1], found.message, said,
      why and "\n#   " .. why or ""))
  end
  assert(how ~= "wrong", why)
end

local function check_right(entry, kernel)
  counts.good = counts.good + 1
  local e, notes = run(kernel, entry)
  assert(not e, tostring(e))
  for _, d in ipairs(notes) do
    assert(d.severity == "note", d.message)
  end
  counts.fine = counts.fine + 1
end

local list = {}
for _, entry in ipairs(typed.entries()) do
  if not wanted or entry[1]:find(wanted, 1, true) then list[#list + 1] = entry end
end
local source, marks = typed.source(list)
local module = cuda.module(source)
for i, entry in ipairs(list) do
  counts.all = counts.all + 1
  tap.test("typed: " .. entry[1], function()
    check_wrong(entry, module["wrong" .. i], marks[i])
  end)
  tap.test("typed right: " .. entry[1], function()
    check_right(entry, module["right" .. i])
  end)
end
local said = ("%d mistakes as learners write them (tests/mistakes/typed*.lua): %d caught,"
  .. " %d explained right, %d left without a cause, %d explained wrongly;"
  .. " %d right twins, %d findings"):format(counts.all, counts.caught, counts.right,
  counts.silent, counts.wrong, counts.good, counts.good - counts.fine)
print("# " .. said)
tap.test("what is said of them has a German text", function()
  tap.equal(table.concat(left_english(reports, "de"), "\n"), "")
end)
if not wanted then
  tap.test("typed mistakes are explained", function()
    assert(counts.all >= 150, "typed mistakes went missing")
    assert(counts.caught >= 150 and counts.caught >= counts.all - 2, "fewer are caught")
    tap.equal(counts.wrong, 0, "explained wrongly")
    assert(counts.right >= 0.85 * counts.caught, "fewer than 85% are explained right")
    tap.equal(counts.fine, counts.good, "right kernels without a finding")
    mistakes.check_docs(said)
  end)
end
tap.done()
