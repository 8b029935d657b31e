-- SPDX-License-Identifier: Apache-2.0
-- Why a jitted function was traced: what of its arguments no earlier call had.
local use = ...
local core = use("core/core")
local tree = use("core/tree")
local config = use("core/config")
local mistakes = use("explain/mistakes")
local M = {}

-- Jitted functions of the library's, whose traces nobody asked for.
M.own = setmetatable({}, {__mode = "k"})

-- How often a function was jitted that begins at this place.
local made_at = {}

local function name_of(self, number)
  local name = type(self.f) == "function" and use.parameter(self.f, number + 1)
  return name or "argument " .. number
end

-- "argument p.w[1]": the name of each leaf.
local function leaf_names(self, call)
  local names = {}
  local function walk(d, path)
    if d == true then
      names[#names + 1] = path
      return
    end
    for i, child in ipairs(d.children) do
      local step = i <= d.count and "[" .. i .. "]" or
                   "." .. d.names[i - d.count]
      walk(child, path .. step)
    end
  end
  for i, child in ipairs(call.structure.children) do
    walk(child, name_of(self, call.numbers[i]))
  end
  return names
end

local function static_text(v)
  if type(v) == "function" then
    return "the function at " .. mistakes.place(use.defined(v))
  end
  return type(v) == "string" and ("%q"):format(v) or tostring(v)
end

-- A call as what can be compared: without the arrays.
local function summary(self, call)
  local s = {names = leaf_names(self, call), avals = {}, statics = {},
             structure = tree.text(call.structure), config = call.config}
  for i, x in ipairs(call.leaves) do s.avals[i] = core.aval_of(x) end
  for i = 1, call.statics.n do
    if call.statics.is_static[i - 1] then
      table.insert(s.statics, {name = name_of(self, i - 1),
                               value = call.statics[i]})
    end
  end
  return s
end

-- The differences between a call and an earlier one.
local function differences(new, old)
  local list = {}
  local function add(text, ...) list[#list + 1] = text:format(...) end
  if new.config ~= old.config then add("jax.config was changed") end
  for i, x in ipairs(new.statics) do
    local before = old.statics[i]
    if not before then
      add("static argument %s: %s", x.name, static_text(x.value))
    elseif static_text(before.value) ~= static_text(x.value) then
      add("static argument %s: %s -> %s", x.name, static_text(before.value),
          static_text(x.value))
    elseif before.value ~= x.value then
      add("static argument %s: a new %s, equal to the last in nothing but " ..
          "its text (a function made at each call?)", x.name, type(x.value))
    end
  end
  if new.structure ~= old.structure then
    add("tree structure: %s -> %s", old.structure, new.structure)
    return list
  end
  for i, a in ipairs(new.avals) do
    local b = old.avals[i]
    if not core.same_shape(a.shape, b.shape) then
      add("%s: shape %s -> %s", new.names[i], core.shape_text(b.shape),
          core.shape_text(a.shape))
    end
    if a.dtype ~= b.dtype then
      add("%s: dtype %s -> %s", new.names[i], b.dtype, a.dtype)
    elseif a.weak ~= b.weak then
      add("%s: weak type (a Lua number's) %s -> %s", new.names[i],
          tostring(b.weak), tostring(a.weak))
    end
  end
  return list
end

-- Against the earlier call that differs least.
local function nearest(self, new)
  local best
  for _, old in ipairs(self.known) do
    local list = differences(new, old)
    if not best or #list <= #best then best = list end
  end
  return best
end

local function first_reason(self)
  local place = type(self.f) == "function" and use.defined(self.f)
  local times = place and (made_at[place] or 0) or 0
  if place then made_at[place] = times + 1 end
  if times == 0 then return "the first call" end
  return ("the first call of this function object; the function at %s was " ..
          "given to jax.jit %d time%s before, each time as a new object " ..
          "(made in a loop or at each call?): jit it once, outside"):format(
    mistakes.place(place), times, times == 1 and "" or "s")
end

--- A call of the jitted function for which there is no program.
function M.note(self, call)
  if not M.own[self] then use.count_trace() end
  self.known, self.misses = self.known or {}, self.misses or {}
  local new = summary(self, call)
  local text
  if #self.known == 0 then
    text = first_reason(self)
  else
    text = table.concat(nearest(self, new), "; ")
    if text == "" then text = "the caches were cleared" end
  end
  table.insert(self.known, new)
  table.insert(self.misses, text)
  local where = use.where()
  local at = where and " at " .. mistakes.place(where) or ""
  if config.explains_misses then
    use.say(("tracing %s%s: %s"):format(self.name, at, text))
  elseif config.logs_compiles then
    local parts = {}
    for i, a in ipairs(new.avals) do parts[i] = core.aval_text(a) end
    use.say(("compiling %s for (%s)%s"):format(
      self.name, table.concat(parts, ", "), at))
  end
end

--- f() with each compilation told.
function M.log_during(f)
  local before = config.logs_compiles
  config.logs_compiles = true
  return core.finally(function() config.logs_compiles = before end, f)
end

function M.list(self)
  return table.move(self.misses or {}, 1, #(self.misses or {}), 1, {})
end

function M.text(self)
  local lines = {}
  for i, text in ipairs(self.misses or {}) do
    lines[i] = ("trace %d: %s"):format(i, text)
  end
  if #lines == 0 then return "it was not called yet" end
  local seen = {}
  for _, entry in pairs(self.cache) do
    for _, text in ipairs(entry.effects) do
      if not seen[text] then
        seen[text] = true
        lines[#lines + 1] = text .. " while it was traced; a call that " ..
                            "finds its program does not do it again"
      end
    end
  end
  return table.concat(lines, "\n")
end

return M
