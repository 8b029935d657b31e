-- SPDX-License-Identifier: Apache-2.0
-- warpshop run tools/manual/make.lua WHAT PROGRAM [DATE]: writes the page
-- (WHAT is page) or a shell's completion (bash, zsh, fish) to standard output,
-- of what PROGRAM's help says.
local what, program, date = ...
local nodes = dofile("tools/manual/forms.lua").read(program)

if what == "page" then
  io.write(dofile("tools/manual/page.lua").write(nodes, date))
else
  -- The file's first lines, before its first function, stay first.
  local file = assert(io.open("tools/manual/shells/" .. what))
  local text = file:read("a")
  file:close()
  local from = text:find("\n[_%w]+[^\n]*%(%) {[^\n]*\n") or
    text:find("\nfunction ")
  io.write(text:sub(1, from), "\n",
    dofile("tools/manual/table.lua")[what](nodes), text:sub(from + 1))
end
