-- SPDX-License-Identifier: Apache-2.0
-- Runs the planted mistakes (README.md). Arguments: files, or parts of names.
local tap = dofile("tests/lua/tap.lua")

local mistakes = dofile("tests/mistakes/lib.lua")

local function line_of(source)
  local lines, n = {}, 1
  for line in (source .. "\n"):gmatch("(.-)\n") do
    n = n + 1 -- the macro's line stands first
    if line:find("// !", 1, true) then lines[n] = true end
  end
  return lines
end

-- Runs one of the two kernels; returns the error, or nil and the notes.
local function run(entry, bad)
  if entry.host then
    local ok, e = pcall(entry.host, bad)
    return not ok and e or nil
  end
  local _, _, shape, words, source = table.unpack(entry)
  local kernel = cuda.kernel(("#define BAD %d\n%s"):format(bad and 1 or 0, source),
    {options = entry.options})
  local values, arrays = mistakes.arguments(words)
  local ok, e = pcall(function()
    kernel{grid = shape[1], block = shape[2], shared = shape.shared}(table.unpack(values))
    cuda.synchronize()
    for _, a in ipairs(arrays) do
      if a.name == entry.read then a.value:copy_to_host() end
    end
  end)
  if not ok then return e end
  return nil, cuda.last_launch().notes
end

local function describe(list)
  local texts = {}
  for i, d in ipairs(list or {}) do
    texts[i] = ("%s at line %s: %s"):format(d.kind, d.line, d.message)
  end
  return table.concat(texts, "\n")
end

local function find_kind(list, kind)
  for _, d in ipairs(list or {}) do
    if d.kind == kind then return d end
  end
end

local function check_words(entry, message, found)
  local texts = type(entry.text) == "table" and entry.text or {entry.text}
  for _, text in ipairs(texts) do
    assert(message:find(text, 1, true), ("not %q: %s"):format(text, message))
  end
  assert(not entry.never or not message:find(entry.never, 1, true), message)
  if not entry.mark then return end
  local n = 1
  for line in (entry[5] .. "\n"):gmatch("(.-)\n") do
    n = n + 1
    if n == found.line then
      tap.equal(line:sub(found.column, found.column + #entry.mark - 1), entry.mark, message)
    end
  end
end

-- What is said, word for word, where MISTAKES_TELL is set (make test-tier).
local function tell(text)
  if os.getenv("MISTAKES_TELL") then print("# " .. text:gsub("\n", "\n# ")) end
end

local function check_bad(entry)
  local name, kind, _, _, source = table.unpack(entry)
  local e, notes = run(entry, true)
  tell(e and tostring(e) or describe(notes))
  if entry.host then
    assert(e, name .. ": nothing was found")
    return tap.equal(e.kind, kind, tostring(e))
  end
  local found = e and (e.diagnostics or {})[1] or find_kind(notes, kind)
  assert(found, name .. ": nothing was found " .. describe(notes))
  tap.equal(found.kind, kind, tostring(e or describe(notes)))
  local lines = line_of(source)
  if entry.where ~= false and next(lines) then
    assert(lines[found.line], ("line %s is not marked: %s"):format(found.line, tostring(e)))
  end
  check_words(entry, tostring(e or describe(notes)), found)
  entry.is_note = not e and found.severity == "note"
end

-- What the message says, under which text of the line the mark begins, and what
-- is not said.
local function check_good(entry)
  local e, notes = run(entry, false)
  assert(not e, tostring(e))
  for _, d in ipairs(notes or {}) do
    assert(d.severity == "note", describe(notes))
    assert(not entry.is_note or d.kind ~= entry[2], describe(notes))
  end
end

local wanted = {...}
local function is_wanted(file, name)
  for _, w in ipairs(wanted) do
    if file == w or name:find(w, 1, true) then return true end
  end
  return #wanted == 0
end

local found, all, right, wrong = 0, 0, 0, 0

local function is_right(f)
  wrong = wrong + 1
  right = right + f()
  wrong = wrong - 1
end
for _, entry in ipairs(mistakes.entries()) do
  if is_wanted(entry.file, entry[1]) then
    all = all + 1
    tap.test(entry[2] .. ": " .. entry[1], function()
      check_bad(entry)
      found = found + 1
    end)
    tap.test("right: " .. entry[1], function()
      is_right(function()
        check_good(entry)
        return 1
      end)
    end)
  end
end

-- Right kernels with local variables of many kinds, built with -G (locals_right.lua).
local function check_right(entry)
  local name, source, want = table.unpack(entry)
  local m = cuda.module(source, {options = {"-G", "-std=c++17"}})
  local a = cuda.to_device(np.zeros(32, "i32"))
  m.k{grid = 1, block = 32}(a, 4)
  cuda.synchronize()
  for _, d in ipairs(cuda.last_launch().notes or {}) do
    assert(d.severity == "note", d.message)
  end
  local values = a:copy_to_host()
  for t = 0, 31 do tap.equal(values[t], want(t), ("%s, thread %d"):format(name, t)) end
end

for _, entry in ipairs(dofile("tests/mistakes/locals_right.lua")) do
  if is_wanted("locals_right", entry[1]) then
    tap.test("right: " .. entry[1], function()
      is_right(function()
        check_right(entry)
        return 1
      end)
    end)
  end
end

-- Kernels that are right stand in tests/kernels, too: together they are many,
-- and none may be said to have a mistake.
if #wanted > 0 and all + right + wrong == 0 then
  tap.test("something is chosen", function()
    error("no entry's name has " .. table.concat(wanted, " or ") ..
      ", and no file is called so (memory_values, without .lua)")
  end)
end
if #wanted == 0 then
  for _, name in ipairs{"builtin", "bench", "counters"} do
    tap.test("right: tests/kernels/" .. name, function()
      is_right(function()
        local program = dofile("tests/programs/lib.lua").new(name)
        assert(loadfile("tests/kernels/" .. name .. ".lua"))(program)
        return program.kernels
      end)
    end)
  end
  tap.test("mistakes found and kernels that are right", function()
    tap.equal(found, all, "mistakes found")
    assert(all >= 120, "mistakes went missing")
    assert(right >= 120, "kernels that are right went missing")
  end)
  print(("# %d of %d mistakes found with kind and line; %d correct kernels, %d findings")
    :format(found, all, right, wrong))
end
tap.done()
