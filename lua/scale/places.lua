-- SPDX-License-Identifier: Apache-2.0
-- Where tasks run: this process, on the host or on a device, and worker
-- processes. A place is told what to do (start, drop, write, give) and answers
-- by messages: {what = "done", id, size}, "failed" (kind, text), "written"
-- (path), "given" (value).
local use = ...
local cuda = use.cuda
local pack, tasks, ops = use("pack"), use("tasks"), use("ops")
local M = {}

-- ---- This process ----

local Local = {}
Local.__index = Local

--- A place here: on "host", or on a device by its name.
function M.here(name)
  return setmetatable({name = name, values = {}, messages = {},
                       device = name ~= "host" and name or nil}, Local)
end

function Local:placed(x)
  if not use.is_array(x) then return x end
  if x.device == (self.device or "host") then return x end
  x = pack.on_host(x)
  return self.device and x:to(self.device) or x
end

-- What is computed of numbers alone is computed there, too.
local function on_device(id, f, ...)
  if not id or cuda.device().id == id then return pcall(f, ...) end
  local before = cuda.device().id
  cuda.select(id)
  local results = table.pack(pcall(f, ...))
  cuda.select(before)
  return table.unpack(results, 1, results.n)
end

--- f(...) as by pcall, on this place's device.
function Local:try(f, ...) return on_device(self.device, f, ...) end

-- A result as it is when it is used: not a view of what a task got.
local function input(self, t)
  local at = t.at
  local x
  if at then x = at.values[t.id] else x = pack.load(t.file) end
  return self:placed(x)
end

function Local:start(t)
  local is_fine, x = self:try(function()
    local args = tasks.resolve(t.args, function(d) return input(self, d) end)
    if t.op == "value" then return self:placed(args[1]) end
    return self:placed(ops[t.op](table.unpack(args, 1, args.n or #args)))
  end)
  if is_fine then
    self.values[t.id] = x
    self:say{what = "done", id = t.id, size = pack.size(x)}
  elseif type(x) == "table" and x.kind == "cancelled" then
    error(x, 0)
  else
    local m = tasks.failed(t.id, x)
    m.error = x
    self:say(m)
  end
end

function Local:say(message) table.insert(self.messages, message) end

function Local:drop(t) self.values[t.id] = nil end

function Local:write(t, path, drops)
  pack.save(path, pack.on_host(self.values[t.id]))
  if drops then self.values[t.id] = nil end
  return {what = "written", id = t.id, path = path}
end

function Local:give(t)
  self:say{what = "given", id = t.id, value = pack.on_host(self.values[t.id])}
end

function Local:close() self.values = {} end
function Local.is_alive() return true end

-- ---- A worker process ----

local Worker = {}
Worker.__index = Worker

function M.worker(number)
  local self = setmetatable({name = "worker " .. number, messages = {}}, Worker)
  self:begin()
  return self
end

function Worker:begin()
  self.channel = use.start()
  self.is_gone, self.is_here = false, false
end

local MOST_STARTS = 3 -- of a worker that ends before it says a word

local function never(where) error("scale: " .. where .. " is no message") end

function Worker:tell(message)
  local text = pack.pack(message, "a message", never)
  if not self.channel:send(text) then self.is_gone = true end
end

-- Inputs are named by their numbers, those in files by their paths: what was
-- told to go into one before this message is there.
function Worker:start(t)
  local inputs = {}
  for _, d in ipairs(t.deps) do
    inputs[d.id] = d.at == self and (d.going or d.id) or d.file
  end
  local args = pack.pack(t.args, "a task's argument", function(where, x)
    use.raise("argument", ("scale: %s is %s, which cannot go to a worker")
      :format(where, use.value_text(x)))
  end, function(x) return tasks.is_task(x) and x.id end)
  self:tell{what = "run", id = t.id, op = t.op, args = args, inputs = inputs}
end

function Worker:drop(t) self:tell{what = "drop", id = t.id} end
function Worker:write(t, path, drops)
  self:tell{what = "write", id = t.id, path = path, drops = drops}
end
function Worker:give(t, path)
  self:tell{what = "give", id = t.id, path = path}
end

--- Takes one message from the worker; it is there, or the worker is gone.
function Worker:receive()
  local text = self.channel:receive()
  if not text then
    self.is_gone = true
    self.silent = self.is_here and 0 or (self.silent or 0) + 1
    if self.silent >= MOST_STARTS then
      use.raise("io", "scale: a worker cannot be started: warpshop runs itself"
        .. " anew for that, and it ended at once")
    end
    return
  end
  local m = pack.unpack(text)
  if m.what == "here" then
    self.is_here = true
    if m.version ~= use.version then
      use.raise("argument", ("scale: a worker is of version %s, and this of %s")
        :format(m.version, use.version))
    end
    return
  end
  table.insert(self.messages, m)
end

function Worker:close() self.channel:close() end
function Worker:is_alive() return not self.is_gone end

--- Waits for messages of these places, at most so many seconds.
function M.wait(list, seconds)
  local channels, owners = {}, {}
  for _, place in ipairs(list) do
    if #place.messages > 0 then return end
    if place.channel and place:is_alive() then
      channels[#channels + 1] = place.channel
      owners[#owners + 1] = place
    elseif place.channel then
      return
    end
  end
  if #channels == 0 then return end
  for _, i in ipairs(use.wait(channels, seconds)) do owners[i]:receive() end
end

return M
