-- SPDX-License-Identifier: Apache-2.0
-- The part of np that is written in Lua: it needs no loop over elements.
-- Run by lua/bind/l_np.c with the table np, a function that raises an
-- `argument` error at the learner's line, and one that makes a function of np
-- a method of arrays.
local np = ...

local function same_shape(a, b)
  if a.ndim ~= b.ndim then return false end
  local s, t = a.shape, b.shape
  for d = 1, #s do
    if s[d] ~= t[d] then return false end
  end
  return true
end

function np.array_equal(a, b)
  a, b = np.asarray(a), np.asarray(b)
  return same_shape(a, b) and np.all(np.equal(a, b))
end

-- ---- Printing ----

--- Other options until the end of the block: local _ <close> = ...
function np.printoptions(options)
  local old = np.get_printoptions()
  np.set_printoptions(options)
  return setmetatable({}, {__close = function() np.set_printoptions(old) end})
end

function np.array_repr(a) return tostring(np.asarray(a)) end
function np.array_str(a) return np.array2string(a) end
