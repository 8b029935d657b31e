-- SPDX-License-Identifier: Apache-2.0
-- cuda.comm: arrays sent, gathered and reduced between several devices, with
-- NCCL's names. One program drives all ranks (as with ncclCommInitAll), so a
-- collective takes a list with one array of each rank. Between real GPUs NCCL
-- itself carries it (../jax/mesh/groups.lua); else, and what it lacks, it goes
-- by way of the host: each device is served by a process of its own.
local use = ...
local np, cuda = use.np, use.cuda
local core, reduce = use("core/core"), use("mesh/reduce")
local devices_of = use("mesh/groups")
local M = {}

local function fail(text, ...) core.raise("argument", text:format(...)) end

-- ---- Which devices ----

local function first_devices(count)
  local list, there = {}, cuda.device_count()
  if math.type(count) ~= "integer" or count < 1 then
    fail("cuda.comm takes how many devices, or a list of them, not %s",
         tostring(count))
  elseif count > there then
    fail("cuda.comm(%d): there %s %d device%s; WARPSHOP_VIRTUAL_DEVICES=%d " ..
         "in the environment makes as many virtual ones", count,
         there == 1 and "is" or "are", there, there == 1 and "" or "s", count)
  end
  for i = 1, count do list[i] = cuda.gpus[i - 1].id end
  return list
end

local function device_ids(devices)
  if type(devices) ~= "table" then
    return first_devices(devices or cuda.device_count())
  end
  local ids, known = {}, {}
  for i, d in ipairs(devices) do
    local id = d
    if type(d) == "table" then
      id = type(d.id) == "string" and d.id or d.name
    end
    if type(id) ~= "string" or not id:find("^%a+:%d+$") then
      fail("cuda.comm: device %d is %s; there are names such as " ..
           "\"virtual:1\" (cuda.devices() lists them)", i, tostring(d))
    elseif known[id] then
      fail("cuda.comm: rank %d and rank %d are both %s: each rank has a " ..
           "device of its own", known[id] - 1, i - 1, id)
    end
    ids[i], known[id] = id, i
  end
  if not ids[1] then fail("cuda.comm takes at least one device") end
  return ids
end

-- ---- What the ranks bring ----

local function array_text(x)
  local name = use.variable_name(x)
  return (name and name .. ", " or "") ..
         core.aval_text(core.aval(x.shape, x.dtype))
end

-- The array x of `rank`, which must lie on its device.
local function check_place(self, call, rank, x)
  if type(x) ~= "userdata" or not use.is_array(x) then
    fail("%s: rank %d brings %s; it must be an array on %s", call, rank,
         core.kind_text(x), self.devices[rank + 1])
  elseif x.device ~= self.devices[rank + 1] then
    fail("%s: the array of rank %d (%s) is on %s, and rank %d is %s: " ..
         "x:to(\"%s\") copies it there", call, rank, array_text(x),
         x.device == "host" and "the host" or x.device, rank,
         self.devices[rank + 1], self.devices[rank + 1])
  end
end

local function check_same(call, rank, x, first)
  if x.dtype ~= first.dtype or not core.same_shape(x.shape, first.shape) then
    fail("%s: rank %d brings %s, rank 0 %s: all ranks bring the same type " ..
         "and shape", call, rank, array_text(x), array_text(first))
  end
end

-- One array of each rank, all alike.
local function check_list(self, call, list)
  if type(list) ~= "table" or getmetatable(list) then
    fail("%s takes a list with one array of each rank, not %s", call,
         core.kind_text(list))
  elseif #list ~= self.size then
    fail("%s: %d array%s for %d ranks: each rank brings one", call, #list,
         #list == 1 and "" or "s", self.size)
  end
  for i, x in ipairs(list) do
    check_place(self, call, i - 1, x)
    check_same(call, i - 1, x, list[1])
  end
end

local function fetch(list)
  local host = {}
  for i, x in ipairs(list) do host[i] = use.unmark(x):copy_to_host() end
  return host
end

local function check_out(self, call, rank, out, value)
  check_place(self, call .. " into out", rank, out)
  if use.is_jax(out) then
    fail("%s: out of rank %d is an array of jax, which never changes", call,
         rank)
  elseif out.dtype ~= value.dtype or out.size ~= value.size then
    fail("%s: out of rank %d is %s, and %s is to be stored there", call, rank,
         array_text(out), core.aval_text(core.aval(value.shape, value.dtype)))
  end
end

-- A result of `rank`: in `out`, or a new array on its device.
local function deliver(self, call, rank, value, out)
  if out == nil then return value:to(self.devices[rank + 1]) end
  check_out(self, call, rank, out, value)
  return out:copy_from(value:reshape(out.shape))
end

-- Nothing is stored where one does not fit: like[i] is what rank i - 1 gets.
local function check_outs(self, call, like, out)
  if out == nil then return end
  if type(out) ~= "table" or #out ~= self.size then
    fail("%s: out is a list with one array of each rank", call)
  end
  for i, x in ipairs(out) do
    check_out(self, call, i - 1, x, like[i] or like)
  end
end

local function deliver_all(self, call, values, out)
  check_outs(self, call, values, out)
  local results = {}
  for i = 1, self.size do
    results[i] = deliver(self, call, i - 1, values[i], out and out[i])
  end
  return results
end

-- What all ranks get by NCCL, each an array of that type and shape: a list, or
-- nil where it has to go by way of the host. w: {call, op, root, out}
local function by_nccl(self, w, sends, dtype, shape)
  if not self.group.name then return nil end
  local like = {dtype = dtype, shape = shape, size = 1}
  for _, n in ipairs(shape) do like.size = like.size * n end
  check_outs(self, w.call, like, w.out)
  local outs = w.out and table.move(w.out, 1, self.size, 1, {}) or {}
  if not w.out then
    for r = 1, self.size do
      outs[r] = self.group:array(r - 1, dtype, shape, true)
    end
  end
  return self.group:queue(w.call, w.op, w.root or 0, sends, outs) and outs
end

local function options_of(call, options, ...)
  local known = {...}
  if options ~= nil and (type(options) ~= "table" or getmetatable(options)) then
    fail("%s: its options are a table, {%s = ...}, not %s", call, known[1],
         core.kind_text(options))
  end
  for name in pairs(options or {}) do
    local is_known = false
    for _, k in ipairs(known) do is_known = is_known or k == name end
    if not is_known then
      fail("%s has no option %s: there are %s", call, tostring(name),
           table.concat(known, ", "))
    end
  end
  return options or {}
end

local function op_of(call, options, dtype)
  local op = options.op or "sum"
  for _, name in ipairs(reduce.names) do
    if name == op then
      if dtype ~= "bool" then return op end
      fail("%s: bool is no number, and NCCL has none: x:astype(\"u8\") " ..
           "counts as 0 and 1", call)
    end
  end
  fail("%s: op is one of %s, not %s", call, table.concat(reduce.names, ", "),
       tostring(op))
end

local function root_of(self, call, options)
  local root = options.root or 0
  if math.type(root) ~= "integer" or root < 0 or root >= self.size then
    fail("%s: root is %s; ranks go from 0 to %d", call, tostring(root),
         self.size - 1)
  end
  return root
end

-- ---- Collectives ----

local Comm = {__name = "cuda.comm"}

function Comm:all_reduce(send, options)
  options = options_of("all_reduce", options, "op", "out")
  check_list(self, "all_reduce", send)
  local x = send[1]
  local op = op_of("all_reduce", options, x.dtype)
  local outs = by_nccl(self, {call = "all_reduce", op = op, out = options.out},
                       send, x.dtype, x.shape)
  if outs then return outs end
  local whole, values = reduce.in_order(op, fetch(send)), {}
  for i = 1, self.size do values[i] = whole end
  return deliver_all(self, "all_reduce", values, options.out)
end

function Comm:reduce(send, options)
  options = options_of("reduce", options, "op", "root", "out")
  local root = root_of(self, "reduce", options)
  check_list(self, "reduce", send)
  local x, out = send[1], options.out
  local op = op_of("reduce", options, x.dtype)
  if self.group.name then
    if out ~= nil then check_out(self, "reduce", root, out, x) end
    local to = out or self.group:array(root, x.dtype, x.shape, true)
    if self.group:queue("reduce", op, root, send, {[root + 1] = to}) then
      return to
    end
  end
  return deliver(self, "reduce", root, reduce.in_order(op, fetch(send)), out)
end

function Comm:broadcast(send, options)
  options = options_of("broadcast", options, "root", "out")
  local root, values = root_of(self, "broadcast", options), {}
  check_place(self, "broadcast", root, send)
  local outs = by_nccl(self, {call = "broadcast", root = root,
                              out = options.out}, {[root + 1] = send},
                       send.dtype, send.shape)
  if outs then return outs end
  local whole = use.unmark(send):copy_to_host()
  for i = 1, self.size do values[i] = whole end
  return deliver_all(self, "broadcast", values, options.out)
end

function Comm:all_gather(send, options)
  options = options_of("all_gather", options, "out")
  check_list(self, "all_gather", send)
  local shape = table.move(send[1].shape, 1, #send[1].shape, 1, {})
  shape[1] = (shape[1] or 1) * self.size
  local outs = by_nccl(self, {call = "all_gather", out = options.out}, send,
                       send[1].dtype, shape)
  if outs then return outs end
  local host, values = fetch(send), {}
  if #host[1].shape == 0 then
    for i, x in ipairs(host) do host[i] = x:reshape{1} end
  end
  local whole = np.concatenate(host)
  for i = 1, self.size do values[i] = whole end
  return deliver_all(self, "all_gather", values, options.out)
end

function Comm:reduce_scatter(send, options)
  options = options_of("reduce_scatter", options, "op", "out")
  check_list(self, "reduce_scatter", send)
  local shape = table.move(send[1].shape, 1, #send[1].shape, 1, {})
  local n = shape[1]
  if not n or n % self.size ~= 0 then
    fail("reduce_scatter: each rank gets a part of the first axis, and %s " ..
         "does not divide into %d", array_text(send[1]), self.size)
  end
  local op = op_of("reduce_scatter", options, send[1].dtype)
  local part = n // self.size
  shape[1] = part
  local outs = by_nccl(self, {call = "reduce_scatter", op = op,
                              out = options.out}, send, send[1].dtype, shape)
  if outs then return outs end
  local whole, values = reduce.in_order(op, fetch(send)), {}
  for i = 1, self.size do
    local rows = ("%d:%d"):format((i - 1) * part, i * part)
    values[i] = whole[rows]:copy()
  end
  return deliver_all(self, "reduce_scatter", values, options.out)
end

-- ---- From one rank to another ----

local Rank = {__name = "cuda.rank"}
Rank.__index = Rank
function Rank.__complete(self, is_method)
  return is_method and {send = true, recv = true} or self
end

local function check_peer(self, call, peer)
  if peer == nil then
    fail("%s takes an array and a rank: comm[%d]:%s(x, 0)", call, self.rank,
         call)
  elseif math.type(peer) ~= "integer" or peer < 0 or peer >= self.comm.size then
    fail("%s: rank %d names the rank %s; they go from 0 to %d", call,
         self.rank, tostring(peer), self.comm.size - 1)
  end
end

-- What is under way from one rank to another, in the order it was sent.
local function queue_of(self, from, to)
  local key = from * self.size + to
  self.queues[key] = self.queues[key] or {}
  return self.queues[key]
end

-- One program drives all ranks, so what is sent can be received at once, into
-- an array that waits there; nil: it has to go by way of the host.
local function send_directly(self, x, peer)
  local group = self.comm.group
  if not group.name then return nil end
  local there = group:array(peer, x.dtype, x.shape, true)
  return group:pairs{{self.rank, x, peer, there}} and there
end

-- What came, from the host or on the rank's own device, where it is wanted.
local function hand_over(self, sent, out)
  if sent.device == "host" then
    return deliver(self.comm, "recv", self.rank, sent, out)
  elseif out == nil then
    return sent
  end
  check_out(self.comm, "recv", self.rank, out, sent)
  return out:copy_from(core.same_shape(out.shape, sent.shape) and sent or
                       sent:reshape(out.shape))
end

function Rank:send(x, peer)
  check_peer(self, "send", peer)
  check_place(self.comm, "send", self.rank, x)
  table.insert(queue_of(self.comm, self.rank, peer),
               send_directly(self, x, peer) or use.unmark(x):copy_to_host())
end

function Rank:recv(out, peer)
  check_peer(self, "recv", peer)
  local queue = queue_of(self.comm, peer, self.rank)
  if not queue[1] then
    fail("recv: rank %d waits for rank %d, which sent nothing: in a program " ..
         "that drives all ranks comm[%d]:send(x, %d) comes first", self.rank,
         peer, peer, self.rank)
  end
  local y = hand_over(self, queue[1], out)
  table.remove(queue, 1)
  return y
end

function Rank:__tostring()
  return ("rank %d of %d on %s"):format(self.rank, self.comm.size,
                                        self.comm.devices[self.rank + 1])
end

-- ---- The group ----

-- A method is called with a colon.
local function with_colon(class, object)
  for name, f in pairs(class) do
    if type(f) == "function" and not name:find("^__") then
      class[name] = function(self, ...)
        if getmetatable(self) ~= class then
          fail("%s is written with a colon: %s:%s(...)", name, object, name)
        end
        return f(self, ...)
      end
    end
  end
end
with_colon(Comm, "comm")
with_colon(Rank, "comm[0]")

local function unknown(key)
  if rawget(Rank, key) and key ~= "rank" then
    fail("%s is for one rank: comm[0]:%s(x, 1)", key, key)
  end
  local names = {"size", "devices", "transport"}
  for name in pairs(Comm) do
    if not name:find("^__") then names[#names + 1] = name end
  end
  local near = use.nearest(tostring(key), names)
  if near then
    fail("cuda.comm has no %s; did you mean %s?", tostring(key), near)
  end
  fail("cuda.comm has no %s: ?cuda.comm shows what it has", tostring(key))
end

function Comm.__index(self, key)
  if math.type(key) ~= "integer" then
    if key == "transport" then return self.group.name or "host" end
    if Comm[key] == nil then unknown(key) end
    return Comm[key]
  end
  if key < 0 or key >= self.size then
    fail("there is no rank %d: they go from 0 to %d", key, self.size - 1)
  end
  return setmetatable({comm = self, rank = key}, Rank)
end

-- What Tab offers.
function Comm.__complete(_, is_method)
  if not is_method then
    return {size = true, devices = true, transport = true}
  end
  local names = {}
  for name in pairs(Comm) do
    if not name:find("^__") then names[name] = true end
  end
  return names
end

function Comm:__len() return self.size end

function Comm:__tostring()
  local g, how = self.group, ""
  if g.name then
    how = ", by " .. g.name
  elseif g.why then
    how = (", by way of the host (%s)"):format(g.why)
  end
  return ("cuda.comm of %d: %s%s"):format(
    self.size, table.concat(self.devices, ", "), how)
end

local function is_host_asked(options)
  local how = options_of("cuda.comm", options, "transport").transport
  if how ~= nil and how ~= "nccl" and how ~= "host" then
    fail("cuda.comm: transport is \"nccl\" or \"host\", not %s", tostring(how))
  end
  return how == "host", how == "nccl"
end

--- As documented in help/cuda.lua.
function M.comm(devices, options)
  local is_host, is_nccl = is_host_asked(options)
  local ids = device_ids(devices)
  local group = devices_of.new(ids, is_host)
  if is_nccl and not group.name then
    core.raise("unsupported", ("cuda.comm: no NCCL between %s: %s"):format(
      table.concat(ids, ", "), group.why or "they are no real GPUs"))
  end
  return setmetatable({devices = ids, size = #ids, queues = {}, group = group},
                      Comm)
end

return M
