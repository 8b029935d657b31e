-- SPDX-License-Identifier: Apache-2.0
-- How a group of devices speaks: real GPUs of this machine through NCCL, where
-- it is there, each server being a rank; all others by way of the host. Below
-- cuda.comm and jax's collectives.
local use = ...
local M = {}

-- What NCCL reduces; what it only moves goes as bytes, of any type.
local reduced = {i8 = true, u8 = true, i32 = true, u32 = true, i64 = true,
                 u64 = true, f16 = true, bf16 = true, f32 = true, f64 = true}
local reduces = {all_reduce = true, reduce = true, reduce_scatter = true}

local Group = {}
Group.__index = Group

-- The name of NCCL's version number, 22809 or, before 2.9, 2804.
local function version_text(n)
  return ("NCCL %d.%d.%d"):format(n // 10000, n // 100 % 100, n % 100)
end

local function join(g)
  local version, why = use.comm_join(g.ids)
  g.name = version and version_text(version)
  g.why = why
  return version ~= nil
end

local function are_real(ids)
  for _, id in ipairs(ids) do
    if not id:find("^cuda:") then return false end
  end
  return #ids > 1
end

--- A group of the devices `ids`; on the host alone where `is_host`. Its name is
--- NCCL's, or nil where all goes by way of the host: then `why` says why real
--- GPUs have to.
function M.new(ids, is_host)
  local g = setmetatable({ids = ids}, Group)
  if is_host then
    g.why = "as was asked for"
  elseif are_real(ids) then
    join(g)
  end
  return g
end

-- f(...) of a group that is whole: true, or nil where it has to go by the host.
-- One that a rank's end has broken is made anew.
local function run(g, f, ...)
  local is_done = f(g.ids, ...)
  if is_done ~= false then return is_done end
  if g.is_steady then return nil end
  local before = g.name
  if join(g) then return f(g.ids, ...) or nil end
  use.warn(("%s does not start again between %s (%s); all goes by way of " ..
            "the host"):format(before, table.concat(g.ids, ", "), g.why))
end

local function can(g, kind, op, x)
  if not g.name or x.size == 0 then return false end
  if not reduces[kind] then return true end
  local is_float = x.dtype:find("^b?f") ~= nil
  return reduced[x.dtype] and (op ~= "avg" or is_float)
end

--- Makes it whole again where it is not: whether it speaks by NCCL. What is
--- queued from then on starts no server anew.
function Group:prepare()
  self.is_steady = true
  return self.name ~= nil and join(self)
end

--- Queues what all ranks do: true. Nil: it has to go by way of the host.
function Group:queue(kind, op, root, sends, outs)
  local x = sends[root + 1] or sends[1]
  if not can(self, kind, op, x) then return nil end
  return run(self, use.comm_queue, kind, op, root, sends, outs)
end

--- The same for {{from, x, to, out}, ...}, all at once.
function Group:pairs(list)
  if not self.name then return nil end
  local some = {}
  for _, pair in ipairs(list) do
    if pair[2].size > 0 then some[#some + 1] = pair end
  end
  if #some == 0 then return true end
  return run(self, use.comm_pairs, some)
end

--- A new array on the device of a rank.
function Group:array(rank, dtype, shape, is_pooled)
  return use.comm_array(self.ids[rank + 1], dtype, shape, is_pooled)
end

return M
