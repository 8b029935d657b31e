-- SPDX-License-Identifier: Apache-2.0
-- What a worker does: it keeps results, and answers each message. Values that
-- are large go through files (places.lua).
local use = ...
local pack, tasks, ops = use("pack"), use("tasks"), use("ops")

local SMALL = 32768 -- bytes of a message

local values = {}

-- What a task's argument is here: a result that is kept, or one in a file.
local function value_of(input)
  if type(input) == "string" then return pack.load(input) end
  return values[input]
end

local answers = {}

function answers.run(m)
  -- Arguments name tasks by number; `inputs` says where each is.
  local args = pack.unpack(m.args, function(id)
    return value_of(m.inputs[id])
  end)
  local is_fine, x = pcall(ops[m.op], table.unpack(args, 1, args.n or #args))
  if not is_fine then return tasks.failed(m.id, x) end
  values[m.id] = x
  return {what = "done", id = m.id, size = pack.size(x)}
end

function answers.drop(m) values[m.id] = nil end

-- Into a file, and out of memory where that is wanted.
function answers.write(m)
  pack.save(m.path, values[m.id])
  if m.drops then values[m.id] = nil end
  return {what = "written", id = m.id, path = m.path}
end

function answers.give(m)
  local x = values[m.id]
  if x == nil or pack.size(x) < SMALL then
    return {what = "given", id = m.id, value = x}
  end
  pack.save(m.path, x)
  return {what = "given", id = m.id, path = m.path}
end

local function refuse(where, x)
  use.raise("argument", ("scale: %s of a task's result is %s, which cannot be"
    .. " brought back"):format(where, use.value_text(x)))
end

local function answer(m)
  local is_fine, reply = pcall(answers[m.what], m)
  if is_fine and reply then
    is_fine, reply = pcall(pack.pack, reply, "a part", refuse)
  elseif is_fine then
    return nil
  end
  if is_fine then return reply end
  return pack.pack(tasks.failed(m.id, reply), "", refuse)
end

--- Works for the other end of `channel` until that is gone.
return function(channel)
  channel:send(pack.pack({what = "here", version = use.version}, "", refuse))
  for text in channel.receive, channel do
    local m = pack.unpack(text)
    local reply = answer(m)
    if reply and not channel:send(reply) then return end
  end
end
