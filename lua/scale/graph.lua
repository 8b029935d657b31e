-- SPDX-License-Identifier: Apache-2.0
-- A graph of tasks as text: how the kinds of tasks follow one another, and each
-- task with the place where it is to run.
local use = ...
local client = use("client")
local M = {}

local Graph = {__name = "scale.graph"}
local methods = {}
Graph.__index = methods

local MOST_ROWS = 24

--- What is to run for these blocks, as it stands now.
function M.new(targets)
  local executor = client.executor()
  local order = executor:plan(targets)
  local list, number, is_new = {}, {}, {}
  local function add(t, is_there)
    list[#list + 1] = {task = t, label = t.label, is_there = is_there,
      place = (t.at or executor.places[t.planned or 0] or {name = "any"}).name}
    number[t] = #list
  end
  for _, t in ipairs(order) do is_new[t] = true end
  for _, t in ipairs(order) do
    for _, d in ipairs(t.deps) do
      if not is_new[d] and not number[d] then add(d, true) end
    end
    add(t)
  end
  for _, row in ipairs(list) do
    row.from = {}
    for i, d in ipairs(row.is_there and {} or row.task.deps) do
      row.from[i] = number[d]
    end
  end
  return setmetatable({rows = list, targets = #targets}, Graph)
end

--- A list of {label, place, from = numbers of its inputs, is_there}.
function methods.tasks(self)
  local out = {}
  for i, row in ipairs(self.rows) do
    out[i] = {label = row.label, place = row.place, is_there = row.is_there,
              from = {table.unpack(row.from)}}
  end
  return out
end

-- ---- As text ----

-- Kinds of tasks in the order of their first: {label, count, from = labels,
-- places}.
local function kinds_of(rows)
  local list, by_label = {}, {}
  for _, row in ipairs(rows) do
    local kind = by_label[row.label]
    if not kind then
      kind = {label = row.label, count = 0, from = {}, is_from = {},
              places = {}, counts = {}}
      by_label[row.label], list[#list + 1] = kind, kind
    end
    kind.count = kind.count + 1
    if not kind.counts[row.place] then
      kind.counts[row.place] = 0
      kind.places[#kind.places + 1] = row.place
    end
    kind.counts[row.place] = kind.counts[row.place] + 1
    for _, i in ipairs(row.from) do
      local label = rows[i].label
      if not kind.is_from[label] and label ~= row.label then
        kind.is_from[label] = true
        kind.from[#kind.from + 1] = label
      end
    end
  end
  return list
end

local function places_text(kind)
  if #kind.places == 1 then return kind.places[1] end
  table.sort(kind.places)
  local out = {}
  for i, name in ipairs(kind.places) do
    if i == 5 and #kind.places > 5 then
      out[i] = ("... %d places"):format(#kind.places)
      break
    end
    out[i] = ("%s: %d"):format(name, kind.counts[name])
  end
  return table.concat(out, "  ")
end

-- npy x 4 --+-> add x 4: what flows into what, one line a kind.
local function draw(out, kinds)
  local width = 0
  for _, kind in ipairs(kinds) do
    kind.text = ("[%s x %d]"):format(kind.label, kind.count)
    width = math.max(width, #kind.text)
  end
  for _, kind in ipairs(kinds) do
    local from = {}
    for i, label in ipairs(kind.from) do from[i] = "[" .. label .. "]" end
    local before = #from > 0 and table.concat(from, " + ") .. " --> " or ""
    out[#out + 1] = "  " .. before .. kind.text
    local places = places_text(kind)
    local gap = 40 - #out[#out]
    if gap < 2 then
      out[#out + 1] = (" "):rep(40) .. places
    else
      out[#out] = out[#out] .. (" "):rep(gap) .. places
    end
  end
end

local function list_rows(out, rows)
  local width = 4
  for _, row in ipairs(rows) do width = math.max(width, #row.place) end
  out[#out + 1] = ("  %5s  %-12s %-" .. width .. "s  inputs"):format("task",
    "what", "runs at")
  for i, row in ipairs(rows) do
    if i > MOST_ROWS then
      out[#out + 1] = ("    ...  and %d more; x:graph():tasks() lists all")
        :format(#rows - MOST_ROWS)
      return
    end
    local from = table.concat(row.from, " ")
    if #from > 30 then
      from = ("%s ... (%d in all)"):format(from:sub(1, 16):match("^(.*) "),
        #row.from)
    end
    out[#out + 1] = (("  %5d  %-12s %-" .. width .. "s  %s"):format(i,
      row.label, row.place, row.is_there and "is there" or from))
      :gsub(" +$", "")
  end
end

function Graph.__tostring(self)
  local rows, places, seen = self.rows, 0, {}
  for _, row in ipairs(rows) do
    if not seen[row.place] then seen[row.place], places = true, places + 1 end
  end
  if #rows == 0 then return "scale.graph: all of it is there, nothing runs" end
  local out = {("scale.graph: %d task%s for %d result%s, at %d place%s"):format(
    #rows, #rows == 1 and "" or "s", self.targets, self.targets == 1 and ""
    or "s", places, places == 1 and "" or "s")}
  draw(out, kinds_of(rows))
  list_rows(out, rows)
  return table.concat(out, "\n")
end

function Graph.__complete(_, is_method) return is_method and methods or {} end

return M
