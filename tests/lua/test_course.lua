-- SPDX-License-Identifier: Apache-2.0
-- What every lesson of the course has: four to eight pages, each with a note
-- for who teaches it and something that the learner types; an end that says
-- what comes of it. Exercises stand in the order in which lessons name them.
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

-- Names that the lines make: "x = 1", "x, y = 1, 2", "__global__ void k(".
local function add_made(made, text)
  for line in text:gmatch("[^\n]+") do
    local names = line:match("^%s*([%a_][%w_, ]*)=[^=]")
    for name in (names or ""):gmatch("[%a_][%w_]*") do made[name] = true end
    local kernel = line:match("__global__ void ([%w_]+)")
      or line:match("^%s*function ([%w_]+)")
    if kernel then made[kernel] = true end
  end
end

-- What a try's check reads and only a try of an earlier page makes, which may
-- have been left, must be in what it asks for.
local function silent_needs(pages)
  local by_cells, by_tries, needs = {}, {}, {}
  for _, page in ipairs(pages) do
    local own = {}
    for info, block in page.text:gmatch("\n```(%a[^\n]*)\n(.-)\n```") do
      if info:find(" run") or info:find(" check") then
        add_made(by_cells, block)
      end
      if info == "try" then
        local ask, check = block:match("ask: ([^\n]*)\n.-check: ([^\n]*)")
        local answer = block:match("\nanswer:(.*)") or ""
        for name in (check or ""):gsub('"[^"]*"', "")
          :gsub("[.:][%a_][%w_]*", ""):gmatch("[%a_][%w_]*") do
          if name ~= "_" and by_tries[name] and not by_cells[name]
            and not own[name]
            and not ask:find("%f[%w_]" .. name .. "%f[^%w_]") then
            needs[#needs + 1] = page.title .. ": " .. name
          end
        end
        add_made(own, answer)
      end
    end
    for name in pairs(own) do by_tries[name] = true end
  end
  return needs
end

local named, count = {}, 0
for file in io.lines("lessons/index") do
  if file:find("^%d") then
    count = count + 1
    local text = read("lessons/" .. file)
    local pages = pages_of(text)
    for name in text:gmatch("\n```exercise (%S+)") do
      named[#named + 1] = name
    end
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
      equal(silent_needs(pages), {})
      assert(pages[#pages].text:find("\n**Further.**", 1, true),
        "the last page has no Further")
    end)
  end
end

-- The Lomb-Scargle ladder takes two of them, and 50 on are more than it asks
-- for.
test("the syllabus's 48 lessons", function() assert(count >= 48 + 1) end)

test("each exercise belongs to one lesson, in their order", function()
  local listed = {}
  for name in io.lines("exercises/index") do listed[#listed + 1] = name end
  equal(table.concat(listed, "\n"), table.concat(named, "\n"))
  assert(#listed >= 120)
end)

test("each solution is followed by its costs and what comes next", function()
  local without = {}
  for name in io.lines("exercises/index") do
    local text = read("exercises/" .. name .. "/exercise.lua")
    if not text:find("\n  editorial = ") then
      without[#without + 1] = name
    end
  end
  equal(table.concat(without, " "), "")
end)

tap.done()
