-- SPDX-License-Identifier: Apache-2.0
-- The pages of lua/codes.lua: one for each code that a mistake, a verdict or a
-- judge's diagnostic can have, and examples that give their code.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal
local pages = dofile("lua/codes.lua")

cuda.select("virtual:0") -- which sees every mistake

local function read(path)
  return assert(io.open(path)):read("a")
end

local function needs_page(code, where)
  if not pages[code] then
    error(("%s of %s has no page: write one in lua/codes.lua"):format(code,
      where))
  end
end

test("every code has a page", function()
  local count = 0
  for code in read("gpu/finding/finding_text.def"):gmatch(
      '\nFINDING%([%u_]+, *[%u_]+, *[%u_]+, *"([%l-]+)"') do
    needs_page(code, "gpu/finding/finding_text.def")
    count = count + 1
  end
  for code in read("grade/verdict/verdict.def"):gmatch(
      '\nVERDICT%([%u_]+, *"([%l-]+)"') do
    needs_page(code, "grade/verdict/verdict.def")
    count = count + 1
  end
  local list = read("docs/verdict.md"):match("is a stable key: (.-)%.\n")
  for code in list:gmatch("`([%l-]+)`") do
    needs_page(code, "docs/verdict.md")
    count = count + 1
  end
  equal(count > 40, true, "codes are found")
end)

-- "Example:" and "Mended:" with their lines: CUDA C, and Lua behind "> ".
local function part(page, name)
  local text = (page .. "\n"):match("\n" .. name .. ":\n(.*)$")
  if not text then return end
  local source, lua = {}, {}
  for line in text:gmatch("(.-)\n") do
    if not line:find("^  ") then break end
    local code = line:match("^  > (.*)$")
    table.insert(code and lua or source, code or line)
  end
  return table.concat(source, "\n"), table.concat(lua, "\n")
end

-- The codes that the run of an example gives; its kernel is k.
local function run(source, lua)
  local codes = {}
  local fine, e = pcall(function()
    local names = setmetatable({k = cuda.kernel(source)}, {__index = _G})
    assert(load(lua, "=example", "t", names))()
  end)
  if fine then fine, e = pcall(cuda.synchronize) end
  local function take(list)
    for _, d in ipairs(list or {}) do codes[d.code or ""] = true end
  end
  if type(e) == "table" then
    take(e.diagnostics)
    codes[e.kind] = true
  end
  local last = cuda.last_launch()
  take(last and last.notes)
  if #cuda.unordered() > 0 then codes.order = true end
  return codes, fine, e
end

for code, page in pairs(pages) do
  local source, lua = part(page, "Example")
  if source then
    test("the example of " .. code, function()
      local codes, _, e = run(source, lua)
      if not codes[code] then error(("not given: %s"):format(tostring(e))) end
    end)
  end
  source, lua = part(page, "Mended")
  if source then
    test("what mends " .. code, function()
      local codes, fine = run(source, lua)
      equal(fine, true)
      equal(next(codes), nil)
    end)
  end
end

tap.done()
