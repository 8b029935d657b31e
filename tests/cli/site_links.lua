-- SPDX-License-Identifier: Apache-2.0
-- warpshop run tests/cli/site_links.lua FOLDER: are the pages of a site whole? Prints
-- each breach, then each external link with how many pages have it, then "N pages, N
-- links". Reads the pages alone, and nothing of what made them.
local folder = ...
local breaches = {}

local function breach(page, ...)
  breaches[#breaches + 1] = page .. ": " .. string.format(...)
end

local pages, order = {}, {}
for path in io.popen(("cd '%s' && find . -name '*.html' | sort"):format(folder))
    :lines() do
  local name = path:gsub("^%./", "")
  local file = assert(io.open(folder .. "/" .. name))
  pages[name] = {html = file:read("a"), ids = {}, links = {}}
  order[#order + 1] = name
  file:close()
end

-- ---- Tags: what is opened is closed, and what they hold ----

local void = {meta = true, link = true, br = true, hr = true, img = true,
              ["!doctype"] = true}

local function note(name, page, tag, attributes)
  local id = attributes:match(' id="([^"]*)"')
  if id then
    if page.ids[id] then breach(name, "two have the id %s", id) end
    page.ids[id] = true
  end
  local url = attributes:match(' href="([^"]*)"')
  if url then page.links[#page.links + 1] = url:gsub("&amp;", "&") end
  if tag == "h1" then page.titles = (page.titles or 0) + 1 end
  if tag == "script" then breach(name, "it has a script") end
  local src = attributes:match(' src="([^"]*)"')
  if src and not (tag == "img" and src:find("^[%w./-]+%.svg$")) then
    breach(name, "it needs another file")
  elseif src then
    page.pictures = page.pictures or {}
    table.insert(page.pictures, src)
    if not attributes:find(' alt="[^"]+"') then
      breach(name, "the picture %s has no words", src)
    end
  end
end

local function read_tags(name, page)
  local open = {}
  for close, tag, attributes in page.html:gmatch("<(/?)([%w!]+)([^<>]*)>") do
    if close == "/" then
      local last = table.remove(open)
      if last ~= tag then
        breach(name, "</%s> where </%s> should be", tag, last or "nothing")
        return
      end
    else
      note(name, page, tag, attributes)
      if not void[tag] then open[#open + 1] = tag end
    end
  end
  if #open > 0 then breach(name, "<%s> is not closed", open[#open]) end
  if page.titles ~= 1 then
    breach(name, "it has %d headings of level 1", page.titles or 0)
  end
end

for _, name in ipairs(order) do read_tags(name, pages[name]) end

-- ---- Links ----

local external, links, reached = {}, 0, {}

local function is_file(path)
  local file = io.open(folder .. "/" .. path)
  if file then file:close() end
  return file ~= nil
end

local function target(name, url)
  local path = (name:match("^.*/") or "") .. url
  repeat
    local n
    path, n = path:gsub("[^/.]+/%.%./", "", 1)
  until n == 0
  return path
end

local function check_link(name, url)
  links = links + 1
  if url:find("://", 1, true) then
    external[url] = (external[url] or 0) + 1
    return
  end
  local path, anchor = url:match("^([^#]*)#?(.*)$")
  local to = path == "" and name or target(name, path)
  if not is_file(to) then
    breach(name, "the link %s leads nowhere", url)
  elseif anchor ~= "" and not (pages[to] and pages[to].ids[anchor]) then
    breach(name, "the link %s: that page has no such place", url)
  end
  return to
end

for _, name in ipairs(order) do
  for _, src in ipairs(pages[name].pictures or {}) do
    if not is_file(target(name, src)) then
      breach(name, "the picture %s is not there", src)
    end
  end
end

local todo = {"index.html"}
for _, name in ipairs(order) do
  for _, url in ipairs(pages[name].links) do
    local to = check_link(name, url)
    pages[name].to = pages[name].to or {}
    if to then table.insert(pages[name].to, to) end
  end
end
while #todo > 0 do
  local name = table.remove(todo)
  if pages[name] and not reached[name] then
    reached[name] = true
    for _, to in ipairs(pages[name].to or {}) do todo[#todo + 1] = to end
  end
end
for _, name in ipairs(order) do
  if not reached[name] then breach(name, "no link leads there from index.html") end
end

for _, line in ipairs(breaches) do print(line) end
local urls = {}
for url in pairs(external) do urls[#urls + 1] = url end
table.sort(urls)
for _, url in ipairs(urls) do
  print(("external %s, %d times"):format(url, external[url]))
end
print(("%d pages, %d links"):format(#order, links))
os.exit(#breaches == 0 and #order > 0, true)
