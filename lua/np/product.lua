-- SPDX-License-Identifier: Apache-2.0
-- einsum, in terms of np.matmul.
local np, fail, _, core = ...


local function unwrap(x)
  if x.ndim == 0 then return x:item() end
  return x
end

local function append(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

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
