-- SPDX-License-Identifier: Apache-2.0
-- jnp.einsum: products summed over letters, two terms at a time.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local args = use("core/args")
local jnp = use.jnp
local M = {}

local contract = args.contract
local function shape_of(x) return core.shape_of(x) end

local function letters_of(text)
  local list = {}
  for c in text:gmatch("%S") do list[#list + 1] = c end
  return list
end

local function has(list, c)
  for i, v in ipairs(list) do
    if v == c then return i end
  end
end

-- "ij,jk->ik" as lists of letters. Dots stand for axes of their own: capital
-- letters that the text does not use.
local function parse(text, operands)
  local inputs_text, output_text = text:match("^(.-)%->(.*)$")
  inputs_text = inputs_text or text
  local inputs, i = {}, 0
  local spare = {}
  for c in ("ZYXWVUTSRQPONMLKJIHGFEDCBA"):gmatch(".") do
    if not text:find(c, 1, true) then spare[#spare + 1] = c end
  end
  local most = 0
  for part in (inputs_text .. ","):gmatch("(.-),") do
    i = i + 1
    local x = operands[i]
    if not x then
      args.fail("einsum", "ValueError", "%q has more terms than operands", text)
    end
    local rank = #shape_of(x)
    if part:find("...", 1, true) then
      local named = #letters_of((part:gsub("%.%.%.", "")))
      local free = rank - named
      if free < 0 then
        args.fail("einsum", "ValueError", "term %q is for more axes than %d",
                  part,
                  rank)
      end
      most = math.max(most, free)
      part = part:gsub("%.%.%.", function()
        local names = {}
        for k = free, 1, -1 do names[#names + 1] = spare[k] end
        return table.concat(names)
      end)
    end
    inputs[i] = letters_of(part)
    if #inputs[i] ~= rank then
      args.fail("einsum", "ValueError",
                "term %q has %d letters, and operand %d " ..
                "has %d axes", part, #inputs[i], i - 1, rank)
    end
  end
  if i ~= #operands then
    args.fail("einsum", "ValueError", "%q has %d terms for %d operands", text,
              i,
              #operands)
  end
  local dots = {}
  for k = most, 1, -1 do dots[#dots + 1] = spare[k] end
  local output
  if output_text then
    output = letters_of((output_text:gsub("%.%.%.", table.concat(dots))))
  else
    -- Letters that occur once, in their order, behind the dots.
    local count, names = {}, {}
    for _, list in ipairs(inputs) do
      for _, c in ipairs(list) do
        count[c] = (count[c] or 0) + 1
        if count[c] == 1 and not has(dots, c) then names[#names + 1] = c end
      end
    end
    table.sort(names)
    output = args.copy(dots)
    for _, c in ipairs(names) do
      if count[c] == 1 then output[#output + 1] = c end
    end
  end
  return inputs, output
end

-- A letter twice in one term: its diagonal.
local function without_repeats(x, names)
  local i = 1
  while i <= #names do
    local j
    for k = i + 1, #names do
      if names[k] == names[i] then j = k end
    end
    if j then
      if shape_of(x)[i] ~= shape_of(x)[j] then
        args.fail("einsum", "ValueError", "axis %q has the sizes %d and %d",
                  names[i], shape_of(x)[i], shape_of(x)[j])
      end
      x = jnp.diagonal(x, {axis1 = i - 1, axis2 = j - 1})
      local c = names[i]
      table.remove(names, j)
      table.remove(names, i)
      names[#names + 1] = c
    else
      i = i + 1
    end
  end
  return x, names
end

-- The sum over letters that nobody else needs.
local function summed(x, names, needed)
  local axes, left = {}, {}
  for i, c in ipairs(names) do
    if needed[c] then left[#left + 1] = c else axes[#axes + 1] = i - 1 end
  end
  if #axes == 0 then return x, names end
  if core.dtype_of(x) == "bool" then return lax.reduce_or(x, axes), left end
  return lax.reduce_sum(x, axes), left
end

-- Two terms become one: letters of both that the rest needs are batch axes,
-- those that it does not are contracted.
local function pair(x, xn, y, yn, needed)
  local lc, rc, lb, rb, names = {}, {}, {}, {}, {}
  -- A size of 1 is broadcast: it is not an axis of the product.
  for _, side in ipairs{1, 2} do
    local z, zn, other, on = x, xn, y, yn
    if side == 2 then z, zn, other, on = y, yn, x, xn end
    for i = #zn, 1, -1 do
      local j = has(on, zn[i])
      if j and shape_of(z)[i] == 1 and shape_of(other)[j] ~= 1 then
        z = lax.squeeze(z, {i - 1})
        zn = args.copy(zn)
        table.remove(zn, i)
      end
    end
    if side == 1 then x, xn = z, zn else y, yn = z, zn end
  end
  for i, c in ipairs(xn) do
    local j = has(yn, c)
    if j then
      if shape_of(x)[i] ~= shape_of(y)[j] then
        args.fail("einsum", "ValueError", "axis %q has the sizes %d and %d", c,
                  shape_of(x)[i], shape_of(y)[j])
      end
      if needed[c] then
        lb[#lb + 1], rb[#rb + 1] = i - 1, j - 1
        names[#names + 1] = c
      else
        lc[#lc + 1], rc[#rc + 1] = i - 1, j - 1
      end
    end
  end
  for _, c in ipairs(xn) do
    if not has(yn, c) then names[#names + 1] = c end
  end
  for _, c in ipairs(yn) do
    if not has(xn, c) then names[#names + 1] = c end
  end
  return contract(x, y, {{lc, rc}, {lb, rb}}), names
end

--- einsum("ij,jk->ik", x, y): products summed over the letters that are not in
--- the result.
function M.einsum(text, ...)
  if type(text) ~= "string" then
    args.fail("einsum", "TypeError", "the first argument is text such as " ..
              "\"ij,jk->ik\", not a %s", type(text))
  end
  local operands = {...}
  if args.is_list(operands[1]) then operands = args.copy(operands[1]) end
  operands = args.promoted("einsum", operands)
  for i, x in ipairs(operands) do operands[i] = args.array(x, "einsum") end
  local terms, output = parse(text, operands)
  local known = {}
  for _, names in ipairs(terms) do
    for _, c in ipairs(names) do known[c] = true end
  end
  for i, c in ipairs(output) do
    if not known[c] or has(output, c) ~= i then
      args.fail("einsum", "ValueError", "%q in the result of %q is %s", c, text,
                known[c] and "there twice" or "in no term")
    end
  end
  local function needed_by(from)
    local needed = {}
    for _, c in ipairs(output) do needed[c] = true end
    for i = from, #terms do
      for _, c in ipairs(terms[i]) do needed[c] = true end
    end
    return needed
  end
  for i, x in ipairs(operands) do
    operands[i], terms[i] = without_repeats(x, terms[i])
  end
  -- Letters of one term alone are summed before anything else.
  for i, x in ipairs(operands) do
    local needed = {}
    for _, c in ipairs(output) do needed[c] = true end
    for k, names in ipairs(terms) do
      for _, c in ipairs(names) do needed[c] = needed[c] or k ~= i end
    end
    operands[i], terms[i] = summed(x, terms[i], needed)
  end
  local x, names = operands[1], terms[1]
  for i = 2, #operands do
    x, names = pair(x, names, operands[i], terms[i], needed_by(i + 1))
    x, names = summed(x, names, needed_by(i + 1))
  end
  local order = {}
  for i, c in ipairs(output) do order[i] = has(names, c) - 1 end
  return lax.transpose(x, order)
end

return M
