-- SPDX-License-Identifier: Apache-2.0
-- Trees of tables (JAX's pytrees): a table without a metatable is a branch,
-- and so is one whose metatable was registered as a node; everything else is a
-- leaf. Lists come in their order, then named fields sorted by name.
local use = ...
local core = use("core/core")
local M = {}

local is_node = {}

--- Tables of this metatable are branches like plain ones: their fields are
--- children, and unflatten gives them the metatable again.
function M.register_node(metatable) is_node[metatable] = true end

local function is_branch(x)
  if type(x) ~= "table" then return false end
  local metatable = getmetatable(x)
  return metatable == nil or is_node[metatable] == true
end
M.is_branch = is_branch

local function sorted_names(t)
  local names = {}
  for k in pairs(t) do
    if type(k) == "string" then names[#names + 1] = k end
  end
  table.sort(names)
  return names
end

local MAX_DEPTH <const> = 1000

-- A table that contains itself is nested without end.
local function check_depth(depth)
  if depth > MAX_DEPTH then
    core.fail("argument", "ValueError", "tables are nested deeper than %d: " ..
              "does one contain itself?", MAX_DEPTH)
  end
end

-- A structure: true for a leaf, else {count = , names = , children = {}}.
local function walk(x, leaves, paths, path, depth)
  if not is_branch(x) then
    leaves[#leaves + 1] = x
    if paths then paths[#paths + 1] = path end
    return true
  end
  local d = {count = rawlen(x), names = sorted_names(x), children = {},
             metatable = getmetatable(x)}
  depth = (depth or 0) + 1
  check_depth(depth)
  for i = 1, d.count do
    d.children[i] = walk(rawget(x, i), leaves, paths,
                         path and path .. "[" .. i .. "]", depth)
  end
  for i, name in ipairs(d.names) do
    d.children[d.count + i] = walk(rawget(x, name), leaves, paths,
                                   path and path .. "." .. name, depth)
  end
  return d
end

--- The leaves of x in order, and its structure.
function M.flatten(x)
  local leaves = {}
  return leaves, walk(x, leaves)
end

--- The leaves and, for each, where it is ("params.w[1]").
function M.flatten_with_path(x, root)
  local leaves, paths = {}, {}
  local structure = walk(x, leaves, paths, root or "")
  return leaves, paths, structure
end

local function build(d, leaves, at)
  if d == true then return leaves[at], at + 1 end
  local x = {}
  for i = 1, #d.children do
    local key = i <= d.count and i or d.names[i - d.count]
    x[key], at = build(d.children[i], leaves, at)
  end
  return d.metatable and setmetatable(x, d.metatable) or x, at
end

--- The tree of this structure with these leaves.
function M.unflatten(structure, leaves)
  return (build(structure, leaves, 1))
end

local function text(d)
  if d == true then return "*" end
  local parts = {}
  for i, child in ipairs(d.children) do
    local name = d.names[i - d.count]
    parts[i] = (name and name .. "=" or "") .. text(child)
  end
  return (d.metatable and d.metatable.__name or "") .. "{" ..
         table.concat(parts, ",") .. "}"
end

--- The structure in words, "{*,w=*}"; equal structures have equal ones.
M.text = text

function M.leaves(x) return (M.flatten(x)) end

--- f of each leaf (and of the leaves at the same places of further trees).
function M.map(f, x, ...)
  local leaves, structure = M.flatten(x)
  local others, out = {}, {}
  for i, other in ipairs{...} do
    local more, s = M.flatten(other)
    if text(s) ~= text(structure) then
      error(("trees differ: %s and %s"):format(text(structure), text(s)), 2)
    end
    others[i] = more
  end
  for i = 1, #leaves do
    local args = {leaves[i]}
    for k, more in ipairs(others) do args[k + 1] = more[i] end
    out[i] = f(table.unpack(args))
  end
  return M.unflatten(structure, out)
end

return M
