-- SPDX-License-Identifier: Apache-2.0
-- Estimators: what they are made with, what fit found, and mistakes.
local use = ...
local mistakes = use("shared/mistakes")
local fail, unknown = mistakes.fail, mistakes.unknown
local M = {}

-- What an estimator keeps: {parameters, fitted}.
local KEY = {}

local function own(self) return type(self) == "table" and rawget(self, KEY) end

-- ---- Parameters ----

local function shown(v)
  if type(v) == "string" then return ("%q"):format(v) end
  if use.is_array(v) then
    return "array of " .. table.concat(v.shape, " x ")
  end
  return type(v) == "table" and "a table" or tostring(v)
end

M.shown = shown

--- A check: the value is one that `is` takes; `what` says which those are.
function M.must(what, is)
  return function(class, name, v)
    if not is(v) then
      fail("%s: %s must be %s, not %s", class, name, what, shown(v))
    end
  end
end

function M.is_count(v, least)
  return math.type(v) == "integer" and v >= (least or 1)
end

M.positive = M.must("a whole number, 1 or more", M.is_count)
M.not_negative = M.must("a number, 0 or more",
  function(v) return type(v) == "number" and v >= 0 end)
M.truth = M.must("true or false",
  function(v) return type(v) == "boolean" end)
M.seed = M.must("a whole number, a generator of np.random or nil",
  function(v)
    return v == nil or M.is_count(v, 0) or type(v) == "userdata"
      and not use.is_array(v)
  end)

--- One of these words.
function M.word(...)
  local words = {...}
  return M.must('"' .. table.concat(words, '" or "') .. '"', function(v)
    for _, word in ipairs(words) do
      if v == word then return true end
    end
    return false
  end)
end

-- ---- Classes ----

local function names_of(spec)
  local out = {}
  for i, p in ipairs(spec.parameters) do out[i] = p.name end
  return out
end

local function set(spec, parameters, given)
  for key, value in pairs(given) do
    local p = spec.by_name[key]
    if not p then
      unknown(spec.name .. ": there is no parameter", key, names_of(spec))
    end
    p.check(spec.name, p.name, value)
    parameters[key] = value
  end
end

-- The parameters of Class{...}, Class(first) or Class(first, {...}).
local function given_of(spec, ...)
  local first, rest = ...
  local is_table = type(first) == "table" and not getmetatable(first)
  if first == nil and rest == nil then return {} end
  if is_table and rest == nil and first[1] == nil then return first end
  if rest ~= nil and (type(rest) ~= "table" or getmetatable(rest))
    or not spec.positional or is_table then
    fail("%s: its parameters are a table such as %s{%s = ...}", spec.name,
      spec.name, spec.parameters[1].name)
  end
  local given = {[spec.positional] = first}
  for key, value in pairs(rest or {}) do given[key] = value end
  return given
end

local function not_fitted(spec)
  fail("This %s instance is not fitted yet: call fit(X) before",
    spec.name)
end

-- A field that is neither a method nor known to fit.
local function missing(spec, key)
  for _, name in ipairs(spec.fitted) do
    if name == key then not_fitted(spec) end
  end
  local names = names_of(spec)
  for name in pairs(spec.methods) do names[#names + 1] = name end
  table.move(spec.fitted, 1, #spec.fitted, #names + 1, names)
  table.sort(names)
  unknown(spec.name .. " has no", tostring(key), names)
end

-- KMeans{n_clusters = 3}: what is not as it is by default.
local function text_of(spec, parameters)
  local out = {}
  for _, p in ipairs(spec.parameters) do
    local v = parameters[p.name]
    if v ~= p.default then
      out[#out + 1] = p.name .. " = " .. shown(v)
    end
  end
  return ("%s{%s}"):format(spec.name, table.concat(out, ", "))
end

local function metatable_of(spec)
  local meta = {ml_class = spec.name, __name = "ml." .. spec.name,
                help_name = "ml." .. spec.name}
  function meta.__index(self, key)
    local o = own(self)
    if spec.methods[key] then return spec.methods[key] end
    if spec.by_name[key] then return o.parameters[key] end
    if o.fitted and o.fitted[key] ~= nil then return o.fitted[key] end
    if type(key) == "string" then missing(spec, key) end
  end
  function meta.__newindex(self, key, value)
    set(spec, own(self).parameters, {[key] = value})
  end
  function meta.__tostring(self) return text_of(spec, own(self).parameters) end
  -- What Tab offers behind ":" and ".".
  function meta.__complete(self, is_method)
    if is_method then return spec.methods end
    local out = {}
    for _, p in ipairs(spec.parameters) do out[p.name] = true end
    for name in pairs(own(self).fitted or {}) do out[name] = true end
    return out
  end
  return meta
end

-- A method, which is called with a colon.
local function guarded(spec, name, f)
  return function(self, ...)
    local meta = type(self) == "table" and getmetatable(self)
    if not meta or meta.ml_class ~= spec.name then
      fail("%s: %s is written with a colon, m:%s(...), where m = ml.%s{...}",
        spec.name, name, name, spec.name)
    end
    return f(self, ...)
  end
end

local shared = {}

function shared.get_params(self)
  local out = {}
  for key, value in pairs(own(self).parameters) do out[key] = value end
  return out
end

-- Puts the class's own set_params and get_params among its methods.
local function add_shared(spec)
  spec.methods.get_params = shared.get_params
  spec.methods.set_params = function(self, given)
    if type(given) ~= "table" then
      fail("%s: set_params takes a table such as {%s = ...}", spec.name,
        spec.parameters[1].name)
    end
    set(spec, own(self).parameters, given)
    return self
  end
end

--- A class: {name, parameters = {{name =, default =, check =}, ...}, fitted =
--- names, methods, positional = the parameter that may stand alone}. Gives what
--- makes an estimator.
function M.class(spec)
  spec.by_name = {}
  for _, p in ipairs(spec.parameters) do spec.by_name[p.name] = p end
  add_shared(spec)
  for name, f in pairs(spec.methods) do
    spec.methods[name] = guarded(spec, name, f)
  end
  local meta = metatable_of(spec)
  return function(...)
    local parameters = {}
    for _, p in ipairs(spec.parameters) do parameters[p.name] = p.default end
    set(spec, parameters, given_of(spec, ...))
    return setmetatable({[KEY] = {spec = spec, parameters = parameters}}, meta)
  end
end

--- What fit found, under the names by which it is looked up.
function M.fit(self, fitted)
  own(self).fitted = fitted
  return self
end

--- The same, or the error that fit was not called.
function M.fitted(self)
  local o = own(self)
  if not o.fitted then not_fitted(o.spec) end
  return o.fitted
end

function M.parameters(self) return own(self).parameters end

--- A generator of np.random for random_state.
function M.generator(seed)
  if type(seed) == "userdata" then return seed end
  return use.np.random.default_rng(seed)
end

return M
