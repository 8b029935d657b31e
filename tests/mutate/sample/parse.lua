-- SPDX-License-Identifier: Apache-2.0
-- Prints the syntax tree of a Lua file as JSON, by the parser of luacheck, that
-- linting needs as well: a node has its tag, an operator its name, each the
-- places of its first and last character, and what is in it; a list of
-- statements is marked as a block.
local modules = "/usr/share/lua/5.1/"
package.path = ("%s?.lua;%s?/init.lua;"):format(modules, modules)
  .. package.path
local ok, parser = pcall(require, "luacheck.parser")
if not ok then
  error("there is no luacheck in /usr/share/lua/5.1 (Debian: lua-check)", 0)
end
local decoder = require "luacheck.decoder"

-- Where a function, a loop or a branch has its statements.
local blocks = {
  Function = {2}, While = {2}, Repeat = {1}, Fornum = {4, 5}, Forin = {3},
}
local function is_block(node, i, child)
  local at = blocks[node.tag]
  if node.tag == "If" then
    return not child.tag
  elseif not at then
    return false
  end
  for _, index in ipairs(at) do
    if index == i and not child.tag then
      return true
    end
  end
  return false
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\\x80-\xff]', "?") .. '"'
end

local put
local function put_list(list, node)
  local out = {}
  for i, child in ipairs(list) do
    if type(child) == "table" then
      out[#out + 1] = put(child, node and is_block(node, i, child))
    end
  end
  return "[" .. table.concat(out, ",") .. "]"
end
function put(node, block)
  if block then
    return '{"block":true,"inner":' .. put_list(node) .. "}"
  end
  local fields = {}
  if node.tag then
    fields[1] = '"tag":' .. quoted(node.tag)
    if node.tag == "Op" then
      fields[#fields + 1] = '"name":' .. quoted(node[1])
    end
  end
  if node.offset and node.end_offset then
    local at = '"offset":%d,"end_offset":%d'
    fields[#fields + 1] = at:format(node.offset, node.end_offset)
  end
  local inner = put_list(node, node)
  if node.tag == "Do" then
    inner = "[" .. put(node, true) .. "]"
  end
  fields[#fields + 1] = '"inner":' .. inner
  return "{" .. table.concat(fields, ",") .. "}"
end

local file <close> = assert(io.open(arg[1], "rb"))
print(put_list(parser.parse(decoder.decode(file:read("a")))))
