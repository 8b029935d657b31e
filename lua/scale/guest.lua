-- SPDX-License-Identifier: Apache-2.0
-- What warpshop does in a worker of Dask's (python/warpshop/scale.py calls it):
-- runs tasks, and keeps their results. A result is a function that gives it, so
-- that Python hands it on as it is.
local use = ...
local pack, tasks, ops = use("pack"), use("tasks"), use("ops")
local does = {}

-- On the host, or on the device that is this worker's (dask_node.py).
local place = use("places").here(os.getenv("WARPSHOP_WORKER_DEVICE") or "host")

-- No text that Python takes for UTF-8, so that it gets bytes.
local MARK = "\xff"

local function kept(x) return function() return x end, pack.size(x) end

--- A task of dask.lua's: its result and how many bytes that is; or nil, and
--- the kind and the text of what was raised.
function does.run(text, ...)
  local inputs = {...}
  local is_fine, x = place:try(function()
    local m = pack.unpack(text, function(i)
      return place:placed(inputs[i]())
    end)
    return place:placed(ops[m.op](table.unpack(m.args, 1,
      m.args.n or #m.args)))
  end)
  if is_fine then return kept(x) end
  local failed = tasks.failed(0, x)
  return nil, failed.kind, failed.text
end

local function refuse(where, x)
  use.raise("argument", ("scale: %s of a task's result is %s, which cannot be"
    .. " brought back"):format(where, use.value_text(x)))
end

--- A result as bytes behind a mark, and again of those.
function does.give(x)
  return MARK .. pack.pack(pack.on_host(x()), "a part", refuse)
end
function does.take(text) return kept(pack.unpack(text:sub(#MARK + 1))) end

return function(what, ...) return does[what](...) end
