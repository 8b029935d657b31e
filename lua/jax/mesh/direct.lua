-- SPDX-License-Identifier: Apache-2.0
-- What the devices of a mesh exchange without the host: where all are real GPUs
-- that speak by NCCL (mesh/groups) a primitive may have
--
--   on_devices(group, params, mesh, values) -> list, or nil: by way of the host
--
-- with values[r] the array on the device of rank r - 1. It queues work, and
-- waits for nothing.
local use = ...
local core = use("core/core")
local groups_of = use("mesh/groups")
local M = {}

-- ---- Groups ----

local groups = {} -- by the devices' names, in their order

-- The group of a mesh of several real GPUs, each there once; or nil.
local function group_of(mesh)
  local ids, known = {}, {}
  for r, d in ipairs(mesh.flat) do
    if not d.name:find("^cuda:") or known[d.name] then return nil end
    ids[r], known[d.name] = d.name, true
  end
  local key = table.concat(ids, " ")
  groups[key] = groups[key] or groups_of.new(ids)
  return groups[key]
end

local has = setmetatable({}, {__mode = "k"}) -- program -> whether it exchanges

local function is_program(x) return type(x) == "table" and x.eqns ~= nil end

local function exchanges(p)
  if has[p] ~= nil then return has[p] end
  local found = false
  for _, eqn in ipairs(p.eqns) do
    found = found or eqn.prim.exchange ~= nil
    for _, x in pairs(eqn.params) do
      if is_program(x) then
        found = found or exchanges(x)
      elseif type(x) == "table" then
        for _, y in ipairs(x) do
          found = found or is_program(y) and exchanges(y)
        end
      end
    end
  end
  has[p] = found
  return found
end

--- Before a program runs on a mesh: servers that are to join a group start
--- anew, and while it runs they must not.
function M.prepare(p, mesh)
  if mesh.size < 2 or not mesh.flat[1].name:find("^cuda:") or
     not exchanges(p) then
    return
  end
  local group = group_of(mesh)
  if group then group:prepare() end
end

--- What each rank gets, or nil where it has to go by way of the host.
function M.exchange(prim, params, mesh, values)
  if not prim.on_devices or not mesh.flat[1].name:find("^cuda:") then
    return nil
  end
  local group = group_of(mesh)
  if not (group and group.name) then return nil end
  for r, x in ipairs(values) do
    if core.is_literal(x) or x.device ~= mesh.flat[r].name then return nil end
  end
  return prim.on_devices(group, params, mesh, values)
end

return M
