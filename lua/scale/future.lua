-- SPDX-License-Identifier: Apache-2.0
-- Functions called elsewhere: scale.submit, scale.map, and what they give.
local use = ...
local mistakes = use("shared/mistakes")
local client, functions, pack, tasks = use("client"), use("functions"),
  use("pack"), use("tasks")
local fail = mistakes.fail
local M = {}

local KEY = {}
local Future = {__name = "scale.Future", help_name = "scale.Future"}
local methods = {}
Future.__index = methods

local function task_of(x)
  return getmetatable(x) == Future and rawget(x, KEY)
end

-- Arguments as a task has them: futures are their tasks.
local function arguments(what, ...)
  local args = table.pack(...)
  for i = 1, args.n do
    local t = task_of(args[i])
    if t then
      args[i] = t
    else
      -- A copy: what the caller does to a table later does not change it.
      args[i] = pack.unpack(pack.pack(args[i], ("argument %d"):format(i),
        function(where, value)
          fail("%s: %s is %s, which cannot go where the tasks run: numbers,"
            .. " texts, arrays, frames and tables of them can", what, where,
            type(value) == "function" and "a function" or use.value_text(value))
        end))
    end
  end
  return args
end

local function submit(what, text, ...)
  local t = tasks.new("call", {text, arguments(what, ...)}, {label = what})
  client.executor():submit(t)
  return setmetatable({[KEY] = t}, Future)
end

--- As documented in help/scale.lua.
function M.submit(f, ...)
  return submit("submit", functions.pack(f, "submit"), ...)
end

function M.map(f, ...)
  local text, lists, out = functions.pack(f, "map"), {...}, {}
  if #lists == 0 then fail("map: a list comes behind the function") end
  for i, list in ipairs(lists) do
    if use.is_array(list) then
      lists[i] = list:tolist()
    elseif type(list) ~= "table" or getmetatable(list) then
      fail("map: a list or an array comes behind the function, not %s",
        use.value_text(list))
    end
    if #lists[i] ~= #lists[1] then
      fail("map: the lists have %d and %d items", #lists[1], #lists[i])
    end
  end
  for k = 1, #lists[1] do
    local args = {}
    for i, list in ipairs(lists) do args[i] = list[k] end
    out[k] = submit("map", text, table.unpack(args))
  end
  return out
end

--- The results of futures, in their order; of a table of them the same table.
function M.gather(list)
  if task_of(list) then return list:result() end
  if type(list) ~= "table" or getmetatable(list) then
    fail("gather: a future or a list of them, not %s", use.value_text(list))
  end
  local targets, out = {}, {}
  for key, future in pairs(list) do
    local t = task_of(future)
    if not t then
      fail("gather: entry %s is %s, not a future", tostring(key),
        use.value_text(future))
    end
    targets[#targets + 1] = t
  end
  local by_task = {}
  client.executor():compute(targets, function(t, value)
    by_task[t] = {value}
  end)
  for key, future in pairs(list) do out[key] = by_task[task_of(future)][1] end
  return out
end

-- ---- A future ----

function methods.result(self)
  return M.gather{self}[1]
end

function methods.done(self)
  return client.executor():is_done(rawget(self, KEY))
end

function Future.__complete(_, is_method) return is_method and methods or {} end

function Future.__tostring(self)
  local t = rawget(self, KEY)
  local how = t.failure and "failed" or (t.at or t.file) and "done"
    or t.state == "running" and "running" or "waiting"
  return ("scale.Future: %s"):format(how)
end

return M
