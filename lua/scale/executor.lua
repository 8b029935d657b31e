-- SPDX-License-Identifier: Apache-2.0
-- Runs tasks at places. README.md says by which rules. A task's fields that are
-- the executor's: `state` (nil, "needed", "ready", "running"), `order` (least
-- first), `planned` (a place, or nil: any), `at` (the place that keeps its
-- result), `file` (a copy of it), `size`, `pins` (who wants it kept), `users`
-- (needed tasks that will read it), `needed_by` (those), `waiters` (who is to
-- look again once it is there), `run` (for which call), `failure`.
local use = ...
local heap, tasks, places = use("heap"), use("tasks"), use("places")
local pack = use("pack")
local M = {}

local MOST_DEATHS = 3
local MOST_STILL = 100 -- steps in which nothing happens

local Executor = {}
Executor.__index = Executor

--- Runs tasks at these places; memory() says how many bytes of results may be
--- in memory.
function M.new(list, memory)
  local self = setmetatable({
    places = list, memory = memory, held = 0, by_id = setmetatable({},
      {__mode = "v"}), in_memory = setmetatable({}, {__mode = "k"}),
    any = heap.new(), files = 0, runs = 0, next_order = 0,
    open = {}, targets = {}, forgotten = {}, done = 0, total = 0, left = 0,
    counts = {ran = 0, again = 0, spilled = 0, dropped = 0, deaths = 0,
              most_held = 0},
  }, Executor)
  for i, p in ipairs(list) do
    p.number, p.queue, p.executor, p.writing = i, heap.new(), self, 0
  end
  return self
end

-- A task that nobody can ask for any more, in the middle of anything.
tasks.when_forgotten(function(t)
  local self = t.at and t.at.executor
  if t.file then os.remove(t.file) end
  if not self then return end
  if self.in_memory[t] then self.held = self.held - t.size end
  table.insert(self.forgotten, {id = t.id, at = t.at})
end)

-- ---- Results ----

local function is_there(t) return t.at ~= nil or t.file ~= nil end

function Executor:path_for(t)
  if not self.folder then self.folder, self.keeper = use.folder() end
  self.files = self.files + 1
  return ("%s/%d-%d"):format(self.folder, t.id, self.files)
end

-- Its place has it no longer.
local function let_go(self, t)
  t.at = nil
  if self.in_memory[t] then
    self.in_memory[t] = nil
    self.held = self.held - t.size
  end
end

-- Nobody needs it any more.
local function release(self, t)
  if t.at then
    if t.at:is_alive() then t.at:drop(t) end
    let_go(self, t)
  end
  if t.file then
    os.remove(t.file)
    t.file = nil
  end
  t.needed_by = nil
end

local function is_unused(t)
  return (t.users or 0) == 0 and (t.pins or 0) == 0
end

-- ---- What is needed ----

local need

local function make_ready(self, t)
  t.state = "ready"
  local place = t.planned and self.places[t.planned]
  local queue = place and place.queue or self.any
  queue:push(t)
end

-- t looks again once d is there.
local function wait_for(t, d)
  d.waiters = d.waiters or {}
  table.insert(d.waiters, t)
end

-- Sees to it that inputs are there; makes t ready where all are.
local function gather(self, t)
  local is_ready = true
  t.state = "needed"
  for _, d in ipairs(t.deps) do
    if not is_there(d) then
      need(self, d, t)
      wait_for(t, d)
      is_ready = false
    end
  end
  if is_ready then make_ready(self, t) end
end

-- t is to run; `user`: for whom.
function need(self, t, user)
  if t.state then return end
  if t.was_lost then self.counts.again = self.counts.again + 1 end
  t.was_lost = nil
  t.order = t.order or user and user.order or self.next_order
  t.run = self.runs
  self.by_id[t.id], self.open[t] = t, true
  self.left, self.total = self.left + 1, self.total + 1
  for _, d in ipairs(t.deps) do
    d.users = (d.users or 0) + 1
    d.needed_by = d.needed_by or {}
    table.insert(d.needed_by, t)
  end
  gather(self, t)
end

-- Inputs that t has read, or will not read.
local function let_inputs_go(self, t)
  for _, d in ipairs(t.deps) do
    d.users = d.users - 1
    if is_unused(d) and not d.state and not self.targets[d] then
      release(self, d)
    end
  end
end

local function tell_waiters(self, t)
  local list = t.waiters or {}
  t.waiters = nil
  for _, w in ipairs(list) do
    local is_ready = w.state == "needed"
    for _, d in ipairs(is_ready and w.deps or {}) do
      if not is_there(d) then
        is_ready = false
        -- It was there, and had to go meanwhile.
        if not d.state then
          need(self, d, w)
          wait_for(w, d)
        end
      end
    end
    if is_ready then make_ready(self, w) end
  end
end

local function finish(self, t)
  t.state = nil
  self.open[t] = nil
  self.left = self.left - 1
end

-- With t fail all that rest on it.
local function fail(self, t, failure)
  t.failure = failure
  local list = t.needed_by or {}
  t.waiters = nil
  finish(self, t)
  let_inputs_go(self, t)
  for _, user in ipairs(list) do
    if user.state then fail(self, user, failure) end
  end
end

-- ---- Memory ----

-- When a result is read next: the order of the first task that will.
local function next_use(t)
  local first = math.huge
  for _, user in ipairs(t.needed_by or {}) do
    if user.state and user.order < first then first = user.order end
  end
  return first
end

-- The result in memory that is read last, and later than `soon`.
local function least_wanted(self, soon)
  local found, latest = nil, soon
  for t in pairs(self.in_memory) do
    local at = next_use(t)
    if t.at and at > latest and t.at:is_alive() then found, latest = t, at end
  end
  return found
end

local said = {}

-- Asks t's place for a file with its result.
local function ask_for_file(self, t, drops)
  local path = self:path_for(t)
  t.is_written, t.going = true, drops and path or nil
  local answer = t.at:write(t, path, drops)
  t.at.writing = t.at.writing + 1
  if answer then said.written(self, t.at, answer, t) end
end

local function push_out(self, t)
  self.in_memory[t] = nil
  self.held = self.held - t.size
  if t.is_source or t.file then
    t.at:drop(t)
    t.at = nil
    self.counts.dropped = self.counts.dropped + 1
  else
    self.counts.spilled = self.counts.spilled + 1
    ask_for_file(self, t, true)
  end
end

-- What t's result will take, as far as that is known.
local function expected(t)
  local size = t.bytes or 0
  for _, d in ipairs(t.deps) do
    if not t.bytes then size = math.max(size, d.size or 0) end
  end
  return size
end

-- Makes room for t's result, as far as that can be had from what is read later.
-- False: there is too little.
local function make_room(self, t)
  local size, most = expected(t), self.memory()
  if self.held + size <= most then return true end
  local soon = math.max(next_use(t), t.order)
  if soon == math.huge then soon = t.order end
  while self.held + size > most do
    local victim = least_wanted(self, soon)
    if not victim then return false end
    push_out(self, victim)
  end
  return true
end

-- Does a place compute, or write what makes room?
local function is_any_busy(self)
  for _, place in ipairs(self.places) do
    if place.busy or place.writing > 0 then return true end
  end
end

-- ---- Starting ----

-- Can `place` read d? Asks for a file where it cannot, and t waits for that.
local function is_within_reach(self, t, d, place)
  if d.file or d.at == place or not place.channel then return true end
  if not d.is_written then ask_for_file(self, d, false) end
  wait_for(t, d)
  return false
end

-- False: it waits until there is memory, which what runs now may leave.
local function start(self, t, place)
  local is_ready = true
  for _, d in ipairs(t.deps) do is_ready = is_ready and is_there(d) end
  if not is_ready then
    gather(self, t)
    return true
  end
  for _, d in ipairs(t.deps) do
    is_ready = is_within_reach(self, t, d, place) and is_ready
  end
  if not is_ready then
    t.state = "needed"
    return true
  end
  if not make_room(self, t) and is_any_busy(self) then
    make_ready(self, t)
    return false
  end
  t.state, place.busy, t.reserved = "running", t, expected(t)
  self.held = self.held + t.reserved
  self.counts.ran = self.counts.ran + 1
  place:start(t)
  return true
end

-- The next task of a place: its own, else one that may run anywhere.
local function next_task(self, place)
  for _, queue in ipairs{place.queue, self.any} do
    local t = queue:pop()
    while t and t.state ~= "ready" do t = queue:pop() end
    if t then return t end
  end
end

local function start_all(self)
  for _, place in ipairs(self.places) do
    while not place.busy and place:is_alive() do
      local t = next_task(self, place)
      if not t then break end
      if not start(self, t, place) then return end
    end
  end
end

-- ---- What places say ----

function said.done(self, place, m, t)
  if not t or t.state ~= "running" then -- nobody waits for it any more
    place:drop(m)
    return
  end
  t.at, t.size = place, m.size
  self.in_memory[t] = true
  self.held = self.held + m.size
  self.counts.most_held = math.max(self.counts.most_held, self.held)
  finish(self, t)
  self.done = self.done + 1
  if self.targets[t] then place:give(t, self:path_for(t)) end
  let_inputs_go(self, t)
  tell_waiters(self, t)
  if is_unused(t) and not self.targets[t] then release(self, t) end
end

function said.failed(self, place, m, t)
  local failure = {kind = m.kind, text = m.text, error = m.error}
  if t and t.state then
    failure.label = t.label
    fail(self, t, failure)
  elseif t then
    t.failure = failure -- it could not be brought back, or written
    if not t.is_written then return end
    place.writing = place.writing - 1
    t.is_written, t.going = nil, nil
    for _, user in ipairs(t.needed_by or {}) do
      if user.state then fail(self, user, failure) end
    end
  end
end

function said.written(self, place, m, t)
  place.writing = place.writing - 1
  if not t or t.file then
    os.remove(m.path)
    return
  end
  if t.going == m.path then t.at, t.going = nil, nil end
  t.file, t.is_written = m.path, nil
  tell_waiters(self, t)
  if is_unused(t) and not t.state and not self.targets[t] then
    release(self, t)
  end
end

function said.given(self, _, m, t)
  local take = t and self.targets[t]
  local value = m.value
  if m.path then
    value = pack.load(m.path)
    os.remove(m.path)
  end
  if not take then return end
  self.targets[t] = nil
  take(value)
  if is_unused(t) then release(self, t) end
end

-- ---- Workers that die ----

-- What only `place` had is lost.
local function lose_results(self, place)
  for _, t in pairs(self.by_id) do
    if t.at == place then
      let_go(self, t)
      t.going, t.is_written = nil, nil
      t.was_lost = not is_there(t)
    end
  end
end

-- Makes again what somebody waits for.
local function look_again(self)
  local list = {}
  for t in pairs(self.open) do
    if t.state == "needed" then list[#list + 1] = t end
  end
  for _, t in ipairs(list) do
    if t.state == "needed" then gather(self, t) end
  end
  for t in pairs(self.targets) do
    if not t.failure and not is_there(t) then need(self, t) end
  end
end

-- The place has no task any more.
local function set_idle(self, place)
  local t = place.busy
  if not t then return end
  self.held = self.held - t.reserved
  place.busy = nil
end

local function bury(self, place)
  local t = place.busy
  set_idle(self, place)
  self.counts.deaths = self.counts.deaths + 1
  place:close()
  place.writing = 0
  lose_results(self, place)
  place:begin()
  if t and t.state == "running" then
    t.deaths = (t.deaths or 0) + 1
    if t.deaths >= MOST_DEATHS then
      fail(self, t, {kind = "out-of-memory", label = t.label, text =
        ("its worker was killed, %d times: is there memory enough?"):format(
        t.deaths)})
    else
      self.counts.again = self.counts.again + 1
      gather(self, t)
    end
  end
  look_again(self)
end

-- ---- Running ----

local function hear(self, place)
  while #place.messages > 0 do
    local m = table.remove(place.messages, 1)
    if place.busy and place.busy.id == m.id
      and (m.what == "done" or m.what == "failed") then
      set_idle(self, place)
    end
    said[m.what](self, place, m, self.by_id[m.id])
  end
  if not place:is_alive() then bury(self, place) end
end

local function drop_forgotten(self)
  local list = self.forgotten
  self.forgotten = {}
  for _, one in ipairs(list) do
    if one.at:is_alive() then one.at:drop(one) end
  end
end

--- Starts what can be, and hears what has been; waits at most so many seconds.
function Executor:step(seconds)
  drop_forgotten(self)
  start_all(self)
  places.wait(self.places, seconds)
  for _, place in ipairs(self.places) do hear(self, place) end
end

-- The tasks of this call are wanted no longer.
local function abandon(self, run, kills)
  for t in pairs(self.targets) do
    if t.run == run or not t.state then self.targets[t] = nil end
  end
  local list = {}
  for t in pairs(self.open) do
    if t.run == run then list[#list + 1] = t end
  end
  for _, t in ipairs(list) do
    finish(self, t)
    t.waiters = nil
    let_inputs_go(self, t)
  end
  for _, place in ipairs(self.places) do
    if kills and place.busy and place.channel then bury(self, place) end
    if not place.channel then
      set_idle(self, place)
      place.messages = {}
    end
  end
end

-- Steps until is_over(); with a line of progress.
local function run_until(self, is_over)
  local progress <close> = use.progress()
  local still = 0
  self.done, self.total = 0, self.left
  while not is_over() do
    local before = self.done
    use.progress_step(progress, self.done, math.max(self.total, 1))
    self:step(1)
    -- A mistake of ours would else wait for ever.
    still = (self.done > before or is_any_busy(self)) and 0 or still + 1
    if still > MOST_STILL then
      error(("scale: %d tasks wait, and none runs"):format(self.left), 0)
    end
  end
end

-- The same; what is raised meanwhile ends the call.
local function run_or_abandon(self, is_over)
  local run = self.runs
  local is_fine, e = pcall(run_until, self, is_over)
  if is_fine then return end
  abandon(self, run, true)
  error(e, 0)
end

-- ---- What is asked of it ----

--- Which place each task will run at, and in which order: the tasks that these
--- rest on and that are not there yet, each with `order` and `planned`.
function Executor:plan(targets)
  local list = tasks.in_order(targets, is_there)
  for i, t in ipairs(list) do
    t.order, t.failure = self.next_order + i, nil
    if t.blocks then
      t.planned = (t.block - 1) * #self.places // t.blocks + 1
    else
      t.planned = nil
      local most = -1
      for _, d in ipairs(t.deps) do
        local size = d.size or d.bytes or 0
        local where = d.at and d.at.number or d.planned
        if where and size > most then t.planned, most = where, size end
      end
    end
  end
  self.next_order = self.next_order + #list
  return list
end

-- A call begins: what it needs.
local function begin(self, targets)
  self.runs = self.runs + 1
  self:plan(targets)
  for _, t in ipairs(targets) do
    if not is_there(t) then need(self, t) end
  end
end

--- take(task, value) for the result of each of these, as they come.
function Executor:compute(targets, take)
  local wanted = {}
  for _, t in ipairs(targets) do
    wanted[t] = true
    self.targets[t] = function(value)
      wanted[t] = nil
      take(t, value)
    end
  end
  begin(self, targets)
  for _, t in ipairs(targets) do
    if t.at then
      t.at:give(t, self:path_for(t))
    elseif t.file then
      said.given(self, nil, {value = pack.load(t.file)}, t)
    end
  end
  local run = self.runs
  run_or_abandon(self, function()
    return not next(wanted) or tasks.first_failure(targets)
  end)
  local failure = tasks.first_failure(targets)
  if not failure then return end
  abandon(self, run)
  tasks.raise(failure)
end

--- Runs these, and keeps their results until they are forgotten.
function Executor:persist(targets)
  for _, t in ipairs(targets) do t.pins = (t.pins or 0) + 1 end
  begin(self, targets)
  local run, failure = self.runs, nil
  run_or_abandon(self, function()
    failure = tasks.first_failure(targets)
    if failure or self.left > 0 then return failure end
    for _, t in ipairs(targets) do
      if not is_there(t) then return need(self, t) end
    end
    return true
  end)
  if not failure then return end
  abandon(self, run)
  tasks.raise(failure)
end

--- Begins with a task, where workers can do so by themselves, and keeps its
--- result.
function Executor:submit(t)
  t.pins = 1
  begin(self, {t})
  if self.places[1].channel then self:step(0) end
end

--- Has a submitted task ended? Hears what workers have said meanwhile.
function Executor:is_done(t)
  if not is_there(t) and not t.failure and self.places[1].channel then
    self:step(0)
  end
  return t.failure ~= nil or is_there(t)
end

--- Ends workers, and takes files away.
function Executor:close()
  for _, place in ipairs(self.places) do place:close() end
  for _, t in pairs(self.by_id) do
    if t.at then let_go(self, t) end
    t.file, t.state, t.users = nil, nil, 0
  end
  self.keeper = nil
end

return M
