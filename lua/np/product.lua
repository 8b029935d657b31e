-- SPDX-License-Identifier: Apache-2.0
-- Products of arrays in terms of np.matmul: dot, tensordot, einsum and their
-- family; convolution; polynomials.
local np, fail, method, core = ...
local shape_text = core.shape_text

local function define(name, names, f) core.define(np, name, names, f) end

local function unwrap(x)
  if x.ndim == 0 then return x:item() end
  return x
end

local function append(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

-- ---- Contractions of two arrays ----

-- Sums over the axes `ca` of a and `cb` of b, those of the result being what
-- is left of a, then of b.
local function contract(a, b, ca, cb)
  local function rest(x, axes)
    local is_used, free = {}, {}
    for _, d in ipairs(axes) do is_used[d] = true end
    for d = 0, x.ndim - 1 do
      if not is_used[d] then free[#free + 1] = d end
    end
    return free
  end
  local function sizes(x, axes)
    local out, shape = {}, x.shape
    for i, d in ipairs(axes) do out[i] = shape[d + 1] end
    return out
  end
  local fa, fb = rest(a, ca), rest(b, cb)
  local na, nb, k = sizes(a, fa), sizes(b, fb), core.size(sizes(a, ca))
  local x = np.transpose(a, append(fa, ca)):reshape({core.size(na), k})
  local y = np.transpose(b, append(cb, fb)):reshape({k, core.size(nb)})
  return unwrap(np.matmul(x, y):reshape(append(na, nb)))
end

local function is_number(x)
  return type(x) == "number" or type(x) == "boolean"
end

define("dot", {"a", "b"}, function(a, b)
  local product = core.dot_lines(a, b)
  if product then return product end
  if is_number(a) or is_number(b) then return np.multiply(a, b) end
  a, b = np.asarray(a), np.asarray(b)
  if a.ndim == 0 or b.ndim == 0 then return np.multiply(a, b) end
  local last, inner = a.ndim - 1, math.max(b.ndim - 2, 0)
  if a.shape[last + 1] ~= b.shape[inner + 1] then
    fail(("dot: sizes differ: axis %d of %s and axis %d of %s"):format(last,
      shape_text(a.shape), inner, shape_text(b.shape)))
  end
  if a.ndim <= 2 and b.ndim <= 2 then return np.matmul(a, b) end
  return contract(a, b, {last}, {inner})
end)

method "dot"

define("vdot", {"a", "b"}, function(a, b)
  a, b = np.ravel(np.asarray(a)), np.ravel(np.asarray(b))
  if a.size ~= b.size then
    fail(("vdot: %d and %d elements"):format(a.size, b.size))
  end
  return np.matmul(a, b)
end)

define("inner", {"a", "b"}, function(a, b)
  a, b = np.asarray(a), np.asarray(b)
  if a.ndim == 0 or b.ndim == 0 then return np.multiply(a, b) end
  if a.shape[a.ndim] ~= b.shape[b.ndim] then
    fail(("inner: the last axes of shapes %s and %s differ"):format(
      shape_text(a.shape), shape_text(b.shape)))
  end
  return contract(a, b, {a.ndim - 1}, {b.ndim - 1})
end)

define("outer", {"a", "b"}, function(a, b)
  a, b = np.ravel(np.asarray(a)), np.ravel(np.asarray(b))
  return np.multiply(a:reshape(-1, 1), b)
end)

define("tensordot", {"a", "b", "axes"}, function(a, b, axes)
  a, b = np.asarray(a), np.asarray(b)
  axes = axes == nil and 2 or axes
  local ca, cb = {}, {}
  if type(axes) == "number" then
    if axes > a.ndim or axes > b.ndim then
      fail(("tensordot: %d axes of shapes %s and %s"):format(axes,
        shape_text(a.shape), shape_text(b.shape)))
    end
    for i = 1, axes do
      ca[i], cb[i] = a.ndim - axes + i - 1, i - 1
    end
  else
    ca = core.axes("tensordot", axes[1], a.ndim)
    cb = core.axes("tensordot", axes[2], b.ndim)
  end
  local is_wrong = #ca ~= #cb
  for i = 1, math.min(#ca, #cb) do
    is_wrong = is_wrong or a.shape[ca[i] + 1] ~= b.shape[cb[i] + 1]
  end
  if is_wrong then
    fail(("tensordot: the axes {%s} of %s and {%s} of %s differ"):format(
      table.concat(ca, ", "), shape_text(a.shape), table.concat(cb, ", "),
      shape_text(b.shape)))
  end
  return contract(a, b, ca, cb)
end)

define("kron", {"a", "b"}, function(a, b)
  a, b = np.asarray(a), np.asarray(b)
  local s, t = a.shape, b.shape
  while #s < #t do table.insert(s, 1, 1) end
  while #t < #s do table.insert(t, 1, 1) end
  local x, y, whole = {}, {}, {}
  for d = 1, #s do
    x[2 * d - 1], x[2 * d] = s[d], 1
    y[2 * d - 1], y[2 * d] = 1, t[d]
    whole[d] = s[d] * t[d]
  end
  if #s == 0 then return np.multiply(a, b) end
  return np.multiply(a:reshape(x), b:reshape(y)):reshape(whole)
end)

define("cross", {"a", "b", "axisa", "axisb", "axisc", "axis"},
       function(a, b, axisa, axisb, axisc, axis)
  a, b = np.asarray(a), np.asarray(b)
  if a.ndim == 0 or b.ndim == 0 then
    fail("cross: a number is no vector")
  end
  a = np.moveaxis(a, axis or axisa or -1, -1)
  b = np.moveaxis(b, axis or axisb or -1, -1)
  if a.shape[a.ndim] ~= 3 or b.shape[b.ndim] ~= 3 then
    fail(("cross: shapes %s and %s: the vectors must have 3 items"):format(
      shape_text(a.shape), shape_text(b.shape)))
  end
  local function item(x, i) return x["..., " .. i] end
  local out = {}
  for i = 0, 2 do
    local j, k = (i + 1) % 3, (i + 2) % 3
    out[i + 1] = np.asarray(item(a, j) * item(b, k) - item(a, k) * item(b, j))
  end
  out = np.stack(out, -1):astype(np.promote_types(a.dtype, b.dtype))
  return np.moveaxis(out, -1, axis or axisc or -1)
end)

-- ---- einsum ----
-- A term is {array, labels}: one label an axis. Axes under "..." have the
-- labels "...1", "...2", counted from the right, so that they line up.

local function bad(text, why, ...)
  fail(("einsum: \"%s\": "):format(text) .. why:format(...))
end

local function parse_labels(text, subscripts, ndim)
  local labels, dots, count = {}, nil, 0
  local i = 1
  while i <= #subscripts do
    local c = subscripts:sub(i, i)
    if subscripts:sub(i, i + 2) == "..." and not dots then
      dots = #labels
      i = i + 3
    elseif c:find("%a") then
      labels[#labels + 1] = c
      count = count + 1
      i = i + 1
    else
      bad(text, "`%s` is no letter and no \"...\"", c)
    end
  end
  if ndim and (dots and count > ndim or not dots and count ~= ndim) then
    bad(text, "\"%s\" names %d axes and that array has %d", subscripts, count,
        ndim)
  end
  return labels, dots, count
end

-- Puts `n` labels where the "..." was.
local function with_dots(labels, dots, n)
  for k = 1, n do table.insert(labels, dots + 1, "..." .. k) end
  return labels
end

local function parse_inputs(text, inputs, arrays)
  local terms, most = {}, 0
  for one in (inputs .. ","):gmatch("([^,]*),") do
    local a = arrays[#terms + 1]
    if not a then bad(text, "it has more terms than there are arrays") end
    local labels, dots, count = parse_labels(text, one, a.ndim)
    if dots then
      with_dots(labels, dots, a.ndim - count)
      most = math.max(most, a.ndim - count)
    end
    terms[#terms + 1] = {array = a, labels = labels}
  end
  if #terms < #arrays then
    bad(text, "%d terms for %d arrays", #terms, #arrays)
  end
  return terms, most
end

-- Without "->": the dots, then what occurs once, in the alphabet's order.
local function implicit_output(terms, most)
  local counts, labels = {}, {}
  for _, term in ipairs(terms) do
    for _, l in ipairs(term.labels) do counts[l] = (counts[l] or 0) + 1 end
  end
  for l, n in pairs(counts) do
    if n == 1 and #l == 1 then labels[#labels + 1] = l end
  end
  table.sort(labels)
  return with_dots(labels, 0, most)
end

-- The size of each label; an axis of 1 goes with every size.
local function sizes_of(text, terms)
  local sizes = {}
  for _, term in ipairs(terms) do
    local shape = term.array.shape
    for d, l in ipairs(term.labels) do
      local known = sizes[l]
      if known and known ~= 1 and shape[d] ~= 1 and known ~= shape[d] then
        bad(text, "`%s` is %d long in one array and %d in another", l, known,
            shape[d])
      end
      if not known or known == 1 then sizes[l] = shape[d] end
    end
  end
  return sizes
end

local function index_of(labels, l)
  for i, other in ipairs(labels) do
    if other == l then return i end
  end
end

-- Drops stretched axes of 1 and takes the diagonal of labels that repeat.
local function normal(term, sizes)
  local a, labels = term.array, {}
  for d = #term.labels, 1, -1 do
    local l = term.labels[d]
    if a.shape[d] == 1 and sizes[l] ~= 1 then
      a = np.squeeze(a, d - 1)
    else
      table.insert(labels, 1, l)
    end
  end
  local i = 1
  while i <= #labels do
    local l = table.remove(labels, i)
    local j = index_of(labels, l)
    if j then
      table.remove(labels, j)
      labels[#labels + 1] = l
      a = core.diagonal(a, i - 1, j)
      i = 1
    else
      table.insert(labels, i, l)
      i = i + 1
    end
  end
  return {array = a, labels = labels}
end

-- Which labels terms other than these two, or the output, have.
local function needed(terms, i, j, output)
  local is_needed = {}
  for _, l in ipairs(output) do is_needed[l] = true end
  for k, term in ipairs(terms) do
    if k ~= i and k ~= j then
      for _, l in ipairs(term.labels) do is_needed[l] = true end
    end
  end
  return is_needed
end

-- Sums over the labels that only this term has.
local function sum_alone(terms, i, output)
  local term, is_needed = terms[i], needed(terms, i, i, output)
  local axes, labels = {}, {}
  for d, l in ipairs(term.labels) do
    if is_needed[l] then
      labels[#labels + 1] = l
    else
      axes[#axes + 1] = d - 1
    end
  end
  if #axes == 0 then return term end
  return {array = np.asarray(np.sum(term.array, axes)), labels = labels}
end

-- The array with its axes in the order of these labels, then in `shape`.
local function arranged(term, labels, shape)
  local order = {}
  for k, l in ipairs(labels) do order[k] = index_of(term.labels, l) - 1 end
  return np.transpose(term.array, order):reshape(shape)
end

local function sizes_in(labels, sizes)
  local out = {}
  for i, l in ipairs(labels) do out[i] = sizes[l] end
  return out
end

-- One product of two terms, summed over what nobody else needs: stacks of
-- matrices (labels in both that stay), rows, columns, and the inner axis.
local function contract_terms(terms, i, j, output, sizes)
  local is_needed = needed(terms, i, j, output)
  local x, y = terms[i], terms[j]
  local stack, inner, rows, columns = {}, {}, {}, {}
  for _, l in ipairs(x.labels) do
    local to = not index_of(y.labels, l) and rows or is_needed[l] and stack or
               inner
    to[#to + 1] = l
  end
  for _, l in ipairs(y.labels) do
    if not index_of(x.labels, l) then columns[#columns + 1] = l end
  end
  local function count(labels) return core.size(sizes_in(labels, sizes)) end
  local b, m, n, k = count(stack), count(rows), count(columns), count(inner)
  local left = arranged(x, append(append(stack, rows), inner), {b, m, k})
  local right = arranged(y, append(append(stack, inner), columns), {b, k, n})
  local labels = append(append(stack, rows), columns)
  local out = #inner == 0 and np.multiply(left, right) or
              np.matmul(left, right)
  return {array = out:reshape(sizes_in(labels, sizes)), labels = labels}
end

-- The pair whose product costs least, the first of equals.
local function cheapest(terms, sizes)
  local best, bi, bj
  for i = 1, #terms do
    for j = i + 1, #terms do
      local cost, seen = 1, {}
      for _, l in ipairs(append(terms[i].labels, terms[j].labels)) do
        if not seen[l] then
          seen[l] = true
          cost = cost * sizes[l]
        end
      end
      if not best or cost < best then best, bi, bj = cost, i, j end
    end
  end
  return bi, bj
end

local function check_output(text, output, sizes)
  local seen = {}
  for _, l in ipairs(output) do
    if seen[l] then bad(text, "`%s` occurs twice in the result", l) end
    if not sizes[l] then bad(text, "`%s` of the result is in no array", l) end
    seen[l] = true
  end
end

function np.einsum(text, ...)
  if type(text) ~= "string" then
    fail("einsum: the first argument says how: \"ij,jk->ik\"")
  end
  local arrays, dtype = {...}, nil
  if type(arrays[#arrays]) == "table" and next(arrays[#arrays])
      and #arrays[#arrays] == 0 then
    arrays[#arrays] = nil -- {optimize = ...}: the order is always chosen
  end
  for i, a in ipairs(arrays) do
    arrays[i] = np.asarray(a)
    dtype = dtype and np.promote_types(dtype, arrays[i].dtype) or
            arrays[i].dtype
  end
  if #arrays == 0 then fail("einsum: there is no array") end
  for i, a in ipairs(arrays) do -- products of some may not fit their own type
    if a.dtype ~= dtype then arrays[i] = a:astype(dtype) end
  end
  local plain = text:gsub("%s", "")
  local inputs, result = plain:match("^(.-)%->(.*)$")
  local terms, most = parse_inputs(text, inputs or plain, arrays)
  local sizes = sizes_of(text, terms)
  local output
  if result then
    local labels, dots = parse_labels(text, result)
    output = dots and with_dots(labels, dots, most) or labels
    check_output(text, output, sizes)
  else
    output = implicit_output(terms, most)
  end
  for i, term in ipairs(terms) do terms[i] = normal(term, sizes) end
  for i in ipairs(terms) do terms[i] = sum_alone(terms, i, output) end
  while #terms > 1 do
    local i, j = cheapest(terms, sizes)
    terms[i] = contract_terms(terms, i, j, output, sizes)
    table.remove(terms, j)
  end
  local out = arranged(terms[1], output, sizes_in(output, sizes))
  if out.dtype ~= dtype then out = out:astype(dtype) end
  return unwrap(out)
end

-- ---- Convolution ----

local widths = {
  full = function(n) return n - 1, n - 1 end,
  same = function(n) return n // 2, n - n // 2 - 1 end,
  valid = function() return 0, 0 end,
}

local function one_axis(name, x)
  x = np.asarray(x)
  if x.ndim == 0 then x = x:reshape(1) end
  if x.ndim ~= 1 then
    fail(("%s: the arrays must have one axis; one has %d"):format(name,
                                                                  x.ndim))
  end
  if x.size == 0 then fail(name .. ": an array is empty") end
  return x
end

-- b, the shorter one, against each stretch of a.
local function slide(name, a, b, mode)
  local width = widths[mode]
  if not width then
    fail(("%s: there is no mode \"%s\": full, same and valid are"):format(
      name, tostring(mode)))
  end
  local before, after = width(b.size)
  return core.slide(a, b, before, after)
end

define("convolve", {"a", "v", "mode"}, function(a, v, mode)
  a, v = one_axis("convolve", a), one_axis("convolve", v)
  if v.size > a.size then a, v = v, a end
  return slide("convolve", a, np.flip(v), mode or "full")
end)

define("correlate", {"a", "v", "mode"}, function(a, v, mode)
  a, v = one_axis("correlate", a), one_axis("correlate", v)
  if v.size > a.size then
    return np.flip(slide("correlate", v, a, mode or "valid")):copy()
  end
  return slide("correlate", a, v, mode or "valid")
end)

-- ---- Polynomials ----

define("polyval", {"p", "x"}, function(p, x)
  p = np.asarray(p)
  if type(x) == "table" then x = np.asarray(x) end
  local y = np.multiply(x, 0)
  for i = 0, p.size - 1 do y = y * x + p[i] end
  return y
end)
