-- SPDX-License-Identifier: Apache-2.0
-- A line of Python, JavaScript or C as Lua: what the prompt shows under its
-- sentence (repl/eval/python.c). Translates as far as it goes and gives up
-- else: what it returns is Lua that compiles, or nothing.
--
-- Reading order: tokens, a tree of brackets, expressions, statements.

-- ---- Tokens ----

-- {text, kind}: "name", "number", "text", "format" (f"..."), "sign".
local signs = {"...", "**=", "//=", "<<<", ">>>", "**", "//", "==", "!=", "<>",
  "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "<<", ">>",
  "->", "=>", "..", "~=", ":="}

local function quoted_end(line, at)
  local quote = line:sub(at, at)
  local stop = at + 1
  while stop <= #line and line:sub(stop, stop) ~= quote do
    stop = stop + (line:sub(stop, stop) == "\\" and 2 or 1)
  end
  return stop <= #line and stop or nil
end

local function sign_at(line, at)
  for _, sign in ipairs(signs) do
    if line:sub(at, at + #sign - 1) == sign then return sign end
  end
  return line:sub(at, at)
end

local function tokens_of(line)
  local list, at = {}, 1
  while at <= #line do
    local blank = line:match("^%s+", at)
    local format = line:match("^[fF](['\"])", at)
    local name = line:match("^[%a_][%w_]*", at)
    local number = line:match("^0[xX]%x+", at) or
      line:match("^%d+%.?%d*[eE][+-]?%d+", at) or
      line:match("^%d+%.%d*", at) or line:match("^%d+", at)
    -- 2.0f and 3u of C
    local suffix = number and line:match("^[fFuUlL]+%f[^%w_]", at + #number)
    if blank then
      at = at + #blank
    elseif format or line:find("^['\"]", at) then
      local stop = quoted_end(line, at + (format and 1 or 0))
      if not stop then return nil end
      list[#list + 1] = {text = line:sub(at, stop),
        kind = format and "format" or "text"}
      at = stop + 1
    else
      local text = name or number or sign_at(line, at)
      if text == "#" then return nil end -- a comment, or a length of Lua
      list[#list + 1] = {text = text,
        kind = name and "name" or number and "number" or "sign"}
      at = at + #text + #(suffix or "")
    end
  end
  return list
end

-- ---- Brackets ----

local closing = {["("] = ")", ["["] = "]", ["{"] = "}"}

-- The tokens from `at` to the bracket that closes them, those in brackets as
-- one {open, items}; nil where the brackets do not fit.
local function tree_of(list, at, stop)
  local items = {}
  while list[at] do
    local token = list[at]
    if token.kind == "sign" and token.text == stop then return items, at end
    if token.kind == "sign" and closing[token.text] then
      local inner, last = tree_of(list, at + 1, closing[token.text])
      if not inner then return nil end
      items[#items + 1] = {kind = "group", text = token.text, items = inner}
      at = last
    elseif token.kind == "sign" and token.text:find("^[)%]}]$") then
      return nil
    else
      items[#items + 1] = token
    end
    at = at + 1
  end
  if stop then return nil end
  return items, at
end

local function is(item, text)
  return item and item.kind ~= "text" and item.text == text and
    item.kind ~= "format"
end

local function slice(items, first, last)
  return table.move(items, first, last or #items, 1, {})
end

local function find(items, text, from)
  for i = from or 1, #items do
    if is(items[i], text) then return i end
  end
end

local function split(items, text)
  local parts, from = {}, 1
  for i = 1, #items + 1 do
    if i > #items or is(items[i], text) then
      parts[#parts + 1] = slice(items, from, i - 1)
      from = i + 1
    end
  end
  return parts
end

-- May a call or an index follow it?
local not_values = {["and"] = true, ["or"] = true, ["not"] = true,
  ["in"] = true, ["is"] = true, ["return"] = true, ["if"] = true,
  ["else"] = true, ["print"] = false}
local function is_value(item)
  return item ~= nil and item.kind ~= "sign" and not not_values[item.text]
end

-- ---- Expressions ----

local words = {["!="] = "~=", ["<>"] = "~=", ["**"] = "^", ["&&"] = "and",
  ["||"] = "or", ["!"] = "not", True = "true", False = "false", None = "nil",
  null = "nil", undefined = "nil"}

local kind_of -- of a variable's value: "array", "text", "table" or nothing
local has_methods = {array = true, text = true}

local expression

local function expressions(parts)
  local out = {}
  for i, part in ipairs(parts) do
    if #part == 0 and i < #parts then return nil end
    if #part > 0 then
      out[#out + 1] = expression(part)
      if not out[#out] then return nil end
    end
  end
  return out
end

local function joined(parts)
  local list = expressions(parts)
  return list and table.concat(list, ", ")
end

-- f"a {b:.2f}" -> ("a %.2f"):format(b)
local function from_format(text)
  local quote, body = text:sub(2, 2), text:sub(3, -2)
  local values, fine = {}, true
  body = body:gsub("%%", "%%%%"):gsub("{([^{}]+)}", function(inside)
    local value, spec = inside:match("^(.-):([^:]*)$")
    local list = tokens_of(value or inside)
    local tree = list and tree_of(list, 1)
    values[#values + 1] = tree and expression(tree)
    spec = spec or ""
    if not (tree and values[#values] and
        spec:find("^[-+0]?%d*%.?%d*[dfegxs]?$")) then
      fine = false
    end
    return "%" .. (spec:find("%a$") and spec or spec .. "s")
  end)
  if not fine or body:find("[{}]") then return nil end
  if #values == 0 then return quote .. body .. quote end
  return ("(%s%s%s):format(%s)"):format(quote, body, quote,
    table.concat(values, ", "))
end

-- "{} and {}".format(a, b): the text in Lua's way.
local function braces_to_percent(text)
  return (text:gsub("%%", "%%%%"):gsub("{:([%d.]*[dfegxs]?)}", "%%%1")
    :gsub("{%d*}", "%%s"))
end

-- x[1:3, i] -> x["1:3, " .. i]
local function from_index(owner, items, is_launch)
  if is_launch and find(items, ",") and kind_of(owner) ~= "array" then
    local sizes = joined(split(items, ","))
    return sizes and "[{" .. sizes .. "}]"
  end
  if not (find(items, ":") or find(items, ",") or find(items, "...")) then
    local inner = expression(items)
    return inner and "[" .. inner .. "]"
  end
  if kind_of(owner) == "table" then return nil end -- tables have no parts
  local out, text = {}, ""
  for i, item in ipairs(items) do
    if item.kind == "name" and item.text ~= "None" then
      out[#out + 1] = '"' .. text .. '"'
      out[#out + 1] = item.text
      text = ""
    elseif item.kind == "group" or item.kind == "text" or
        item.text:find("^[*/+%%]") then
      return nil
    else
      text = text .. item.text .. (is(item, ",") and i < #items and " " or "")
    end
  end
  if text ~= "" then out[#out + 1] = '"' .. text .. '"' end
  if out[1] == '""' then table.remove(out, 1) end
  return "[" .. table.concat(out, " .. ") .. "]"
end

local types = {float = '"f64"', int = '"i64"', bool = '"bool"'}

-- What stands between a call's parentheses.
local function from_arguments(items)
  local given, named = {}, {}
  for i, part in ipairs(split(items, ",")) do
    if #part == 0 and #items > 0 and i == 1 then return nil end
    local value
    if is(part[2], "=") and part[1].kind == "name" then
      local type = #part == 3 and types[part[3].text]
      value = type or expression(slice(part, 3))
      named[#named + 1] = value and part[1].text .. " = " .. value
    elseif #part > 0 then
      value = #part == 1 and types[part[1].text] or expression(part)
      given[#given + 1] = value
    end
    if #part > 0 and not value then return nil end
  end
  if #named > 0 then
    given[#given + 1] = "{" .. table.concat(named, ", ") .. "}"
  end
  if #given == 1 and given[1]:find("^%b{}$") then return given[1] end
  return "(" .. table.concat(given, ", ") .. ")"
end

-- ("a"):rep and so on: texts have methods, in parentheses.
local function text_of(item)
  if item.kind == "format" then return from_format(item.text) end
  return item.text
end

local function has_name_of_lua(inner)
  for _, item in ipairs(inner) do
    if is(item, "end") or is(item, "function") then return true end
  end
end

-- A call of `name`, a function of Python that Lua has another way for.
local function from_builtin(name, group)
  local inner = group.items
  if name == "len" then
    local value = expression(inner)
    return value and (#inner == 1 and "#" .. value or "#(" .. value .. ")")
  end
  if name == "str" and #inner > 0 then
    local value = expression(inner)
    return value and "tostring(" .. value .. ")"
  end
  if name == "dim3" then
    local sizes = joined(split(inner, ","))
    return sizes and "{" .. sizes .. "}"
  end
  if name == "dict" and #inner > 0 then
    local fields = from_arguments(inner)
    return fields and fields:match("^%b{}$")
  end
  if name == "printf" and inner[1] and inner[1].kind == "text" then
    local values = joined(split(slice(inner, 3), ","))
    return values and
      ("io.write((%s):format(%s))"):format(inner[1].text, values)
  end
  if name == "print" and has_name_of_lua(inner) then -- end=""
    local values = joined(split(slice(inner, 1, find(inner, "end") - 2), ","))
    return values and "io.write(" .. values .. ")"
  end
end

local function add(out, text, tight)
  if #out > 0 and not tight then out[#out + 1] = " " end
  out[#out + 1] = text
end

-- Items of one operand after another, with the signs between them.
local function run_of(items)
  local out, i = {}, 1
  while i <= #items do
    local item, before, next_one = items[i], items[i - 1], items[i + 1]
    local tight = before and (is(before, ".") or is(item, ".") or
      is(item, ",") or (item.kind == "group" and (is_value(before) or
      is(before, ">>>")) and item.text ~= "{") or (is(before, "-") and
      (i == 2 or not is_value(items[i - 2]))))
    local text
    if item.kind == "group" and item.text == "(" and
        (is_value(before) or is(before, ">>>")) then
      text = from_arguments(item.items)
    elseif item.kind == "group" and item.text == "[" and is_value(before) then
      text = from_index(before.text, item.items, next_one and
        next_one.kind == "group" and next_one.text == "(")
    elseif is(item, "<<<") and before and find(items, ">>>", i) then
      local stop = find(items, ">>>", i)
      text = joined(split(slice(items, i + 1, stop - 1), ","))
      text, i, tight = text and "[{" .. text .. "}]", stop, true
    elseif item.kind == "group" and item.text == "(" then
      local several = find(item.items, ",")
      text = joined(split(item.items, ","))
      text = text and (several and "{" .. text .. "}" or "(" .. text .. ")")
    elseif item.kind == "group" and item.text == "[" then
      if find(item.items, "for") then return nil end
      text = joined(split(item.items, ","))
      text = text and "{" .. text .. "}"
    elseif item.kind == "group" then
      local fields = {}
      for _, part in ipairs(split(item.items, ",")) do
        local colon = find(part, ":")
        local value = expression(slice(part, colon and colon + 1 or 1))
        local key = colon and expression(slice(part, 1, colon - 1))
        if #part > 0 and (not value or colon and not key) then return nil end
        local plain = key and key:match("^['\"]([%a_][%w_]*)['\"]$")
        if #part > 0 then
          fields[#fields + 1] = (plain and plain .. " = " or
            key and "[" .. key .. "] = " or "") .. value
        end
      end
      text = "{" .. table.concat(fields, ", ") .. "}"
    elseif item.kind == "format" then
      text = from_format(item.text)
    elseif is(item, "is") then
      text = is(next_one, "not") and "~=" or "=="
      if is(next_one, "not") then i = i + 1 end
    elseif item.kind == "name" and next_one and next_one.kind == "group" and
        next_one.text == "(" and not is(before, ".") and
        from_builtin(item.text, next_one) then
      text = from_builtin(item.text, next_one)
      i = i + 1
    elseif item.kind == "text" and is(next_one, ".") and items[i + 2] and
        items[i + 2].text == "format" then
      text, i = "(" .. braces_to_percent(item.text) .. "):format", i + 2
    elseif item.kind == "text" and is(next_one, ".") and items[i + 2] then
      text, i = "(" .. item.text .. "):" .. items[i + 2].text, i + 2
    elseif is(item, "+") and (before and (before.kind == "text" or
        before.kind == "format") or next_one and (next_one.kind == "text" or
        next_one.kind == "format")) then
      text = ".."
    elseif is(item, ".") and before and
      has_methods[kind_of(before.text) or 0] and
        not is(items[i - 2], ".") and items[i + 2] and
        items[i + 2].kind == "group" and items[i + 2].text == "(" then
      text = ":"
    elseif is(before, ".") then
      text = item.text
    else
      text = item.kind ~= "text" and words[item.text] or text_of(item)
    end
    if not text then return nil end
    local after_colon = before and is(before, ".")
    add(out, text, tight or after_colon)
    i = i + 1
  end
  return table.concat(out)
end

-- lambda a, b: a + b -> function(a, b) return a + b end
local function from_lambda(items, at)
  local colon = find(items, ":", at)
  if not colon then return nil end
  local body = expression(slice(items, colon + 1))
  local before = at > 1 and run_of(slice(items, 1, at - 1))
  local names = {}
  for i = at + 1, colon - 1 do
    if items[i].kind == "name" then names[#names + 1] = items[i].text end
  end
  if not body or (at > 1 and not before) then return nil end
  return (before and before .. " " or "") .. "function(" ..
    table.concat(names, ", ") .. ") return " .. body .. " end"
end

-- "%d of %d" % (a, b) -> ("%d of %d"):format(a, b)
local function from_percent(items)
  local values = items[3]
  local inner = #items == 3 and values.kind == "group" and values.text == "("
    and joined(split(values.items, ",")) or expression(slice(items, 3))
  return inner and "(" .. items[1].text .. "):format(" .. inner .. ")"
end

function expression(items)
  local lambda = find(items, "lambda")
  if lambda then return from_lambda(items, lambda) end
  local condition = find(items, "if")
  local other = condition and find(items, "else", condition)
  if other then
    local a = expression(slice(items, 1, condition - 1))
    local c = expression(slice(items, condition + 1, other - 1))
    local b = expression(slice(items, other + 1))
    return a and b and c and c .. " and " .. a .. " or " .. b
  end
  if items[1] and items[1].kind == "text" and is(items[2], "%") then
    return from_percent(items)
  end
  if #items == 3 and items[1].kind == "text" and is(items[2], "*") then
    local count = expression{items[3]}
    return count and "(" .. items[1].text .. "):rep(" .. count .. ")"
  end
  local at = find(items, "@")
  if at and at > 1 then
    local a, b = expression(slice(items, 1, at - 1)),
      expression(slice(items, at + 1))
    return a and b and "np.matmul(" .. a .. ", " .. b .. ")"
  end
  return run_of(items)
end

-- ---- Statements ----

local statement

-- What is done in a block: itself, or three dots where nothing stands there.
local function body_of(items)
  if #items == 0 then return "..." end
  return statement(items)
end

-- The condition of "if c: body" and its like, and what stands behind it.
local function head_and_body(items, mark)
  local colon = find(items, mark)
  if not colon then return nil end
  return slice(items, 2, colon - 1), slice(items, colon + 1)
end

-- 0, n - 1 of range(n) and its like.
local function from_range(items)
  local parts = expressions(split(items, ","))
  if not parts or #parts == 0 then return nil end
  local first = parts[2] and parts[1] or "0"
  local stop = parts[2] or parts[1]
  local down = parts[3] and parts[3]:find("^%-")
  local last = math.tointeger(stop) and stop + (down and 1 or -1) or
    stop .. (down and " + 1" or " - 1")
  return first .. ", " .. last .. (parts[3] and ", " .. parts[3] or "")
end

local function names_of(items)
  local names = {}
  for _, item in ipairs(items) do
    if item.kind == "group" then return names_of(item.items) end
    if item.kind == "name" then names[#names + 1] = item.text end
  end
  return names
end

-- "for ... do" and what its body begins with.
local function loop_head(names, over)
  local call = over[2] and over[2].kind == "group" and #over == 2 and over[2]
  if call and is(over[1], "range") and #names == 1 then
    local range = from_range(call.items)
    return range and ("for %s = %s do"):format(names[1], range), ""
  end
  if call and is(over[1], "enumerate") and #names == 2 then
    local inner = expression(call.items)
    if kind_of(inner) == "array" then
      return ("for %s = 0, #%s - 1 do"):format(names[1], inner),
        ("local %s = %s[%s] "):format(names[2], inner, names[1])
    end
    return inner and ("for %s, %s in ipairs(%s) do"):format(names[1],
      names[2], inner), ""
  end
  if call and is(over[1], "zip") and #names == 2 then
    local parts = expressions(split(call.items, ","))
    if not parts or #parts ~= 2 then return nil end
    local is_array = kind_of(parts[1]) == "array"
    return ("for i = %s do"):format(is_array and "0, #" .. parts[1] .. " - 1"
        or "1, #" .. parts[1]),
      ("local %s, %s = %s[i], %s[i] "):format(names[1], names[2], parts[1],
        parts[2])
  end
  local last = over[#over - 1]
  if is(over[#over - 2], ".") and (is(last, "items") or is(last, "keys")) then
    local owner = expression(slice(over, 1, #over - 3))
    return owner and ("for %s in pairs(%s) do"):format(
      table.concat(names, ", "), owner), ""
  end
  local value = expression(over)
  if value and #names == 1 then
    if kind_of(value) == "array" then
      return ("for i = 0, #%s - 1 do"):format(value),
        ("local %s = %s[i] "):format(names[1], value)
    end
    return ("for _, %s in ipairs(%s) do"):format(names[1], value), ""
  end
end

local function from_for(items)
  local word = find(items, "in")
  local colon = find(items, ":", word)
  if not word or not colon then return nil end
  local head, start = loop_head(names_of(slice(items, 2, word - 1)),
    slice(items, word + 1, colon - 1))
  local body = body_of(slice(items, colon + 1))
  return head and body and head .. " " .. start .. body .. " end"
end

-- y = [f(v) for v in x]
local function from_comprehension(name, items)
  local word = find(items, "for")
  local over = find(items, "in", word)
  if not over then return nil end
  local condition = find(items, "if", over)
  local value = expression(slice(items, 1, word - 1))
  local head, start = loop_head(names_of(slice(items, word + 1, over - 1)),
    slice(items, over + 1, condition and condition - 1))
  local test = condition and expression(slice(items, condition + 1))
  if not value or not head or condition and not test then return nil end
  local step = ("%s[#%s + 1] = %s"):format(name, name, value)
  if test then step = ("if %s then %s end"):format(test, step) end
  return ("%s = {}; %s %s%s end"):format(name, head, start, step)
end

-- def f(a, n=3): body
local function from_def(items)
  local group, colon = items[3], find(items, ":")
  if not (group and group.kind == "group" and colon) then return nil end
  local names, start = {}, ""
  for _, part in ipairs(split(group.items, ",")) do
    if part[1] then
      names[#names + 1] = part[1].text
      local sign = find(part, "=")
      local default = sign and expression(slice(part, sign + 1))
      if sign and not default then return nil end
      if default then
        start = start .. ("%s = %s or %s "):format(part[1].text, part[1].text,
          default)
      end
    end
  end
  local body = body_of(slice(items, colon + 1))
  return body and ("function %s(%s) %s%s end"):format(items[2].text,
    table.concat(names, ", "), start, body)
end

-- The statements of a { } of C, or one that ends in a ";".
local function from_braces(items)
  if items[1] and items[1].kind == "group" and items[1].text == "{" then
    items = items[1].items
  end
  local out = {}
  for _, part in ipairs(split(items, ";")) do
    if #part > 0 then
      out[#out + 1] = statement(part)
      if not out[#out] then return nil end
    end
  end
  return #out == 0 and "..." or table.concat(out, " ")
end

-- for (int i = 0; i < n; i++) ...
local function from_c_for(items)
  local parts = split(items[2].items, ";")
  local sign = parts[1] and find(parts[1], "=")
  if #parts ~= 3 or not sign or #parts[2] < 3 then return nil end
  local name, test = parts[1][sign - 1].text, parts[2][2].text
  local up = is(parts[3][1], "++") or is(parts[3][2], "++")
  if not is(parts[2][1], name) or not up or
      not (test == "<" or test == "<=") then
    return nil
  end
  local first = expression(slice(parts[1], sign + 1))
  local last = expression(slice(parts[2], 3))
  local body = from_braces(slice(items, 3))
  if not (first and last and body) then return nil end
  if test == "<" then
    last = math.tointeger(last) and tostring(last - 1) or last .. " - 1"
  end
  return ("for %s = %s, %s do %s end"):format(name, first, last, body)
end

local function from_c_block(items, head, tail)
  local condition = expression(items[2].items)
  local other = find(items, "else")
  local body = from_braces(slice(items, 3, other and other - 1))
  local rest = other and from_braces(slice(items, other + 1))
  if not condition or not body or other and not rest then return nil end
  return ("%s %s %s %s%s end"):format(head, condition, tail, body,
    rest and " else " .. rest or "")
end

local function is_group(item, open)
  return item and item.kind == "group" and item.text == open
end

local starts = {}

starts["def"] = from_def

starts["for"] = function(items)
  if is_group(items[2], "(") then return from_c_for(items) end
  return from_for(items)
end

starts["while"] = function(items)
  local head, body = head_and_body(items, ":")
  if head then
    local condition, inner = expression(head), body_of(body)
    return condition and inner and
      ("while %s do %s end"):format(condition, inner)
  end
  return is_group(items[2], "(") and from_c_block(items, "while", "do")
end

starts["if"] = function(items)
  local head, body = head_and_body(items, ":")
  if head then
    local condition, inner = expression(head), body_of(body)
    return condition and inner and
      ("if %s then %s end"):format(condition, inner)
  end
  return is_group(items[2], "(") and from_c_block(items, "if", "then")
end

starts["function"] = function(items)
  local group, block = items[3], items[4]
  if not is_group(group, "(") or not is_group(block, "{") then return nil end
  local body = from_braces{block}
  return body and ("function %s(%s) %s end"):format(items[2].text,
    table.concat(names_of(group.items), ", "), body)
end

starts["assert"] = function(items)
  local inner = joined(split(slice(items, 2), ","))
  return inner and "assert(" .. inner .. ")"
end

starts["print"] = function(items)
  local inner = not is_group(items[2], "(") and
    joined(split(slice(items, 2), ","))
  return inner and "print(" .. inner .. ")"
end

starts["del"] = function(items)
  return items[2] and #items == 2 and items[2].text .. " = nil"
end

starts["raise"] = function(items)
  local text = items[3] and items[3].kind == "group" and
    joined(split(items[3].items, ","))
  return text and text ~= "" and "error(" .. text .. ")"
end

starts["return"] = function(items)
  local inner = joined(split(slice(items, 2), ","))
  return inner and (#items == 1 and "return" or "return " .. inner)
end

-- with open("f") as f:
starts["with"] = function(items)
  local as = find(items, "as")
  local value = as and expression(slice(items, 2, as - 1))
  if not value or not is(items[as + 2], ":") or #items > as + 2 then
    return nil
  end
  return items[as + 1].text .. " = " .. value:gsub("^open%(", "io.open(")
end

starts["elif"] = function(items)
  local head = head_and_body(items, ":")
  local condition = head and expression(head)
  return condition and
    ("if a then ... elseif %s then ... end"):format(condition)
end

starts["try"] = function(items)
  return is(items[2], ":") and #items == 2 and
    "print(pcall(function() ... end))"
end

-- cout << a << b
local function from_cout(items)
  local at = is(items[1], "std") and 4 or 1
  if not is(items[at], "cout") then return nil end
  local values = {}
  for _, part in ipairs(split(slice(items, at + 2), "<<")) do
    if part[#part] and part[#part].text ~= "endl" then
      values[#values + 1] = expression(part)
    end
  end
  return #values > 0 and "print(" .. table.concat(values, ", ") .. ")"
end

local declares = {int = true, float = true, double = true, auto = true,
  char = true, bool = true, unsigned = true, long = true, short = true,
  size_t = true, const = true, let = true, var = true, string = true,
  uint32_t = true, int32_t = true, int64_t = true}

-- int n = 3;  let y = 3  const float *p;
local function from_declaration(items)
  local i = 1
  while items[i] and (declares[items[i].text] or i > 1 and is(items[i], "*")) do
    i = i + 1
  end
  local name = items[i]
  if i == 1 or not name or name.kind ~= "name" then return nil end
  if #items == i then return name.text .. " = nil" end
  local at = i + 1
  if is_group(items[at], "[") then at = at + 1 end
  if not is(items[at], "=") then return nil end
  local value = expression(slice(items, at + 1))
  return value and name.text .. " = " .. value
end

local steps = {["+="] = "+", ["-="] = "-", ["*="] = "*", ["/="] = "/",
  ["%="] = "%", ["//="] = "//", ["**="] = "^"}

-- x += e, x++
local function from_step(items)
  for i, item in ipairs(items) do
    local sign = item.kind == "sign" and steps[item.text]
    if sign then
      local target = expression(slice(items, 1, i - 1))
      local rest = slice(items, i + 1)
      local value = expression(rest)
      if not target or not value or #rest == 0 then return nil end
      local text = rest[1].kind == "text" or rest[1].kind == "format"
      sign = sign == "+" and text and ".." or sign
      if #rest > 1 and sign ~= "+" then value = "(" .. value .. ")" end
      return ("%s = %s %s %s"):format(target, target, sign, value)
    end
  end
  local last = is(items[#items], "++") and "+" or
    is(items[#items], "--") and "-"
  local first = is(items[1], "++") and "+" or is(items[1], "--") and "-"
  local target = last and expression(slice(items, 1, #items - 1)) or
    first and expression(slice(items, 2))
  return target and target ~= "" and
    ("%s = %s %s 1"):format(target, target, last or first)
end

-- a = b = 3, t.append(v), x = [v for v in y], (1, 2)
local function from_assignment(items)
  local parts = split(items, "=")
  local list = #items == 1 and is_group(items[1], "[") and items[1].items
  if list and find(list, "for") then return from_comprehension("t", list) end
  local lambda = find(items, "lambda")
  if lambda then parts = split(slice(items, 1, lambda), "=") end
  if lambda or #parts == 1 then return expression(items) end
  local target = joined(split(parts[1], ","))
  local right = parts[#parts]
  if #parts == 3 then
    local second, value = expression(parts[2]), expression(right)
    return target and second and value and
      ("%s = %s; %s = %s"):format(second, value, target, second)
  end
  if #parts > 3 or not target then return nil end
  if #right == 1 and is_group(right[1], "[") and
    find(right[1].items, "for") then
    return from_comprehension(target, right[1].items)
  end
  local values = joined(split(right, ","))
  return values and target .. " = " .. values
end

-- f(x) = x^2
local function from_definition(items)
  if items[1] and items[1].kind == "name" and is_group(items[2], "(") and
      is(items[3], "=") and #items > 3 then
    local value = expression(slice(items, 4))
    return value and ("function %s(%s) return %s end"):format(items[1].text,
      table.concat(names_of(items[2].items), ", "), value)
  end
end

function statement(items)
  if #items == 0 then return nil end
  local start = items[1].kind == "name" and starts[items[1].text]
  local line = start and start(items)
  return line or from_cout(items) or from_declaration(items) or
    from_step(items) or from_definition(items) or from_assignment(items)
end

-- Lua that compiles: a statement, or a value. Its "..." stands for a body.
local function compiles(line)
  local filled = line:gsub("%.%.%. ", "")
  return load(filled) ~= nil or load("return " .. line) ~= nil
end

-- Does it say what to write, as it stands?
local function is_lua(line)
  return load(line) ~= nil or load("return " .. line) ~= nil
end

--- The line as Lua, or nil. kind(name) says what a variable holds: "array",
--- "text", "table" or nothing. A line that is Lua already needs `even_lua`.
return function(line, kind, even_lua)
  kind_of = kind
  if not even_lua and is_lua(line) then return nil end
  local list = tokens_of(line)
  while list and is(list[#list], ";") do list[#list] = nil end
  local tree = list and tree_of(list, 1)
  if not tree or find(tree, ";") then return nil end
  local lua = statement(tree)
  if lua and lua ~= line and compiles(lua) then return lua end
end
