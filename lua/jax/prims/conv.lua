-- SPDX-License-Identifier: Apache-2.0
-- Convolutions: windows of an image times a kernel (XLA's ConvGeneralDilated).
-- The kernel is not flipped, as in all machine learning.
--
--   conv_general_dilated {window_strides, padding, lhs_dilation, rhs_dilation,
--                         dimension_numbers = {lhs, rhs, out},
--                         feature_group_count, preferred_element_type}
--
-- Dimension numbers say where the axes are: lhs and out {batch, feature, space
-- ...}, rhs {output feature, input feature, space ...}. To compute one, the
-- windows are laid out as the rows of a matrix, and a product of matrices does
-- the rest.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local batch = use("transforms/batch")
local program = use("core/program")
local exec = use("compile/exec")
local print = use("core/print")
local copy = program.copy_list

local function fail(name, text, ...)
  core.fail("argument", name, "conv_general_dilated: " .. text, ...)
end

local function shape_of(x) return core.shape_of(x) end

-- A size with holes between the elements.
local function dilated(n, by) return n == 0 and 0 or (n - 1) * by + 1 end

-- What a windowed axis is about: its numbers by name.
local function axis_of(p, d, x, w)
  local numbers = p.dimension_numbers
  return {n = x[numbers[1][d + 2] + 1], k = w[numbers[2][d + 2] + 1],
          stride = p.window_strides[d], low = p.padding[d][1],
          high = p.padding[d][2], x_dilation = p.lhs_dilation[d],
          w_dilation = p.rhs_dilation[d]}
end

local function out_size(a)
  local width = dilated(a.n, a.x_dilation) + a.low + a.high
  local span = dilated(a.k, a.w_dilation)
  return width < span and 0 or (width - span) // a.stride + 1
end

local function with(p, changes)
  local new = {}
  for k, v in pairs(p) do new[k] = v end
  for k, v in pairs(changes) do new[k] = v end
  return new
end

local function conv(p, x, w)
  return core.bind1("conv_general_dilated", p, x, w)
end

-- ---- Shapes ----

local function check(p, x, w)
  local g = p.feature_group_count
  local spec = p.dimension_numbers
  local features, inner = x.shape[spec[1][2] + 1], w.shape[spec[2][2] + 1]
  local out = w.shape[spec[2][1] + 1]
  if x.dtype ~= w.dtype then
    fail("TypeError", "types must be equal: %s and %s", x.dtype, w.dtype)
  elseif features ~= inner * g then
    fail("ValueError", "%d input features of %s; the kernel %s has %d%s",
         features, core.shape_text(x.shape), core.shape_text(w.shape), inner,
         g > 1 and (" for each of %d groups"):format(g) or "")
  elseif out % g ~= 0 then
    fail("ValueError", "%d output features are no multiple of " ..
         "feature_group_count = %d", out, g)
  end
end

local function shape_rule(p, x, w)
  check(p, x, w)
  local spec, shape = p.dimension_numbers, {}
  shape[spec[3][1] + 1] = x.shape[spec[1][1] + 1]
  shape[spec[3][2] + 1] = w.shape[spec[2][1] + 1]
  for d = 1, #p.window_strides do
    shape[spec[3][d + 2] + 1] = out_size(axis_of(p, d, x.shape, w.shape))
  end
  return core.aval(shape, p.preferred_element_type or x.dtype)
end

-- ---- As a product of matrices ----

-- Axis `at` of x becomes two: each window, and the places within it.
local function windows(x, at, a, out)
  local shape = shape_of(x)
  if a.k == 1 then
    local stop = out == 0 and 0 or (out - 1) * a.stride + 1
    return lax.expand_dims(lax.slice_in_dim(x, 0, stop, a.stride, at), {at + 1})
  end
  local function steps(axis, by)
    return lax.mul(lax.iota("i32", {out, a.k, 1}, axis), by)
  end
  local places = lax.add(steps(0, a.stride), steps(1, a.w_dilation))
  local offset, sizes = {}, copy(shape)
  sizes[at + 1] = 1
  for d = 0, #shape - 1 do
    if d ~= at then offset[#offset + 1] = d < at and d or d + 1 end
  end
  return lax.gather(x, places, {offset_dims = offset,
    collapsed_slice_dims = {at}, start_index_map = {at}}, sizes,
    {mode = "promise_in_bounds"})
end

local function expand(p, x, w)
  local spec, g, rank = p.dimension_numbers, p.feature_group_count,
                        #p.window_strides
  local x_shape, w_shape = shape_of(x), shape_of(w)
  local axes, outs, config = {}, {}, {{0, 0, 0}, {0, 0, 0}}
  for d = 1, rank do
    local a = axis_of(p, d, x_shape, w_shape)
    axes[d], outs[d] = a, out_size(a)
    config[d + 2] = {a.low, a.high, a.x_dilation - 1}
  end
  local wide = p.preferred_element_type
  x = lax.pad(lax.transpose(x, spec[1]), 0, config)
  w = lax.transpose(w, spec[2])
  for d = rank, 1, -1 do x = windows(x, d + 1, axes[d], outs[d]) end
  -- [batch, features, (window, place) ...] to [batch, window ..., groups,
  -- features of a group and places].
  local order, n = {0}, shape_of(x)[1]
  for d = 1, rank do order[d + 1] = 2 * d end
  order[rank + 2] = 1
  for d = 1, rank do order[rank + 2 + d] = 2 * d + 1 end
  local out_features, inner = shape_of(w)[1], core.size(shape_of(w))
  inner = out_features == 0 and 0 or inner // out_features
  local count = n * core.size(outs)
  x = lax.reshape(lax.transpose(x, order), {count, g, inner})
  w = lax.reshape(w, {g, out_features // g, inner})
  local y
  if g == 1 then
    y = lax.dot_general(lax.squeeze(x, {1}), lax.squeeze(w, {0}),
                        {{{1}, {1}}, {{}, {}}}, nil, wide)
  else
    y = lax.transpose(lax.dot_general(x, w, {{{2}, {2}}, {{1}, {0}}}, nil,
                                      wide), {1, 0, 2})
  end
  local full, back = {n}, {}
  for d = 1, rank do full[d + 1] = outs[d] end
  full[rank + 2] = out_features
  y = lax.reshape(y, full)
  back[spec[3][1] + 1], back[spec[3][2] + 1] = 0, rank + 1
  for d = 1, rank do back[spec[3][d + 2] + 1] = d end
  return lax.transpose(y, back)
end

local function expanded(p, avals)
  return program.trace(function(args)
    return {expand(p, args[1], args[2])}
  end, avals)
end

-- ---- Batches ----

-- x with axis `dim` put in front of axis `to` (of those without it), as one.
local function merged(x, dim, to)
  x = lax.move_axis(x, dim, to)
  local shape = copy(shape_of(x))
  shape[to + 1] = shape[to + 1] * table.remove(shape, to + 2)
  return lax.reshape(x, shape)
end

-- Axis `at` cut into `size` parts and the rest.
local function cut(x, at, size)
  local shape = copy(shape_of(x))
  table.insert(shape, at + 1, size)
  shape[at + 2] = shape[at + 2] // size
  return lax.reshape(x, shape)
end

local function without(x, dim)
  local shape = copy(shape_of(x))
  if dim then table.remove(shape, dim + 1) end
  return core.aval(shape, core.dtype_of(x))
end

-- A batch of images goes with their own batch; one of kernels with the output
-- features; of both, each is a group of features.
local function batch_rule(p, size, values, dims)
  local x, w = values[1], values[2]
  local spec = p.dimension_numbers
  if size == 0 then
    local out = shape_rule(p, without(x, dims[1]), without(w, dims[2]))
    table.insert(out.shape, 1, 0)
    return {lax.full(out.shape, 0, out.dtype)}, {0}
  end
  if not dims[2] then
    local y = conv(p, merged(x, dims[1], spec[1][1]), w)
    return {cut(y, spec[3][1], size)}, {spec[3][1]}
  elseif not dims[1] and p.feature_group_count == 1 then
    local y = conv(p, x, merged(w, dims[2], spec[2][1]))
    return {cut(y, spec[3][2], size)}, {spec[3][2]}
  end
  x = merged(batch.at(x, dims[1], 0, size), 0, spec[1][2])
  w = merged(batch.at(w, dims[2], 0, size), 0, spec[2][1])
  local y = conv(with(p, {feature_group_count = size * p.feature_group_count}),
                 x, w)
  return {cut(y, spec[3][2], size)}, {spec[3][2]}
end

-- ---- Derivatives ----

local function swapped(spec)
  local new = copy(spec)
  new[1], new[2] = spec[2], spec[1]
  return new
end

-- The groups in which axis `from` is, moved to axis `to`.
local function regrouped(x, from, to, groups)
  if groups == 1 then return x end
  x = cut(x, from, groups) -- the groups are axis `from`
  return merged(x, from, to)
end

local function spatial(spec) return table.move(spec, 3, #spec, 1, {}) end

-- The images' cotangent: that of the result, spread by the strides, with the
-- kernel turned round.
local function x_cotangent(p, ct, x, w)
  local spec, padding = p.dimension_numbers, {}
  for d = 1, #p.window_strides do
    local a = axis_of(p, d, shape_of(x), shape_of(w))
    local span = dilated(a.k, a.w_dilation)
    local low = span - 1 - a.low
    padding[d] = {low, dilated(a.n, a.x_dilation) + span - 1 - low -
                       dilated(shape_of(ct)[spec[3][d + 2] + 1], a.stride)}
  end
  w = regrouped(w, spec[2][1], spec[2][2], p.feature_group_count)
  return conv(with(p, {
    window_strides = p.lhs_dilation, lhs_dilation = p.window_strides,
    padding = padding,
    dimension_numbers = {spec[3], swapped(spec[2]), spec[1]}}),
    ct, lax.rev(w, spatial(spec[2])))
end

-- The kernel's: the images with the result's cotangent as the kernel, batch and
-- features exchanged.
local function w_cotangent(p, ct, x, w)
  local spec, padding = p.dimension_numbers, {}
  for d = 1, #p.window_strides do
    local a = axis_of(p, d, shape_of(x), shape_of(w))
    local span = dilated(shape_of(ct)[spec[3][d + 2] + 1], a.stride)
    padding[d] = {a.low, span + a.w_dilation * (a.k - 1) - a.low -
                         dilated(a.n, a.x_dilation)}
  end
  x = regrouped(x, spec[1][2], spec[1][1], p.feature_group_count)
  return conv(with(p, {
    window_strides = p.rhs_dilation, rhs_dilation = p.window_strides,
    padding = padding, dimension_numbers = {
      swapped(spec[1]), swapped(spec[3]), swapped(spec[2])}}), x, ct)
end

core.define{
  name = "conv_general_dilated",
  eval = function(p, x, w)
    local steps = expanded(p, {core.aval_of(x), core.aval_of(w)})
    return exec.eval_by_rules(steps, {x, w})[1]
  end,
  shape = shape_rule,
  batch = batch_rule,
  diff = {
    jvp = function(p, values, t)
      local sum = t[1] and conv(p, t[1], values[2])
      local other = t[2] and conv(p, values[1], t[2])
      return {sum and other and lax.add(sum, other) or sum or other}
    end,
    vjp = function(p, cts, values)
      local ct, x, w = cts[1], values[1], values[2]
      if not ct then return {false, false} end
      p = with(p, {})
      p.preferred_element_type = nil
      ct = lax.convert_element_type(ct, core.dtype_of(x))
      return {x_cotangent(p, ct, x, w), w_cotangent(p, ct, x, w)}
    end,
  },
  emit = {expand = expanded},
  print = function(p)
    local text = print.param_text
    local spec = p.dimension_numbers
    return {
      {"batch_group_count", "1"},
      {"dimension_numbers", ("ConvDimensionNumbers(lhs_spec=%s, " ..
        "rhs_spec=%s, out_spec=%s)"):format(text(spec[1]), text(spec[2]),
                                            text(spec[3]))},
      {"feature_group_count", text(p.feature_group_count)},
      {"lhs_dilation", text(p.lhs_dilation)},
      {"padding", text(p.padding)},
      {"precision", "None"},
      {"preferred_element_type", text(p.preferred_element_type, "dtype")},
      {"rhs_dilation", text(p.rhs_dilation)},
      {"window_strides", text(p.window_strides)},
    }
  end,
}

return {conv = conv, dilated = dilated}
