-- SPDX-License-Identifier: Apache-2.0
-- Prints what a Lua file compiles to, without names and lines.
local _ = io.write(string.dump(assert(loadfile(arg[1])), true))
