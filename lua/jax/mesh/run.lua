-- SPDX-License-Identifier: Apache-2.0
-- One program on all devices of a mesh at once. Each rank runs it as a
-- coroutine, with its own part of the arguments, on its own device: a
-- collective operation stops the rank until all have come to it, computes what
-- each gets, and lets them go on. What a rank queues on its device runs there
-- while the others queue theirs.
local use = ...
local core = use("core/core")
local program = use("core/program")
local arrays = use("core/arrays")
local exec = use("compile/exec")
local config = use("core/config")
local direct = use("mesh/direct")
local cuda = use.cuda
local coroutine = coroutine -- of a learner's state it is taken away later
local M = {}

local mesh, rank -- of what runs now

--- The mesh, and the rank (from 0) on it, that run now.
function M.here() return mesh, rank end

--- A collective's results for this rank: prim.exchange(params, mesh, values)
--- has values[r], the host array of rank r - 1, and gives a list like it.
--- Between real GPUs prim.on_devices may take its place (direct.lua).
function M.meet(prim, params, x)
  return coroutine.yield{prim = prim, params = params, value = x}
end

local function run_one(p, args)
  if not config.is_on_host then return (exec.run(p, args)) end
  for i, x in ipairs(args) do args[i] = arrays.on_host(x) end
  local out = exec.eval_by_rules(p, args)
  for i, x in ipairs(out) do
    out[i] = use.mark(x, p.outputs[i].aval.weak)
  end
  return out
end

-- All ranks wait in the same operation, or none does.
local function check_together(requests, count)
  local first, ended
  for r = 1, count do
    local q = requests[r]
    if q and not first then first = r end
    if not q and not ended then ended = r end
  end
  if not first then return end
  local mine = requests[first]
  if ended then
    core.fail("launch", "RuntimeError", "rank %d waits in %s, and rank %d " ..
      "has come to its end: all devices of a mesh run the same collective " ..
      "operations. Does a loop go on, or a branch go elsewhere, by a value " ..
      "that differs between them?", first - 1, mine.prim.name, ended - 1)
  end
  for r = 1, count do
    local q = requests[r]
    if q.prim ~= mine.prim or
       program.key_of(q.params) ~= program.key_of(mine.params) then
      core.fail("launch", "RuntimeError", "rank %d waits in %s, and rank %d " ..
        "in %s: all devices of a mesh run the same collective operations in " ..
        "the same order", first - 1, mine.prim.name, r - 1, q.prim.name)
    end
  end
  return mine
end

local function exchange(requests, count)
  local q = check_together(requests, count)
  if not q then return nil end
  local values = {}
  for r = 1, count do values[r] = requests[r].value end
  local results = direct.exchange(q.prim, q.params, mesh, values)
  if results then return results end
  for r = 1, count do values[r] = arrays.on_host(values[r]) end
  return q.prim.exchange(q.params, mesh, values)
end

-- Each rank up to its next collective, or its end.
local function advance(threads, answers, requests, results)
  for r, thread in ipairs(threads) do
    rank = r - 1
    local function resume()
      local ok, x = coroutine.resume(thread, answers[r])
      if not ok then error(x, 0) end
      if coroutine.status(thread) == "dead" then
        results[r], requests[r] = x, nil
      else
        requests[r] = x
      end
    end
    local d = mesh.flat[r]
    if d.platform == "cpu" then resume() else
      arrays.on_device(d.name, resume)
    end
  end
end

local function run(p, args)
  local threads, answers, requests, results = {}, {}, {}, {}
  for r = 1, mesh.size do
    threads[r] = coroutine.create(function(list) return run_one(p, list) end)
    answers[r] = args[r]
  end
  repeat
    advance(threads, answers, requests, results)
    answers = exchange(requests, mesh.size)
  until not answers
  return results
end

-- What went wrong on one rank is raised; what others queued and what went wrong
-- there is nobody's any more.
local function run_and_settle(p, args)
  local ok, results = pcall(run, p, args)
  if ok then return results end
  for _, d in ipairs(mesh.flat) do
    if d.platform ~= "cpu" then
      pcall(arrays.on_device, d.name, cuda.synchronize)
    end
  end
  error(results, 0)
end

--- The results of the program on each rank of the mesh `on`: args[r] and
--- result[r] are the lists of rank r - 1.
function M.on_mesh(p, on, args)
  local outer_mesh, outer_rank = mesh, rank
  mesh = on
  direct.prepare(p, on)
  return core.finally(function() mesh, rank = outer_mesh, outer_rank end,
                      core.outside, run_and_settle, p, args)
end

return M
