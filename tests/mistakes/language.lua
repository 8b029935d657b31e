-- SPDX-License-Identifier: Apache-2.0
-- What is said of mistakes, as a person reads it in another language (language/):
-- which lines of English reports the program leaves as they are.
local program = (os.getenv("BUILD") or "build") .. "/warpshop"

-- Lines of the text as `warpshop --language CODE` shows an error.
local function shown(text, code)
  local path = os.tmpname()
  local f = assert(io.open(path, "w"))
  f:write(text)
  f:close()
  local command = ("%s --language %s run -e 'error(io.open([[%s]]):read(\"a\"), 0)' 2>&1"):format(
    program, code, path)
  f = assert(io.popen(command))
  local said = f:read("a")
  f:close()
  os.remove(path)
  local lines = {}
  for line in said:gmatch("[^\n]*") do lines[#lines + 1] = line end
  return lines
end

-- The lines of the reports that stay English in the language, each once.
return function(reports, code)
  local text = table.concat(reports, "\n")
  local english, other = shown(text, "en"), shown(text, code)
  assert(#english == #other and #english > 1, "as many lines in both")
  local left, seen = {}, {}
  for i, line in ipairs(english) do
    local is_source = line:find("^ *%d* *| ") and not line:find("%^ %l") and
      not line:find("  thread %(")
    if line == other[i] and line:find("%l%l") and not is_source and not seen[line] then
      seen[line] = true
      left[#left + 1] = line
    end
  end
  return left
end
