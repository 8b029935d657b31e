-- SPDX-License-Identifier: Apache-2.0
-- jax.lax's convolutions and reductions of windows as learners call them:
-- padding by name, axes by letters, numbers that may be left out.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local prim = use("prims/conv")
local jnp = use.jnp

local copy, dilated = args.copy, prim.dilated

local function fail(name, kind, text, ...)
  args.fail("lax." .. name, kind, text, ...)
end

local function filled(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

-- A list with a number for each of n axes.
local function per_axis(name, what, list, n)
  if list == nil then return filled(n, 1) end
  list = args.is_list(list) and list or {list}
  if #list ~= n then
    fail(name, "ValueError", "%s has %d numbers for %d axes", what, #list, n)
  end
  for i, v in ipairs(list) do
    if math.type(v) ~= "integer" or v < 1 then
      fail(name, "TypeError", "%s[%d] is %s and not a whole number from 1 on",
           what, i, tostring(v))
    end
  end
  return copy(list)
end

-- ---- Padding ----

-- What pads each axis: "VALID" nothing, "SAME" so that there are as many
-- windows as strides.
local function padding_of(name, padding, sizes, windows, strides)
  local list = {}
  if args.is_list(padding) then
    if #padding ~= #sizes then
      fail(name, "ValueError", "padding has %d pairs for %d axes", #padding,
           #sizes)
    end
    for d, pair in ipairs(padding) do
      if not args.is_list(pair) or math.type(pair[1]) ~= "integer" or
         math.type(pair[2]) ~= "integer" then
        fail(name, "TypeError", "padding is \"SAME\", \"SAME_LOWER\", " ..
             "\"VALID\" or a pair {low, high} for each axis")
      end
      list[d] = {pair[1], pair[2]}
    end
    return list
  end
  local kind = type(padding) == "string" and padding:upper()
  for d, n in ipairs(sizes) do
    local out = (n + strides[d] - 1) // strides[d]
    local all = math.max(0, (out - 1) * strides[d] + windows[d] - n)
    if kind == "VALID" then
      list[d] = {0, 0}
    elseif kind == "SAME" then
      list[d] = {all // 2, all - all // 2}
    elseif kind == "SAME_LOWER" then
      list[d] = {all - all // 2, all // 2}
    else
      fail(name, "ValueError", "padding is \"SAME\", \"SAME_LOWER\", " ..
           "\"VALID\" or a pair {low, high} for each axis, not %s",
           tostring(padding))
    end
  end
  return list
end

function lax.padtype_to_pads(in_shape, window_shape, strides, padding)
  return padding_of("padtype_to_pads", padding, in_shape, window_shape, strides)
end

-- ---- Axes by letters ----

-- Where the letters are; those that neither of the first two has, in the order
-- of `space`.
local function axes_of(name, text, first, second, space)
  local spec = {(text:find(first, 1, true) or 0) - 1,
                (text:find(second, 1, true) or 0) - 1}
  for letter in space:gmatch(".") do
    spec[#spec + 1] = (text:find(letter, 1, true) or 0) - 1
  end
  for _, d in ipairs(spec) do
    if d < 0 or #spec ~= #text then
      fail(name, "ValueError", "the axes \"%s\" are not %s, %s and those of " ..
           "space: %s", text, first, second, space)
    end
  end
  return spec
end

local function numbers_of(name, rank, given)
  if given == nil then
    local plain = {}
    for d = 1, rank do plain[d] = d - 1 end
    return {plain, copy(plain), copy(plain)}
  end
  for i, what in ipairs{"images", "the kernel", "the result"} do
    if not args.is_list(given) or #given ~= 3 then
      fail(name, "TypeError", "dimension_numbers are three texts, such as " ..
           "{\"NHWC\", \"HWIO\", \"NHWC\"}")
    elseif #given[i] ~= rank then
      fail(name, "ValueError", "%d axes for %s, which have %d", #given[i], what,
           rank)
    end
  end
  if type(given[1]) == "table" then return given end
  local space = given[2]:gsub("[OI]", "")
  return {axes_of(name, given[1], "N", "C", space),
          axes_of(name, given[2], "O", "I", space),
          axes_of(name, given[3], "N", "C", space)}
end

--- The axes of images, kernel and result, from texts.
function lax.conv_dimension_numbers(lhs_shape, _, numbers)
  return numbers_of("conv_dimension_numbers", #lhs_shape, numbers)
end

-- ---- Convolutions ----

-- Both as arrays of one type.
local function operands(name, x, w)
  x, w = args.array(x, "lax." .. name), args.array(w, "lax." .. name)
  if #core.shape_of(x) ~= #core.shape_of(w) or #core.shape_of(x) < 2 then
    fail(name, "ValueError", "images of shape %s and a kernel of shape %s: " ..
         "both have batch (output feature), feature and the same axes of space",
         core.shape_text(core.shape_of(x)), core.shape_text(core.shape_of(w)))
  end
  return x, w
end

local general = {"window_strides", "padding", "lhs_dilation", "rhs_dilation",
                 "dimension_numbers", "feature_group_count",
                 "batch_group_count", "precision", "preferred_element_type"}

-- Groups of the batch are groups of features.
local function without_batch_groups(name, x, w, spec, groups)
  local shape, at = copy(core.shape_of(x)), spec[1][1]
  if shape[at + 1] % groups ~= 0 or core.shape_of(w)[spec[2][1] + 1] % groups
     ~= 0 then
    fail(name, "ValueError", "batch_group_count = %d does not divide the " ..
         "batch of %s and the output features of %s", groups,
         core.shape_text(shape), core.shape_text(core.shape_of(w)))
  end
  table.insert(shape, at + 1, groups)
  shape[at + 2] = shape[at + 2] // groups
  local to = spec[1][2]
  x = lax.move_axis(lax.reshape(x, shape), at, to)
  shape = copy(core.shape_of(x))
  shape[to + 1] = shape[to + 1] * table.remove(shape, to + 2)
  return lax.reshape(x, shape)
end

--- conv_general_dilated(lhs, rhs, window_strides, padding, ...)
function lax.conv_general_dilated(lhs, rhs, ...)
  local name = "conv_general_dilated"
  local o = args.named("lax." .. name, general, ...)
  local x, w = operands(name, lhs, rhs)
  local rank = #core.shape_of(x) - 2
  local spec = numbers_of(name, rank + 2, o.dimension_numbers)
  local p = {
    window_strides = per_axis(name, "window_strides", o.window_strides, rank),
    lhs_dilation = per_axis(name, "lhs_dilation", o.lhs_dilation, rank),
    rhs_dilation = per_axis(name, "rhs_dilation", o.rhs_dilation, rank),
    dimension_numbers = spec, feature_group_count = o.feature_group_count or 1,
    preferred_element_type = args.dtype(o.preferred_element_type, name)}
  local sizes, spans = {}, {}
  for d = 1, rank do
    sizes[d] = dilated(core.shape_of(x)[spec[1][d + 2] + 1], p.lhs_dilation[d])
    spans[d] = dilated(core.shape_of(w)[spec[2][d + 2] + 1], p.rhs_dilation[d])
  end
  if type(o.padding) == "string" and o.padding ~= "VALID" then
    for d = 1, rank do
      if p.lhs_dilation[d] ~= 1 then
        fail(name, "ValueError", "with lhs_dilation the padding is a pair " ..
             "{low, high} for each axis, not \"%s\"", o.padding)
      end
    end
  end
  p.padding = padding_of(name, o.padding, sizes, spans, p.window_strides)
  local groups = o.batch_group_count or 1
  if groups > 1 then
    if p.feature_group_count > 1 then
      fail(name, "ValueError", "feature_group_count and batch_group_count " ..
           "cannot both be greater than 1")
    end
    x = without_batch_groups(name, x, w, spec, groups)
    p.feature_group_count = groups
  end
  return prim.conv(p, x, w)
end

--- conv(lhs, rhs, window_strides, padding): axes NCHW and OIHW.
function lax.conv(lhs, rhs, window_strides, padding, precision, preferred)
  return lax.conv_general_dilated(lhs, rhs, window_strides, padding, nil, nil,
                                  nil, 1, 1, precision, preferred)
end

function lax.conv_with_general_padding(lhs, rhs, window_strides, padding,
                                       lhs_dilation, rhs_dilation)
  return lax.conv_general_dilated(lhs, rhs, window_strides, padding,
                                  lhs_dilation, rhs_dilation)
end

-- The padding of an image spread by its stride whose result is as large as the
-- convolution's input.
local function transposed_padding(name, k, stride, padding)
  if padding == "SAME" then
    local all = k + stride - 2
    local low = stride > k - 1 and k - 1 or (all + 1) // 2
    return {low, all - low}
  elseif padding == "VALID" then
    local all = k + stride - 2 + math.max(k - stride, 0)
    return {k - 1, all - (k - 1)}
  end
  fail(name, "ValueError", "padding is \"SAME\", \"VALID\" or a pair for " ..
       "each axis, not %s", tostring(padding))
end

--- conv_transpose(lhs, rhs, strides, padding, ...): axes NHWC and HWIO where
--- none are given.
function lax.conv_transpose(lhs, rhs, ...)
  local name = "conv_transpose"
  local o = args.named("lax." .. name, {"strides", "padding", "rhs_dilation",
    "dimension_numbers", "transpose_kernel", "precision",
    "preferred_element_type"}, ...)
  local x, w = operands(name, lhs, rhs)
  local rank = #core.shape_of(x) - 2
  local plain = {"NC", "NHC", "NHWC", "NHWDC"}
  local kernel = {"IO", "HIO", "HWIO", "HWDIO"}
  local spec = numbers_of(name, rank + 2, o.dimension_numbers or
    {plain[rank + 1], kernel[rank + 1], plain[rank + 1]})
  local strides = per_axis(name, "strides", o.strides, rank)
  local dilation = per_axis(name, "rhs_dilation", o.rhs_dilation, rank)
  local padding, space = o.padding, {}
  for d = 1, rank do space[d] = spec[2][d + 2] end
  if type(padding) == "string" then
    padding = {}
    for d = 1, rank do
      padding[d] = transposed_padding(name, dilated(
        core.shape_of(w)[space[d] + 1], dilation[d]), strides[d], o.padding)
    end
  end
  if o.transpose_kernel then
    w = lax.rev(w, space)
    local swapped = copy(spec[2])
    swapped[1], swapped[2] = spec[2][2], spec[2][1]
    spec = {spec[1], swapped, spec[3]}
  end
  return lax.conv_general_dilated(x, w, filled(rank, 1), padding, strides,
    dilation, spec, 1, 1, o.precision, o.preferred_element_type)
end

--- conv_general_dilated_patches(lhs, filter_shape, window_strides, padding):
--- the elements of each window as features, channel by channel.
function lax.conv_general_dilated_patches(lhs, filter_shape, ...)
  local name = "conv_general_dilated_patches"
  local o = args.named("lax." .. name, {"window_strides", "padding",
    "lhs_dilation", "rhs_dilation", "dimension_numbers"}, ...)
  local x = args.array(lhs, "lax." .. name)
  local rank = #core.shape_of(x) - 2
  local spec = numbers_of(name, rank + 2, o.dimension_numbers)
  local features = core.shape_of(x)[spec[1][2] + 1]
  local size = core.size(filter_shape)
  -- One kernel for each place in the window, the same ones for each channel.
  local w = jnp.reshape(jnp.eye(size, size, 0, core.dtype_of(x)),
    table.move(filter_shape, 1, #filter_shape, 3, {size, 1}))
  w = jnp.tile(w, table.move(filled(rank + 1, 1), 1, rank + 1, 2, {features}))
  local order = {}
  for i, d in ipairs(spec[2]) do order[d + 1] = i - 1 end
  return lax.conv_general_dilated(x, lax.transpose(w, order), o.window_strides,
    o.padding, o.lhs_dilation, o.rhs_dilation, spec, features)
end

-- ---- Windows ----

local monoids = {sum = {"add"}, max = {"max", "maximum"},
                 min = {"min", "minimum"}, prod = {"mul", "multiply"},
                 ["and"] = {"and", "bitwise_and", "logical_and"},
                 ["or"] = {"or", "bitwise_or", "logical_or"}}

-- Which reduction a function is that learners hand over: lax.add, jnp.maximum.
local function monoid_of(f)
  for kind, names in pairs(monoids) do
    for _, name in ipairs(names) do
      for _, module in ipairs{lax, jnp, use.np} do
        if f == rawget(module, name) then return kind end
      end
    end
  end
end

-- Whether folding with `init` changes nothing.
local function is_neutral(kind, init, t)
  local low, high = -math.huge, math.huge
  if t == "bool" then
    low, high = false, true
  elseif not t:find("^b?f") then
    low, high = args.limits(t)
  end
  local want = ({sum = 0, max = low, min = high})[kind]
  if t == "bool" and kind == "sum" then return false end
  return want ~= nil and init == want
end

local function number_of(x)
  if type(x) ~= "table" and type(x) ~= "userdata" then return x end
  if core.is_literal(x) then return x.value end
  if core.is_tracer(x) then return nil end
  return x:item()
end

-- Any function: the elements at each place of the windows, one after the other;
-- what pads the array takes no part.
local function fold_places(p, x, init, f)
  local config = {}
  for d = 1, #p.padding do
    config[d] = {p.padding[d][1], p.padding[d][2], p.base_dilation[d] - 1}
  end
  local inside = lax.pad(lax.full(core.shape_of(x), true, "bool"),
                         core.literal(false, "bool"), config)
  local start = args.as_type(args.value(init, "lax.reduce_window"),
                             core.dtype_of(x), false)
  x = lax.pad(x, start, config)
  local shape, counts = core.shape_of(x), {}
  for d, n in ipairs(shape) do
    counts[d] = math.max(0, (n - dilated(p.window_dimensions[d],
      p.window_dilation[d])) // p.window_strides[d] + 1)
  end
  local result = args.filled(start, counts)
  if core.size(counts) == 0 then return result end
  for place = 0, core.size(p.window_dimensions) - 1 do
    local from, to, rest = {}, {}, place
    for d = #shape, 1, -1 do
      from[d] = rest % p.window_dimensions[d] * p.window_dilation[d]
      to[d] = from[d] + dilated(counts[d], p.window_strides[d])
      rest = rest // p.window_dimensions[d]
    end
    result = lax.select(lax.slice(inside, from, to, p.window_strides),
                        f(result, lax.slice(x, from, to, p.window_strides)),
                        result)
  end
  return result
end

--- reduce_window(operand, init_value, computation, window_dimensions,
--- window_strides, padding, base_dilation, window_dilation)
function lax.reduce_window(operand, init_value, computation, ...)
  local name = "reduce_window"
  local o = args.named("lax." .. name, {"window_dimensions", "window_strides",
    "padding", "base_dilation", "window_dilation"}, ...)
  local x = args.array(operand, "lax." .. name)
  local shape, rank = core.shape_of(x), #core.shape_of(x)
  local p = {window_dimensions = per_axis(name, "window_dimensions",
                                          o.window_dimensions, rank)}
  for _, key in ipairs{"window_strides", "base_dilation",
                       "window_dilation"} do
    p[key] = per_axis(name, key, o[key], rank)
  end
  local sizes, spans = {}, {}
  for d = 1, rank do
    sizes[d] = dilated(shape[d], p.base_dilation[d])
    spans[d] = dilated(p.window_dimensions[d], p.window_dilation[d])
  end
  p.padding = padding_of(name, o.padding or "VALID", sizes, spans,
                         p.window_strides)
  local kind, init = monoid_of(computation), number_of(init_value)
  if kind and is_neutral(kind, init, core.dtype_of(x)) then
    return core.bind1("reduce_window_" .. kind, p, x)
  end
  return fold_places(p, x, init_value, computation)
end

-- Any associative function: halves of the axis are put together until one
-- element is left.
local function fold_axis(x, f, axis)
  local n = core.shape_of(x)[axis + 1]
  while n > 1 do
    local half = n // 2
    local both = f(lax.slice_in_dim(x, 0, half, 1, axis),
                   lax.slice_in_dim(x, half, 2 * half, 1, axis))
    if n % 2 == 1 then
      both = lax.concatenate({both, lax.slice_in_dim(x, n - 1, n, 1, axis)},
                             axis)
    end
    x, n = both, half + n % 2
  end
  return lax.squeeze(x, {axis})
end

--- reduce(operand, init_value, computation, dimensions)
function lax.reduce(operand, init_value, computation, dimensions)
  local x = args.array(operand, "lax.reduce")
  local axes = args.axes(dimensions, #core.shape_of(x), "lax.reduce")
  local init = args.as_type(args.value(init_value, "lax.reduce"),
                            core.dtype_of(x), false)
  local kind = monoid_of(computation)
  if kind and (kind ~= "sum" or core.dtype_of(x) ~= "bool") then
    local whole = lax["reduce_" .. kind](x, axes)
    if is_neutral(kind, number_of(init_value), core.dtype_of(x)) then
      return whole
    end
    return computation(args.filled(init, core.shape_of(whole)), whole)
  end
  for i = #axes, 1, -1 do
    if core.shape_of(x)[axes[i] + 1] == 0 then
      local shape = copy(core.shape_of(x))
      table.remove(shape, axes[i] + 1)
      x = args.filled(init, shape)
    else
      x = fold_axis(x, computation, axes[i])
    end
  end
  return computation(args.filled(init, core.shape_of(x)), x)
end
