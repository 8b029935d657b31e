-- SPDX-License-Identifier: Apache-2.0
-- Tasks: one call of one of ops.lua's functions, of values and of other tasks'
-- results. What the executor knows of one stands in its fields, too.
local use = ...
local M = {}

local Task = {__name = "scale.task"}
Task.__index = Task

-- f(task) of when_forgotten; the metatable has its __gc from the first task on.
local forgotten

function Task.__gc(t)
  if forgotten then forgotten(t) end
end

local last = 0

function M.is_task(x) return getmetatable(x) == Task end

local function collect(args, out, seen)
  for _, x in next, args do
    if M.is_task(x) then
      if not seen[x] then
        seen[x], out[#out + 1] = true, x
      end
    elseif type(x) == "table" and not getmetatable(x) then
      collect(x, out, seen)
    end
  end
  return out
end

--- A task: op(args...). hints: label (what the graph calls it), bytes (of its
--- result, where that is known), block and blocks (which of how many),
--- is_source (it is cheaper done again than kept in a file).
function M.new(op, args, hints)
  last = last + 1
  local t = {id = last, op = op, args = args, deps = collect(args, {}, {})}
  for key, value in pairs(hints or {}) do t[key] = value end
  t.label = t.label or op
  return setmetatable(t, Task)
end

local AT_ONCE = 8 -- results that one task joins

--- One task of a list of them: join(part) makes one of AT_ONCE neighbours at a
--- time, always in the same order.
function M.joined(list, join)
  while #list > 1 do
    local shorter = {}
    for i = 1, #list, AT_ONCE do
      local part = table.move(list, i, math.min(i + AT_ONCE - 1, #list), 1, {})
      shorter[#shorter + 1] = #part == 1 and part[1] or join(part)
    end
    list = shorter
  end
  return list[1]
end

--- args with get(task) in the place of each task.
function M.resolve(args, get)
  local out = {}
  for key, x in next, args do
    if M.is_task(x) then
      x = get(x)
    elseif type(x) == "table" and not getmetatable(x) then
      x = M.resolve(x, get)
    end
    out[key] = x
  end
  return out
end

--- What a place says of a task in which e was raised.
function M.failed(id, e)
  if type(e) == "table" and e.kind then
    return {what = "failed", id = id, kind = e.kind, text = e.message}
  end
  return {what = "failed", id = id, kind = "lua",
          text = (tostring(e):gsub("\nstack traceback:.*", ""))}
end

--- Raises what failed() told, with the task's label where that is known.
function M.raise(failure)
  if type(failure.error) == "table" then error(failure.error, 0) end
  local text = failure.label
    and ("%s (task %s)"):format(failure.text, failure.label) or failure.text
  if failure.kind == "lua" then error(text, 0) end
  use.raise(failure.kind, text)
end

--- Why the first of these that failed did so; nil: none has.
function M.first_failure(list)
  for _, t in ipairs(list) do
    if t.failure then return t.failure end
  end
end

--- f(task), when a task that has a result is forgotten by all.
function M.when_forgotten(f) forgotten = f end

--- All tasks that these rest on, each behind its inputs; those of which
--- is_there(task) are left out.
function M.in_order(targets, is_there)
  local out, seen = {}, {}
  local function visit(t)
    if seen[t] or is_there(t) then return end
    seen[t] = true
    for _, d in ipairs(t.deps) do visit(d) end
    out[#out + 1] = t
  end
  for _, t in ipairs(targets) do visit(t) end
  return out
end

return M
