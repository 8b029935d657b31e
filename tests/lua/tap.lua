-- SPDX-License-Identifier: Apache-2.0
-- A small test harness that speaks TAP (https://testanything.org).
--   local tap = dofile(...)("np"); tap.test("name", function() ... end)
--   tap.done()
local M = {count = 0, failed = 0}

function M.test(name, f)
  M.count = M.count + 1
  local ok, e = xpcall(f, function(e)
    return type(e) == "string" and debug.traceback(e, 2) or e
  end)
  print(("%sok %d - %s"):format(ok and "" or "not ", M.count, name))
  if not ok then
    M.failed = M.failed + 1
    for line in tostring(e):gmatch("[^\n]+") do print("# " .. line) end
  end
end

-- Values are equal: tables by their items, NaN equals NaN.
local function same(a, b)
  if type(a) == "table" and type(b) == "table" then
    for k, v in pairs(a) do
      if not same(v, b[k]) then return false end
    end
    for k in pairs(b) do
      if a[k] == nil then return false end
    end
    return true
  end
  return a == b or (a ~= a and b ~= b)
end

local function show(v)
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for i, x in ipairs(v) do parts[i] = show(x) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

function M.equal(got, want, what)
  if not same(got, want) then
    error(("%sgot %s, want %s"):format(what and what .. ": " or "",
      show(got), show(want)), 2)
  end
end

-- f must raise an error table of `kind` whose message contains `text`.
function M.raises(kind, text, f)
  local ok, e = pcall(f)
  if ok then error("no error was raised", 2) end
  local got = type(e) == "table" and e.kind or "lua"
  if got ~= kind then
    error(("kind %s, want %s: %s"):format(got, kind, tostring(e)), 2)
  end
  local message = type(e) == "table" and e.message or e
  if not message:find(text, 1, true) then
    error(("the message %q lacks %q"):format(message, text), 2)
  end
  return e
end

function M.done()
  print("1.." .. M.count)
  if M.failed > 0 then
    error(M.failed .. " of " .. M.count .. " tests failed", 0)
  end
end

return M
