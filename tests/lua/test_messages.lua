-- SPDX-License-Identifier: Apache-2.0
-- language/: every text of the prompt and of findings is in each catalogue,
-- with the directives that it has in English, and nothing else is.
local tap = dofile("tests/lua/tap.lua")
local messages = dofile("tools/messages.lua")
local left_english = dofile("tests/mistakes/language.lua")
local test, equal = tap.test, tap.equal

-- Texts that look like words for a person and need no entry: {what they hold,
-- why}.
local other = {
  -- what errors are told by: compared with, not said
  "attempt to ", "a nil value", "bad argument #", "get length of",
  "has no field or method", "is a method:", "no field or method",
  "takes arrays and numbers", "a string cannot be",
  "number expected, got np.array", "An asynchronous copy", "stack traceback",
  "in main chunk",
  -- what is typed or called so
  "info ", "cuda ", "warpshop exercise solution", "(%lld x %lld",
  -- of errors, which a script may read: English as all of Lua's
  "too many arguments", "its deadline", "did not stop at its deadline",
  "returns no table", "the template's arguments are", "there is no home folder",
  "the disk is full", "hangs in its driver",
  -- why there is no screen: an error's text
  "text alone is wanted", "this is no terminal",
  "nothing is known of a terminal", "cannot move its cursor",
  -- :report, which is sent to whoever wrote the lesson
  "The last lines:", "A report of warpshop", "of the lesson's file",
  -- for who writes lessons
  "the answer failed", "this cell ", "this check failed",
  "the answer does not do", "the check holds before", "the prediction",
  "cells run, %d failed",
  -- warpshop help, from which the manual is made
  "Options, before the command", "usage: warpshop ",
  "Saves are learnt from file events", "On a terminal keys act at once",
  "Judges FILE (EXERCISE.cu",
}

local function is_other(text)
  for _, part in ipairs(other) do
    if text:find(part, 1, true) then return true end
  end
end

-- Pieces that are no words for a learner: {what they hold}, by why.
local no_piece = {
  "each has a bit", -- for the compiler
  -- types of C
  "unsigned long long", "long long", "unsigned short", "unsigned int",
  -- how a value looks; what top calls what it measures, as nvidia-smi does
  " (no memory)", "NVLink ", "memory clock", "memory controller",
  "held back by", "N/A", "warpshop top",
  -- names of parts, which stand in an error as they are called in jax and in C
  "a tree of", "the predicate", "of bwd", "the residuals of fwd",
  "the result of fwd", "of the jvp rule", "the new value", "the body's result",
  "the fused function", "real floating", "signed integer",
  "copy_to_host, or a look", "another object", "a long index",
  "so small a step", "wrong size", "nil (is the variable's name right?)",
  "_from: an array with two axes", " with mode = ",
  -- what errors are told by, and how a value looks
  "expected, got jax", "stack overflow", "not yet", "[SIMULATED on the CPU]",
  "{the table itself}", "t:no(1)", "attempt to call a string value",
  "jnp has two functions", "(digits count bits)",
  -- rare ends of a sentence whose other words have rows
  "splits at it", " min left", "while it was traced; a call that finds",
  -- a seed's name; a program that nobody is to start
  "public inputs", "warpshop-learner runs Lua", "local id = ...",
}

local passed_over = {} -- of no_piece: there are such texts

-- The words of a text that is put together, without what is filled in: "%s"; in
-- likenesses "$" is an array, "@" and "#" say what the elements are.
local function chunks(file, text)
  local holes = file:find("grade/resemble") and "[%%$@#]" or "%%"
  local list = {}
  for _, part in ipairs(no_piece) do
    if text:find(part, 1, true) then
      passed_over[part] = true
      return list
    end
  end
  local piece = text:gsub("\\n", "\n"):gsub("\\(.)", "%1")
    :gsub("%%[%d.*]*[hlz]*[sdufxcgfIq]", "%%"):gsub(holes, "%%")
    :gsub(" · ", "%%")
  for chunk in piece:gmatch("[^%%\n]+") do
    chunk = chunk:match("^[%s%]%),:;]*(.-)[%s%(%[]*$")
    if chunk:find("%l%l+ %l%l+") then list[#list + 1] = chunk end
  end
  return list
end

local function list(t)
  table.sort(t)
  return table.concat(t, "\n")
end

local marked = messages.all_marked()

test("what looks like a sentence goes through the catalogue", function()
  local left, seen, is_made = {}, {}, {}
  for _, path in ipairs(messages.expand(messages.made)) do
    is_made[path] = true
  end
  for _, path in ipairs(messages.expand(messages.files)) do
    for _, t in ipairs(messages.all(path)) do
      seen[t] = true
      if not marked[t] and not is_made[path] and t:find("%l%l+ %l")
        and not is_other(t) then
        left[#left + 1] = path .. ": " .. t
      end
    end
  end
  equal(list(left), "")
  for _, part in ipairs(other) do
    local is_there = false
    for t in pairs(seen) do
      is_there = is_there or t:find(part, 1, true) ~= nil
    end
    assert(is_there, "no text has this any more: " .. part)
  end
end)

-- "%1$s" and "%s" are one; flags and widths are the translator's.
local function directives(text)
  local all, at = {}, 0
  for number, flags, kind in text:gsub("%%%%", "")
    :gmatch("%%(%d*%$?)([-+ #%d.*]*)([hlzjt]*%a)") do
    local _, stars = flags:gsub("%*", "*")
    local i = number:find("%$") and math.tointeger(number:match("%d+"))
      or at + 1
    at = at + 1
    all[i] = ("*"):rep(stars) .. kind
  end
  return table.concat(all, " ")
end

local function parts(text)
  local all = {}
  for name in text:gsub("{{", ""):gmatch("{([^{}]+)}") do
    all[#all + 1] = name
  end
  table.sort(all)
  return all
end

local function is_subset(a, b)
  local has = {}
  for _, x in ipairs(b) do has[x] = true end
  for _, x in ipairs(a) do
    if not has[x] then return false end
  end
  return true
end

for _, path in ipairs(messages.expand("language/*.po")) do
  local entries = messages.catalogue(path)
  local by_id, sentences = {}, {}
  for _, e in ipairs(entries) do
    if e.context then sentences[#sentences + 1] = e else by_id[e.id] = e end
  end

  test(path .. " has every text, and no other", function()
    local missing, stale = {}, {}
    for t in pairs(marked) do
      if not by_id[t] or by_id[t].text == "" then missing[#missing + 1] = t end
    end
    for id in pairs(by_id) do
      if id ~= "" and not marked[id] then stale[#stale + 1] = id end
    end
    equal(list(missing), "", "add them (language/README.md)")
    equal(list(stale), "", "no such text is said")
  end)

  test(path .. " has the directives of the English", function()
    local wrong = {}
    for id, e in pairs(by_id) do
      if id ~= "" and (directives(id) ~= directives(e.text) or
        (id:sub(-1) == "\n") ~= (e.text:sub(-1) == "\n")) then
        wrong[#wrong + 1] = id
      end
    end
    equal(list(wrong), "")
  end)

  test(path .. " has sentences whose parts are in the English", function()
    local wrong = {}
    for _, e in ipairs(sentences) do
      if e.text == "" or not is_subset(parts(e.text), parts(e.id)) then
        wrong[#wrong + 1] = e.id
      end
    end
    equal(list(wrong), "")
  end)

  -- What a sentence of a finding is put together of stands in a row. (That rows
  -- fit what is said is tests/mistakes/run_explained.lua's.)
  test(path .. " has rows for the pieces of what is put together", function()
    local rows = {}
    for _, e in ipairs(sentences) do
      rows[#rows + 1] = e.id:gsub("{{", "\1"):gsub("{.-}", "%%")
        :gsub("\1", "{")
    end
    for id in pairs(by_id) do rows[#rows + 1] = id end
    local all, left = table.concat(rows, "\n"), {}
    for _, file in ipairs(messages.expand(messages.made)) do
      for _, t in ipairs(messages.all(file)) do
        for _, chunk in ipairs(chunks(file, t)) do
          if not all:find(chunk, 1, true) then
            left[#left + 1] = file .. ": " .. chunk
          end
        end
      end
    end
    equal(list(left), "")
    for _, part in ipairs(no_piece) do
      assert(passed_over[part], "no text has this any more: " .. part)
    end
  end)
end

test("what the compiler says has German", function()
  local words = messages.compile_words()
  assert(#words > 400, "the tables are read")
  equal(list(left_english(words, "de")), "")
end)

-- A lesson in another language has the English one's cells: what runs and what
-- is asked for is the same, texts in quotes apart.
local function cells(path)
  local found, at = {}, nil
  for line in io.lines(path) do
    local info = line:match("^```(.*)$")
    if info and not at then
      at = info:match("^picture") or info
      found[#found + 1] = "```" .. at
    elseif info then
      at = nil
    elseif at and (at:find("run") or at:find("check")
      or line:find("^check:") or line:find("^answer:")
      or line:find("^from:") or line:find("^review:")) then
      found[#found + 1] = line:gsub('"[^"]*"', '""')
    elseif line:find("^###? ") then
      found[#found + 1] = line:match("^#+")
    elseif line:find("^minutes:") or line:find("^needs:")
      or line:find("^teaches:") or line:find("^<!%-%- teaches") then
      found[#found + 1] = line
    elseif line:find("^<!%-%- instructor") then
      found[#found + 1] = line:match("%d+ min")
    end
  end
  return found
end

for _, path in ipairs(messages.expand("lessons/??/*.md")) do
  test(path .. " has the cells of the English lesson", function()
    local english, own = cells("lessons/" .. path:match("[^/]*$")), cells(path)
    for i = 1, math.max(#english, #own) do equal(own[i], english[i]) end
    assert(#english > 20)
  end)
end
tap.done()
