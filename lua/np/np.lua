-- SPDX-License-Identifier: Apache-2.0
-- The part of np that is written in Lua: it needs no loop over elements.
-- Run by lua/bind/np/l_np.c with the table np, a function that raises an
-- `argument` error at the learner's line, one that makes a function of np a
-- method of arrays, and `core`: what np's Lua files share (array/define.lua).
local np = ...

-- ---- Printing ----

--- Other options until the end of the block: local _ <close> = ...
function np.printoptions(options)
  local old = np.get_printoptions()
  np.set_printoptions(options)
  return setmetatable({}, {__close = function() np.set_printoptions(old) end})
end

function np.array_repr(a) return tostring(np.asarray(a)) end
function np.array_str(a) return np.array2string(a) end
