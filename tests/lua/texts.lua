-- SPDX-License-Identifier: Apache-2.0
-- The texts in a file of C or Lua, neighbours joined as the languages join
-- them.
return function(path)
  local text = assert(io.open(path)):read("a")
  text = text:gsub("\n%s*//[^\n]*", "\n"):gsub("\n#include[^\n]*", "\n")
    :gsub("\n%s*%-%-[^\n]*", "\n")
  local list, at = {}, text:find('"', 1, true)
  while at do
    local parts = {}
    while true do
      local stop = at + 1
      while text:sub(stop, stop) ~= '"' and stop <= #text do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
      parts[#parts + 1] = text:sub(at + 1, stop - 1)
      at = text:match('^%s*%.?%.?%s*()"', stop + 1)
      if not at then
        at = text:find('"', stop + 1, true)
        break
      end
    end
    list[#list + 1] = table.concat(parts):gsub('\\"', '"')
  end
  return list
end
