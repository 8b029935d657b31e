-- SPDX-License-Identifier: Apache-2.0
-- Primitives that move elements and compute nothing: each element of the
-- result is one of the argument's, or padding. Axes count from 0.
--
-- emit.view(params, out_shape, in_shapes) -> function(index) ...: see
-- compile/emit.lua.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local print = use("core/print")
local np = use.np

local function fail(name, text, ...)
  core.fail("argument", "TypeError", name .. ": " .. text, ...)
end

local function copy(list) return table.move(list, 1, #list, 1, {}) end
local function iota_list(n, from)
  local out = {}
  for i = 1, n do out[i] = from + i - 1 end
  return out
end
local function sorted(list)
  local out = copy(list)
  table.sort(out)
  return out
end
local function contains(list, x)
  for _, v in ipairs(list) do
    if v == x then return true end
  end
  return false
end

-- ---- broadcast_in_dim: {shape, broadcast_dimensions} ----

core.define{
  name = "broadcast_in_dim",
  eval = function(p, x)
    local shape = {}
    for i = 1, #p.shape do shape[i] = 1 end
    for i, d in ipairs(p.broadcast_dimensions) do shape[d + 1] = x.shape[i] end
    return np.broadcast_to(x:reshape(shape), p.shape)
  end,
  shape = function(p, x)
    for i, d in ipairs(p.broadcast_dimensions) do
      if x.shape[i] ~= 1 and x.shape[i] ~= p.shape[d + 1] then
        fail("broadcast_in_dim", "%s does not stretch to %s by dimensions %s",
             core.shape_text(x.shape), core.shape_text(p.shape),
             core.shape_text(p.broadcast_dimensions))
      end
    end
    return core.aval(p.shape, x.dtype, x.weak)
  end,
  batch = function(p, size, values, dims)
    local shape, at = {size}, {0}
    table.move(p.shape, 1, #p.shape, 2, shape)
    for i, d in ipairs(p.broadcast_dimensions) do at[i + 1] = d + 1 end
    local x = batch.at(values[1], dims[1], 0, size)
    return {lax.broadcast_in_dim(x, shape, at)}, {0}
  end,
  diff = {
    jvp = function(p, _, t)
      return {lax.broadcast_in_dim(t[1], p.shape, p.broadcast_dimensions)}
    end,
    vjp = function(p, cts, values)
      if not cts[1] then return {false} end
      local shape, gone, ones = core.shape_of(values[1]), {}, {}
      for d = 0, #p.shape - 1 do
        if not contains(p.broadcast_dimensions, d) then gone[#gone + 1] = d end
      end
      for i, d in ipairs(p.broadcast_dimensions) do
        if shape[i] == 1 and p.shape[d + 1] ~= 1 then ones[#ones + 1] = d end
      end
      local axes = sorted(table.move(ones, 1, #ones, #gone + 1, copy(gone)))
      local ct = lax.reduce_sum(cts[1], axes)
      return {lax.reshape(ct, shape)}
    end,
  },
  emit = {view = true},
  print = function(p)
    if #p.broadcast_dimensions == 0 then return {} end
    local text = print.param_text
    return {{"broadcast_dimensions", text(p.broadcast_dimensions)}}
  end,
}
--- x with axis i put at dims[i] of the new shape; others are new.
function lax.broadcast_in_dim(x, shape, dims)
  if core.same_shape(core.shape_of(x), shape) then return x end
  return core.bind1("broadcast_in_dim",
                    {shape = shape, broadcast_dimensions = dims}, x)
end

--- An array full of one number.
function lax.full(shape, value, dtype, weak)
  local x = value
  if type(value) == "number" or type(value) == "boolean" then
    x = core.literal(value, dtype, weak)
  end
  if #shape == 0 then return x end
  return lax.broadcast_in_dim(x, shape, {})
end
function lax.full_like(x, value)
  local a = core.aval_of(x)
  return lax.full(a.shape, value, a.dtype, a.weak)
end

-- ---- reshape: {new_sizes} ----

core.define{
  name = "reshape",
  eval = function(p, x) return x:reshape(p.new_sizes) end,
  shape = function(p, x)
    if core.size(p.new_sizes) ~= core.size(x.shape) then
      fail("reshape", "cannot make %s of %s: %d elements and %d",
           core.shape_text(p.new_sizes), core.shape_text(x.shape),
           core.size(p.new_sizes), core.size(x.shape))
    end
    return core.aval(p.new_sizes, x.dtype, x.weak)
  end,
  batch = function(p, size, values, dims)
    local shape = {size}
    table.move(p.new_sizes, 1, #p.new_sizes, 2, shape)
    return {lax.reshape(batch.at(values[1], dims[1], 0, size), shape)}, {0}
  end,
  diff = {
    jvp = function(p, _, t) return {lax.reshape(t[1], p.new_sizes)} end,
    vjp = function(_, cts, values)
      return {cts[1] and lax.reshape(cts[1], core.shape_of(values[1]))}
    end,
  },
  emit = {view = true},
}
function lax.reshape(x, shape)
  if core.same_shape(core.shape_of(x), shape) then return x end
  return core.bind1("reshape", {new_sizes = shape}, x)
end

-- ---- squeeze: {dimensions} ----

core.define{
  name = "squeeze",
  eval = function(p, x)
    local shape = {}
    for d, n in ipairs(x.shape) do
      if not contains(p.dimensions, d - 1) then shape[#shape + 1] = n end
    end
    return x:reshape(shape)
  end,
  shape = function(p, x)
    local shape = {}
    for d, n in ipairs(x.shape) do
      if not contains(p.dimensions, d - 1) then
        shape[#shape + 1] = n
      elseif n ~= 1 then
        fail("squeeze", "axis %d of %s has not the size 1", d - 1,
             core.shape_text(x.shape))
      end
    end
    return core.aval(shape, x.dtype, x.weak)
  end,
  batch = function(p, size, values, dims)
    local at = {}
    for i, d in ipairs(p.dimensions) do at[i] = d + 1 end
    return {lax.squeeze(batch.at(values[1], dims[1], 0, size), at)}, {0}
  end,
  diff = {
    jvp = function(p, _, t) return {lax.squeeze(t[1], p.dimensions)} end,
    vjp = function(_, cts, values)
      return {cts[1] and lax.reshape(cts[1], core.shape_of(values[1]))}
    end,
  },
  emit = {view = true},
}
function lax.squeeze(x, dimensions)
  if #dimensions == 0 then return x end
  return core.bind1("squeeze", {dimensions = dimensions}, x)
end
--- x with new axes of size 1 at these places of the result.
function lax.expand_dims(x, dimensions)
  local shape, kept, at, n = {}, {}, 1, #core.shape_of(x) + #dimensions
  for d = 0, n - 1 do
    if contains(dimensions, d) then
      shape[d + 1] = 1
    else
      shape[d + 1] = core.shape_of(x)[at]
      kept[at] = d
      at = at + 1
    end
  end
  if #dimensions == 0 then return x end
  return core.bind1("broadcast_in_dim",
                    {shape = shape, broadcast_dimensions = kept}, x)
end

-- ---- transpose: {permutation} ----

local function inverse(permutation)
  local out = {}
  for i, d in ipairs(permutation) do out[d + 1] = i - 1 end
  return out
end

core.define{
  name = "transpose",
  eval = function(p, x) return np.transpose(x, p.permutation) end,
  shape = function(p, x)
    local shape = {}
    if #p.permutation ~= #x.shape then
      fail("transpose", "permutation %s of %d axes",
           core.shape_text(p.permutation), #x.shape)
    end
    for i, d in ipairs(p.permutation) do shape[i] = x.shape[d + 1] end
    return core.aval(shape, x.dtype, x.weak)
  end,
  batch = function(p, _, values, dims)
    local order = {dims[1]}
    for i, d in ipairs(p.permutation) do
      order[i + 1] = d < dims[1] and d or d + 1
    end
    return {lax.transpose(values[1], order)}, {0}
  end,
  diff = {
    jvp = function(p, _, t) return {lax.transpose(t[1], p.permutation)} end,
    vjp = function(p, cts)
      return {cts[1] and lax.transpose(cts[1], inverse(p.permutation))}
    end,
  },
  emit = {view = true},
}
function lax.transpose(x, permutation)
  local is_same = #permutation == #core.shape_of(x)
  for i, d in ipairs(permutation) do is_same = is_same and d == i - 1 end
  if is_same then return x end
  return core.bind1("transpose", {permutation = permutation}, x)
end
function lax.move_axis(x, from, to)
  local order = {}
  for d = 0, #core.shape_of(x) - 1 do
    if d ~= from then order[#order + 1] = d end
  end
  table.insert(order, to + 1, from)
  return lax.transpose(x, order)
end

-- ---- rev: {dimensions} ----

core.define{
  name = "rev",
  eval = function(p, x)
    local index = {}
    for d = 1, #x.shape do
      index[d] = contains(p.dimensions, d - 1) and "::-1" or ":"
    end
    return x[table.concat(index, ", ")]
  end,
  shape = function(_, x) return core.aval(x.shape, x.dtype, x.weak) end,
  batch = function(p, size, values, dims)
    local at = {}
    for i, d in ipairs(p.dimensions) do at[i] = d + 1 end
    return {lax.rev(batch.at(values[1], dims[1], 0, size), at)}, {0}
  end,
  diff = {
    jvp = function(p, _, t) return {lax.rev(t[1], p.dimensions)} end,
    vjp = function(p, cts)
      return {cts[1] and lax.rev(cts[1], p.dimensions)}
    end,
  },
  emit = {view = true},
}
function lax.rev(x, dimensions)
  if #dimensions == 0 then return x end
  return core.bind1("rev", {dimensions = dimensions}, x)
end

-- ---- slice: {start_indices, limit_indices, strides or nil} ----

local function slice_count(p, d)
  local stride = p.strides and p.strides[d] or 1
  return math.max(0, (p.limit_indices[d] - p.start_indices[d] + stride - 1)
                     // stride)
end

core.define{
  name = "slice",
  eval = function(p, x)
    local index = {}
    for d = 1, #x.shape do
      index[d] = ("%d:%d:%d"):format(p.start_indices[d], p.limit_indices[d],
                                     p.strides and p.strides[d] or 1)
    end
    return #index == 0 and x or x[table.concat(index, ", ")]
  end,
  shape = function(p, x)
    local shape = {}
    for d, n in ipairs(x.shape) do
      local from, to = p.start_indices[d], p.limit_indices[d]
      if from < 0 or to > n or from > to then
        fail("slice", "%d:%d of axis %d of %s", from, to, d - 1,
             core.shape_text(x.shape))
      end
      shape[d] = slice_count(p, d)
    end
    return core.aval(shape, x.dtype, x.weak)
  end,
  batch = function(p, size, values, dims)
    local from, to, by = copy(p.start_indices), copy(p.limit_indices),
                         p.strides and copy(p.strides)
    table.insert(from, 1, 0)
    table.insert(to, 1, size)
    if by then table.insert(by, 1, 1) end
    return {lax.slice(batch.at(values[1], dims[1], 0, size), from, to, by)}, {0}
  end,
  diff = {
    jvp = function(p, _, t)
      return {lax.slice(t[1], p.start_indices, p.limit_indices, p.strides)}
    end,
    vjp = function(p, cts, values)
      if not cts[1] then return {false} end
      local shape, config = core.shape_of(values[1]), {}
      for d, n in ipairs(shape) do
        local stride, count = p.strides and p.strides[d] or 1, slice_count(p, d)
        local covered = count == 0 and 0 or (count - 1) * stride + 1
        config[d] = {p.start_indices[d], n - p.start_indices[d] - covered,
                     stride - 1}
      end
      return {lax.pad(cts[1], 0, config)}
    end,
  },
  emit = {view = true},
  print = function(p)
    local text = print.param_text
    return {{"limit_indices", text(p.limit_indices)},
            {"start_indices", text(p.start_indices)},
            {"strides", text(p.strides)}}
  end,
}
function lax.slice(x, from, to, by)
  local shape, is_whole = core.shape_of(x), true
  for d, n in ipairs(shape) do
    is_whole = is_whole and from[d] == 0 and to[d] == n and
               (not by or by[d] == 1)
  end
  if is_whole then return x end
  return core.bind1("slice", {start_indices = from, limit_indices = to,
                              strides = by}, x)
end
function lax.slice_in_dim(x, from, to, by, axis)
  local shape = core.shape_of(x)
  local start, limit, strides = {}, copy(shape), {}
  for d = 1, #shape do start[d], strides[d] = 0, 1 end
  start[axis + 1], limit[axis + 1], strides[axis + 1] = from, to, by or 1
  return lax.slice(x, start, limit, (by or 1) ~= 1 and strides or nil)
end

-- ---- pad: {padding_config = {{low, high, interior}, ...}}; x, a scalar ----

core.define{
  name = "pad",
  eval = function(p, x, value)
    local shape, from, to, is_gone = {}, {}, {}, false
    for d, n in ipairs(x.shape) do
      local low, high, inner = table.unpack(p.padding_config[d])
      shape[d] = low + high + n + math.max(0, n - 1) * inner
      -- Negative padding cuts elements off.
      local first = low < 0 and (-low + inner) // (inner + 1) or 0
      local last = n - 1
      while last >= first and low + last * (inner + 1) >= shape[d] do
        last = last - 1
      end
      from[d] = ("%d:%d:1"):format(first, last + 1)
      local start = low + first * (inner + 1)
      to[d] = ("%d:%d:%d"):format(start, math.max(start, low + last *
                                                  (inner + 1) + 1), inner + 1)
      is_gone = is_gone or last < first
    end
    if #shape == 0 then return x end
    local out = np.full(shape, value:item(), x.dtype)
    if is_gone then return out end
    out[table.concat(to, ", ")] = x[table.concat(from, ", ")]
    return out
  end,
  shape = function(p, x, value)
    local shape = {}
    if value.dtype ~= x.dtype then
      fail("pad", "types must be equal: %s and %s", x.dtype, value.dtype)
    end
    for d, n in ipairs(x.shape) do
      local low, high, inner = table.unpack(p.padding_config[d])
      shape[d] = low + high + n + math.max(0, n - 1) * inner
      if shape[d] < 0 then
        fail("pad", "axis %d of %s would have the size %d", d - 1,
             core.shape_text(x.shape), shape[d])
      end
    end
    return core.aval(shape, x.dtype, x.weak and value.weak)
  end,
  batch = function(p, size, values, dims)
    local config = copy(p.padding_config)
    table.insert(config, 1, {0, 0, 0})
    if dims[2] then
      -- A padding value for each: pad with zeros, and choose by a mask.
      local x = batch.at(values[1], dims[1], 0, size)
      local none = core.literal(0, core.dtype_of(x))
      local padded = lax.pad(x, none, config)
      local ones = lax.full(core.shape_of(x), true, "bool")
      local mask = lax.pad(ones, core.literal(false, "bool"), config)
      local fill = lax.broadcast_in_dim(values[2], core.shape_of(padded), {0})
      return {lax.select_n(mask, fill, padded)}, {0}
    end
    local x = batch.at(values[1], dims[1], 0, size)
    return {lax.pad(x, values[2], config)}, {0}
  end,
  diff = {
    jvp = function(p, values, t)
      local function or_zero(i)
        return t[i] or lax.full_like(values[i], 0)
      end
      return {lax.pad(or_zero(1), or_zero(2), p.padding_config)}
    end,
    vjp = function(p, cts, values)
      if not cts[1] then return {false, false} end
      local back, from, to, by = {}, {}, {}, {}
      for d, c in ipairs(p.padding_config) do back[d] = {-c[1], -c[2], 0} end
      local inner = lax.pad(cts[1], 0, back)
      for d, n in ipairs(core.shape_of(inner)) do
        from[d], to[d], by[d] = 0, n, p.padding_config[d][3] + 1
      end
      local x_ct = lax.slice(inner, from, to, by)
      if core.is_literal(values[2]) then return {x_ct, false} end
      local all = iota_list(#core.shape_of(cts[1]), 0)
      return {x_ct, lax.sub(lax.reduce_sum(cts[1], all),
                            lax.reduce_sum(x_ct, all))}
    end,
  },
  emit = {view = true},
}
function lax.pad(x, value, config)
  local is_nothing = true
  for _, c in ipairs(config) do
    is_nothing = is_nothing and c[1] == 0 and c[2] == 0 and c[3] == 0
  end
  if is_nothing then return x end
  if type(value) == "number" then value = lax.like(value, x) end
  return core.bind1("pad", {padding_config = config}, x, value)
end

-- ---- concatenate: {dimension} ----

core.define{
  name = "concatenate",
  eval = function(p, ...) return np.concatenate({...}, p.dimension) end,
  shape = function(p, first, ...)
    local shape, weak = copy(first.shape), first.weak
    for _, a in ipairs{...} do
      weak = weak and a.weak
      for d = 1, math.max(#shape, #a.shape) do
        if d ~= p.dimension + 1 and a.shape[d] ~= first.shape[d] or
           #shape ~= #a.shape then
          fail("concatenate", "shapes differ outside of axis %d: %s and %s",
               p.dimension, core.shape_text(first.shape),
               core.shape_text(a.shape))
        end
      end
      if a.dtype ~= first.dtype then
        fail("concatenate", "types must be equal: %s and %s", first.dtype,
             a.dtype)
      end
      shape[p.dimension + 1] = shape[p.dimension + 1] + a.shape[p.dimension + 1]
    end
    return core.aval(shape, first.dtype, weak)
  end,
  batch = function(p, size, values, dims)
    local moved = {}
    for i, x in ipairs(values) do moved[i] = batch.at(x, dims[i], 0, size) end
    return {lax.concatenate(moved, p.dimension + 1)}, {0}
  end,
  diff = {
    jvp = function(p, values, t)
      local all = {}
      for i, x in ipairs(values) do all[i] = t[i] or lax.full_like(x, 0) end
      return {lax.concatenate(all, p.dimension)}
    end,
    vjp = function(p, cts, values)
      local back, at = {}, 0
      for i, x in ipairs(values) do
        local n = core.shape_of(x)[p.dimension + 1]
        back[i] = cts[1] and
          lax.slice_in_dim(cts[1], at, at + n, 1, p.dimension)
        at = at + n
      end
      return back
    end,
  },
  emit = {view = true},
}
function lax.concatenate(list, dimension)
  if #list == 1 then return list[1] end
  return core.bind(core.prims.concatenate, {dimension = dimension}, list)[1]
end

-- ---- iota: {shape, dimension, dtype} ----

core.define{
  name = "iota",
  eval = function(p)
    local shape = {}
    for d = 1, #p.shape do
      shape[d] = d == p.dimension + 1 and p.shape[d] or 1
    end
    local x = np.arange(p.shape[p.dimension + 1], p.dtype)
    return np.broadcast_to(x:reshape(shape), p.shape)
  end,
  shape = function(p) return core.aval(p.shape, p.dtype) end,
  batch = false, -- it has no arguments
  diff = false,
  emit = {view = true},
}
function lax.iota(dtype, shape, dimension)
  return core.bind1("iota", {dtype = dtype, shape = shape,
                             dimension = dimension or 0})
end
