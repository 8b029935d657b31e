-- SPDX-License-Identifier: Apache-2.0
-- What the words of usage lines stand for. A kind is what the shells complete:
--   file folder exercise lesson course code command
--   text      something of one's own, which nothing completes
--   =word     that very word
local M = {}

local operands = {
  FILE = "file", ["FILE.csv"] = "file", ["FILE.case"] = "file",
  VERDICTS = "file", ["VERDICTS.json"] = "file", JOURNAL = "file",
  ["WORKSHEET.csv"] = "file", ARG = "file",
  DIR = "folder", FOLDER = "folder", INTO = "folder", ROOM = "folder",
  ["INPUT-DIR"] = "folder", ["OUTPUT-DIR"] = "folder",
  EXERCISE = "exercise", SLUG = "exercise",
  COURSE = "course", LESSON = "lesson", COMMAND = "command",
  ["FORM=FILE"] = "text", ["FORM=F"] = "text",
  N = "text", NAME = "text", CODE = "text", TEXT = "text", GROUP = "text",
  LEARNER = "text", PERCENT = "text", POINTS = "text", TIME = "text",
  S = "text", SECONDS = "text", NUMBER = "text", MIN = "text",
  HOURS = "text", COLUMN = "text", FORM = "text", ["A,B"] = "text",
  KEY = "text", ["N,"] = "text", SCRIPT = "file", NUMBERS = "text",
  SIZE = "text",
}

-- Where a word stands for something else.
local elsewhere = {
  ["lesson show"] = {N = "lesson"}, ["lesson test"] = {N = "lesson"},
  ["exercise start"] = {NAME = "exercise"},
  ["exercise solution"] = {NAME = "exercise"},
  ["exercise test"] = {NAME = "exercise"},
  ["exercise prove"] = {NAME = "exercise"},
  ["exercise autograder"] = {NAME = "exercise"},
  explain = {CODE = "code"}, ["class book"] = {COMMAND = "text"},
}

-- The kind of `word` behind the command `path`; behind its option `option`, if
-- there is one. A word that is typed as it stands is "=word".
function M.of(path, word, option)
  if option == "--course" then return "course" end
  if option == "--exercise" then return "exercise" end
  local here = elsewhere[path]
  if here and here[word] and not option then return here[word] end
  if operands[word] then return operands[word] end
  if word:find("^%l[%l-]*$") or word:find("^%l+:") or word == "--" then
    return "=" .. word
  end
  if word == "-" then return "file" end
  error(("%s: what is %s in its usage? tools/manual/kinds.lua does not say"):
    format(path, word), 0)
end

return M
