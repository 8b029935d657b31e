-- SPDX-License-Identifier: Apache-2.0
-- The nodes of forms.lua as two functions in a shell's language, which shells/
-- calls: of a path (words, options, places, rest), and of a path and an option
-- (kinds of its value). An option with a value ends in "=".
local M = {}

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end
local function fish_quote(text)
  return "'" .. text:gsub("[\\']", "\\%0") .. "'"
end

-- Help as one short line.
local function short(text)
  text = (text or ""):gsub("[;:] .*", "")
  return #text <= 60 and text or text:sub(1, 60):gsub("%s+%S*$", "") .. " ..."
end

-- Every command takes the options of warpshop itself, too.
local function options_of(nodes, node)
  local list, seen = {}, {}
  for _, from in ipairs{node, nodes[""]} do
    for _, o in ipairs(from.options) do
      if not seen[o.name] then list[#list + 1] = o end
      seen[o.name] = true
    end
  end
  list[#list + 1] = {name = "--help", kinds = {}, help = "how it is used"}
  return list
end

local function map(list, f)
  local out = {}
  for i, v in ipairs(list) do out[i] = f(v) end
  return out
end

local function option_name(o) return o.name .. (o.value and "=" or "") end

-- What of a node goes into its row, each entry by `entry(name, help)`.
local function parts(nodes, node, entry)
  local words = map(node.words, function(word)
    local below = nodes[node.path == "" and word or node.path .. " " .. word]
    return entry(word, short(below.help))
  end)
  local options = map(options_of(nodes, node), function(o)
    return entry(option_name(o), short(o.help))
  end)
  local places = map(node.places, function(p)
    return quote(table.concat(p, " "))
  end)
  return table.concat(words, " "), table.concat(options, " "),
    table.concat(places, " ")
end

-- bash and zsh: `v` is what their variables begin with.
local function sh(nodes, v, entry)
  local out = {"_warpshop_row() { # PATH", "  case $1 in"}
  for _, node in ipairs(nodes) do
    local words, options, places = parts(nodes, node, entry)
    out[#out + 1] = ("  %s)\n    %swords=(%s)\n    %soptions=(%s)\n" ..
      "    %splaces=(%s) %srest=%s\n    ;;"):format(quote(node.path), v, words,
      v, options, v, places, v, node.rest and "yes" or "''")
  end
  out[#out + 1] = "  esac\n}\n\n_warpshop_value() { # PATH OPTION\n" ..
    "  kinds=()\n  case \"$1 $2\" in"
  for _, node in ipairs(nodes) do
    for _, o in ipairs(options_of(nodes, node)) do
      if o.value then
        out[#out + 1] = ("  %s) kinds=(%s) ;;"):format(
          quote(node.path .. " " .. o.name),
          table.concat(map(o.kinds, quote), " "))
      end
    end
  end
  out[#out + 1] = "  esac\n}"
  return table.concat(out, "\n") .. "\n\n"
end

function M.bash(nodes)
  return sh(nodes, "", function(name) return name end)
end

function M.zsh(nodes)
  return sh(nodes, "ws_", function(name, help)
    return quote(name:gsub(":", "\\:") .. ":" .. help)
  end)
end

function M.fish(nodes)
  local out = {"function __warpshop_row --no-scope-shadowing # PATH",
               "    switch $argv[1]"}
  for _, node in ipairs(nodes) do
    local words, options, places = parts(nodes, node, function(name, help)
      return fish_quote(name) .. "\\t" .. fish_quote(help)
    end)
    out[#out + 1] = ("        case %s\n            set words %s\n" ..
      "            set options %s\n            set places %s\n" ..
      "            set rest %s"):format(fish_quote(node.path), words, options,
      places, node.rest and "yes" or "")
  end
  out[#out + 1] = "    end\nend\n\n" ..
    "function __warpshop_value --no-scope-shadowing # PATH OPTION\n" ..
    "    set kinds\n    switch \"$argv[1] $argv[2]\""
  for _, node in ipairs(nodes) do
    for _, o in ipairs(options_of(nodes, node)) do
      if o.value then
        out[#out + 1] = ("        case %s\n            set kinds %s"):format(
          fish_quote(node.path .. " " .. o.name),
          table.concat(map(o.kinds, fish_quote), " "))
      end
    end
  end
  out[#out + 1] = "    end\nend"
  return table.concat(out, "\n") .. "\n\n"
end

return M
