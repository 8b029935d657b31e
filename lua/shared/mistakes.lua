-- SPDX-License-Identifier: Apache-2.0
-- Mistakes of whoever calls frame or ml, and the options that stand in a last
-- table.
local use = ...
local M = {}

function M.fail(text, ...) use.raise("argument", text:format(...)) end

--- "name, balance, count": at most twelve of them.
function M.list(names)
  local out = {}
  for i = 1, math.min(#names, 12) do out[i] = tostring(names[i]) end
  if #names > 12 then out[13] = ("... (%d in all)"):format(#names) end
  return table.concat(out, ", ")
end

--- The keys of these tables as texts, in order.
function M.keys(...)
  local out = {}
  for _, from in ipairs{...} do
    for name in pairs(from) do out[#out + 1] = tostring(name) end
  end
  table.sort(out)
  return out
end

--- There is no such name: says what there is, and what was perhaps meant.
function M.unknown(what, word, names)
  local near = use.nearest(tostring(word), names)
  local hint = near and ('; did you mean "%s"?'):format(near) or ""
  M.fail('%s "%s"%s (there %s %s)', what, tostring(word), hint,
    #names == 1 and "is" or "are", #names > 0 and M.list(names) or "none")
end

--- Methods that say so where they are called with a dot: is_own(x) holds for
--- what they are of, `sign` is a name for it, `what` the word.
function M.guard_methods(methods, is_own, sign, what)
  for name, f in pairs(methods) do
    methods[name] = function(self, ...)
      if not is_own(self) then
        M.fail("%s is a method: call it with a colon, %s:%s(...); with a dot it"
          .. " is not told which %s is meant", name, sign, name, what)
      end
      return f(self, ...)
    end
  end
end

--- The options that were given, none of another name.
function M.options(name, given, names)
  if given == nil then return {} end
  if type(given) ~= "table" or getmetatable(given) then
    M.fail("%s: options are a table such as {%s = ...}, not %s", name,
      names[1], use.value_text(given))
  end
  for key in pairs(given) do
    local is_known = false
    for _, n in ipairs(names) do is_known = is_known or n == key end
    if not is_known then
      M.unknown(name .. ": there is no option", key, names)
    end
  end
  return given
end

--- One of these words.
function M.choice(name, option, value, words)
  for _, word in ipairs(words) do
    if value == word then return value end
  end
  M.fail('%s: %s is "%s", not %s', name, option,
    table.concat(words, '" or "'), type(value) == "string"
      and '"' .. value .. '"' or use.value_text(value))
end

return M
