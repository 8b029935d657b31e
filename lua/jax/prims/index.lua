-- SPDX-License-Identifier: Apache-2.0
-- Elements at positions that are values: dynamic_slice, dynamic_update_slice
-- and gather. A gather copies, for each row of indices, the window of the
-- operand that starts there (XLA, "Gather").
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local emit = use("compile/emit")
local each = use("compile/each")
local print = use("core/print")
local np = use.np
local M = {}

local function fail(name, text, ...)
  core.fail("argument", "TypeError", name .. ": " .. text, ...)
end

local function copy(list) return table.move(list, 1, #list, 1, {}) end
local function rest(_, ...) return {...} end

--- The list with `by` added to each, and `first` in front unless nil.
local function shifted(list, by, first)
  local out = {first}
  for _, d in ipairs(list) do out[#out + 1] = d + by end
  return out
end
M.shifted = shifted

local function set_of(...)
  local set = {}
  for _, list in ipairs{...} do
    for _, d in ipairs(list) do set[d] = true end
  end
  return set
end

-- ---- dynamic_slice: {slice_sizes}; x, a start for each axis ----

-- Starts on the host, such that the slice lies inside.
local function starts_of(shape, sizes, starts)
  local from = {}
  for d, n in ipairs(shape) do
    from[d] = math.max(0, math.min(math.tointeger(starts[d]:item()),
                                   n - sizes[d]))
  end
  return from
end

local function window_text(from, sizes)
  local text = {}
  for d, i in ipairs(from) do text[d] = ("%d:%d"):format(i, i + sizes[d]) end
  return table.concat(text, ", ")
end

-- The starts as an array (size, k) of the axes on which they matter.
local function stacked_starts(shape, sizes, starts, dims, size)
  local columns, map = {}, {}
  for d, n in ipairs(shape) do
    if sizes[d] < n then
      local x = batch.at(starts[d], dims[d], 0, size)
      x = lax.convert_element_type(x, "i32")
      columns[#columns + 1] = lax.expand_dims(x, {1})
      map[#map + 1] = d - 1
    end
  end
  if #columns == 0 then return lax.full({size, 0}, 0, "i32"), map end
  return lax.concatenate(columns, 1), map
end

local function any(list)
  for _, x in ipairs(list) do
    if x then return true end
  end
  return false
end

local function check_starts(name, x, sizes, starts)
  if #starts ~= #x.shape or #sizes ~= #x.shape then
    fail(name, "an array of shape %s takes %d starts and sizes, not %d and %d",
         core.shape_text(x.shape), #x.shape, #starts, #sizes)
  end
  for d, n in ipairs(x.shape) do
    if sizes[d] < 0 or sizes[d] > n then
      fail(name, "a slice of %s does not fit into %s", core.shape_text(sizes),
           core.shape_text(x.shape))
    end
    if #starts[d].shape > 0 or not starts[d].dtype:find("^[iu]") then
      fail(name, "start %d is %s, and must be an integer", d - 1,
           core.aval_text(starts[d]))
    end
  end
end

-- Where the slice starts on each axis, in a kernel.
local function start_texts(code, shape, sizes, eqn, first)
  local from = {}
  for d, n in ipairs(shape) do
    local atom = eqn.inputs[first + d]
    from[d] = sizes[d] == n and "0" or
      each.clamped(code:element(atom, {flat = "0"}), atom.aval.dtype,
                    n - sizes[d])
    if from[d] ~= "0" then from[d] = code:name("int", from[d]) end
  end
  return from
end

core.define{
  name = "dynamic_slice",
  eval = function(p, x, ...)
    if #x.shape == 0 then return x end
    local from = starts_of(x.shape, p.slice_sizes, {...})
    return x[window_text(from, p.slice_sizes)]
  end,
  shape = function(p, x, ...)
    check_starts("dynamic_slice", x, p.slice_sizes, {...})
    return core.aval(p.slice_sizes, x.dtype, x.weak)
  end,
  batch = function(p, size, values, dims)
    local x, starts, at = values[1], rest(table.unpack(values)),
                          rest(table.unpack(dims))
    if not any(at) then
      x = batch.at(x, dims[1], 0, size)
      return {M.dynamic_slice_at(x, {core.literal(0, "i32"),
                                    table.unpack(starts)},
                                shifted(p.slice_sizes, 0, size))}, {0}
    end
    local shape = copy(core.shape_of(x))
    if dims[1] then table.remove(shape, dims[1] + 1) end
    local indices, map = stacked_starts(shape, p.slice_sizes, starts, at, size)
    local offset = {}
    for d = 1, #shape do offset[d] = d end
    if not dims[1] then
      return {lax.gather(x, indices, {
        offset_dims = offset, collapsed_slice_dims = {}, start_index_map = map,
        operand_batching_dims = {}, start_indices_batching_dims = {},
      }, p.slice_sizes, {mode = "clip"})}, {0}
    end
    return {lax.gather(batch.at(x, dims[1], 0, size), indices, {
      offset_dims = offset, collapsed_slice_dims = {},
      start_index_map = shifted(map, 1), operand_batching_dims = {0},
      start_indices_batching_dims = {0},
    }, shifted(p.slice_sizes, 0, 1),
    {mode = "clip", unique_indices = true, indices_are_sorted = true})}, {0}
  end,
  diff = {
    jvp = function(p, values, t)
      return {t[1] and M.dynamic_slice_at(t[1], rest(table.unpack(values)),
                                         p.slice_sizes)}
    end,
    vjp = function(_, cts, values)
      local back = {false}
      for i = 2, #values do back[i] = false end
      back[1] = cts[1] and
        M.dynamic_update_slice_at(lax.full_like(values[1], 0), cts[1],
                                 rest(table.unpack(values)))
      return back
    end,
  },
  emit = {pull = function(code, eqn, index)
    local x, sizes = eqn.inputs[1], eqn.params.slice_sizes
    local from = start_texts(code, x.aval.shape, sizes, eqn, 1)
    local own = {}
    for d, text in ipairs(emit.coords_of(index, sizes)) do
      own[d] = from[d] == "0" and text or ("(%s + %s)"):format(from[d], text)
    end
    return code:element(x, {at = own})
  end},
}

-- Starts that count from the end where they are negative, as values that
-- count from 0.
local function counted(x, starts)
  local list = {}
  for i, s in ipairs(starts) do
    local n = core.shape_of(x)[i] or 0
    if type(s) == "number" or core.is_literal(s) then
      local v = type(s) == "number" and s or s.value
      list[i] = core.literal(v < 0 and v + n or v, "i32")
    elseif core.dtype_of(s):sub(1, 1) == "u" then
      list[i] = s
    else
      list[i] = lax.select_n(lax.lt(s, 0), s, lax.add(s, n))
    end
  end
  return list
end

--- The part of x with these sizes that begins at `starts`, which are moved so
--- that it lies inside. (dynamic_slice_at: they count from 0 already.)
function M.dynamic_slice_at(x, starts, sizes)
  return core.bind(core.prims.dynamic_slice, {slice_sizes = sizes},
                   {x, table.unpack(starts)})[1]
end
function lax.dynamic_slice(x, starts, sizes)
  return M.dynamic_slice_at(x, counted(x, starts), sizes)
end

-- ---- dynamic_update_slice: x, update, a start for each axis ----

core.define{
  name = "dynamic_update_slice",
  eval = function(_, x, update, ...)
    if #x.shape == 0 then return update end
    local out = x:copy()
    if x.size == 0 or update.size == 0 then return out end
    local from = starts_of(x.shape, update.shape, {...})
    out[window_text(from, update.shape)] = update
    return out
  end,
  shape = function(_, x, update, ...)
    check_starts("dynamic_update_slice", x, update.shape, {...})
    if update.dtype ~= x.dtype then
      fail("dynamic_update_slice", "types must be equal: %s and %s", x.dtype,
           update.dtype)
    end
    return core.aval(x.shape, x.dtype, x.weak)
  end,
  batch = function(_, size, values, dims)
    local x = batch.at(values[1], dims[1], 0, size)
    local update = batch.at(values[2], dims[2], 0, size)
    local starts = table.move(values, 3, #values, 1, {})
    local at = table.move(dims, 3, #values, 1, {})
    if not any(at) then
      return {M.dynamic_update_slice_at(x, update,
                                       {core.literal(0, "i32"),
                                        table.unpack(starts)})}, {0}
    end
    local shape = rest(table.unpack(core.shape_of(x)))
    local sizes = rest(table.unpack(core.shape_of(update)))
    local indices, map = stacked_starts(shape, sizes, starts, at, size)
    local window = {}
    for d = 1, #shape do window[d] = d end
    return {lax.scatter(x, indices, update, {
      update_window_dims = window, inserted_window_dims = {},
      scatter_dims_to_operand_dims = shifted(map, 1),
      operand_batching_dims = {0}, scatter_indices_batching_dims = {0},
    }, {mode = "clip", unique_indices = true, indices_are_sorted = true})}, {0}
  end,
  diff = {
    jvp = function(_, values, t)
      local function or_zero(i) return t[i] or lax.full_like(values[i], 0) end
      if not t[1] and not t[2] then return {false} end
      return {M.dynamic_update_slice_at(or_zero(1), or_zero(2),
                                       table.move(values, 3, #values, 1, {}))}
    end,
    vjp = function(_, cts, values)
      local back = {false, false}
      for i = 3, #values do back[i] = false end
      if not cts[1] then return back end
      local starts = table.move(values, 3, #values, 1, {})
      back[1] = M.dynamic_update_slice_at(cts[1], lax.full_like(values[2], 0),
                                         starts)
      back[2] = M.dynamic_slice_at(cts[1], starts, core.shape_of(values[2]))
      return back
    end,
  },
  emit = {pull = function(code, eqn, index)
    local x, update = eqn.inputs[1], eqn.inputs[2]
    local shape, sizes = x.aval.shape, update.aval.shape
    if core.size(sizes) == 0 then return code:element(x, index) end
    local from = start_texts(code, shape, sizes, eqn, 2)
    local conditions, own = {}, {}
    for d, text in ipairs(emit.coords_of(index, shape)) do
      own[d] = text
      if sizes[d] < shape[d] then
        own[d] = ("(%s - %s)"):format(text, from[d])
        conditions[#conditions + 1] = ("(unsigned)%s < %du"):format(own[d],
                                                                    sizes[d])
      end
    end
    if #conditions == 0 then return code:element(update, {at = own}) end
    return emit.choose(code, x.aval.dtype, {
      {when = table.concat(conditions, " && "),
       value = function() return code:element(update, {at = own}) end},
      {value = function() return code:element(x, index) end},
    })
  end},
}

--- x with `update` in the place that begins at `starts`, which are moved so
--- that it lies inside.
function M.dynamic_update_slice_at(x, update, starts)
  return core.bind(core.prims.dynamic_update_slice, {},
                   {x, update, table.unpack(starts)})[1]
end
function lax.dynamic_update_slice(x, update, starts)
  return M.dynamic_update_slice_at(x, update, counted(x, starts))
end

-- ---- Along one axis ----

local function starts_in_dim(x, start, axis)
  local rank = #core.shape_of(x)
  local starts = {}
  axis = axis < 0 and axis + rank or axis
  for d = 1, rank do starts[d] = core.literal(0, "i32") end
  starts[axis + 1] = start
  return starts, axis
end

function lax.dynamic_slice_in_dim(x, start, size, axis)
  local starts, d = starts_in_dim(x, start, axis or 0)
  local sizes = copy(core.shape_of(x))
  sizes[d + 1] = size
  return lax.dynamic_slice(x, starts, sizes)
end

--- The part of x at one place of an axis; without the axis where keepdims is
--- false.
function lax.dynamic_index_in_dim(x, i, axis, keepdims)
  local y = lax.dynamic_slice_in_dim(x, i, 1, axis)
  if keepdims ~= false then return y end
  axis = axis or 0
  return lax.squeeze(y, {axis < 0 and axis + #core.shape_of(x) or axis})
end

function lax.dynamic_update_slice_in_dim(x, update, start, axis)
  return lax.dynamic_update_slice(x, update, (starts_in_dim(x, start, axis)))
end

function lax.dynamic_update_index_in_dim(x, update, i, axis)
  if #core.shape_of(update) < #core.shape_of(x) then
    update = lax.expand_dims(update, {axis % #core.shape_of(x)})
  end
  return lax.dynamic_update_slice_in_dim(x, update, i, axis)
end

-- ---- The geometry of gather and scatter ----

--- What the dimension numbers say of a gather from an operand of `shape` into
--- `rank` axes: `batch` (the result's axes that come from the indices),
--- `window` and `batching` (lists of {operand's axis, result's axis}), and
--- `starts` ({operand's axis, which of the row's numbers}).
function M.geometry(dn, shape, rank)
  local is_offset = set_of(dn.offset_dims)
  local is_gone = set_of(dn.collapsed_slice_dims, dn.operand_batching_dims)
  local g = {batch = {}, window = {}, batching = {}, starts = {}}
  for d = 0, rank - 1 do
    if not is_offset[d] then g.batch[#g.batch + 1] = d end
  end
  local k = 0
  for d = 0, #shape - 1 do
    if not is_gone[d] then
      k = k + 1
      g.window[k] = {d, dn.offset_dims[k]}
    end
  end
  for i, d in ipairs(dn.operand_batching_dims) do
    g.batching[i] = {d, g.batch[dn.start_indices_batching_dims[i] + 1]}
  end
  for i, d in ipairs(dn.start_index_map) do g.starts[i] = {d, i - 1} end
  return g
end

local function placed(shape, rank, dims)
  local out = {}
  for d = 1, rank do out[d] = 1 end
  for i, d in ipairs(dims) do out[d + 1] = shape[i] end
  return out
end

--- On the host: the flat positions in an operand of `shape` of a gather's
--- elements (its result has `out_shape`), and the mask of those inside.
function M.positions(dn, shape, sizes, indices, out_shape, is_clipped)
  local rank = #out_shape
  local g = M.geometry(dn, shape, rank)
  local rows = table.move(indices.shape, 1, #indices.shape - 1, 1, {})
  local width = indices.shape[#indices.shape]
  local columns = indices:astype("i64"):reshape({core.size(rows), width})
  local strides, at = {}, np.zeros(out_shape, "i64")
  local inside = np.ones(out_shape, "bool")
  if core.size(out_shape) == 0 then return at, inside end
  local stride = 1
  for d = #shape, 1, -1 do
    strides[d] = stride
    stride = stride * shape[d]
  end
  for _, s in ipairs(g.starts) do
    local d, high = s[1] + 1, shape[s[1] + 1] - sizes[s[1] + 1]
    local start = columns[(":, %d"):format(s[2])]
    start = start:reshape(placed(rows, rank, g.batch))
    if is_clipped then
      start = np.minimum(np.maximum(start, 0), high)
    else
      inside = np.logical_and(inside, np.logical_and(
        np.greater_equal(start, 0), np.less_equal(start, high)))
    end
    at = at + start * strides[d]
  end
  for _, pairs_of in ipairs{g.window, g.batching} do
    for _, w in ipairs(pairs_of) do
      local n = out_shape[w[2] + 1]
      at = at + (np.arange(n, "i64") * strides[w[1] + 1]):reshape(
        placed({n}, rank, {w[2]}))
    end
  end
  return at, inside
end

--- In a kernel: where the window of one row of indices starts on each axis of
--- the operand (nil: at 0), and the conditions that it lies inside. `rows` are
--- the row's coordinates.
function M.start_texts(code, g, indices, shape, sizes, rows, is_clipped)
  local from, conditions = {}, {}
  for _, s in ipairs(g.starts) do
    local d = s[1] + 1
    local high, t = shape[d] - sizes[d], indices.aval.dtype
    if not (is_clipped and high == 0) then
      local at = copy(rows)
      at[#at + 1] = tostring(s[2])
      local text = code:element(indices, {at = at})
      if is_clipped then
        from[d] = code:name("int", each.clamped(text, t, high))
      else
        conditions[#conditions + 1] = each.within(text, t, high)
        from[d] = high == 0 and nil or code:name("int", "(int)" .. text)
      end
    end
  end
  return from, conditions
end

function M.check_numbers(name, dn, shape, indices, rank)
  local width = indices.shape[#indices.shape]
  if #indices.shape == 0 or width ~= #dn.start_index_map then
    fail(name, "indices of shape %s for %d axes: the last axis has one number "
         .. "for each", core.shape_text(indices.shape), #dn.start_index_map)
  end
  if not indices.dtype:find("^[iu]") then
    fail(name, "indices are integers, not %s", indices.dtype)
  end
  local windows = #shape - #dn.collapsed_slice_dims - #dn.operand_batching_dims
  if #dn.offset_dims ~= windows or
     rank ~= #indices.shape - 1 + #dn.offset_dims then
    fail(name, "an operand with %d axes has windows with %d, and %d were given",
         #shape, windows, #dn.offset_dims)
  end
end

-- ---- gather ----

--- What stands for elements outside: NaN, or the type's extreme.
local function fill_of(p, dtype)
  if p.fill_value ~= nil then return p.fill_value end
  if dtype:find("^b?f") then return 0 / 0 end
  if dtype == "bool" then return true end
  local bits = tonumber(dtype:sub(2))
  if dtype:sub(1, 1) == "u" then return bits == 64 and -1 or (1 << bits) - 1 end
  return -(1 << bits - 1)
end

local function gather_shape(dn, sizes, indices)
  local is_gone = set_of(dn.collapsed_slice_dims, dn.operand_batching_dims)
  local is_offset, window, out = set_of(dn.offset_dims), {}, {}
  for d, n in ipairs(sizes) do
    if not is_gone[d - 1] then window[#window + 1] = n end
  end
  local k, w = 0, 0
  for d = 0, #indices - 1 + #dn.offset_dims - 1 do
    if is_offset[d] then
      w = w + 1
      out[d + 1] = window[w]
    else
      k = k + 1
      out[d + 1] = indices[k]
    end
  end
  return out
end

local mode_names = {clip = "CLIP", fill = "FILL_OR_DROP",
                    promise_in_bounds = "PROMISE_IN_BOUNDS"}

--- The fields of dimension numbers, in JAX's order, as it prints them.
function M.numbers_text(kind, dn, fields)
  local text = print.param_text
  local parts = {}
  for i, name in ipairs(fields) do parts[i] = name .. "=" .. text(dn[name]) end
  return kind .. "(" .. table.concat(parts, ", ") .. ")"
end
function M.mode_text(mode) return "GatherScatterMode." .. mode_names[mode] end
function M.check_mode(name, mode)
  if mode == "drop" or mode == nil then return "fill" end
  if not mode_names[mode] then
    core.fail("argument", "ValueError", "%s: mode %s: there are \"fill\" " ..
              "(or \"drop\"), \"clip\" and \"promise_in_bounds\"", name,
              tostring(mode))
  end
  return mode
end

local gather_fields = {"offset_dims", "collapsed_slice_dims", "start_index_map",
                       "operand_batching_dims", "start_indices_batching_dims"}

local function gather_like(p, x, indices, changes)
  local options = {mode = p.mode, fill_value = p.fill_value,
                   unique_indices = p.unique_indices,
                   indices_are_sorted = p.indices_are_sorted}
  for k, v in pairs(changes or {}) do options[k] = v end
  return lax.gather(x, indices, options.dimension_numbers or
                    p.dimension_numbers, options.slice_sizes or p.slice_sizes,
                    options)
end

--- The scatter's numbers that put elements where this gather takes them.
function M.as_scatter(dn)
  return {update_window_dims = dn.offset_dims,
          inserted_window_dims = dn.collapsed_slice_dims,
          scatter_dims_to_operand_dims = dn.start_index_map,
          operand_batching_dims = dn.operand_batching_dims,
          scatter_indices_batching_dims = dn.start_indices_batching_dims}
end

core.define{
  name = "gather",
  eval = function(p, x, indices)
    local out_shape = gather_shape(p.dimension_numbers, p.slice_sizes,
                                   indices.shape)
    local fill = fill_of(p, x.dtype)
    if core.size(out_shape) == 0 then return np.zeros(out_shape, x.dtype) end
    if x.size == 0 then return np.full(out_shape, fill, x.dtype) end
    local at, inside = M.positions(p.dimension_numbers, x.shape, p.slice_sizes,
                                   indices, out_shape, p.mode ~= "fill")
    if p.mode == "fill" then at = np.where(inside, at, 0) end
    local out = x:reshape({x.size})[at:reshape({at.size})]:reshape(out_shape)
    if p.mode ~= "fill" or np.all(inside) then return out end
    return np.where(inside, out, np.full(out_shape, fill, x.dtype))
  end,
  shape = function(p, x, indices)
    local out = gather_shape(p.dimension_numbers, p.slice_sizes, indices.shape)
    M.check_numbers("gather", p.dimension_numbers, x.shape, indices, #out)
    for d, n in ipairs(x.shape) do
      if p.slice_sizes[d] > n then
        fail("gather", "slices of %s do not fit into %s",
             core.shape_text(p.slice_sizes), core.shape_text(x.shape))
      end
    end
    return core.aval(out, x.dtype, x.weak)
  end,
  batch = function(p, size, values, dims)
    local dn, sizes = p.dimension_numbers, p.slice_sizes
    local x, indices = values[1], values[2]
    if not dims[2] then
      return {gather_like(p, batch.at(x, dims[1], 0, size), indices, {
        slice_sizes = shifted(sizes, 0, size),
        dimension_numbers = {
          offset_dims = shifted(dn.offset_dims, 1, 0),
          collapsed_slice_dims = shifted(dn.collapsed_slice_dims, 1),
          start_index_map = shifted(dn.start_index_map, 1),
          operand_batching_dims = shifted(dn.operand_batching_dims, 1),
          start_indices_batching_dims = dn.start_indices_batching_dims,
        }})}, {0}
    end
    indices = batch.at(indices, dims[2], 0, size)
    if not dims[1] then
      return {gather_like(p, x, indices, {dimension_numbers = {
        offset_dims = shifted(dn.offset_dims, 1),
        collapsed_slice_dims = dn.collapsed_slice_dims,
        start_index_map = dn.start_index_map,
        operand_batching_dims = dn.operand_batching_dims,
        start_indices_batching_dims = shifted(dn.start_indices_batching_dims,
                                              1),
      }})}, {0}
    end
    return {gather_like(p, batch.at(x, dims[1], 0, size), indices, {
      slice_sizes = shifted(sizes, 0, 1),
      dimension_numbers = {
        offset_dims = shifted(dn.offset_dims, 1),
        collapsed_slice_dims = shifted(dn.collapsed_slice_dims, 1),
        start_index_map = shifted(dn.start_index_map, 1),
        operand_batching_dims = shifted(dn.operand_batching_dims, 1, 0),
        start_indices_batching_dims = shifted(dn.start_indices_batching_dims,
                                              1, 0),
      }})}, {0}
  end,
  diff = {
    jvp = function(p, values, t)
      return {t[1] and gather_like(p, t[1], values[2], {fill_value = 0})}
    end,
    vjp = function(p, cts, values)
      if not cts[1] then return {false, false} end
      return {lax.scatter_add(lax.full_like(values[1], 0), values[2], cts[1],
                              M.as_scatter(p.dimension_numbers),
                              {mode = p.mode,
                               unique_indices = p.unique_indices,
                               indices_are_sorted = p.indices_are_sorted}),
              false}
    end,
  },
  emit = {pull = function(code, eqn, index)
    local p, x, indices = eqn.params, eqn.inputs[1], eqn.inputs[2]
    local out, shape = eqn.outputs[1].aval.shape, x.aval.shape
    local fill = emit.constant(fill_of(p, x.aval.dtype), x.aval.dtype)
    if core.size(shape) == 0 then return fill end
    local at = emit.coords_of(index, out)
    local g = M.geometry(p.dimension_numbers, shape, #out)
    local rows = {}
    for i, d in ipairs(g.batch) do rows[i] = at[d + 1] end
    local from, conditions = M.start_texts(code, g, indices, shape,
                                           p.slice_sizes, rows,
                                           p.mode ~= "fill")
    local own = {}
    for d = 1, #shape do own[d] = from[d] or "0" end
    for _, pairs_of in ipairs{g.window, g.batching} do
      for _, w in ipairs(pairs_of) do
        local d, text = w[1] + 1, at[w[2] + 1]
        own[d] = own[d] == "0" and text or
                 text ~= "0" and ("(%s + %s)"):format(own[d], text) or own[d]
      end
    end
    local function inside() return code:element(x, {at = own}) end
    if #conditions == 0 then return inside() end
    return emit.choose(code, x.aval.dtype, {
      {when = table.concat(conditions, " && "), value = inside},
      {value = function() return fill end},
    })
  end},
  print = function(p)
    local text = print.param_text
    local fill = p.fill_value
    return {
      {"dimension_numbers", M.numbers_text("GatherDimensionNumbers",
                                           p.dimension_numbers, gather_fields)},
      {"fill_value", fill ~= nil and print.number_text(fill) or "None"},
      {"indices_are_sorted", text(p.indices_are_sorted)},
      {"mode", M.mode_text(p.mode)},
      {"slice_sizes", text(p.slice_sizes)},
      {"unique_indices", text(p.unique_indices)},
    }
  end,
}

--- For each row of the indices the window of x that starts there; see JAX's
--- lax.gather for the dimension numbers. options: mode, fill_value,
--- unique_indices, indices_are_sorted.
function lax.gather(x, indices, dimension_numbers, slice_sizes, options)
  options = options or {}
  local dn = {}
  for _, name in ipairs(gather_fields) do
    dn[name] = dimension_numbers[name] or {}
  end
  return core.bind1("gather", {
    dimension_numbers = dn, slice_sizes = slice_sizes,
    mode = M.check_mode("gather", options.mode),
    fill_value = options.fill_value,
    unique_indices = options.unique_indices or false,
    indices_are_sorted = options.indices_are_sorted or false,
  }, x, indices)
end

return M
