-- SPDX-License-Identifier: Apache-2.0
-- jax.lax's functions of the devices of a mesh, for the function of a shard_map
-- or pmap: psum and its like. Their operations are ../prims/collective.lua.
local use = ...
local core = use("core/core")
local tree = use("core/tree")
local args = use("core/args")
local jnp = use("jnp/jnp")
local M = {}

local function fail(name, text, ...) core.fail("argument", name, text, ...) end

-- ---- Arguments ----

-- The list of axes that `axis_name` names, and how many devices that is.
local function axes_of(where, axis_name)
  local names, size = axis_name, 1
  if type(names) == "string" then names = {names} end
  if type(names) ~= "table" or getmetatable(names) or not names[1] then
    fail("TypeError", "%s: axis_name is the name of a mesh axis, or a list " ..
         "of them, not %s", where, core.kind_text(axis_name))
  end
  for _, name in ipairs(names) do
    if not core.manual then
      fail("NameError", "Found an unbound axis name: %s. To fix this, " ..
           "please call %s under `jax.shard_map`", tostring(name), where)
    end
    local n = core.manual.mesh.shape[name]
    if not n then
      fail("NameError", "unbound axis name: %s. The mesh has %s",
           tostring(name), table.concat(core.manual.mesh.axis_names, ", "))
    end
    size = size * n
  end
  return table.move(names, 1, #names, 1, {}), size
end

local function bind(name, params, x)
  return core.bind(core.prims[name], params, {x})[1]
end

local function each_leaf(where, x, f)
  return tree.map(function(leaf) return f(args.value(leaf, where)) end, x)
end

-- ---- Sums and extremes ----

local function psum_name()
  return core.manual.check and "psum_invariant" or "psum"
end

--- The sum over the devices along axis_name; of a number, so many times it.
function M.psum(x, axis_name)
  local axes, size = axes_of("psum", axis_name)
  if type(x) == "number" then return x * size end
  return each_leaf("psum", x, function(leaf)
    if core.is_literal(leaf) then
      return core.literal(leaf.value * size, leaf.aval.dtype, leaf.aval.weak)
    elseif core.dtype_of(leaf) == "bool" then
      leaf = args.as_type(leaf, "i32")
    end
    return bind(psum_name(), {axes = axes}, leaf)
  end)
end

--- The mean over the devices along axis_name.
function M.pmean(x, axis_name)
  local _, size = axes_of("pmean", axis_name)
  if type(x) == "number" then return x end
  return tree.map(function(leaf) return jnp.divide(leaf, size) end,
                  M.psum(x, axis_name))
end

for _, name in ipairs{"pmax", "pmin"} do
  M[name] = function(x, axis_name)
    local axes = axes_of(name, axis_name)
    return each_leaf(name, x, function(leaf)
      return bind(name, {axes = axes}, leaf)
    end)
  end
end

-- ---- Parts that go from device to device ----

local function axis_number(x, axis, rank, where)
  return args.axis(axis, rank or #core.shape_of(x), where)
end

--- Every device's x, along a new axis, or along `axis` where `tiled`.
function M.all_gather(x, axis_name, ...)
  local axes, size = axes_of("all_gather", axis_name)
  local o = args.named("all_gather", {"axis", "tiled"}, ...)
  return each_leaf("all_gather", x, function(leaf)
    local rank = #core.shape_of(leaf) + (o.tiled and 0 or 1)
    return bind("all_gather", {
      axes = axes, axis_size = size, tiled = o.tiled or false,
      dimension = axis_number(leaf, o.axis or 0, rank, "all_gather")}, leaf)
  end)
end

local function check_scatter(n, size, is_tiled)
  if is_tiled and n % size ~= 0 then
    fail("ValueError", "tiled reduce_scatter operand scatter dimension size " ..
         "%d must be divisible by shard_count %d", n, size)
  elseif not is_tiled and n ~= size then
    fail("ValueError", "reduce_scatter operand scatter dimension size %d " ..
         "must match shard count %d", n, size)
  end
end

--- Of the sum over the devices each one's part along scatter_dimension.
function M.psum_scatter(x, axis_name, ...)
  local axes, size = axes_of("psum_scatter", axis_name)
  local o = args.named("psum_scatter", {"scatter_dimension", "tiled"}, ...)
  return each_leaf("psum_scatter", x, function(leaf)
    local at = axis_number(leaf, o.scatter_dimension or 0, nil, "psum_scatter")
    check_scatter(core.shape_of(leaf)[at + 1], size, o.tiled)
    return bind("reduce_scatter", {axes = axes, axis_size = size,
                                   dimension = at, tiled = o.tiled or false},
                leaf)
  end)
end

local function all_to_all(leaf, axes, size, split, concat, is_tiled)
  local rank = #core.shape_of(leaf)
  split = args.axis(split, rank, "all_to_all")
  concat = args.axis(concat, rank, "all_to_all")
  local n = core.shape_of(leaf)[split + 1]
  if is_tiled and n % size ~= 0 then
    fail("ValueError", "The size of all_to_all split_axis (%d) has to be " ..
         "divisible by the size of the named axis (%d)", n, size)
  elseif not is_tiled and n ~= size then
    fail("ValueError", "all_to_all requires the size of the mapped axis " ..
         "axis_name to equal x.shape[split_axis], but they are %d and %d " ..
         "respectively.", size, n)
  end
  local y = bind("all_to_all", {
    axes = axes, axis_size = size, split_axis = split,
    concat_axis = is_tiled and concat or split}, leaf)
  return is_tiled and y or jnp.moveaxis(y, split, concat)
end

--- Part k along split_axis goes to device k, which puts what it gets one behind
--- the other along concat_axis.
function M.all_to_all(x, axis_name, split_axis, concat_axis, ...)
  local axes, size = axes_of("all_to_all", axis_name)
  local o = args.named("all_to_all", {"tiled"}, ...)
  return each_leaf("all_to_all", x, function(leaf)
    return all_to_all(leaf, axes, size, split_axis, concat_axis, o.tiled)
  end)
end

local function perm_text(perm)
  local parts = {}
  for i, pair in ipairs(perm) do
    parts[i] = ("(%s, %s)"):format(tostring(pair[1]), tostring(pair[2]))
  end
  return "(" .. table.concat(parts, ", ") .. (#parts == 1 and "," or "") .. ")"
end

local function check_perm(perm, size)
  local seen = {{}, {}}
  for i, pair in ipairs(perm) do
    for k = 1, 2 do
      local rank = type(pair) == "table" and pair[k]
      if math.type(rank) ~= "integer" then
        fail("TypeError", "ppermute: perm is a list of pairs {from, to}; " ..
             "entry %d is none", i)
      elseif seen[k][rank] or rank < 0 or rank >= size then
        fail("ValueError", "ppermute sources and destinations must be " ..
             "unique, got %s. There are %d devices, counted from 0",
             perm_text(perm), size)
      end
      seen[k][rank] = true
    end
  end
end

--- x of device `from` to device `to` for each pair {from, to}; a device that
--- gets nothing has zeros.
function M.ppermute(x, axis_name, perm)
  local axes, size = axes_of("ppermute", axis_name)
  if type(perm) ~= "table" or getmetatable(perm) then
    fail("TypeError", "ppermute: perm is a list of pairs {from, to}, not %s",
         core.kind_text(perm))
  end
  check_perm(perm, size)
  local pairs_copy = {}
  for i, pair in ipairs(perm) do pairs_copy[i] = {pair[1], pair[2]} end
  return each_leaf("ppermute", x, function(leaf)
    return bind("ppermute", {axes = axes, perm = pairs_copy}, leaf)
  end)
end

-- ---- Where a device is ----

--- The device's place along axis_name, from 0.
function M.axis_index(axis_name)
  local axes = axes_of("axis_index", axis_name)
  return core.bind(core.prims.axis_index, {axes = axes}, {})[1]
end

--- How many devices there are along axis_name: a Lua number.
function M.axis_size(axis_name)
  local _, size = axes_of("axis_size", axis_name)
  return size
end

--- x as a value that may differ between the devices along axis_name.
function M.pvary(x, axis_name)
  local axes = axes_of("pvary", axis_name)
  if not core.manual.check then return x end
  return each_leaf("pvary", x, function(leaf)
    if core.is_literal(leaf) then leaf = jnp.asarray(leaf) end
    return bind("pvary", {axes = axes}, leaf)
  end)
end

--- The same as JAX has it now: pcast(x, "i", {to = "varying"}).
function M.pcast(x, axis_name, ...)
  local o = args.named("pcast", {"to"}, ...)
  if o.to ~= "varying" then
    fail("ValueError", "pcast: to is \"varying\", not %s: psum, pmax and " ..
         "their like make values that are the same on all devices",
         tostring(o.to))
  end
  return M.pvary(x, axis_name)
end

return M
