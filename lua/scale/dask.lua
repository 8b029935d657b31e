-- SPDX-License-Identifier: Apache-2.0
-- Tasks for Dask's scheduler, in the place of the executor: who runs them where
-- and when, and what moves or goes into files, is Dask's. A process of ours
-- (dask_client.py) is its client; tasks go as texts, which warpshop in Dask's
-- workers understands (guest.lua). A task's fields that are ours: `remote`
-- (who has been given it), `at` once its result is there, `state`, `failure`.
local use = ...
local pack, tasks = use("pack"), use("tasks")
local M = {}

local CONNECT_S = 10

local Remote = {}
Remote.__index = Remote

local function never(where) error("scale: " .. where .. " is no message") end

local function refuse(where, x)
  use.raise("argument", ("scale: %s is %s, which cannot go to a worker"):format(
    where, use.value_text(x)))
end

-- ---- Messages ----

local function raise_ended(self)
  if not self.is_here then
    use.raise("not-found", ("connect: no Python runs as %s, and Dask is"
      .. " Python's: install python3, or activate an environment"):format(
      self.python))
  end
  use.raise("io", self.ended or ("scale: the process that speaks with Dask at"
    .. " %s has ended: scale.connect starts another"):format(self.address))
end

function Remote:tell(message)
  if self.channel:send(pack.pack(message, "a message", never)) then return end
  raise_ended(self)
end

local said = {}

function said.here(self, m)
  self.is_here, self.address = true, m.address
end

function said.asked(self) self.has_asked = true end

function said.waits(self)
  if self.has_waited then return end
  self.has_waited = true
  use.warn(("scale: no worker has come to %s yet: tasks wait for one"):format(
    self.address))
end

function said.left(self, m)
  if m.run == self.run then self.done = self.total - m.count end
end

function said.given(self, m, t)
  local take = m.run == self.run and t and self.targets[t]
  if not take then return end
  self.targets[t] = nil
  take(pack.unpack(m.value))
end

function said.kept(self, m, t)
  if t then
    t.at, t.state = self.places[1], nil
  else
    self.forgotten[#self.forgotten + 1] = {id = m.id}
  end
end

function said.failed(_, m, t)
  if not t then return end
  t.state, t.remote = nil, nil
  t.failure = {kind = m.kind, text = m.text, label = m.label}
end

function said.workers(self, m) self.listed = m.list end

function said.broken(_, m) use.raise(m.kind, m.text) end

function said.refused(self, m)
  self.channel:close()
  use.raise(m.kind, m.text)
end

function said.lost(self, m)
  self:close()
  self.ended = m.text
  use.raise("io", m.text)
end

-- Hears one message, and says whether there was one in so many seconds.
function Remote:hear(seconds)
  if #use.wait({self.channel}, seconds) == 0 then return false end
  local text = self.channel:receive()
  if not text then
    self.channel:close()
    raise_ended(self)
  end
  local m = pack.unpack(text)
  said[m.what](self, m, self.by_id[m.id or 0])
  return true
end

-- ---- Connecting ----

-- One whose process has been told `message` and says that it is there; once it
-- has asked for nodes, say(is_over) tells how the wait stands.
local function new(name, message, say)
  local self = setmetatable({address = name, held = 0, run = 0, done = 0,
    total = 0, targets = {}, forgotten = {}, in_memory = {}, counts = {ran = 0},
    by_id = setmetatable({}, {__mode = "v"})}, Remote)
  self.channel, self.python = use.start_python("lua/scale/dask_client.py")
  message.version, message.seconds = use.version, CONNECT_S
  local is_fine, e = pcall(function()
    self:tell(message)
    while not self.is_here do
      if not self:hear(0.5) and self.has_asked then say() end
    end
  end)
  say(true)
  if not is_fine then
    self.channel:close()
    error(e, 0)
  end
  self.places = {{name = self.address, number = 1, executor = self}}
  return self
end

--- One whose tasks go to the scheduler at this address.
function M.connect(address)
  return new(address, {what = "connect", address = address}, function() end)
end

--- One with a scheduler and so many workers on a cluster's nodes, of which is
--- asked what `wish` says ("time=1:00:00,gpu=1"). gpus: "gpu", and each has one
--- of its own; "virtual", and it is none; or nil.
function M.cluster(workers, wish, protocol, gpus)
  local nodes = use.open_cluster(wish, workers, gpus == "gpu",
    "lua/scale/dask_node.py", gpus and protocol .. "+" .. gpus or protocol)
  local self = new("the cluster", {what = "cluster", words = nodes:words(),
    workers = workers, protocol = protocol},
    function(is_over) nodes:say(is_over) end)
  nodes:close()
  return self
end

-- ---- Tasks ----

-- The tasks that these rest on and that Dask has not been given.
function Remote:plan(targets)
  local list = tasks.in_order(targets, function(t) return t.remote == self end)
  for _, t in ipairs(list) do t.planned = 1 end
  return list
end

-- A task as its text: inputs are named by their places among `deps`.
local function described(t)
  local place, inputs = {}, {}
  for i, d in ipairs(t.deps) do place[d], inputs[i] = i, d.id end
  return {id = t.id, label = t.label, inputs = inputs,
    text = pack.pack({op = t.op, args = t.args}, "a task's argument", refuse,
      function(x) return tasks.is_task(x) and place[x] end)}
end

local function ids_of(list)
  local out = {}
  for i, t in ipairs(list) do out[i] = t.id end
  return out
end

function Remote:drop_forgotten()
  if #self.forgotten == 0 then return end
  self:tell{what = "drop", ids = ids_of(self.forgotten)}
  self.forgotten = {}
end

-- Hands these over and what they rest on. How: "give" (their results are to
-- come here) or "keep".
function Remote:hand_over(targets, how, shows)
  local order, list, keeps = self:plan(targets), {}, {}
  self:drop_forgotten()
  self.run = self.run + 1
  for i, t in ipairs(order) do list[i] = described(t) end
  for _, t in ipairs(targets) do
    t.failure = nil
    self.by_id[t.id] = t
    if how == "keep" and t.remote ~= self then
      keeps[#keeps + 1] = t
      t.remote, t.at, t.state = self, nil, "running"
    end
  end
  self.done, self.total = 0, #list
  self.counts.ran = self.counts.ran + #list
  self:tell{what = "graph", run = self.run, tasks = list, shows = shows,
    give = how == "give" and ids_of(targets) or {}, keep = ids_of(keeps)}
  return keeps
end

-- Of a call that ends early: nobody waits for its tasks.
local function let_go(self, kept)
  for _, t in ipairs(kept) do
    if not t.at then t.remote, t.state = nil, nil end
  end
  self.targets = {}
  if not self.ended then
    self:tell{what = "end", run = self.run, stops = true}
  end
end

-- Hears until is_over(), with a line of progress.
local function hear_until(self, is_over)
  local progress <close> = use.progress()
  while not is_over() do
    use.progress_step(progress, self.done, math.max(self.total, 1))
    self:hear(1)
  end
end

local function wait_for(self, targets, kept, is_over)
  local is_fine, e = pcall(hear_until, self, function()
    return is_over() or tasks.first_failure(targets)
  end)
  local failure = tasks.first_failure(targets)
  if not is_fine or failure then let_go(self, kept) end
  if not is_fine then error(e, 0) end
  if failure then tasks.raise(failure) end
  self:tell{what = "end", run = self.run, stops = false}
end

--- take(task, value) for the result of each of these, as they come.
function Remote:compute(targets, take)
  for _, t in ipairs(targets) do
    self.targets[t] = function(value) take(t, value) end
  end
  self:hand_over(targets, "give", true)
  wait_for(self, targets, {}, function() return not next(self.targets) end)
end

--- Runs these, and keeps their results until they are forgotten.
function Remote:persist(targets)
  local kept = self:hand_over(targets, "keep", true)
  wait_for(self, targets, kept, function()
    for _, t in ipairs(targets) do
      if not t.at then return false end
    end
    return true
  end)
end

--- Begins with a task, and keeps its result.
function Remote:submit(t)
  self:hand_over({t}, "keep", false)
end

--- Has a submitted task ended? Hears what was said meanwhile.
function Remote:is_done(t)
  while not t.at and not t.failure and self:hear(0) do end
  return t.failure ~= nil or t.at ~= nil
end

--- A list of {name =, address =, threads =} of Dask's workers.
function Remote:workers()
  self.listed = nil
  self:tell{what = "workers"}
  while not self.listed do self:hear(1) end
  return self.listed
end

--- Leaves the scheduler, which forgets what was kept for us.
function Remote:close()
  self.channel:close()
  self.ended = self.ended or "scale: this client is closed"
  for _, t in pairs(self.by_id) do
    if t.remote == self then t.remote, t.at, t.state = nil, nil, nil end
  end
end

return M
