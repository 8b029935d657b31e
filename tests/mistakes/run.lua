-- SPDX-License-Identifier: Apache-2.0
-- Runs the planted mistakes (README.md). Arguments: files, or parts of names.
local tap = dofile("tests/lua/tap.lua")

-- What the words of an entry's arguments make.
local arguments = {
  x = function() return np.arange(1000, "f32") end,
  x998 = function() return np.arange(998, "f32") end,
  out = function() return np.zeros(1000, "f32") end,
  idx = function() return np.arange(1000, "i32") end,
  count = function() return np.zeros(16, "i32") end,
  grid20x10 = function() return np.zeros(200, "i32") end,
  text100 = function() return np.full(100, 65, "u8") end,
  halves = function() return np.ones(256, "f16") end,
  n = function() return 1000 end,
  fresh = function() return cuda.device_array(1000, "f32") end,
  freshint = function() return cuda.device_array(1000, "i32") end,
  freshout = function() return cuda.device_array(64, "f32") end,
}

-- A table with the address of an array that was freed.
function arguments.gone()
  local d = cuda.to_device(np.arange(1000, "f32"))
  local address = d:pointer()
  d:free()
  return np.array({math.tointeger(tostring(address):match("0x%x+"))}, "u64")
end

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
  local _, _, shape, words, source = table.unpack(entry)
  local kernel = cuda.kernel(("#define BAD %d\n%s"):format(bad and 1 or 0, source))
  local values, made = {}, {}
  for word in words:gmatch("%S+") do
    local v = arguments[word]()
    values[#values + 1], made[word] = v, v
  end
  local ok, e = pcall(function()
    kernel{grid = shape[1], block = shape[2], shared = shape.shared}(table.unpack(values))
    cuda.synchronize()
    if entry.read then made[entry.read]:copy_to_host() end
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

local function check_bad(entry)
  local name, kind, _, _, source = table.unpack(entry)
  local e, notes = run(entry, true)
  local found = e and (e.diagnostics or {})[1] or find_kind(notes, kind)
  assert(found, name .. ": nothing was found " .. describe(notes))
  tap.equal(found.kind, kind, tostring(e or describe(notes)))
  local lines = line_of(source)
  if entry.where ~= false and next(lines) then
    assert(lines[found.line], ("line %s is not marked: %s"):format(found.line, tostring(e)))
  end
end

local function check_good(entry)
  local e, notes = run(entry, false)
  assert(not e, tostring(e))
  for _, d in ipairs(notes or {}) do
    assert(d.severity == "note", describe(notes))
  end
end

local wanted = {...}
local function is_wanted(file, name)
  for _, w in ipairs(wanted) do
    if file == w or name:find(w, 1, true) then return true end
  end
  return #wanted == 0
end

for _, file in ipairs{"out_of_bounds", "memory_values", "races", "waiting"} do
  for _, entry in ipairs(dofile("tests/mistakes/" .. file .. ".lua")) do
    if is_wanted(file, entry[1]) then
      tap.test(entry[2] .. ": " .. entry[1], function() check_bad(entry) end)
      tap.test("right: " .. entry[1], function() check_good(entry) end)
    end
  end
end
tap.done()
