-- SPDX-License-Identifier: Apache-2.0
-- What every lesson of the course has: four to eight pages, each with a note for
-- who teaches it and something that the learner types; an end that says what
-- comes of it. Exercises stand in the order in which lessons name them.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

local function read(path)
  local f <close> = assert(io.open(path))
  return f:read("a")
end

-- The pages of a lesson, with their titles.
local function pages_of(text)
  local pages = {}
  for line in text:gmatch("([^\n]*)\n") do
    local title = line:match("^### (.*)")
    if title then pages[#pages + 1] = {title = title, lines = {}} end
    local page = pages[#pages]
    if page then table.insert(page.lines, line) end
  end
  for _, page in ipairs(pages) do
    page.text = table.concat(page.lines, "\n") .. "\n"
  end
  return pages
end

local named, count = {}, 0
for file in io.lines("lessons/index") do
  if file:find("^%d") then
    count = count + 1
    local text = read("lessons/" .. file)
    local pages = pages_of(text)
    for name in text:gmatch("\n```exercise (%S+)") do named[#named + 1] = name end
    test(file, function()
      assert(#pages >= 4 and #pages <= 8, #pages .. " pages, not 4 to 8")
      for _, page in ipairs(pages) do
        local function has(pattern, what)
          if not page.text:find(pattern) then
            error(("page %q has no %s"):format(page.title, what), 0)
          end
        end
        has("\n<!%-%- instructor, %d+ min: ", "note for the instructor")
        if not page.text:find("\n```exercise ") then
          has("\n```try\n", "line that the learner types")
        end
      end
      assert(pages[#pages].text:find("\n**Further.**", 1, true),
        "the last page has no Further")
    end)
  end
end

-- The Lomb-Scargle ladder takes two of them.
test("the syllabus's 48 lessons", function() equal(count, 48 + 1) end)

test("each exercise belongs to one lesson, in their order", function()
  local listed = {}
  for name in io.lines("exercises/index") do listed[#listed + 1] = name end
  equal(table.concat(listed, "\n"), table.concat(named, "\n"))
  assert(#listed >= 120)
end)

test("each solution is followed by what it costs and what comes next", function()
  local without = {}
  for name in io.lines("exercises/index") do
    if not read("exercises/" .. name .. "/exercise.lua"):find("\n  editorial = ") then
      without[#without + 1] = name
    end
  end
  equal(table.concat(without, " "), "")
end)

tap.done()
