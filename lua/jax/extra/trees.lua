-- SPDX-License-Identifier: Apache-2.0
-- jax.tree and jax.tree_util: the functions of core/tree.lua as learners call
-- them.
local use = ...
local core = use("core/core")
local inner = use("core/tree")
local tree, tree_util = {}, {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- A structure as a value: it prints, and equal ones are equal.
local Structure = {__name = "PyTreeDef"}
Structure.__index = Structure
function Structure.__eq(a, b) return a.text == b.text end
function Structure.__tostring(x) return "PyTreeDef(" .. x.text .. ")" end

local function structure_of(x)
  local leaves, d = inner.flatten(x)
  return setmetatable({d = d, text = inner.text(d), num_leaves = #leaves},
                      Structure), leaves
end

function tree.leaves(x) return inner.leaves(x) end

function tree.structure(x) return (structure_of(x)) end

--- The leaves, and the structure for tree.unflatten.
function tree.flatten(x)
  local structure, leaves = structure_of(x)
  return leaves, structure
end

function tree.unflatten(structure, leaves)
  if getmetatable(structure) ~= Structure then
    fail("TypeError", "tree.unflatten(structure, leaves): the structure " ..
                      "comes from tree.flatten or tree.structure")
  end
  if #leaves ~= structure.num_leaves then
    fail("ValueError", "tree.unflatten: %d leaves for a structure with %d: %s",
         #leaves, structure.num_leaves, tostring(structure))
  end
  return inner.unflatten(structure.d, leaves)
end

--- f of each leaf, and of the leaves at the same places of further trees.
function tree.map(f, x, ...)
  local structure, leaves = structure_of(x)
  local lists, out = {leaves}, {}
  for i, other in ipairs{...} do
    local own, more = structure_of(other)
    if own.text ~= structure.text then
      fail("ValueError", "tree.map: tree %d has the structure %s, the first %s",
           i + 1, own.text, structure.text)
    end
    lists[i + 1] = more
  end
  for k = 1, #leaves do
    local args = {}
    for i, list in ipairs(lists) do args[i] = list[k] end
    out[k] = f(table.unpack(args))
    if out[k] == nil then
      fail("TypeError", "tree.map: the function gave nil for leaf %d: " ..
                        "tables have no place for it", k)
    end
  end
  return inner.unflatten(structure.d, out)
end

--- f(f(initial, first leaf), second leaf)...; without `initial` from the first.
function tree.reduce(f, x, initial)
  local value, first = initial, 1
  local leaves = inner.leaves(x)
  if value == nil then value, first = leaves[1], 2 end
  for k = first, #leaves do value = f(value, leaves[k]) end
  return value
end

function tree.all(x)
  return tree.reduce(function(a, b) return a and b end, x, true)
end

--- f of each leaf's path and the leaf: "w[1]", "layers[2].bias".
function tree.map_with_path(f, x)
  local leaves, paths, d = inner.flatten_with_path(x, "")
  for i, leaf in ipairs(leaves) do
    leaves[i] = f((paths[i]:gsub("^%.", "")), leaf)
  end
  return inner.unflatten(d, leaves)
end

--- The leaves with their paths, {path, leaf}; and the structure.
function tree.flatten_with_path(x)
  return tree.leaves_with_path(x), tree.structure(x)
end

function tree.leaves_with_path(x)
  local leaves, paths = inner.flatten_with_path(x, "")
  for i, leaf in ipairs(leaves) do
    leaves[i] = {(paths[i]:gsub("^%.", "")), leaf}
  end
  return leaves
end

--- A tree of the inner structure, whose leaves are trees of the outer one.
function tree.transpose(outer, inner_structure, x)
  local rows, columns = inner.leaves(x), {}
  local m, n = outer.num_leaves, inner_structure.num_leaves
  if #rows ~= m * n then
    fail("ValueError", "tree.transpose: %d leaves; %d times %d are wanted",
         #rows, m, n)
  end
  for k = 1, n do
    local own = {}
    for i = 1, m do own[i] = rows[(i - 1) * n + k] end
    columns[k] = tree.unflatten(outer, own)
  end
  return tree.unflatten(inner_structure, columns)
end

for name, f in pairs(tree) do tree_util["tree_" .. name] = f end

return {tree = tree, tree_util = tree_util}
