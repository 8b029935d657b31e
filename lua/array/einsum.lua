-- SPDX-License-Identifier: Apache-2.0
-- For np and jnp: einsum, a product of two arrays after the other. Gives the
-- function; loaded when it is first called.

local function append(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

-- ---- Subscripts ----
-- A term is {array, labels}: one label an axis. Axes under "..." have the
-- labels "...1", "...2", counted from the right, so that they line up.

local function bad(lib, text, why, ...)
  lib.fail("einsum", "ValueError", "\"%s\": " .. why, text, ...)
end

local function parse_labels(lib, text, subscripts, ndim)
  local labels, dots, count = {}, nil, 0
  local i = 1
  while i <= #subscripts do
    local c = subscripts:sub(i, i)
    if subscripts:sub(i, i + 2) == "..." and not dots then
      dots = #labels
      i = i + 3
    elseif c:find(lib.either("%a", "[^.]")) then
      labels[#labels + 1] = c
      count = count + 1
      i = i + 1
    else
      bad(lib, text, "`%s` is no letter and no \"...\"", c)
    end
  end
  if ndim and (dots and count > ndim or not dots and count ~= ndim) then
    bad(lib, text, "\"%s\" names %d axes and that array has %d", subscripts,
        count, ndim)
  end
  return labels, dots, count
end

-- Puts `n` labels where the "..." was.
local function with_dots(labels, dots, n)
  for k = 1, n do table.insert(labels, dots + 1, "..." .. k) end
  return labels
end

local function parse_inputs(lib, text, inputs, arrays)
  local terms, most = {}, 0
  for one in (inputs .. ","):gmatch("([^,]*),") do
    local a = arrays[#terms + 1]
    if not a then bad(lib, text, "it has more terms than there are arrays") end
    local labels, dots, count = parse_labels(lib, text, one, a.ndim)
    if dots then
      with_dots(labels, dots, a.ndim - count)
      most = math.max(most, a.ndim - count)
    end
    terms[#terms + 1] = {array = a, labels = labels}
  end
  if #terms < #arrays then
    bad(lib, text, "%d terms for %d arrays", #terms, #arrays)
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
local function sizes_of(lib, text, terms)
  local sizes = {}
  for _, term in ipairs(terms) do
    local shape, own = term.array.shape, {}
    for d, l in ipairs(term.labels) do
      local known = sizes[l]
      if own[l] and own[l] ~= shape[d] then
        bad(lib, text, "`%s` is %d long and %d long in one array, and only a "
            .. "square has a diagonal", l, own[l], shape[d])
      end
      own[l] = shape[d]
      if known and known ~= 1 and shape[d] ~= 1 and known ~= shape[d] then
        bad(lib, text, "`%s` is %d long in one array and %d in another", l,
            known, shape[d])
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
local function normal(lib, term, sizes)
  local a, labels = term.array, {}
  for d = #term.labels, 1, -1 do
    local l = term.labels[d]
    if a.shape[d] == 1 and sizes[l] ~= 1 then
      a = lib.drop_axes(a, {d - 1})
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
      a = lib.diagonal(a, 0, i - 1, j)
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
local function sum_alone(lib, terms, i, output)
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
  return {array = lib.sum_over(term.array, axes), labels = labels}
end

-- One product of two terms, summed over what nobody else needs; the labels in
-- both that stay come first.
local function contract_terms(lib, terms, i, j, output)
  local is_needed = needed(terms, i, j, output)
  local x, y = terms[i].labels, terms[j].labels
  local stack, rows, columns = {}, {}, {}
  local inner_x, inner_y, stack_x, stack_y = {}, {}, {}, {}
  for d, l in ipairs(x) do
    local at = index_of(y, l)
    if not at then
      rows[#rows + 1] = l
    elseif is_needed[l] then
      stack[#stack + 1] = l
      stack_x[#stack], stack_y[#stack] = d - 1, at - 1
    else
      inner_x[#inner_x + 1], inner_y[#inner_y + 1] = d - 1, at - 1
    end
  end
  for _, l in ipairs(y) do
    if not index_of(x, l) then columns[#columns + 1] = l end
  end
  return {
    array = lib.contract_stacks(terms[i].array, terms[j].array, inner_x,
                                inner_y, stack_x, stack_y),
    labels = append(append(stack, rows), columns),
  }
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

local function check_output(lib, text, output, sizes)
  local seen = {}
  for _, l in ipairs(output) do
    if seen[l] then bad(lib, text, "`%s` occurs twice in the result", l) end
    if not sizes[l] then
      bad(lib, text, "`%s` of the result is in no array", l)
    end
    seen[l] = true
  end
end

-- The terms, the labels of the result, and the sizes of all.
local function parse(lib, text, arrays)
  local plain = text:gsub("%s", "")
  local inputs, result = plain:match("^(.-)%->(.*)$")
  local terms, most = parse_inputs(lib, text, inputs or plain, arrays)
  local sizes = sizes_of(lib, text, terms)
  if not result then return terms, implicit_output(terms, most), sizes end
  local labels, dots = parse_labels(lib, text, result)
  local output = dots and with_dots(labels, dots, most) or labels
  check_output(lib, text, output, sizes)
  return terms, output, sizes
end

return function(lib, text, ...)
  if type(text) ~= "string" then
    lib.fail("einsum", "TypeError",
             "the first argument says how: \"ij,jk->ik\"")
  end
  local arrays = lib.terms("einsum", ...)
  if #arrays == 0 then
    lib.fail("einsum", "ValueError", "there is no array")
  end
  local t = arrays[1].dtype
  local terms, output, sizes = parse(lib, text, arrays)
  for i, term in ipairs(terms) do terms[i] = normal(lib, term, sizes) end
  for i in ipairs(terms) do terms[i] = sum_alone(lib, terms, i, output) end
  while #terms > 1 do
    local i, j = cheapest(terms, sizes)
    terms[i] = contract_terms(lib, terms, i, j, output)
    table.remove(terms, j)
  end
  local order, out = {}, terms[1].array
  for k, l in ipairs(output) do
    order[k] = index_of(terms[1].labels, l) - 1
  end
  out = lib.transpose(out, order)
  return lib.plain(out.dtype ~= t and lib.cast(out, t) or out)
end
