-- SPDX-License-Identifier: Apache-2.0
-- What all files of frame share: what an object keeps, mistakes, options, row
-- labels.
local use = ...
local M = {}

-- ---- What an object keeps ----

local KEY = {}

--- An object of this metatable that keeps `state`, out of the way of columns.
function M.new(metatable, state)
  return setmetatable({[KEY] = state}, metatable)
end

function M.state(x) return rawget(x, KEY) end

M.kind = use("shared/objects").kind

-- ---- Mistakes ----

for name, f in pairs(use("shared/mistakes")) do M[name] = f end

-- What pandas' older names and other libraries' are called here.
local other_names = {sort = "sort_values", order = "sort_values",
                     isnull = "isna", notnull = "notna", avg = "mean",
                     average = "mean", distinct = "drop_duplicates",
                     join = "merge", where = "filter", query = "filter"}

--- The name among `names` that was perhaps meant.
function M.nearest(word, names)
  local meant = other_names[word]
  for _, name in ipairs(names) do
    if name == meant then return name end
  end
  return use.nearest(word, names)
end

--- A number of rows.
function M.rows(name, n, default)
  if n == nil then return default end
  if math.type(n) ~= "integer" then
    M.fail("%s: the number of rows is a whole number, not %s", name,
      use.value_text(n))
  end
  return n
end

--- A name or a list of names as a list.
function M.names(x)
  if type(x) == "table" and not M.kind(x) then return x end
  return {x}
end

return M
